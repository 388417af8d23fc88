//! global: 32
//! arg 0: f32[256] = i * 0.25 - 30
//! arg 1: f32[256] = 0
//! expect 1: arg0 * 2 + abs(arg0) + 1
__kernel void test(__global const float *a, __global float *r)
{
    size_t i = get_global_id(0);
    float8 x = vload8(i, a);
    vstore8(x * 2.0f + fabs(x) + 1.0f, i, r);
}
