// Inverse circular functions (section 6.15.2).
#include "common.h"

#define PC_PI_2_HI 1.57079637f
#define PC_PI_2_LO -4.3711388e-8f
#define PC_PI_4_HI 0.785398185f
#define PC_PI_4_LO -2.1855694e-8f

// atan(r) - r for |r| <= tan(pi/8).
static inline float pc_atan_tail(float r)
{
    float z = r * r;
    float p = -0.0606053622f;
    p = p * z + 0.10587367f;
    p = p * z + -0.142427422f;
    p = p * z + 0.199984345f;
    p = p * z + -0.333333147f;
    return r * z * p;
}

// atan(a / b) for a, b >= 0 not both zero, not both infinite.
static inline float pc_atan_ratio(float a, float b)
{
    int swap = a > b;
    float num = swap ? b : a, den = swap ? a : b;
    float base_hi = 0.0f, base_lo = 0.0f, r;
    if (num > 0.414213562f * den) {
        base_hi = PC_PI_4_HI;
        base_lo = PC_PI_4_LO;
        float d = den + num;
        r = pc_div_f32(num - den, d);
    } else {
        r = pc_div_f32(num, den);
    }
    float t = pc_atan_tail(r);
    if (swap) {
        // pi/2 - (base + r + t)
        float h = PC_PI_2_HI - base_hi;
        return h - (r + (t - (PC_PI_2_LO - base_lo)));
    }
    return base_hi + (r + (t + base_lo));
}

float pc_atan_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffffu;
    if (a > 0x7f800000u) return x;
    if (a < 0x39000000u) return a < 0x30000000u ? x : x - x * x * x * 0.333333333f; // |x| < 2^-13
    float y = a >= 0x4c800000u ? PC_PI_2_HI : pc_atan_ratio(as_float(a), 1.0f);
    return pc_copysign(y, x);
}

float pc_atan2_f32(float y, float x)
{
    uint ay = as_uint(y) & 0x7fffffffu, ax = as_uint(x) & 0x7fffffffu;
    if (ay > 0x7f800000u || ax > 0x7f800000u) return PC_NAN;
    int xneg = as_uint(x) >> 31;
    float r;
    if (ay == 0) {
        r = xneg ? 3.14159274f : 0.0f;
        return pc_copysign(r, y);
    }
    if (ax == 0) return pc_copysign(PC_PI_2_HI, y);
    if (ay == 0x7f800000u) {
        r = ax == 0x7f800000u ? (xneg ? 2.35619449f : 0.785398163f) : PC_PI_2_HI;
        return pc_copysign(r, y);
    }
    if (ax == 0x7f800000u) return pc_copysign(xneg ? 3.14159274f : 0.0f, y);
    float fy = as_float(ay), fx = as_float(ax);
    int d = (int)(ay >> 23) - (int)(ax >> 23);
    if (d > 26) return pc_copysign(PC_PI_2_HI, y);
    if (d < -26 && xneg) return pc_copysign(3.14159274f, y);
    // keep both away from overflow and underflow
    uint top = max(ay, ax);
    float s = top > 0x71000000u ? 0x1p-40f : top < 0x20000000u ? 0x1p+62f : 1.0f;
    if (d < -26) return pc_copysign((fy * s) / (fx * s), y);
    // denormals as integers: the device may take them for zeros
    fy = ay < 0x00800000u ? (float)ay * 0x1p-87f : fy * s;
    fx = ax < 0x00800000u ? (float)ax * 0x1p-87f : fx * s;
    r = pc_atan_ratio(fy, fx);
    if (xneg) r = 3.14159274f - (r + 8.7422777e-8f);
    return pc_copysign(r, y);
}

// asin(x) - x over x, for x^2 = z <= 1/4.
static inline float pc_asin_tail(float z)
{
    float p = 0.0378913822f;
    p = p * z + 0.0141799140f;
    p = p * z + 0.0318737662f;
    p = p * z + 0.0445093471f;
    p = p * z + 0.0750054216f;
    p = p * z + 0.166666594f;
    return z * p;
}

float pc_asin_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x) || a > 1.0f) return PC_NAN;
    if (a <= 0.5f) return x + x * pc_asin_tail(x * x);
    float z = 0.5f * (1.0f - a);
    float s = pc_sqrt_f32(z);
    float y = PC_PI_2_HI - (2.0f * (s + s * pc_asin_tail(z)) - PC_PI_2_LO);
    return pc_copysign(y, x);
}

float pc_acos_f32(float x)
{
    float a = pc_abs(x);
    if (pc_isnan(x) || a > 1.0f) return PC_NAN;
    if (a <= 0.5f) return PC_PI_2_HI - (x - (PC_PI_2_LO - x * pc_asin_tail(x * x)));
    float z = 0.5f * (1.0f - a);
    float s = pc_sqrt_f32(z);
    float t = 2.0f * (s + s * pc_asin_tail(z));
    return as_uint(x) >> 31 ? 3.14159274f - (t + 8.7422777e-8f) : t;
}

// x / pi with 1/pi in two parts
static inline float pc_over_pi(float x)
{
    float p = x * 0.318309873f;
    if (pc_abs(x) < 1e-30f) return p;
    return p + (pc_mul_err(x, 0.318309873f, p) + x * 1.2841276e-8f);
}
float pc_asinpi_f32(float x) { return pc_over_pi(pc_asin_f32(x)); }
float pc_acospi_f32(float x) { return pc_over_pi(pc_acos_f32(x)); }
float pc_atanpi_f32(float x) { return pc_over_pi(pc_atan_f32(x)); }
float pc_atan2pi_f32(float y, float x) { return pc_over_pi(pc_atan2_f32(y, x)); }
