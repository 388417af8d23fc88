// Functions under relaxed math (-cl-unsafe-math-optimizations, -cl-fast-relaxed-math), with the errors that the tables of
// "Relative error as ULPs" allow them there: at most 8192 ulp or a derivation from other functions, and 4 ulp for hypot. They
// neither branch nor consider NaNs.
#include "common.h"

// atan(r) for 0 <= r <= 1: within 2 ulp, by interpolation of (atan(r) / r - 1) / r^2 at Chebyshev nodes in r^2.
static inline float pc_relaxed_atan_unit(float r)
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

float pc_relaxed_atan_f32(float x)
{
    float a = pc_abs(x);
    int inverted = a > 1.0f;
    float t = pc_relaxed_atan_unit(inverted ? 1.0f / a : a);
    return pc_copysign(inverted ? M_PI_2_F - t : t, x);
}

float pc_relaxed_atan2_f32(float y, float x)
{
    float ay = pc_abs(y), ax = pc_abs(x), high = fmax(ay, ax);
    // Divisors from 2^126 on may be taken for infinite. The angle of the origin is that of the axis.
    float down = high > 0x1p+120f ? 0x1p-8f : 1.0f;
    float r = high == 0.0f ? 0.0f : fmin(ay, ax) * down / (high * down);
    float t = pc_relaxed_atan_unit(r);
    t = ay > ax ? M_PI_2_F - t : t;
    t = as_int(x) < 0 ? M_PI_F - t : t;
    return pc_copysign(t, y);
}

float pc_relaxed_hypot_f32(float x, float y)
{
    float ax = pc_abs(x), ay = pc_abs(y), a = fmax(ax, ay), b = fmin(ax, ay);
    // Squares must neither overflow nor vanish.
    float up = a > 0x1p+62f ? 0x1p-66f : a < 0x1p-50f ? 0x1p+80f : 1.0f;
    float down = a > 0x1p+62f ? 0x1p+66f : a < 0x1p-50f ? 0x1p-80f : 1.0f;
    a *= up;
    b *= up;
    return native_sqrt(mad(a, a, b * b)) * down;
}

// Negative for odd y and negative x.
float pc_relaxed_pow_f32(float x, float y)
{
    float r = y == 0.0f ? 1.0f : native_exp2(y * native_log2(pc_abs(x)));
    return as_float(as_uint(r) ^ (as_uint(x) & (uint)(int)y << 31));
}
