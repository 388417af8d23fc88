//! require: cl_khr_fp64
//! global: 64
//! arg 0: f32[3] = 0
//! arg 1: f64[3] = 0
//! arg 2: u32[64] = 0
//! expect 2: 0
// An infinite addend is the sum, even where the product alone overflows; doubles are fused too.
__kernel void test(__global float *a, __global double *d, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    float x = i & 1 ? -MAXFLOAT : MAXFLOAT, y = i & 2 ? -MAXFLOAT : MAXFLOAT, z = i & 4 ? -INFINITY : INFINITY;
    r |= (fma(x, y, z) != z) << 0;
    r |= (fma(z, 2.0f, x) != z) << 1;
    r |= !isnan(fma(z, 2.0f, -z)) << 2;
    r |= !isnan(fma(z, a[2], x)) << 3;
    double dx = i & 1 ? -DBL_MAX : DBL_MAX, dy = i & 2 ? -DBL_MAX : DBL_MAX, dz = z;
    r |= (fma(dx, dy, dz) != dz) << 4;
    r |= !isnan(fma(dz, 2.0, -dz)) << 5;
    double e = 1.0 + ldexp(1.0, -30 - (int)(i & 15));
    // e * e - 1 - 2^(1-n) is 2^-2n, which the rounded product has lost.
    r |= (fma(e, e, -1.0 - ldexp(1.0, -29 - (int)(i & 15))) != ldexp(1.0, -60 - 2 * (int)(i & 15))) << 6;
    float f = 1.0f + ldexp(1.0f, -13 - (int)(i & 7));
    r |= (fma(f, f, -1.0f - ldexp(1.0f, -12 - (int)(i & 7))) != ldexp(1.0f, -26 - 2 * (int)(i & 7))) << 7;
    bad[i] = r;
}
