// Inverse circular functions (section 6.15.2).
#include "common.h"

#define PC_PI_2_HI 1.57079637f
#define PC_PI_2_LO -4.3711388e-8f

// atan(r) for 0 <= r <= 1: within 2 ulp, by interpolation of (atan(r) / r - 1) / r^2 at Chebyshev nodes in r^2.
static inline float pc_atan_unit(float r)
{
    float z = r * r;
    float p = 0.00386673887f;
    p = mad(p, z, -0.0200267471f);
    p = mad(p, z, 0.0489143208f);
    p = mad(p, z, -0.0800968185f);
    p = mad(p, z, 0.108657591f);
    p = mad(p, z, -0.142570451f);
    p = mad(p, z, 0.199986815f);
    p = mad(p, z, -0.333333224f);
    return mad(r * z, p, r);
}

float pc_atan_f32(float x)
{
    float a = pc_abs(x);
    int inverted = a > 1.0f;
    // Divisors from 2^126 on may be taken for infinite, and then have the same result.
    float t = pc_atan_unit(inverted ? 1.0f / a : a);
    return pc_copysign(inverted ? M_PI_2_F - t : t, x);
}

float pc_atan2_f32(float y, float x)
{
    float ay = pc_abs(y), ax = pc_abs(x), high = fmax(ay, ax);
    // Divisors from 2^126 on may be taken for infinite. The angle of the origin is that of the axis.
    float down = high > 0x1p+120f ? 0x1p-8f : 1.0f;
    float t = pc_atan_unit(fmin(ay, ax) * down / (high * down));
    t = high == 0.0f ? 0.0f : ay == ax ? M_PI_4_F : t;
    t = ay > ax ? M_PI_2_F - t : t;
    t = as_int(x) < 0 ? M_PI_F - t : t;
    return isunordered(y, x) ? PC_NAN : pc_copysign(t, y);
}

// asin(x) - x over x, for x^2 = z <= 1/4.
static inline float pc_asin_tail(float z)
{
    float p = 0.0378913822f;
    p = mad(p, z, 0.0141799140f);
    p = mad(p, z, 0.0318737662f);
    p = mad(p, z, 0.0445093471f);
    p = mad(p, z, 0.0750054216f);
    p = mad(p, z, 0.166666594f);
    return z * p;
}

// The root of z, which is zero or not below 2^-25; NaN for negative z.
float pc_asin_root_f32(float z) { return z < 0.0f ? PC_NAN : pc_sqrt_f32(z); }

typedef struct { float value; int large; } pc_asin_part;

// asin(|x|), or for |x| > 1/2 pi/4 - asin(|x|)/2. NaN for |x| > 1.
static inline pc_asin_part pc_asin_unit(float x)
{
    float a = pc_abs(x);
    pc_asin_part y;
    y.large = a > 0.5f;
    float z = y.large ? mad(a, -0.5f, 0.5f) : a * a, s = y.large ? pc_asin_root_f32(z) : a;
    y.value = mad(s, pc_asin_tail(z), s);
    return y;
}

float pc_asin_f32(float x)
{
    pc_asin_part y = pc_asin_unit(x);
    float large = PC_PI_2_HI - mad(2.0f, y.value, -PC_PI_2_LO);
    return pc_copysign(y.large ? large : y.value, x);
}

float pc_acos_f32(float x)
{
    pc_asin_part y = pc_asin_unit(x);
    float t = 2.0f * y.value, small = PC_PI_2_HI - (pc_copysign(y.value, x) - PC_PI_2_LO);
    float large = as_uint(x) >> 31 ? 3.14159274f - (t + 8.7422777e-8f) : t;
    return y.large ? large : small;
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
