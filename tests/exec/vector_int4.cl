//! global: 32
//! arg 0: i32[128] = i32(i * 2654435761 + 12345)
//! arg 1: i32[128] = 0
//! expect 1: i % 4 < 4 ? i32(i32(arg0 * 3) ^ (arg0 >> 5)) + (arg0 > 100 ? 1 : 2) : 0
__kernel void test(__global const int4 *a, __global int *r)
{
    size_t i = get_global_id(0);
    int4 x = a[i];
    int4 y = ((x * 3) ^ (x >> 5)) + select((int4)2, (int4)1, x > 100);
    vstore4(y, 0, r + i * 4);
}
