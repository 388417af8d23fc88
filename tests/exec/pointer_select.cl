//! global: 64
//! arg 0: i32[64] = i
//! arg 1: i32[64] = 1000 + i
//! arg 2: i32[64] = 0
//! expect 2: i % 3 == 0 ? i : 1000 + i
__kernel void test(__global const int *a, __global const int *b, __global int *r)
{
    size_t i = get_global_id(0);
    __global const int *p = i % 3 == 0 ? a : b;
    r[i] = p[i];
}
