//! global: 32
//! arg 0: i32[64] = i32(i * 2654435761 + 12345)
//! arg 1: i32[64] = 0
//! expect 1: i % 2 < 2 ? i32(i32(arg0 * 3) ^ (arg0 >> 5)) + (arg0 > 100 ? 1 : 2) : 0
__kernel void test(__global const int2 *a, __global int *r)
{
    size_t i = get_global_id(0);
    int2 x = a[i];
    int2 y = ((x * 3) ^ (x >> 5)) + select((int2)2, (int2)1, x > 100);
    vstore2(y, 0, r + i * 2);
}
