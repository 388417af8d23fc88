// Logarithms (section 6.15.2): at most 1 ulp for log, 2 ulp for the others.
#include "common.h"

typedef struct { float f, k; } pc_log_parts;

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for finite x > 0, denormals included.
static inline pc_log_parts pc_log_reduce(float x)
{
    uint ix = as_uint(x);
    int k = 0;
    if (ix < 0x00800000u) {
        ix = as_uint((float)ix); // the denormal's integer significand, normalised by the conversion
        k = -149;
    }
    ix += 0x3f800000u - 0x3f3504f3u;
    k += (int)(ix >> 23) - 127;
    pc_log_parts p;
    p.f = as_float((ix & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    p.k = (float)k;
    return p;
}

// log(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f / (2 + f): returns the last term.
static inline float pc_log_tail(float f, float hfsq)
{
    float s = f / (2.0f + f);
    float z = s * s;
    float r = 0.235967881f;
    r = mad(r, z, 0.285365801f);
    r = mad(r, z, 0.400003459f);
    r = mad(r, z, 0.666666656f);
    return s * (hfsq + z * r);
}

// Results for x that is zero, negative, infinite or NaN.
static inline int pc_log_special(float x) { return as_uint(x) - 1u >= 0x7f7fffffu; }
static inline float pc_log_special_value(float x)
{
    if ((as_uint(x) & 0x7fffffffu) == 0) return -PC_INF;
    if (as_uint(x) == 0x7f800000u) return x;
    return PC_NAN;
}

float pc_log_f32(float x)
{
    if (pc_log_special(x)) return pc_log_special_value(x);
    pc_log_parts p = pc_log_reduce(x);
    float hfsq = 0.5f * p.f * p.f;
    return p.k * PC_LN2_HI + (p.f - (hfsq - (pc_log_tail(p.f, hfsq) + p.k * PC_LN2_LO)));
}

float pc_log2_f32(float x)
{
    if (pc_log_special(x)) return pc_log_special_value(x);
    pc_log_parts p = pc_log_reduce(x);
    float hfsq = 0.5f * p.f * p.f;
    float hi = pc_head(p.f - hfsq);
    float lo = (p.f - hi) - hfsq + pc_log_tail(p.f, hfsq);
    // 1 / ln 2 in two parts
    return (((lo + hi) * -1.7605285e-4f + lo * 1.44287109375f) + hi * 1.44287109375f) + p.k;
}

float pc_log10_f32(float x)
{
    if (pc_log_special(x)) return pc_log_special_value(x);
    pc_log_parts p = pc_log_reduce(x);
    float hfsq = 0.5f * p.f * p.f;
    float hi = pc_head(p.f - hfsq);
    float lo = (p.f - hi) - hfsq + pc_log_tail(p.f, hfsq);
    // 1 / ln 10 and log10(2) in two parts each
    float y = p.k * 7.9034151668e-7f + (lo + hi) * -3.1689971e-5f + lo * 0.434326171875f + hi * 0.434326171875f;
    return y + p.k * 0.301029205322265625f;
}

float pc_log1p_f32(float x)
{
    if (pc_isnan(x) || x < -1.0f) return PC_NAN;
    if (x == -1.0f) return -PC_INF;
    if (as_uint(x) == 0x7f800000u || (as_uint(x) << 1) < 0x66000000u) return x;
    float u = 1.0f + x;
    float c = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f); // what the addition lost
    pc_log_parts p = pc_log_reduce(u);
    float f = p.f;
    float hfsq = 0.5f * f * f;
    float corr = c / u;
    return p.k * PC_LN2_HI + (f - (hfsq - (pc_log_tail(f, hfsq) + (p.k * PC_LN2_LO + corr))));
}

float pc_logb_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffffu;
    if (a == 0) return -PC_INF;
    if (a >= 0x7f800000u) return as_float(a);
    if (a < 0x00800000u) return (float)(-118 - (int)clz(a)); // 2^-149 has 31 leading zeros
    return (float)((int)(a >> 23) - 127);
}

int pc_ilogb_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffffu;
    if (a == 0) return (int)0x80000000;        // FP_ILOGB0
    if (a >= 0x7f800000u) return 0x7fffffff;   // infinite, or FP_ILOGBNAN
    if (a < 0x00800000u) return -118 - (int)clz(a);
    return (int)(a >> 23) - 127;
}
