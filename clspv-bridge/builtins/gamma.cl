// Gamma functions in single precision (section 6.15.2): tgamma at most 16 ulp, about 3 reached; lgamma as it comes, about 3.
#include "common.h"

// gamma(1.5 + u) for |u| <= 1/2.
static inline float pc_gamma_poly(float u)
{
    float p = -0.0108976942f;
    p = mad(p, u, 0.0163316596f);
    p = mad(p, u, -0.0162570439f);
    p = mad(p, u, 0.0243901089f);
    p = mad(p, u, -0.0381311029f);
    p = mad(p, u, 0.0588039756f);
    p = mad(p, u, -0.0775153562f);
    p = mad(p, u, 0.144633815f);
    p = mad(p, u, -0.107294969f);
    p = mad(p, u, 0.414813697f);
    p = mad(p, u, 0.0323383994f);
    return mad(p, u, 0.886226952f);
}

typedef struct { float p, e, z; int scale; } pc_factors;

// The product of the numbers between x and z in [1, 2] at distances of 1 as (p + e) 2^scale: gamma(x) is gamma(z) times that
// for x >= 1 (which x itself is not part of), gamma(z) divided by it otherwise.
static inline pc_factors pc_gamma_factors(float x)
{
    pc_factors r;
    r.p = 1.0f;
    r.e = 0.0f;
    r.z = x;
    r.scale = 0;
    bool up = x < 1.0f;
    while (up ? r.z < 1.0f : r.z >= 2.0f) {
        float f = up ? r.z : r.z - 1.0f;
        float p = r.p * f;
        r.e = r.e * f + pc_mul_err(r.p, f, p);
        r.p = p;
        r.z += up ? 1.0f : -1.0f;
        if (pc_abs(p) > 0x1p60f) {
            r.p *= 0x1p-60f;
            r.e *= 0x1p-60f;
            r.scale += 60;
        }
    }
    return r;
}

// gamma(x) for x in (-43, 36) that is no pole, as a number of moderate size and a power of two.
static inline float pc_gamma_core(float x, __private int *scale)
{
    pc_factors f = pc_gamma_factors(x);
    float g = pc_gamma_poly(f.z - 1.5f);
    if (x < 1.0f) {
        float q = pc_div_f32(g, f.p);
        *scale = -f.scale;
        return pc_isinf(q) ? q : q - q * (f.e / f.p);
    }
    float q = g * f.p;
    *scale = f.scale;
    return q + (pc_mul_err(g, f.p, q) + g * f.e);
}

float pc_tgamma_f32(float x)
{
    if (pc_isnan(x) || x == PC_INF) return x;
    if (pc_abs(x) < 0x1p-30f) return pc_div_f32(1.0f, x);
    float whole = floor(x);
    if (x < 0.0f && (pc_isinf(x) || whole == x)) return PC_NAN;
    if (x > 35.5f) return PC_INF;
    if (x < -43.0f) return 0.0f;
    int scale;
    float g = pc_gamma_core(x, &scale);
    return pc_scale(g, scale);
}

// log gamma(1 + v) for |v| <= 1/4.
static inline float pc_lgamma_one(float v)
{
    float p = -0.125213057f;
    p = mad(p, v, 0.140764445f);
    p = mad(p, v, -0.143382743f);
    p = mad(p, v, 0.168824151f);
    p = mad(p, v, -0.207397252f);
    p = mad(p, v, 0.270593673f);
    p = mad(p, v, -0.400685579f);
    p = mad(p, v, 0.822466969f);
    return v * (p * v + -0.577215672f);
}

// log gamma(2 + v) for v in [-3/4, 1].
static inline float pc_lgamma_two(float v)
{
    float p = 1.6676684e-5f;
    p = mad(p, v, -6.14936871e-5f);
    p = mad(p, v, 0.000114227987f);
    p = mad(p, v, -0.000214567757f);
    p = mad(p, v, 0.000499178015f);
    p = mad(p, v, -0.00119439152f);
    p = mad(p, v, 0.00289347535f);
    p = mad(p, v, -0.00738548208f);
    p = mad(p, v, 0.0205804761f);
    p = mad(p, v, -0.0673522949f);
    p = mad(p, v, 0.322467029f);
    return v * (p * v + 0.422784328f);
}

// log gamma(x) for x > 0.
static inline float pc_lgamma_positive(float x)
{
    if (x >= 8.0f) {
        // Stirling's series
        float u = 1.0f / x;
        float s = u * (0.0833333333f - u * u * 0.00277777778f);
        return (x - 0.5f) * (pc_log_f32(x) - 1.0f) + (0.418938533f + s);
    }
    if (x < 0.75f) {
        float v = x <= 0.25f ? pc_lgamma_one(x) : pc_lgamma_two(x - 1.0f);
        return v - pc_log_f32(x);
    }
    if (x <= 1.25f) return x == 1.0f ? 0.0f : pc_lgamma_one(x - 1.0f);
    float p = 1.0f;
    while (x >= 3.0f) {
        x -= 1.0f;
        p *= x;
    }
    return pc_lgamma_two(x - 2.0f) + (p == 1.0f ? 0.0f : pc_log_f32(p));
}

float pc_lgamma_r_f32(float x, __private int *sign)
{
    *sign = 1;
    if (pc_isnan(x)) return x;
    if (pc_isinf(x)) return PC_INF;
    float whole = floor(x);
    if (x == 0.0f || (x < 0.0f && whole == x)) {
        *sign = 0;
        return PC_INF;
    }
    if (x > 0.0f) return pc_lgamma_positive(x);
    // The largest odd integer is far below 2^24.
    *sign = rint(whole * 0.5f) * 2.0f == whole ? 1 : -1;
    if (x > -0.25f) return pc_lgamma_one(x) - pc_log_f32(-x);
    if (x > -8.0f) {
        int scale;
        return pc_log_f32(pc_abs(pc_gamma_core(x, &scale)));
    }
    // log gamma(x) = log(pi / |x sin(pi x)|) - log gamma(|x|)
    float s = pc_abs(x * pc_sinpi_f32(x));
    return 1.14472989f - pc_log_f32(s) - pc_lgamma_positive(-x);
}

float pc_lgamma_f32(float x)
{
    int sign;
    return pc_lgamma_r_f32(x, &sign);
}
