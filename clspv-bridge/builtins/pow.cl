// pow, powr, pown, rootn (section 6.15.2): at most 16 ulp allowed, about 3 reached.
#include "common.h"

// log2 of finite x > 0 as an unevaluated sum, to about 2^-30 relative.
static inline pc_df pc_log2_df(float x)
{
    uint ix = as_uint(x);
    int k = 0;
    if (ix < 0x00800000u) {
        ix = as_uint((float)ix);
        k = -149;
    }
    ix += 0x3f800000u - 0x3f3504f3u;
    k += (int)(ix >> 23) - 127;
    float m = as_float((ix & 0x007fffffu) + 0x3f3504f3u);
    // s = (m - 1) / (m + 1) as s + sl
    float f = m - 1.0f;
    float d = m + 1.0f;
    float dl = m - (d - 1.0f);
    float s = f / d;
    float p = s * d;
    float r = ((f - p) - pc_mul_err(s, d, p)) - s * dl;
    float sl = r / d;
    float z = s * s;
    float q = 0.235967881f;
    q = mad(q, z, 0.285365801f);
    q = mad(q, z, 0.400003459f);
    q = mad(q, z, 0.666666656f);
    // log m = h + l
    float h = 2.0f * s;
    float l = 2.0f * sl + s * (z * q);
    float t = h + l;
    l = l - (t - h);
    h = t;
    // times 1 / ln 2 = c + cl
    const float c = 1.44269502f, cl = 1.9259629e-8f;
    float ph = h * c;
    float pl = pc_mul_err(h, c, ph) + (h * cl + l * c);
    float kf = (float)k;
    pc_df y;
    y.hi = kf + ph;
    y.lo = (kf - y.hi) + ph + pl;
    if (k == 0) {
        y.hi = ph + pl;
        y.lo = pl - (y.hi - ph);
    }
    return y;
}

// 2^(a.hi + a.lo), saturating.
static inline float pc_exp2_df(pc_df a)
{
    if (a.hi > 130.0f) return PC_INF;
    if (a.hi < -152.0f) return 0.0f;
    float n = rint(a.hi);
    float f = (a.hi - n) + a.lo;
    float q = 0.0000153151654f;
    q = mad(q, f, 0.000154673647f);
    q = mad(q, f, 0.00133334299f);
    q = mad(q, f, 0.00961803617f);
    q = mad(q, f, 0.0555041096f);
    q = mad(q, f, 0.240226511f);
    q = mad(q, f, 0.693147181f);
    return pc_scale(1.0f + q * f, (int)n);
}

// x^(yh + yl) for finite x > 0 and finite y.
float pc_pow_core_f32(float x, float yh, float yl)
{
    pc_df g = pc_log2_df(x);
    float p = yh * g.hi;
    if (p > 160.0f) return PC_INF;
    if (p < -160.0f) return 0.0f;
    pc_df e;
    e.hi = p;
    e.lo = pc_abs(yh) > 1e30f ? 0.0f : pc_mul_err(yh, g.hi, p) + (yh * g.lo + yl * g.hi);
    return pc_exp2_df(e);
}

// 0: not an integer, 1: odd, 2: even.
static inline int pc_integer_kind(float y)
{
    uint a = as_uint(y) & 0x7fffffffu;
    int e = (int)(a >> 23) - 127;
    if (e < 0) return a == 0 ? 2 : 0;
    if (e > 23) return 2;
    if (a & ((1u << (23 - e)) - 1u)) return 0; // bits below the binary point
    uint sig = (a & 0x007fffffu) | 0x00800000u;
    return (sig >> (23 - e)) & 1u ? 1 : 2;
}

