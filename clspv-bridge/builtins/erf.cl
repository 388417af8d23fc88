// Error functions (section 6.15.2).
#include "common.h"

// erfc(x) for x >= 0.84: e^(-x^2) / x times a polynomial in 1/x.
static inline float pc_erfc_tail(float x)
{
    if (x > 10.1f) return 0.0f;
    // The ranges differ in coefficients only; the first two make one number to choose.
    float u = 1.0f / x, g, c2, c3, c4, c5, c6, c7;
    if (x < 1.5f) {
        g = 0.00512050510f * u + -0.0460038817f, c2 = 0.184305443f, c3 = -0.429055394f;
        c4 = 0.622192235f, c5 = -0.517240058f, c6 = 0.0484059639f, c7 = 0.559858763f;
    } else if (x < 3.0f) {
        g = -0.109270468f * u + 0.429802918f, c2 = -0.673143437f, c3 = 0.440285017f;
        c4 = 0.0857723317f, c5 = -0.315520852f, c6 = 0.00555882010f, c7 = 0.563826537f;
    } else {
        g = 0.213445071f * u + 0.0508024620f, c2 = -0.632774790f, c3 = 0.598311678f;
        c4 = -0.0283585718f, c5 = -0.279366420f, c6 = -0.000144546353f, c7 = 0.564192829f;
    }
    g = mad(g, u, c2);
    g = mad(g, u, c3);
    g = mad(g, u, c4);
    g = mad(g, u, c5);
    g = mad(g, u, c6);
    g = mad(g, u, c7);
    float h = pc_head(x);
    // e^(-x^2) is e^(-h^2) e^t with -0.08 < t <= 0, for which four terms of the series are as good as rounding.
    float t = (h - x) * (h + x);
    float e = pc_exp_f32(-h * h) * (1.0f + t * (1.0f + t * (0.5f + t * (0.166666667f + t * 0.0416666667f))));
    return e * g * u;
}

static inline float pc_erf_small(float x)
{
    if (pc_abs(x) < 0x1p-60f) { // without denormals on the way
        x *= 0x1p+60f;
        return (x + x * 0.128379167f) * 0x1p-60f;
    }
    float z = x * x;
    float p = 0.0000885773554f;
    p = mad(p, z, -0.000824896991f);
    p = mad(p, z, 0.00520968145f);
    p = mad(p, z, -0.0268626265f);
    p = mad(p, z, 0.112837496f);
    p = mad(p, z, -0.37612637f);
    p = mad(p, z, 0.128379167f);
    return x + x * p;
}

float pc_erf_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x)) return x;
    if (a < 0.84375f) return pc_erf_small(x);
    return pc_copysign(a > 4.0f ? 1.0f : 1.0f - pc_erfc_tail(a), x);
}

float pc_erfc_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x)) return x;
    if (a < 0.84375f) {
        float e = pc_erf_small(x);
        return x < 0.25f ? 1.0f - e : 0.5f - (e - 0.5f);
    }
    float t = pc_erfc_tail(a);
    return as_uint(x) >> 31 ? 2.0f - t : t;
}
