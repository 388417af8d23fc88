//! global: 64
//! arg 0: i32[64] = i % 8
//! arg 1: i32[64] = 0
//! expect 1: 1 << arg0
__constant int powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__kernel void test(__global const int *a, __global int *r)
{
    r[get_global_id(0)] = powers[a[get_global_id(0)]];
}
