//! global: 256
//! arg 0: u64[256] = u64(i * 0x9e3779b97f4a7c15 >> 0 ^ i * 77)
//! arg 1: u64[256] = u64((i * 0xd1342543de82ef95 >> 0) | 1)
//! arg 2: u64[256] = 0
//! expect 2: (arg0 < arg1) + 2 * (arg0 <= arg1) + 4 * (arg0 == arg1) + 8 * (arg0 > arg1) + 16 * (arg0 != arg1)
__kernel void test(__global const ulong *a, __global const ulong *b, __global ulong *r)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    r[i] = (ulong)((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x > y) + 16 * (x != y));
}
