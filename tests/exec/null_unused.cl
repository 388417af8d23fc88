//! global: 8
//! arg 0: null
//! arg 1: i32[8] = 5
//! arg 2: i32[8] = 7
//! expect 2: 1
__kernel void test(__global const float *absent, __global const int *present, __global int *r)
{
    r[get_global_id(0)] = (absent == 0) + 2 * (present == 0);
}
