//! global: 1000
//! arg 0: f32[1000] = i * 0.5
//! arg 1: f32[1000] = 1000 - i
//! arg 2: f32[1000] = 0
//! expect 2: arg0 + arg1
__kernel void test(__global const float *a, __global const float *b, __global float *c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}
