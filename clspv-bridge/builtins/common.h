// Shared declarations of the built-in library.
//
// The library is OpenCL C, compiled once to IR (`cargo xtask library`) and linked per function into kernels. It holds scalar
// functions only, named pc_<operation>_<type>; the compiler splits vectors. Rules for its code: no contraction is
// assumed (the compiler's a*b+c may or may not fuse), division and native_sqrt are as inexact as Vulkan allows
// (2.5 ulp and 3 ulp or more), and denormals may be flushed by the device.
#ifndef PC_COMMON_H
#define PC_COMMON_H

#define PC_INF as_float(0x7f800000u)
#define PC_NAN as_float(0x7fc00000u)
#define PC_SIGN 0x80000000u

#define PC_LN2_HI 0x1.62e400p-1f
#define PC_LN2_LO 0x1.7f7d1cp-20f
#define PC_LOG2E 0x1.715476p+0f

typedef struct { float hi, lo; } pc_df;

// |x|. Denormals may be flushed, but not in as_uint(pc_abs(x)), which the compiler computes from the bits of x.
static inline float pc_abs(float x) { return fabs(x); }
static inline float pc_copysign(float m, float s) { return as_float((as_uint(m) & 0x7fffffffu) | (as_uint(s) & PC_SIGN)); }
static inline int pc_isnan(float x) { return (as_uint(x) & 0x7fffffffu) > 0x7f800000u; }
static inline int pc_isinf(float x) { return (as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
// The 12 leading significand bits: products of two such values are exact.
static inline float pc_head(float x) { return as_float(as_uint(x) & 0xfffff000u); }
// Error of the rounded product p = a * b (T. J. Dekker, "A floating-point technique for extending the available precision").
static inline float pc_mul_err(float a, float b, float p)
{
    float ah = pc_head(a), al = a - ah, bh = pc_head(b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
// 2^n for n in [-126, 127].
static inline float pc_pow2i(int n) { return as_float((uint)(n + 127) << 23); }
// x * 2^n for n in [-252, 254], rounding once unless the result is denormal.
static inline float pc_scale(float x, int n) { int h = n >> 1; return x * pc_pow2i(h) * pc_pow2i(n - h); }

float pc_exp_f32(float x);
float pc_exp2_f32(float x);
float pc_expm1_f32(float x);
float pc_log_f32(float x);
float pc_log1p_f32(float x);
float pc_sinpi_f32(float x);
float pc_sqrt_f32(float x);
float pc_div_f32(float a, float b);
float pc_ldexp_f32(float x, int n);
float pc_fmod_f32(float x, float y);
float pc_sincos_f32(float x, __private float *c);

#endif
