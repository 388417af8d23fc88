// Functions of double precision for the devices of hardware.cl, whose fused multiply-add in double precision is one instruction,
// too. The function pc_hardware_<operation>_f64 replaces pc_<operation>_f64, also where the library calls it.
#include "double.h"

// Error of the rounded product p = a * b.
double pc_hardware_mul_err_f64(double a, double b, double p) { return fma(a, b, -p); }

// 1 / sqrt(x) for 2^-120 <= x < 2^120: within 1 ulp, from the single-precision instruction by a step of third order.
static inline double pd_rsqrt_middle(double x)
{
    double y = (double)native_rsqrt((float)x);
    double e = fma(-(x * y), y, 1.0);
    return fma(y * e, fma(e, 0.375, 0.5), y);
}

// sqrt(x) for 2^-120 <= x < 2^120: rounded correctly by a last step with a fused residual (Markstein, IA-64 and Elementary
// Functions, 2000).
static inline double pd_sqrt_middle(double x)
{
    double y = pd_rsqrt_middle(x), s = x * y;
    return fma(fma(-s, s, x), 0.5 * y, s);
}

static inline int pd_is_middle(double x) { return (uint)(as_ulong(x) >> 32) - 0x38700000u < 0x0f000000u; }

double pc_hardware_sqrt_f64(double x)
{
    if (pd_is_middle(x)) return pd_sqrt_middle(x);
    ulong ix = as_ulong(x);
    if (ix - 1ul >= 0x7feffffffffffffful) return (ix & PD_MAG) == 0 || ix == PD_EXP ? x : PD_NAN;
    int down = 0;
    if (ix < 0x0010000000000000ul) { // denormal
        ix = as_ulong(x * 0x1p+54);
        down = 27;
    }
    int half_exponent = ((int)(ix >> 52) - 1023) >> 1;
    double y = as_double(ix - ((ulong)(2 * half_exponent) << 52));
    return pd_shift(pd_sqrt_middle(y), half_exponent - down);
}

// 1 ulp
double pc_hardware_rsqrt_f64(double x) { return pd_is_middle(x) ? pd_rsqrt_middle(x) : 1.0 / pc_sqrt_f64(x); }
