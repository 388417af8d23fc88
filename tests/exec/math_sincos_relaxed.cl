//! global: 64
//! options: -cl-fast-relaxed-math
//! arg 0: f32[64] = i * 0.098 - 3.1
//! arg 1: u32[64] = 0
//! expect 1: 0
// Both results are within the relaxed bound of 2^-11.
__kernel void test(__global const float *a, __global uint *bad)
{
    uint i = get_global_id(0);
    float x = a[i], c, s = sincos(x, &c);
    // Angles are added up by quarters, whose series converge fast.
    float y = x * 0.25f, z = y * y;
    float qs = y * (1.0f + z * (-1.0f / 6.0f + z * (1.0f / 120.0f - z * (1.0f / 5040.0f))));
    float qc = 1.0f + z * (-0.5f + z * (1.0f / 24.0f + z * (-1.0f / 720.0f + z * (1.0f / 40320.0f))));
    float hs = 2.0f * qs * qc, hc = 1.0f - 2.0f * qs * qs;
    bad[i] = fabs(s - 2.0f * hs * hc) > 0.0005f || fabs(c - (1.0f - 2.0f * hs * hs)) > 0.0005f;
}
