// Shared helpers of the double-precision functions. Double arithmetic (add, multiply, divide, native_sqrt) is IEEE 754.
#ifndef PC_DOUBLE_H
#define PC_DOUBLE_H
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PD_INF as_double(0x7ff0000000000000ul)
#define PD_NAN as_double(0x7ff8000000000000ul)
#define PD_SIGN 0x8000000000000000ul
#define PD_MAG 0x7ffffffffffffffful
#define PD_EXP 0x7ff0000000000000ul
#define PD_ONE 0x3ff0000000000000ul
// Adding it rounds to the nearest integer, which the low bits of the sum hold; subtracting it again gives that integer.
#define PD_NEAREST 0x1.8p+52

typedef struct { double hi, lo; } pd_dd;

static inline double pd_abs(double x) { return fabs(x); }
static inline double pd_copysign(double m, double s) { return as_double((as_ulong(m) & PD_MAG) | (as_ulong(s) & PD_SIGN)); }
static inline int pd_isnan(double x) { return (as_ulong(x) & PD_MAG) > PD_EXP; }
static inline int pd_isinf(double x) { return (as_ulong(x) & PD_MAG) == PD_EXP; }
static inline int pd_neg(double x) { return (int)(as_ulong(x) >> 63); }
// The 26 leading significand bits.
static inline double pd_head(double x) { return as_double(as_ulong(x) & 0xfffffffff8000000ul); }
static inline pd_dd pd_fast_sum(double a, double b)
{
    pd_dd r;
    r.hi = a + b;
    r.lo = b - (r.hi - a);
    return r;
}
static inline double pd_pow2i(int n) { return as_double((ulong)(n + 1023) << 52); }
// x * 2^n where that is a normal number.
static inline double pd_shift(double x, int n) { return as_double(as_ulong(x) + ((ulong)n << 52)); }
// x * 2^n, rounding once unless the result is denormal.
static inline double pd_scale(double x, int n)
{
    int h = n >> 1;
    return x * pd_pow2i(h) * pd_pow2i(n - h);
}

double pc_mul_err_f64(double a, double b, double p);
double pc_sqrt_f64(double x);
double pc_exp_f64(double x);
double pc_expm1_f64(double x);
double pc_log_f64(double x);
double pc_log1p_f64(double x);
double pc_pow_f64(double x, double y);
double pc_sinpi_f64(double x);
#endif
