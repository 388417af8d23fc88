//! global: 64
//! options: -cl-unsafe-math-optimizations
//! arg 0: f32[64] = i - 32
//! arg 1: u32[64] = 0
//! expect 1: 0
// fract of negative integers is +0; lgamma_r's sign; fma is exact even where other functions are relaxed.
__kernel void test(__global const float *a, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    float x = a[i], whole;
    float f = fract(x, &whole);
    r |= (as_uint(f) != 0 || whole != x) << 0;
    int sign;
    lgamma_r(x, &sign);
    r |= (sign != (x <= 0.0f ? 0 : 1)) << 1;
    lgamma_r(x + 0.5f, &sign);
    r |= (sign != (x >= 0.0f || ((int)x & 1) == 0 ? 1 : -1)) << 2;
    float e = 1.0f + ldexp(1.0f, -13 - (int)(i & 7));
    r |= (fma(e, e, -1.0f - ldexp(1.0f, -12 - (int)(i & 7))) != ldexp(1.0f, -26 - 2 * (int)(i & 7))) << 3;
    bad[i] = r;
}
