//! global: 512
//! arg 0: f32[512] = (i - 256) * 1.7
//! arg 1: f32[512] = (i * 37 % 101) * 0.11 - 5.03
//! arg 2: f32[512] = 0
//! expect 2: sin(arg0) + 2 * cos(arg0) ulp 6000
float sincos_sum(float x)
{
    float c, s = sincos(x, &c);
    return s + 2.0f * c;
}
__kernel void test(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    r[i] = sincos_sum(x);
}
