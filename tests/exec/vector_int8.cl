//! global: 32
//! arg 0: i32[256] = i32(i * 2654435761 + 12345)
//! arg 1: i32[256] = 0
//! expect 1: i % 8 < 8 ? i32(i32(arg0 * 3) ^ (arg0 >> 5)) + (arg0 > 100 ? 1 : 2) : 0
__kernel void test(__global const int8 *a, __global int *r)
{
    size_t i = get_global_id(0);
    int8 x = a[i];
    int8 y = ((x * 3) ^ (x >> 5)) + select((int8)2, (int8)1, x > 100);
    vstore8(y, 0, r + i * 8);
}
