//! global: 512
//! arg 0: f32[512] = i * 0.3 - 70
//! arg 1: f32[512] = (i * 37 % 101) * 0.11 - 5.03
//! arg 2: f32[512] = 0
//! expect 2: floor(arg0) + ceil(arg0) * 2 + trunc(arg0) * 4 ulp 0
__kernel void test(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    r[i] = floor(x) + ceil(x) * 2.0f + trunc(x) * 4.0f;
}
