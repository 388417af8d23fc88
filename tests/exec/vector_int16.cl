//! global: 32
//! arg 0: i32[512] = i32(i * 2654435761 + 12345)
//! arg 1: i32[512] = 0
//! expect 1: i % 16 < 16 ? i32(i32(arg0 * 3) ^ (arg0 >> 5)) + (arg0 > 100 ? 1 : 2) : 0
__kernel void test(__global const int16 *a, __global int *r)
{
    size_t i = get_global_id(0);
    int16 x = a[i];
    int16 y = ((x * 3) ^ (x >> 5)) + select((int16)2, (int16)1, x > 100);
    vstore16(y, 0, r + i * 16);
}
