// Circular functions (section 6.15.2): sin and cos within 2 ulp, tan within 3 ulp over the whole range.
#include "common.h"

// Word i of the binary expansion of 2/pi, preceded by one zero word.
static inline uint pc_two_over_pi(uint i)
{
    uint lo = i < 2 ? (i == 0 ? 0u : 0xa2f9836eu) : (i == 2 ? 0x4e441529u : 0xfc2757d1u);
    uint hi = i < 6 ? (i == 4 ? 0xf534ddc0u : 0xdb629599u) : (i == 6 ? 0x3c439041u : 0xfe5163abu);
    return i < 4 ? lo : hi;
}

// |x| >= 2^12: x * 2/pi modulo 4 in fixed point (M. Payne, R. Hanek, "Radian reduction for trigonometric functions").
static inline int pc_reduce_large(float x, float *r)
{
    uint ix = as_uint(x) & 0x7fffffffu;
    uint m = (ix & 0x007fffffu) | 0x00800000u;
    uint bit = (ix >> 23) - 150u - 2u + 32u; // first bit of the window: weight 2 in x * 2/pi
    uint w = bit >> 5, s = bit & 31u;
    uint a = pc_two_over_pi(w), b = pc_two_over_pi(w + 1), c = pc_two_over_pi(w + 2), d = pc_two_over_pi(w + 3);
    if (s) {
        a = (a << s) | (b >> (32u - s));
        b = (b << s) | (c >> (32u - s));
        c = (c << s) | (d >> (32u - s));
    }
    ulong lo = (ulong)m * c;
    ulong mid = (ulong)m * b + (lo >> 32);
    uint hi = m * a + (uint)(mid >> 32);
    ulong frac = ((ulong)hi << 32) | (uint)mid;
    int n = (int)(hi >> 30);
    long f = (long)(frac << 2);
    n += (int)((ulong)f >> 63);
    // f / 2^64 quarter turns
    *r = (float)f * 8.5153039e-20f;
    return n;
}

// x = n pi/2 + r + rl with |r| <= pi/4; x finite. Returns n modulo 4.
static inline int pc_reduce(float x, float *r, float *rl)
{
    float a = pc_abs(x);
    int n;
    float h, l;
    if (a < 0x1p12f) {
        float k = rint(a * 0.636619772f);
        n = (int)k;
        // pi/2 in four parts; the first three have 11 bits, so their products with k are exact
        float t = (a - k * 0x1.92p+0f) - k * 0x1.fb4p-12f;
        float v = k * 0x1.444p-24f;
        float u = t - v;
        float e = ((t - u) - v) - k * 2.5633441e-12f;
        h = u + e;
        l = (u - h) + e;
    } else {
        n = pc_reduce_large(a, &h);
        l = 0.0f;
    }
    if (as_uint(x) >> 31) {
        n = -n;
        h = -h;
        l = -l;
    }
    *r = h;
    *rl = l;
    return n & 3;
}

static inline float pc_sin_poly(float r, float rl)
{
    float z = r * r;
    float p = 2.71793898e-6f;
    p = mad(p, z, -0.000198392960f);
    p = mad(p, z, 0.00833332927f);
    p = mad(p, z, -0.166666666f);
    return r + (r * z * p + rl * (1.0f - 0.5f * z));
}

static inline float pc_cos_poly(float r, float rl)
{
    float z = r * r;
    float p = -2.72067821e-7f;
    p = mad(p, z, 0.0000247994786f);
    p = mad(p, z, -0.00138888836f);
    p = mad(p, z, 0.0416666666f);
    float h = 0.5f * z;
    float w = 1.0f - h;
    return w + (((1.0f - w) - h) + (z * z * p - r * rl));
}

float pc_sincos_f32(float x, __private float *c)
{
    if ((as_uint(x) & 0x7fffffffu) >= 0x7f800000u) {
        *c = PC_NAN;
        return PC_NAN;
    }
    float r, rl;
    int n = pc_reduce(x, &r, &rl);
    float s = pc_sin_poly(r, rl), k = pc_cos_poly(r, rl);
    float sv = n & 1 ? k : s, cv = n & 1 ? s : k;
    *c = as_float(as_uint(cv) ^ ((uint)((n + 1) & 2) << 30));
    if ((as_uint(x) << 1) < 0x66000000u) sv = x; // keeps the sign of zero
    return as_float(as_uint(sv) ^ ((uint)(n & 2) << 30));
}

