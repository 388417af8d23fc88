// Functions of single precision for devices whose fused multiply-add is one instruction and whose exp2, log2 and reciprocal are
// within 2 ulp. The function pc_hardware_<operation>_f32 replaces pc_<operation>_f32, also where the library calls it.
// Comments give the largest errors with such instructions; section 7.4 has the bounds.
#include "common.h"

// 2^(a + b) for small b.
static inline float pc_exp2_sum(float a, float b)
{
    float y = native_exp2(a);
    return mad(y, b * M_LN2_F, y);
}

// e^x 2^shift, by p = x / ln 2 and the remainder x - p ln 2. Outside of the guarded range the remainder may be NaN.
static inline float pc_exp_scaled(float x, float shift)
{
    float p = x * M_LOG2E_F;
    float r = fma(-p, 0.693147182f, x);
    r = mad(p, 1.904654e-9f, r);
    float t = p + shift;
    float y = native_exp2(t);
    return t < 128.0f && t > -160.0f ? mad(y, r, y) : y;
}

// 3 ulp
float pc_hardware_exp_f32(float x) { return pc_exp_scaled(x, 0.0f); }

float pc_hardware_exp2_f32(float x) { return native_exp2(x); }

// 3 ulp
float pc_hardware_exp10_f32(float x)
{
    float p = x * 3.32192809f;
    float r = fma(-p, 0.301030010f, x);
    r = mad(p, 1.4320989e-8f, r);
    float y = native_exp2(p);
    return p < 128.0f && p > -160.0f ? mad(y, r * M_LN10_F, y) : y;
}

// 2 ulp
float pc_hardware_expm1_f32(float x)
{
    float a = fmin(fmax(x, -20.0f), 89.0f);
    float t = mad(a, M_LOG2E_F, 0x1.8p+23f);
    float n = t - 0x1.8p+23f; // the integer nearest to a / ln 2
    float r = fma(-n, 0.693147182f, a);
    r = mad(n, 1.904654e-9f, r);
    float q = r + pc_exp_tail(r);
    float s = as_float((as_uint(t) + 126u) << 23); // 2^(n - 1)
    float y = mad(s, q, s - 0.5f) * 2.0f;
    y = n == 0.0f ? q : y;
    return pc_abs(x) < 0x1p-26f || pc_isnan(x) ? x : y; // keeps the sign of zero
}

typedef struct { float f, k; } pc_hardware_log_parts;

// k 2^23 of a normal number 2^k m above zero, m in [2/3, 4/3), by the number's bits.
static inline uint pc_hardware_log_exponent(uint ix) { return (ix - 0x3f2aaaabu) & 0xff800000u; }

// x = 2^k (1 + f) with 1 + f in [2/3, 4/3), where x is a normal number above zero, by its bits.
static inline pc_hardware_log_parts pc_hardware_log_reduce(uint ix)
{
    uint e = pc_hardware_log_exponent(ix);
    pc_hardware_log_parts p;
    p.f = as_float(ix - e) - 1.0f;
    p.k = (float)(int)e * 0x1p-23f;
    return p;
}

// log(1 + f) for |f| <= 1/3.
static inline float pc_hardware_log_unit(float f)
{
    float q = -0.128793553f;
    q = mad(q, f, 0.139856502f);
    q = mad(q, f, -0.121874325f);
    q = mad(q, f, 0.140055373f);
    q = mad(q, f, -0.166802227f);
    q = mad(q, f, 0.200104356f);
    q = mad(q, f, -0.249998048f);
    q = mad(q, f, 0.333332151f);
    q = mad(q, f, -0.5f);
    return mad(f * f, q, f);
}

// Whether x is another number than a normal one above zero.
static inline int pc_log_rare(uint ix) { return ix - 0x00800000u >= 0x7f000000u; }
// log2(x) for such x. The significand of a denormal, an integer, is far enough from 1.
static inline float pc_log2_rare(float x)
{
    return pc_log_special(x) ? pc_log_special_value(x) : native_log2((float)as_uint(x)) - 149.0f;
}

// 2 ulp
float pc_hardware_log_f32(float x)
{
    pc_hardware_log_parts p = pc_hardware_log_reduce(as_uint(x));
    float y = mad(p.k, M_LN2_F, pc_hardware_log_unit(p.f));
    if (pc_log_rare(as_uint(x))) y = pc_log2_rare(x) * M_LN2_F;
    return y;
}

