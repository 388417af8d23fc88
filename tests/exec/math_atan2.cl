//! global: 512
//! arg 0: f32[512] = i * 0.3 - 70
//! arg 1: f32[512] = (i * 37 % 101) * 0.11 - 5.03
//! arg 2: f32[512] = 0
//! expect 2: atan2(arg0, arg1) ulp 6
__kernel void test(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    r[i] = atan2(x, y);
}
