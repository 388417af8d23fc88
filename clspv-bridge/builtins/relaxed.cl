// Functions under relaxed math (-cl-unsafe-math-optimizations, -cl-fast-relaxed-math), with the errors that the tables of
// "Relative error as ULPs" allow them there: at most 8192 ulp or a derivation from other functions, and 4 ulp for hypot. They
// neither branch nor consider NaNs.
#include "common.h"

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
