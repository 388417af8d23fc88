//! global: 256
//! arg 0: u32[256] = i < 128 ? i * 0x1000081 + 1 : i * 0x800011
//! arg 1: u32[256] = 0
//! expect 1: 0
// Reciprocal square roots, also of denormals, zeros, infinity and negative numbers.
__kernel void test(__global const uint *a, __global uint *bad)
{
    size_t i = get_global_id(0);
    float x = as_float(a[i] & 0x7fffffff), y = rsqrt(x), z = 1.0f / sqrt(x);
    uint r = 0;
    if (x >= 0x1p-126f && x < INFINITY) {
        r |= abs(as_int(y) - as_int(z)) > 4;
    } else if (isnan(x)) {
        r |= !isnan(y) << 1;
    }
    // Not known to the compiler.
    float zero = as_float((uint)(i >> 20)), infinite = as_float(0x7f800000u | (uint)(i >> 20));
    r |= (as_uint(rsqrt(zero)) != 0x7f800000) << 2;
    r |= (as_uint(rsqrt(infinite)) != 0) << 3;
    r |= !isnan(rsqrt(-1.0f - x)) << 4;
    float most = FLT_MAX - zero;
    r |= (fabs(rsqrt(most) * 0x1p64f - 1.0f) > 0x1p-21f) << 5;
    bad[i] = r;
}
