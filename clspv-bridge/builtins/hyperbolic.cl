// Hyperbolic functions and their inverses (section 6.15.2).
#include "common.h"

float pc_sinh_f32(float x)
{
    float a = pc_abs(x), y;
    if (pc_isnan(x)) return x;
    if (a < 10.0f) {
        float t = pc_expm1_f32(a);
        y = 0.5f * (t + t / (t + 1.0f));
    } else {
        float e = pc_exp_f32(0.5f * fmin(a, 200.0f));
        y = (0.5f * e) * e;
    }
    return pc_copysign(y, x);
}

float pc_cosh_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x)) return x;
    if (a < 10.0f) {
        float e = pc_exp_f32(a);
        return 0.5f * e + 0.5f / e;
    }
    float e = pc_exp_f32(0.5f * fmin(a, 200.0f));
    return (0.5f * e) * e;
}

float pc_tanh_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x)) return x;
    if (a < 0x1p-13f) return x;
    float y;
    if (a < 0.5f) {
        float t = pc_expm1_f32(2.0f * a);
        y = t / (t + 2.0f);
    } else {
        float t = pc_expm1_f32(2.0f * fmin(a, 20.0f));
        y = 1.0f - 2.0f / (t + 2.0f);
    }
    return pc_copysign(y, x);
}

float pc_asinh_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x) || pc_isinf(x) || a < 0x1p-13f) return x;
    float y;
    if (a > 0x1p13f) y = pc_log_f32(a) + 0.693147181f;
    else y = pc_log1p_f32(a + a * a / (1.0f + pc_sqrt_f32(1.0f + a * a)));
    return pc_copysign(y, x);
}

float pc_acosh_f32(float x)
{
    if (pc_isnan(x) || x < 1.0f) return PC_NAN;
    if (x > 0x1p13f) return pc_log_f32(x) + 0.693147181f;
    float t = x - 1.0f;
    return pc_log1p_f32(t + pc_sqrt_f32(2.0f * t + t * t));
}

float pc_atanh_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x) || a > 1.0f) return PC_NAN;
    if (a == 1.0f) return pc_copysign(PC_INF, x);
    if (a < 0x1p-13f) return x;
    return pc_copysign(0.5f * pc_log1p_f32(pc_div_f32(2.0f * a, 1.0f - a)), x);
}
