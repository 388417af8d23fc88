//! global: 32
//! arg 0: i32[128] = i32(i * 2654435761 + 12345)
//! arg 1: i32[128] = 0
//! expect 1: i % 4 < 3 ? i32(i32(arg0 * 3) ^ (arg0 >> 5)) + (arg0 > 100 ? 1 : 2) : 0
__kernel void test(__global const int3 *a, __global int *r)
{
    size_t i = get_global_id(0);
    int3 x = a[i];
    int3 y = ((x * 3) ^ (x >> 5)) + select((int3)2, (int3)1, x > 100);
    vstore3(y, 0, r + i * 4);
}
