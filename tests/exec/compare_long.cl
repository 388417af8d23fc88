//! global: 256
//! arg 0: i64[256] = i64(i * 0x9e3779b97f4a7c15 >> 0 ^ i * 77)
//! arg 1: i64[256] = i64((i * 0xd1342543de82ef95 >> 0) | 1)
//! arg 2: i64[256] = 0
//! expect 2: (arg0 < arg1) + 2 * (arg0 <= arg1) + 4 * (arg0 == arg1) + 8 * (arg0 > arg1) + 16 * (arg0 != arg1)
__kernel void test(__global const long *a, __global const long *b, __global long *r)
{
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    r[i] = (long)((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x > y) + 16 * (x != y));
}
