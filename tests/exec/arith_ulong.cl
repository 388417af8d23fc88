//! global: 256
//! arg 0: u64[256] = u64(i * 0x9e3779b97f4a7c15 >> 0 ^ i * 77)
//! arg 1: u64[256] = u64((i * 0xd1342543de82ef95 >> 0) | 1)
//! arg 2: u64[256] = 0
//! expect 2: (u64(arg0 + arg1) ^ u64(arg0 - arg1 * 3)) + u64(arg0 / arg1) * 5 + arg0 % arg1
__kernel void test(__global const ulong *a, __global const ulong *b, __global ulong *r)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    r[i] = ((ulong)(x + y) ^ (ulong)(x - y * 3)) + (ulong)(x / y) * (ulong)5 + (ulong)(x % y);
}
