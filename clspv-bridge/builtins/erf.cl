// Error functions (section 6.15.2).
#include "common.h"

// erfc(x) for x >= 0.84: e^(-x^2) / x times a polynomial in 1/x.
static inline float pc_erfc_tail(float x)
{
    if (x > 10.1f) return 0.0f;
    float u = 1.0f / x, g;
    if (x < 1.5f) {
        g = 0.00512050510f;
        g = g * u + -0.0460038817f;
        g = g * u + 0.184305443f;
        g = g * u + -0.429055394f;
        g = g * u + 0.622192235f;
        g = g * u + -0.517240058f;
        g = g * u + 0.0484059639f;
        g = g * u + 0.559858763f;
    } else if (x < 3.0f) {
        g = -0.109270468f;
        g = g * u + 0.429802918f;
        g = g * u + -0.673143437f;
        g = g * u + 0.440285017f;
        g = g * u + 0.0857723317f;
        g = g * u + -0.315520852f;
        g = g * u + 0.00555882010f;
        g = g * u + 0.563826537f;
    } else {
        g = 0.213445071f;
        g = g * u + 0.0508024620f;
        g = g * u + -0.632774790f;
        g = g * u + 0.598311678f;
        g = g * u + -0.0283585718f;
        g = g * u + -0.279366420f;
        g = g * u + -0.000144546353f;
        g = g * u + 0.564192829f;
    }
    float h = pc_head(x);
    float e = pc_exp_f32(-h * h) * pc_exp_f32((h - x) * (h + x));
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
    p = p * z + -0.000824896991f;
    p = p * z + 0.00520968145f;
    p = p * z + -0.0268626265f;
    p = p * z + 0.112837496f;
    p = p * z + -0.37612637f;
    p = p * z + 0.128379167f;
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
        if (x < 0.25f) return 1.0f - pc_erf_small(x);
        return 0.5f - (pc_erf_small(x) - 0.5f);
    }
    float t = pc_erfc_tail(a);
    return as_uint(x) >> 31 ? 2.0f - t : t;
}
