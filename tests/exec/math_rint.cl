//! global: 512
//! arg 0: f32[512] = i * 0.5 - 70
//! arg 1: f32[512] = (i * 37 % 101) * 0.11 - 5.03
//! arg 2: f32[512] = 0
//! expect 2: rint(arg0) + round(arg0) * 2 ulp 0
__kernel void test(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    r[i] = rint(x) + round(x) * 2.0f;
}
