//! global: 64
//! arg 0: i32[64] = i % 8
//! arg 1: i32[64] = 0
//! expect 1: (i % 8) * 10 + (i % 8 == 3 ? 1000 : 0)
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    int8 v = (int8)(0, 10, 20, 30, 40, 50, 60, 70);
    ((int *)&v)[3] += 1000;
    r[i] = ((int *)&v)[a[i]];
}