float pc_pow_f32(float x, float y)
{
    uint ax = as_uint(x) & 0x7fffffffu, ay = as_uint(y) & 0x7fffffffu, sign = 0;
    if (as_uint(x) - 1u >= 0x7f7fffffu || ay >= 0x7f800000u) { // other than finite x > 0 and finite y
        if (ay == 0 || as_uint(x) == 0x3f800000u) return 1.0f;
        if (ax > 0x7f800000u || ay > 0x7f800000u) return PC_NAN;
        int yneg = as_uint(y) >> 31;
        if (ay == 0x7f800000u) {
            if (ax == 0x3f800000u) return 1.0f;
            return (ax > 0x3f800000u) != (yneg != 0) ? PC_INF : 0.0f;
        }
        int kind = pc_integer_kind(y);
        sign = kind == 1 ? as_uint(x) & PC_SIGN : 0u;
        if (ax == 0 || ax == 0x7f800000u) {
            uint big = (ax == 0) == (yneg != 0) ? 0x7f800000u : 0u;
            return as_float(big | sign);
        }
        if (as_uint(x) >> 31 && kind == 0) return PC_NAN;
    }
    return as_float(as_uint(pc_pow_core_f32(as_float(ax), y, 0.0f)) | sign);
}

float pc_powr_f32(float x, float y)
{
    uint ax = as_uint(x) & 0x7fffffffu, ay = as_uint(y) & 0x7fffffffu;
    if (as_uint(x) - 1u >= 0x7f7fffffu || ay >= 0x7f800000u) { // other than finite x > 0 and finite y
        if (ax > 0x7f800000u || ay > 0x7f800000u) return PC_NAN;
        if (ax != 0 && as_uint(x) >> 31) return PC_NAN;
        int yneg = as_uint(y) >> 31;
        if (ax == 0) return ay == 0 ? PC_NAN : (yneg ? PC_INF : 0.0f);
        if (ax == 0x7f800000u) return ay == 0 ? PC_NAN : (yneg ? 0.0f : PC_INF);
        if (ax == 0x3f800000u) return PC_NAN;
        return (ax > 0x3f800000u) != (yneg != 0) ? PC_INF : 0.0f;
    }
    return pc_pow_core_f32(x, y, 0.0f);
}

float pc_pown_f32(float x, int n)
{
    uint ax = as_uint(x) & 0x7fffffffu;
    if (n == 0) return 1.0f;
    if (ax > 0x7f800000u) return PC_NAN;
    uint sign = n & 1 ? as_uint(x) & PC_SIGN : 0u;
    if (ax == 0 || ax == 0x7f800000u) {
        uint big = (ax == 0) == (n < 0) ? 0x7f800000u : 0u;
        return as_float(big | sign);
    }
    if (ax == 0x3f800000u) return as_float(ax | sign);
    float yh = (float)(n & (int)0xffffff00);
    float yl = (float)(n & 0xff);
    float y = yh + yl;
    yl = yl - (y - yh);
    return as_float(as_uint(pc_pow_core_f32(as_float(ax), y, yl)) | sign);
}

float pc_rootn_f32(float x, int n)
{
    uint ax = as_uint(x) & 0x7fffffffu;
    if (n == 0 || ax > 0x7f800000u) return PC_NAN;
    uint neg = as_uint(x) >> 31;
    if (neg && !(n & 1) && ax != 0) return PC_NAN;
    uint sign = n & 1 ? as_uint(x) & PC_SIGN : 0u;
    if (ax == 0 || ax == 0x7f800000u) {
        uint big = (ax == 0) == (n < 0) ? 0x7f800000u : 0u;
        return as_float(big | sign);
    }
    // 1/n as yh + yl
    float nf = (float)n;
    float nl = (float)(n - (int)nf);
    if (pc_abs(nf) >= 2147483648.0f) nl = nf > 0.0f ? -1.0f : 0.0f;
    float yh = 1.0f / nf;
    float p = yh * nf;
    float yl = (((1.0f - p) - pc_mul_err(yh, nf, p)) - yh * nl) * yh;
    return as_float(as_uint(pc_pow_core_f32(as_float(ax), yh, yl)) | sign);
}