// 2 ulp
float pc_hardware_log2_f32(float x)
{
    pc_hardware_log_parts p = pc_hardware_log_reduce(as_uint(x));
    float y = mad(pc_hardware_log_unit(p.f), M_LOG2E_F, p.k);
    if (pc_log_rare(as_uint(x))) y = pc_log2_rare(x);
    return y;
}

// 3 ulp
float pc_hardware_log10_f32(float x)
{
    pc_hardware_log_parts p = pc_hardware_log_reduce(as_uint(x));
    // log10(2) in two parts
    float y = mad(p.k, -1.4320989e-8f, pc_hardware_log_unit(p.f) * M_LOG10E_F);
    y = mad(p.k, 0.301030010f, y);
    if (pc_log_rare(as_uint(x))) y = pc_log2_rare(x) * 0.301030010f;
    return y;
}

// 2 ulp
float pc_hardware_log1p_f32(float x)
{
    float u = 1.0f + x;
    if (!(u > 0.0f && u < PC_INF)) return u == 0.0f ? -PC_INF : u == PC_INF ? u : PC_NAN;
    uint e = pc_hardware_log_exponent(as_uint(u));
    // 1 + f = 2^-k + 2^-k x; 2^-k may be denormal, but not 2^(2 - k)
    float f = as_float(as_uint(x) - e) + mad(0.25f, as_float(0x40800000u - e), -1.0f);
    float y = mad((float)(int)e, 0x1p-23f * M_LN2_F, pc_hardware_log_unit(f));
    return pc_abs(x) < 0x1p-26f ? x : y; // keeps the sign of zero
}

// x = n pi/2 + r with |r| <= pi/4. Returns n in the two lowest bits.
static inline uint pc_hardware_reduce(float x, float *r)
{
    if (pc_abs(x) >= 0x1p16f) {
        if (pc_isinf(x)) {
            *r = PC_NAN;
            return 0;
        }
        float h;
        int n = pc_reduce_large(x, &h);
        int negative = as_uint(x) >> 31;
        *r = negative ? -h : h;
        return negative ? -n : n;
    }
    // The sum's lowest bits are those of the nearest integer.
    float t = mad(x, M_2_PI_F, 0x1.8p+23f);
    float k = t - 0x1.8p+23f;
    float h = fma(-k, 1.57079625f, x);
    h = fma(-k, 7.54978942e-8f, h);
    *r = fma(-k, 5.39030253e-15f, h);
    return as_uint(t);
}

// sin(r) for |r| <= pi/4, with the sign of zero
static inline float pc_hardware_sin_part(float r)
{
    float z = r * r;
    float p = -0.000195186149f;
    p = mad(p, z, 0.00833219104f);
    p = mad(p, z, -0.166666552f);
    return r * mad(p, z, 1.0f);
}

// cos(r) for |r| <= pi/4
static inline float pc_hardware_cos_part(float r)
{
    float z = r * r;
    float p = 2.44323273e-5f;
    p = mad(p, z, -0.00138873095f);
    p = mad(p, z, 0.0416666456f);
    p = mad(p, z, -0.5f);
    return mad(p, z, 1.0f);
}

// sin(r + n pi/2). Two polynomials take less time than the choice of the coefficients of one.
static inline float pc_hardware_sin_poly(uint n, float r)
{
    float s = pc_hardware_sin_part(r), c = pc_hardware_cos_part(r), v = n & 1 ? c : s;
    return as_float(as_uint(v) ^ ((n & 2) << 30));
}

// 3 ulp
float pc_hardware_sin_f32(float x)
{
    float r;
    uint n = pc_hardware_reduce(x, &r);
    return pc_hardware_sin_poly(n, r);
}

// 3 ulp
float pc_hardware_cos_f32(float x)
{
    float r;
    uint n = pc_hardware_reduce(x, &r);
    return pc_hardware_sin_poly(n + 1, r);
}

// 3 ulp
float pc_hardware_sincos_f32(float x, __private float *c)
{
    float r;
    uint n = pc_hardware_reduce(x, &r);
    float sine = pc_hardware_sin_part(r), cosine = pc_hardware_cos_part(r);
    float sv = n & 1 ? cosine : sine, cv = n & 1 ? sine : cosine;
    *c = as_float(as_uint(cv) ^ (((n + 1) & 2) << 30));
    return as_float(as_uint(sv) ^ ((n & 2) << 30));
}

