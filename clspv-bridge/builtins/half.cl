// Half precision: conversions by integer code for devices without 16-bit floats, and math through single precision
// (the single-precision result rounded once more is well within the bounds of section 7.4 for half).
#include "common.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

float pc_half_to_f32(ushort h)
{
    uint s = (uint)(h & 0x8000u) << 16, e = (h >> 10) & 31u, m = h & 0x3ffu;
    uint r = (e == 31u ? 0x7f800000u : (e + 112u) << 23) | (m << 13);
    if (e == 0) r = as_uint((float)m * 0x1p-24f);
    return as_float(s | r);
}

// mode: 0 nearest even, 1 toward zero, 2 up, 3 down
static inline ushort pc_to_half(float x, int mode)
{
    uint u = as_uint(x), s = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return (ushort)(s | 0x7e00u | ((a >> 13) & 0x1ffu));
    if (a == 0x7f800000u) return (ushort)(s | 0x7c00u);
    int up = mode == 2 ? s == 0 : mode == 3 ? s != 0 : 0; // rounds away from zero
    int e = (int)(a >> 23) - 112;
    uint m = (a & 0x7fffffu) | (a >> 23 ? 0x800000u : 0u);
    uint shift = 13u;
    if (e < 1) {
        shift = min(13u + (uint)(1 - e), 31u);
        e = 0;
    }
    uint q = m >> shift, rest = m & ((1u << shift) - 1u), half_way = 1u << (shift - 1u);
    if (mode == 0) q += rest > half_way || (rest == half_way && (q & 1u)) ? 1u : 0u;
    else if (up && rest) q += 1u;
    // q holds the implicit bit for normal numbers: adding lets a carry move to the exponent
    uint r = e == 0 ? q : ((uint)(e - 1) << 10) + q;
    if (r >= 0x7c00u) r = mode == 0 || up ? 0x7c00u : 0x7bffu;
    return (ushort)(s | r);
}
ushort pc_f32_to_half_rte(float x) { return pc_to_half(x, 0); }
ushort pc_f32_to_half_rtz(float x) { return pc_to_half(x, 1); }
ushort pc_f32_to_half_rtp(float x) { return pc_to_half(x, 2); }
ushort pc_f32_to_half_rtn(float x) { return pc_to_half(x, 3); }

#ifdef cl_khr_fp16
#define PC_HALF1(f) half pc_##f##_f16(half x) { return (half)pc_##f##_f32((float)x); }
#define PC_HALF2(f) half pc_##f##_f16(half x, half y) { return (half)pc_##f##_f32((float)x, (float)y); }
#define PC_HALFI(f) half pc_##f##_f16(half x, int n) { return (half)pc_##f##_f32((float)x, n); }
#define PC_DECL1(f) float pc_##f##_f32(float x);
#define PC_DECL2(f) float pc_##f##_f32(float x, float y);
#define PC_DECLI(f) float pc_##f##_f32(float x, int n);
#define PC_ALL1(M) M(acos) M(acosh) M(acospi) M(asin) M(asinh) M(asinpi) M(atan) M(atanh) M(atanpi) M(cbrt) M(cos) M(cosh) M(cospi) \
    M(erf) M(erfc) M(exp) M(exp2) M(exp10) M(expm1) M(log) M(log2) M(log10) M(log1p) M(logb) M(round) M(rsqrt) M(sin) M(sinh) M(sinpi) \
    M(sqrt) M(tan) M(tanh) M(tanpi)
#define PC_ALL2(M) M(atan2) M(atan2pi) M(fmod) M(hypot) M(maxmag) M(minmag) M(pow) M(powr) M(remainder)
#define PC_ALLI(M) M(ldexp) M(pown) M(rootn)
PC_ALL1(PC_DECL1) PC_ALL2(PC_DECL2) PC_ALLI(PC_DECLI)
PC_ALL1(PC_HALF1) PC_ALL2(PC_HALF2) PC_ALLI(PC_HALFI)

float pc_sincos_f32(float x, __private float *c);
float pc_fract_f32(float x, __private float *c);
float pc_modf_f32(float x, __private float *c);
float pc_frexp_f32(float x, __private int *e);
float pc_remquo_f32(float x, float y, __private int *q);
int pc_ilogb_f32(float x);
half pc_sincos_f16(half x, __private half *c) { float t; half s = (half)pc_sincos_f32((float)x, &t); *c = (half)t; return s; }
half pc_fract_f16(half x, __private half *c)
{
    float t;
    half f = (half)pc_fract_f32((float)x, &t);
    *c = (half)t;
    return f > (half)0x1.ffcp-1h ? (half)0x1.ffcp-1h : f; // NaN stays
}
half pc_modf_f16(half x, __private half *c) { float t; half f = (half)pc_modf_f32((float)x, &t); *c = (half)t; return f; }
half pc_frexp_f16(half x, __private int *e) { return (half)pc_frexp_f32((float)x, e); }
half pc_remquo_f16(half x, half y, __private int *q) { return (half)pc_remquo_f32((float)x, (float)y, q); }
int pc_ilogb_f16(half x) { return pc_ilogb_f32((float)x); }
half pc_fdim_f16(half x, half y)
{
    if (x != x || y != y) return as_half((ushort)0x7e00);
    return x > y ? x - y : (half)0;
}
half pc_nextafter_f16(half x, half y)
{
    uint ix = as_ushort(x), iy = as_ushort(y), ax = ix & 0x7fffu, ay = iy & 0x7fffu;
    if (ax > 0x7c00u || ay > 0x7c00u) return as_half((ushort)0x7e00);
    if (ix == iy || (ax | ay) == 0) return y;
    if (ax == 0) return as_half((ushort)((iy & 0x8000u) | 1u));
    int sx = ix > ax ? -(int)ax : (int)ax, sy = iy > ay ? -(int)ay : (int)ay;
    return as_half((ushort)(ix + ((sx < sy) == (sx > 0) ? 1u : -1u)));
}
// a * b is exact in single precision and the sum of a 22-bit and an 11-bit number is rounded to odd before the last step.
half pc_fma_f16(half a, half b, half c)
{
    float p = (float)a * (float)b, z = (float)c;
    float s = p + z;
    float t = s - p;
    float e = (p - (s - t)) + (z - t);
    uint u = as_uint(s);
    if ((e > 0.0f || e < 0.0f) && !(u & 1u)) u += ((e > 0.0f) == (s > 0.0f)) ? 1u : -1u;
    return (half)as_float(u);
}
float pc_tgamma_f32(float x);
float pc_lgamma_f32(float x);
float pc_lgamma_r_f32(float x, __private int *sign);
half pc_tgamma_f16(half x) { return (half)pc_tgamma_f32((float)x); }
half pc_lgamma_f16(half x) { return (half)pc_lgamma_f32((float)x); }
half pc_lgamma_r_f16(half x, __private int *sign) { return (half)pc_lgamma_r_f32((float)x, sign); }
#endif
