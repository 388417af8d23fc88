// Exponentials (section 6.15.2): at most 1.5 ulp.
#include "common.h"

// e^r - 1 - r for |r| <= ln(2)/2, by a minimax polynomial.
static inline float pc_exp_tail(float r)
{
    float p = 0.00019891981f;
    p = mad(p, r, 0.0013934542f);
    p = mad(p, r, 0.00833331002f);
    p = mad(p, r, 0.0416664568f);
    p = mad(p, r, 0.166666667f);
    p = mad(p, r, 0.500000001f);
    return p * r * r;
}

float pc_exp_f32(float x)
{
    float t = fmin(fmax(x, -104.0f), 89.0f);
    float n = rint(t * PC_LOG2E);
    float r = (t - n * PC_LN2_HI) - n * PC_LN2_LO;
    float y = pc_scale(1.0f + (r + pc_exp_tail(r)), (int)n);
    return pc_isnan(x) ? x : y;
}

// 2^f for |f| <= 1/2.
static inline float pc_exp2_core(float f)
{
    float q = 0.0000153151654f;
    q = mad(q, f, 0.000154673647f);
    q = mad(q, f, 0.00133334299f);
    q = mad(q, f, 0.00961803617f);
    q = mad(q, f, 0.0555041096f);
    q = mad(q, f, 0.240226511f);
    // ln 2 split so that the leading product carries no rounding error of the constant.
    float lead = f * 0.693147182f;
    return 1.0f + (lead + (q * f * f + f * -1.904654e-9f));
}

float pc_exp2_f32(float x)
{
    float t = fmin(fmax(x, -151.0f), 129.0f);
    float n = rint(t);
    float y = pc_scale(pc_exp2_core(t - n), (int)n);
    return pc_isnan(x) ? x : y;
}

float pc_exp10_f32(float x)
{
    float t = fmin(fmax(x, -46.0f), 39.0f);
    float n = rint(t * 3.32192809f);
    // log10(2) in two parts, the first short enough that n times it is exact.
    float r = (t - n * 0x1.344p-2f) - n * 4.6050390e-6f;
    // e^(r ln 10) with ln 10 = hi + lo
    float a = r * 2.30258512f;
    float e = pc_mul_err(r, 2.30258512f, a) + r * -3.1975436e-8f;
    float y = pc_scale(1.0f + (a + (pc_exp_tail(a) + (e + a * e))), (int)n);
    return pc_isnan(x) ? x : y;
}

float pc_expm1_f32(float x)
{
    float t = fmin(fmax(x, -20.0f), 89.0f);
    float n = rint(t * PC_LOG2E);
    float rh = t - n * PC_LN2_HI, rl = n * PC_LN2_LO;
    float r = rh - rl;
    float c = (rh - r) - rl;
    float q = r + (pc_exp_tail(r) + c);
    int k = (int)n;
    float y;
    if (k == 0) {
        y = q;
    } else if (k > 60) {
        y = pc_scale(1.0f + q, k);
    } else {
        float s = pc_pow2i(k);
        y = s * q + (s - 1.0f);
    }
    if (as_uint(x) << 1 < 0x66000000u) // |x| < 2^-26: keeps the sign of zero
        y = x;
    return pc_isnan(x) ? x : y;
}
