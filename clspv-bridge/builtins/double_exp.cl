// Exponentials, logarithms and powers in double precision (section 6.15.2).
#include "double.h"

#define PD_LN2_HI 0x1.62e42fee00000p-1
#define PD_LN2_LO 0x1.a39ef35793c76p-33
#define PD_LOG2E 0x1.71547652b82fep+0

// e^r - 1 - r for |r| <= ln(2)/2: to 2^-56, by interpolation of this over r^2 at Chebyshev nodes.
static inline double pd_exp_tail(double r)
{
    double p = 0x1.af38a9b0ec855p-26;
    p = mad(p, r, 0x1.289185613a3d6p-22);
    p = mad(p, r, 0x1.71de0dae63bb3p-19);
    p = mad(p, r, 0x1.a019b90d2ae7ap-16);
    p = mad(p, r, 0x1.a01a01a7c41d5p-13);
    p = mad(p, r, 0x1.6c16c1788bd90p-10);
    p = mad(p, r, 0x1.11111111109b3p-7);
    p = mad(p, r, 0x1.5555555553d63p-5);
    p = mad(p, r, 0x1.5555555555556p-3);
    p = mad(p, r, 0.5);
    return p * (r * r);
}

// y 2^n for y between 1/2 and 2, where x tells whether the result overflows, is denormal or NaN.
static inline double pd_exp_scale(double x, double y, int n, double low, double high)
{
    if (x > low + 64.0 && x < high) return pd_shift(y, n);
    return pd_isnan(x) ? x : x < low ? 0.0 : x >= high + 2.0 ? PD_INF : pd_scale(y, n);
}

double pc_exp_f64(double x)
{
    double t = mad(x, PD_LOG2E, PD_NEAREST), n = t - PD_NEAREST;
    double r = mad(-n, PD_LN2_LO, mad(-n, PD_LN2_HI, x));
    return pd_exp_scale(x, 1.0 + (r + pd_exp_tail(r)), (int)as_ulong(t), -746.0, 709.0);
}

double pc_exp2_f64(double x)
{
    double t = x + PD_NEAREST, n = t - PD_NEAREST;
    double r = (x - n) * 0x1.62e42fefa39efp-1;
    return pd_exp_scale(x, 1.0 + (r + pd_exp_tail(r)), (int)as_ulong(t), -1076.0, 1023.0);
}

double pc_exp10_f64(double x)
{
    double t = mad(x, 0x1.a934f0979a371p+1, PD_NEAREST), n = t - PD_NEAREST;
    double f = mad(-n, 0x1.f79fef311f12bp-34, mad(-n, 0x1.3441350800000p-2, x));
    double r = f * 0x1.26bb1bbb55516p+1;
    return pd_exp_scale(x, 1.0 + (r + pd_exp_tail(r)), (int)as_ulong(t), -324.5, 308.0);
}

double pc_expm1_f64(double x)
{
    double a = fmin(fmax(x, -50.0), 710.0);
    double t = mad(a, PD_LOG2E, PD_NEAREST), n = t - PD_NEAREST;
    double rh = mad(-n, PD_LN2_HI, a), rl = n * PD_LN2_LO;
    double r = rh - rl, c = (rh - r) - rl;
    double q = r + (pd_exp_tail(r) + c);
    int k = (int)as_ulong(t);
    double s = pd_pow2i(k - 1); // 2^k may be infinite
    double y = k > 100 ? (s + s * q) * 2.0 : mad(s, q, s - 0.5) * 2.0;
    y = k == 0 ? q : y;
    return (as_ulong(x) & PD_MAG) < 0x3c80000000000000ul || pd_isnan(x) ? x : y;
}

typedef struct { double f, k; } pd_log_parts;

// x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), for finite x > 0.
static inline pd_log_parts pd_log_reduce(double x)
{
    ulong ix = as_ulong(x);
    int k = 0;
    if (ix < 0x0010000000000000ul) {
        ix = as_ulong((double)ix);
        k = -1074;
    }
    ix += PD_ONE - 0x3fe6a09e667f3bcdul;
    k += (int)(ix >> 52) - 1023;
    pd_log_parts p;
    p.f = as_double((ix & 0x000ffffffffffffful) + 0x3fe6a09e667f3bcdul) - 1.0;
    p.k = (double)k;
    return p;
}

// 2 atanh(s)/s = 2 + z (2/3 + z P(z)): returns P(z) z for z <= 0.0295, to 2^-62 of the whole, by interpolation of P at
// Chebyshev nodes.
static inline double pd_atanh_tail(double z)
{
    double p = 0x1.087ab15abb915p-3;
    p = mad(p, z, 0x1.101881b207ff1p-3);
    p = mad(p, z, 0x1.3b18ba4650e04p-3);
    p = mad(p, z, 0x1.745d09ebb01cdp-3);
    p = mad(p, z, 0x1.c71c71d7ef798p-3);
    p = mad(p, z, 0x1.249249248e50fp-2);
    p = mad(p, z, 0x1.999999999999ep-2);
    return p * z;
}

