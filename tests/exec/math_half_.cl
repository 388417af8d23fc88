//! global: 512
//! arg 0: f32[512] = i * 0.01 - 2
//! arg 1: f32[512] = (i * 37 % 101) * 0.11 - 5.03
//! arg 2: f32[512] = 0
//! expect 2: exp(arg0) ulp 8192
__kernel void test(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    r[i] = half_exp(x) ;
}