// tan(r), or -1 / tan(r) for odd n.
static inline float pc_hardware_tan_poly(uint n, float r)
{
    float z = r * r;
    float p = 0.00946457125f;
    p = mad(p, z, 0.00297701382f);
    p = mad(p, z, 0.0245259404f);
    p = mad(p, z, 0.053382203f);
    p = mad(p, z, 0.133391827f);
    p = mad(p, z, 0.333331406f);
    float t = mad(r * z, p, r);
    return n & 1 ? native_recip(-t) : t;
}

// 5 ulp
float pc_hardware_tan_f32(float x)
{
    float r;
    uint n = pc_hardware_reduce(x, &r);
    return pc_hardware_tan_poly(n, r);
}

// x = n/2 + f with |f| <= 1/4: returns n in the two lowest bits, and f pi.
static inline uint pc_hardware_reduce_pi(float x, float *r)
{
    float a = mad(rint(x * 0.5f), -2.0f, x); // exactly
    float t = mad(a, 2.0f, 0x1.8p+23f);
    float f = mad(t - 0x1.8p+23f, -0.5f, a);
    *r = mad(f, 3.14159274f, f * -8.7422777e-8f);
    return as_uint(t);
}

// 3 ulp
float pc_hardware_sinpi_f32(float x)
{
    float r;
    uint n = pc_hardware_reduce_pi(x, &r);
    float v = pc_hardware_sin_poly(n, r);
    return v == 0.0f ? as_float(as_uint(x) & PC_SIGN) : v;
}

// 3 ulp
float pc_hardware_cospi_f32(float x)
{
    float r;
    uint n = pc_hardware_reduce_pi(x, &r);
    float v = pc_hardware_sin_poly(n + 1, r);
    return v == 0.0f ? 0.0f : v;
}

// 3 ulp
float pc_hardware_sinh_f32(float x)
{
    float a = pc_abs(x);
    float t = pc_expm1_f32(a);
    float y = 0.5f * (t + t / (t + 1.0f));
    return pc_copysign(a < 10.0f ? y : pc_exp_scaled(a, -2.0f) * 2.0f, x);
}

// 3 ulp
float pc_hardware_cosh_f32(float x)
{
    float h = pc_exp_scaled(pc_abs(x), -2.0f) * 2.0f; // finite next to the largest result
    return mad(0.25f, native_recip(h), h);
}

// 3 ulp
float pc_hardware_tanh_f32(float x)
{
    float a = pc_abs(x), z = x * x;
    float t = native_recip(native_exp2(a * 2.88539008f) + 1.0f);
    float p = -0.00589669263f;
    p = mad(p, z, 0.0207979325f);
    p = mad(p, z, -0.0537846275f);
    p = mad(p, z, 0.133319363f);
    p = mad(p, z, -0.333332986f);
    return pc_copysign(a < 0.6f ? mad(a * z, p, a) : mad(-2.0f, t, 1.0f), x);
}

// 4 ulp
float pc_hardware_erf_f32(float x)
{
    float a = fmin(pc_abs(x), 4.0f), z = x * x;
    // erfc(a) is 2^-q
    float q = -0.000277617073f;
    q = mad(q, a, 0.00434043445f);
    q = mad(q, a, -0.0318658054f);
    q = mad(q, a, 0.14952144f);
    q = mad(q, a, 0.919742644f);
    q = mad(q, a, 1.62660253f);
    q = mad(q, a, 0.000353059993f);
    float y = pc_copysign(1.0f - native_exp2(-q), x);
    float p = 7.95977612e-5f;
    p = mad(p, z, -0.000804338139f);
    p = mad(p, z, 0.00519228075f);
    p = mad(p, z, -0.0268560294f);
    p = mad(p, z, 0.112836435f);
    p = mad(p, z, -0.376126319f);
    p = mad(p, z, 0.128379167f);
    return pc_abs(x) < 1.0f ? mad(x, p, x) : pc_isnan(x) ? x : y;
}