static inline double pd_log_tail(double f, double hfsq)
{
    double s = f / (2.0 + f), z = s * s;
    return s * mad(z, pd_atanh_tail(z) + 2.0 / 3.0, hfsq);
}

static inline int pd_log_special(double x) { return as_ulong(x) - 1ul >= 0x7feffffffffffffful; }
static inline double pd_log_special_value(double x)
{
    if ((as_ulong(x) & PD_MAG) == 0) return -PD_INF;
    if (as_ulong(x) == PD_EXP) return x;
    return PD_NAN;
}

double pc_log_f64(double x)
{
    if (pd_log_special(x)) return pd_log_special_value(x);
    pd_log_parts p = pd_log_reduce(x);
    double hfsq = 0.5 * p.f * p.f;
    return mad(p.k, PD_LN2_HI, p.f - (hfsq - mad(p.k, PD_LN2_LO, pd_log_tail(p.f, hfsq))));
}

double pc_log2_f64(double x)
{
    if (pd_log_special(x)) return pd_log_special_value(x);
    pd_log_parts p = pd_log_reduce(x);
    double hfsq = 0.5 * p.f * p.f;
    double hi = pd_head(p.f - hfsq);
    double lo = (p.f - hi) - hfsq + pd_log_tail(p.f, hfsq);
    double vh = hi * 0x1.7154760000000p+0;
    double vl = (lo + hi) * 0x1.4ae0bf85ddf44p-26 + lo * 0x1.7154760000000p+0;
    double w = p.k + vh;
    vl += (p.k - w) + vh;
    return vl + w;
}

double pc_log10_f64(double x)
{
    if (pd_log_special(x)) return pd_log_special_value(x);
    pd_log_parts p = pd_log_reduce(x);
    double hfsq = 0.5 * p.f * p.f;
    double hi = pd_head(p.f - hfsq);
    double lo = (p.f - hi) - hfsq + pd_log_tail(p.f, hfsq);
    double vh = hi * 0x1.bcb7b10000000p-2;
    double kh = p.k * 0x1.3441350800000p-2;
    double vl = p.k * 0x1.f79fef311f12bp-34 + (lo + hi) * 0x1.49b9438ca9aaep-28 + lo * 0x1.bcb7b10000000p-2;
    double w = kh + vh;
    vl += (kh - w) + vh;
    return vl + w;
}

double pc_log1p_f64(double x)
{
    if (pd_isnan(x) || x < -1.0) return PD_NAN;
    if (x == -1.0) return -PD_INF;
    ulong a = as_ulong(x) & PD_MAG;
    if (as_ulong(x) == PD_EXP || a < 0x3c80000000000000ul) return x;
    double u = 1.0 + x;
    double c = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    pd_log_parts p = pd_log_reduce(u);
    double hfsq = 0.5 * p.f * p.f;
    double e = c * (double)(1.0f / (float)u); // few bits of the inverse suffice, and none for large u
    return mad(p.k, PD_LN2_HI, p.f - (hfsq - (pd_log_tail(p.f, hfsq) + mad(p.k, PD_LN2_LO, e))));
}

double pc_logb_f64(double x)
{
    ulong a = as_ulong(x) & PD_MAG;
    if (a == 0) return -PD_INF;
    if (a >= PD_EXP) return as_double(a);
    if (a < 0x0010000000000000ul) return (double)(-1011 - (int)clz(a));
    return (double)((int)(a >> 52) - 1023);
}

int pc_ilogb_f64(double x)
{
    ulong a = as_ulong(x) & PD_MAG;
    if (a == 0) return (int)0x80000000;
    if (a >= PD_EXP) return 0x7fffffff;
    if (a < 0x0010000000000000ul) return -1011 - (int)clz(a);
    return (int)(a >> 52) - 1023;
}

// log2 of finite x > 0 as a double-double, to about 2^-62 relative.
static inline pd_dd pd_log2_dd(double x)
{
    pd_log_parts lp = pd_log_reduce(x);
    double f = lp.f, d = 2.0 + f, dl = f - (d - 2.0);
    double inverse = 1.0 / d, s = f * inverse, p = s * d;
    double sl = (((f - p) - pc_mul_err_f64(s, d, p)) - s * dl) * inverse;
    // z = s^2 in double length, then s (2 + z (2/3 + tail))
    double z = s * s, zl = pc_mul_err_f64(s, s, z) + 2.0 * s * sl;
    double t = pd_atanh_tail(z);
    pd_dd q = pd_fast_sum(0x1.5555555555555p-1, t + 0x1.5555555555555p-55);
    double g = z * q.hi, gl = pc_mul_err_f64(z, q.hi, g) + (z * q.lo + zl * q.hi);
    double h = s * g, hl = pc_mul_err_f64(s, g, h) + (s * gl + sl * g);
    pd_dd m = pd_fast_sum(2.0 * s, h);
    m.lo += 2.0 * sl + hl;
    m = pd_fast_sum(m.hi, m.lo);
    // times 1 / ln 2
    const double c = 0x1.71547652b82fep+0, cl = 0x1.777d0ffda0d24p-56;
    double ph = m.hi * c, pl = pc_mul_err_f64(m.hi, c, ph) + (m.hi * cl + m.lo * c);
    if (lp.k == 0.0) return pd_fast_sum(ph, pl);
    pd_dd r = pd_fast_sum(lp.k, ph);
    r.lo += pl;
    return pd_fast_sum(r.hi, r.lo);
}

