//! global: 8
//! arg 0: i32[8] = i
//! arg 1: null
//! arg 2: i32[8] = 0
//! expect 2: arg0 + 1
__kernel void test(__global const int *a, __global const int *maybe, __global int *r)
{
    size_t i = get_global_id(0);
    r[i] = a[i] + (maybe ? maybe[i] : 1);
}