// log2 of finite x > 0 as a sum whose second number is below an ulp of the first, to 2^-29.
static inline pc_df pc_hardware_log2_df(float x)
{
    uint ix = as_uint(x);
    float k = 0.0f;
    if (ix < 0x00800000u) {
        ix = as_uint((float)ix);
        k = -149.0f;
    }
    pc_hardware_log_parts parts = pc_hardware_log_reduce(ix);
    k += parts.k;
    float f = parts.f;
    // s = f / (2 + f) as s + sl; f - 2s is exact
    float c = native_recip(2.0f + f);
    float s = f * c;
    float sl = fma(-s, f, mad(-2.0f, s, f)) * c;
    float z = s * s;
    float q = 0.12075796f;
    q = mad(q, z, 0.142517582f);
    q = mad(q, z, 0.200004667f);
    q = mad(q, z, 0.333333313f);
    float t = mad(s * z, q, sl);
    // 2 / ln 2 in two parts
    float h = s * 2.88539004f;
    float l = fma(s, 2.88539004f, -h);
    l = mad(s, 3.8519259e-8f, l);
    l = mad(t, 2.88539004f, l);
    float sum = k + h;
    l += h - (sum - k); // |h| < |k|, or k is 0
    pc_df y;
    y.hi = sum + l;
    y.lo = l - (y.hi - sum);
    return y;
}

// x^(yh + yl) for finite x > 0 and finite y: 8 ulp
float pc_hardware_pow_core_f32(float x, float yh, float yl)
{
    pc_df g = pc_hardware_log2_df(x);
    float p = yh * g.hi;
    float a = fmin(p, 0x1.fffffep+6f); // below 2^7, so that numbers next to infinity are finite
    float b = fma(yh, g.hi, -a) + mad(yh, g.lo, yl * g.hi);
    return p < -160.0f ? 0.0f : p > 160.0f ? PC_INF : pc_exp2_sum(a, b);
}

// 1 ulp
float pc_hardware_cbrt_f32(float x)
{
    uint ia = as_uint(x) & 0x7fffffffu;
    // Otherwise the residual may be denormal.
    int small = ia < 0x21000000u, denormal = ia < 0x00800000u;
    float a = denormal ? (float)ia * 2.0f : small ? as_float(ia) * 0x1p+72f : as_float(ia);
    float down = denormal ? 0x1p-50f : small ? 0x1p-24f : 1.0f;
    float r = native_exp2(native_log2(a) * -0.666666667f); // the root's square, inverted
    float y = a * r;
    y = mad(fma(-y * y, y, a), r * 0.333333333f, y);
    return ia - 1u >= 0x7f7fffffu ? x : pc_copysign(y * down, x);
}

float pc_hardware_fmod_f32(float x, float y)
{
    float a = pc_abs(x), b = pc_abs(y);
    if (a < b * 0x1p+19f && b > 0x1p-80f && b < 0x1p+100f) {
        // The quotient, or the next number: the remainder is exact, and no less than -b.
        float q = trunc(a * native_recip(b) * 1.000001f);
        float r = fma(-q, b, a);
        r = r < 0.0f ? r + b : r;
        return a < b ? x : pc_copysign(r, x);
    }
    uint ax = as_uint(a), ay = as_uint(b), quotient;
    if (ax >= 0x7f800000u || ay > 0x7f800000u || ay == 0) return PC_NAN;
    if (ay == 0x7f800000u) return x;
    return pc_copysign(pc_mod_core(ax, ay, &quotient), x);
}

// 2 ulp
float pc_hardware_hypot_f32(float x, float y)
{
    float a = fmax(pc_abs(x), pc_abs(y)), b = fmin(pc_abs(x), pc_abs(y));
    float r = b == 0.0f ? a : pc_relaxed_hypot_f32(x, y);
    return isunordered(x, y) && a != PC_INF ? PC_NAN : r;
}

// 1 ulp
float pc_hardware_sqrt_f32(float x)
{
    float s = native_sqrt(x);
    float y = mad(fma(-s, s, x), 0.5f * native_recip(s), s);
    return x > 0x1p-100f && x < PC_INF ? y : s; // otherwise the residual may be denormal or NaN
}

// sqrt(z) for z from 2^-25 to 1, and zero; NaN for negative z.
float pc_hardware_asin_root_f32(float z)
{
    float r = native_rsqrt(z), s = z * r;
    float y = mad(fma(-s, s, z), 0.5f * r, s);
    return z == 0.0f ? z : y;
}

// 1 ulp where neither the quotient nor an operand is close to denormals or infinity
float pc_hardware_div_f32(float a, float b)
{
    float q = a / b;
    float y = mad(fma(-q, b, a), native_recip(b), q);
    float least = fmin(fmin(pc_abs(a), pc_abs(b)), pc_abs(q)), most = fmax(pc_abs(q), pc_abs(b));
    return least > 1e-30f && most < 1e30f ? y : q;
}