float pc_sin_f32(float x)
{
    float c;
    return pc_sincos_f32(x, &c);
}

float pc_cos_f32(float x)
{
    float c;
    pc_sincos_f32(x, &c);
    return c;
}

float pc_tan_f32(float x)
{
    if ((as_uint(x) & 0x7fffffffu) >= 0x7f800000u) return PC_NAN;
    if ((as_uint(x) << 1) < 0x66000000u) return x;
    float r, rl;
    int n = pc_reduce(x, &r, &rl);
    float s = pc_sin_poly(r, rl), c = pc_cos_poly(r, rl);
    return n & 1 ? -pc_div_f32(c, s) : pc_div_f32(s, c);
}

// x reduced to quarter turns: x = n/2 + f, |f| <= 1/4, exactly. Returns n modulo 4.
static inline int pc_reduce_pi(float x, float *f)
{
    float a = pc_abs(x);
    if (a >= 0x1p24f) a = 0.0f; // an even integer
    float k = rint(a * 2.0f);
    *f = as_float(as_uint(a - k * 0.5f) ^ (as_uint(x) & PC_SIGN));
    int n = (int)k;
    return (as_uint(x) >> 31 ? -n : n) & 3;
}

static inline float pc_sinpi_poly(float f)
{
    float z = f * f, down = 1.0f;
    if (pc_abs(f) < 0x1p-40f) { // without denormals on the way
        f *= 0x1p+64f;
        down = 0x1p-64f;
    }
    float p = 0.0810295355f;
    p = mad(p, z, -0.599205994f);
    p = mad(p, z, 2.55016283f);
    p = mad(p, z, -5.16771277f);
    float h = f * 3.14159274f; // pi in two parts
    return (h + (f * z * p + f * -8.7422777e-8f + pc_mul_err(f, 3.14159274f, h))) * down;
}

static inline float pc_cospi_poly(float f)
{
    float z = f * f;
    float p = 0.23142645f;
    p = mad(p, z, -1.33505814f);
    p = mad(p, z, 4.05870789f);
    p = mad(p, z, -4.93480217f);
    return 1.0f + z * p;
}

float pc_sinpi_f32(float x)
{
    if ((as_uint(x) & 0x7fffffffu) >= 0x7f800000u) return PC_NAN;
    float f;
    int n = pc_reduce_pi(x, &f);
    float v = n & 1 ? pc_cospi_poly(f) : pc_sinpi_poly(f);
    v = n & 2 ? -v : v;
    return v == 0.0f ? as_float(as_uint(x) & PC_SIGN) : v;
}

float pc_cospi_f32(float x)
{
    if ((as_uint(x) & 0x7fffffffu) >= 0x7f800000u) return PC_NAN;
    float f;
    int n = pc_reduce_pi(x, &f);
    float v = n & 1 ? pc_sinpi_poly(f) : pc_cospi_poly(f);
    v = (n + 1) & 2 ? -v : v;
    return v == 0.0f ? 0.0f : v;
}

float pc_tanpi_f32(float x)
{
    if ((as_uint(x) & 0x7fffffffu) >= 0x7f800000u) return PC_NAN;
    float f;
    int n = pc_reduce_pi(x, &f);
    float s = pc_sinpi_poly(f), c = pc_cospi_poly(f);
    if (f == 0.0f) {
        // exact multiples: signed zeros and infinities of table 6.15.2 (tanpi(n) is +-0, tanpi(n + 1/2) is +-inf)
        uint sx = as_uint(x) & PC_SIGN;
        if (n & 1) return (n == 1) ? PC_INF : -PC_INF;
        return as_float(sx ^ (n & 2 ? PC_SIGN : 0u));
    }
    return n & 1 ? -pc_div_f32(c, s) : pc_div_f32(s, c);
}