static inline double pd_exp2_dd(pd_dd a)
{
    double t = a.hi + PD_NEAREST, n = t - PD_NEAREST;
    double r = ((a.hi - n) + a.lo) * 0x1.62e42fefa39efp-1;
    return pd_exp_scale(a.hi, 1.0 + (r + pd_exp_tail(r)), (int)as_ulong(t), -1076.0, 1023.0);
}

static inline double pd_pow_core(double x, double yh, double yl)
{
    pd_dd g = pd_log2_dd(x);
    double p = yh * g.hi;
    if (p > 1100.0) return PD_INF;
    if (p < -1100.0) return 0.0;
    double e = pd_abs(yh) > 1e200 ? 0.0 : pc_mul_err_f64(yh, g.hi, p) + (yh * g.lo + yl * g.hi);
    return pd_exp2_dd(pd_fast_sum(p, e));
}

static inline int pd_integer_kind(double y) // 0: no integer, 1: odd, 2: even
{
    ulong a = as_ulong(y) & PD_MAG;
    int e = (int)(a >> 52) - 1023;
    if (e < 0) return a == 0 ? 2 : 0;
    if (e > 52) return 2;
    if (a & ((1ul << (52 - e)) - 1ul)) return 0;
    ulong sig = (a & 0x000ffffffffffffful) | 0x0010000000000000ul;
    return (sig >> (52 - e)) & 1ul ? 1 : 2;
}

double pc_pow_f64(double x, double y)
{
    ulong ax = as_ulong(x) & PD_MAG, ay = as_ulong(y) & PD_MAG;
    if (ay == 0 || as_ulong(x) == PD_ONE) return 1.0;
    if (ax > PD_EXP || ay > PD_EXP) return PD_NAN;
    int yneg = pd_neg(y);
    if (ay == PD_EXP) {
        if (ax == PD_ONE) return 1.0;
        return (ax > PD_ONE) != (yneg != 0) ? PD_INF : 0.0;
    }
    int kind = pd_integer_kind(y);
    ulong sign = kind == 1 ? as_ulong(x) & PD_SIGN : 0ul;
    if (ax == 0 || ax == PD_EXP) return as_double(((ax == 0) == (yneg != 0) ? PD_EXP : 0ul) | sign);
    if (pd_neg(x) && kind == 0) return PD_NAN;
    return as_double(as_ulong(pd_pow_core(as_double(ax), y, 0.0)) | sign);
}

double pc_powr_f64(double x, double y)
{
    ulong ax = as_ulong(x) & PD_MAG, ay = as_ulong(y) & PD_MAG;
    if (ax > PD_EXP || ay > PD_EXP || (ax != 0 && pd_neg(x))) return PD_NAN;
    int yneg = pd_neg(y);
    if (ax == 0) return ay == 0 ? PD_NAN : (yneg ? PD_INF : 0.0);
    if (ax == PD_EXP) return ay == 0 ? PD_NAN : (yneg ? 0.0 : PD_INF);
    if (ay == PD_EXP) {
        if (ax == PD_ONE) return PD_NAN;
        return (ax > PD_ONE) != (yneg != 0) ? PD_INF : 0.0;
    }
    if (ay == 0) return 1.0;
    return pd_pow_core(x, y, 0.0);
}

double pc_pown_f64(double x, int n)
{
    ulong ax = as_ulong(x) & PD_MAG;
    if (n == 0) return 1.0;
    if (ax > PD_EXP) return PD_NAN;
    ulong sign = n & 1 ? as_ulong(x) & PD_SIGN : 0ul;
    if (ax == 0 || ax == PD_EXP) return as_double(((ax == 0) == (n < 0) ? PD_EXP : 0ul) | sign);
    return as_double(as_ulong(pd_pow_core(as_double(ax), (double)n, 0.0)) | sign);
}

double pc_rootn_f64(double x, int n)
{
    ulong ax = as_ulong(x) & PD_MAG;
    if (n == 0 || ax > PD_EXP || (pd_neg(x) && !(n & 1) && ax != 0)) return PD_NAN;
    ulong sign = n & 1 ? as_ulong(x) & PD_SIGN : 0ul;
    if (ax == 0 || ax == PD_EXP) return as_double(((ax == 0) == (n < 0) ? PD_EXP : 0ul) | sign);
    double nf = (double)n, yh = 1.0 / nf, p = yh * nf;
    double yl = ((1.0 - p) - pc_mul_err_f64(yh, nf, p)) / nf;
    return as_double(as_ulong(pd_pow_core(as_double(ax), yh, yl)) | sign);
}
