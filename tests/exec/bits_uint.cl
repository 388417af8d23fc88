//! global: 256
//! arg 0: u32[256] = u32(i * 0x9e3779b97f4a7c15 >> 32 ^ i * 77)
//! arg 1: u32[256] = u32((i * 0xd1342543de82ef95 >> 32) | 1)
//! arg 2: u32[256] = 0
//! expect 2: (u32(arg0 << (arg1 & 31)) ^ (arg0 >> (arg1 & 31))) + ((arg0 & arg1) | (~arg0 ^ arg1))
__kernel void test(__global const uint *a, __global const uint *b, __global uint *r)
{
    size_t i = get_global_id(0);
    uint x = a[i], y = b[i];
    r[i] = ((uint)(x << (y & 31)) ^ (uint)(x >> (y & 31))) + (uint)((x & y) | (~x ^ y));
}
