// Circular functions and their inverses in double precision (section 6.15.2).
#include "double.h"

__constant ulong pd_two_over_pi[20] = {
    0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul, 0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul,
    0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul,
    0x9c845f8bbdf9283bul, 0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul,
    0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul, 0xf0cfbc209af4361dul};

// |x| >= 2^20: x * 2/pi modulo 4 in fixed point (Payne, Hanek). r + rl is the remainder.
static inline int pd_reduce_large(double x, double *r, double *rl)
{
    ulong ix = as_ulong(x) & PD_MAG;
    ulong m = (ix & 0x000ffffffffffffful) | 0x0010000000000000ul;
    int e = (int)(ix >> 52) - 1075;
    int bit = e - 2; // first bit of the window: weight 2 in x * 2/pi; negative: leading zeros
    ulong w0, w1, w2;
    if (bit < 0) {
        int s = -bit;
        w0 = pd_two_over_pi[0] >> s;
        w1 = (pd_two_over_pi[1] >> s) | (pd_two_over_pi[0] << (64 - s));
        w2 = (pd_two_over_pi[2] >> s) | (pd_two_over_pi[1] << (64 - s));
    } else {
        int i = bit >> 6, s = bit & 63;
        w0 = pd_two_over_pi[i];
        w1 = pd_two_over_pi[i + 1];
        w2 = pd_two_over_pi[i + 2];
        if (s) {
            w0 = (w0 << s) | (w1 >> (64 - s));
            w1 = (w1 << s) | (w2 >> (64 - s));
            w2 = (w2 << s) | (pd_two_over_pi[i + 3] >> (64 - s));
        }
    }
    ulong lo = m * w1, mid = mul_hi(m, w1), top = m * w0, carry = mul_hi(m, w2);
    lo += carry;
    mid += lo < carry ? 1 : 0;
    top += mid;
    int n = (int)(top >> 62);
    ulong f = (top << 2) | (lo >> 62), g = lo << 2;
    int neg = (int)(f >> 63);
    n += neg;
    if (neg) {
        g = ~g + 1;
        f = ~f + (g == 0 ? 1 : 0);
    }
    // (f, g) / 2^128 quarter turns
    double h = (double)(f >> 11), l = (double)((f & 0x7fful) << 42 | g >> 22) * 0x1p-53;
    double a = h + l;
    l = l - (a - h);
    double p = a * 0x1.921fb54442d18p+0;
    double q = pc_mul_err_f64(a, 0x1.921fb54442d18p+0, p) + (a * 0x1.1a62633145c07p-54 + l * 0x1.921fb54442d18p+0);
    p *= 0x1p-53;
    q *= 0x1p-53;
    *r = neg ? -p : p;
    *rl = neg ? -q : q;
    return n;
}

// x = n pi/2 + r + rl with |r| <= pi/4. Returns n in the two lowest bits.
static inline int pd_reduce(double x, double *r, double *rl)
{
    if (pd_abs(x) >= 0x1p20) {
        double h, l;
        int n = pd_reduce_large(pd_abs(x), &h, &l);
        *r = pd_neg(x) ? -h : h;
        *rl = pd_neg(x) ? -l : l;
        return pd_neg(x) ? -n : n;
    }
    // The sum's lowest bits are those of the nearest integer.
    double s = mad(x, 0x1.45f306dc9c883p-1, PD_NEAREST), k = s - PD_NEAREST;
    // pi/2 in parts of 33 bits, whose products with k are exact
    double t = mad(-k, 0x1.921fb54400000p+0, x);
    double v = k * 0x1.0b4611a600000p-34;
    double u = t - v;
    double e = mad(-k, 0x1.3198a2e000000p-69, (t - u) - v);
    double h = u + e;
    *r = h;
    *rl = mad(-k, 0x1.b839a252049c1p-104, (u - h) + e);
    return (int)as_ulong(s);
}

// sin(r + rl) for |r| <= pi/4, by interpolation at Chebyshev nodes; pd_cos_poly likewise.
static inline double pd_sin_poly(double r, double rl)
{
    double z = r * r;
    double p = 0x1.5e0af186af739p-33;
    p = mad(p, z, -0x1.ae600a926c89ap-26);
    p = mad(p, z, 0x1.71de37961e4c6p-19);
    p = mad(p, z, -0x1.a01a019e8357dp-13);
    p = mad(p, z, 0x1.1111111110bb1p-7);
    p = mad(p, z, -0x1.5555555555555p-3);
    return r + mad(r * z, p, rl * mad(-0.5, z, 1.0));
}

static inline double pd_cos_poly(double r, double rl)
{
    double z = r * r;
    double p = -0x1.907d7aebc05d2p-37;
    p = mad(p, z, 0x1.1eeb68b108f2bp-29);
    p = mad(p, z, -0x1.27e4fa17a41b1p-22);
    p = mad(p, z, 0x1.a01a019f4e867p-16);
    p = mad(p, z, -0x1.6c16c16c16966p-10);
    p = mad(p, z, 0x1.5555555555555p-5);
    double h = 0.5 * z, w = 1.0 - h;
    return w + (((1.0 - w) - h) + mad(z * z, p, -(r * rl)));
}

double pc_sincos_f64(double x, __private double *c)
{
    if ((as_ulong(x) & PD_MAG) >= PD_EXP) {
        *c = PD_NAN;
        return PD_NAN;
    }
    double r, rl;
    int n = pd_reduce(x, &r, &rl);
    double s = pd_sin_poly(r, rl), k = pd_cos_poly(r, rl);
    double sv = n & 1 ? k : s, cv = n & 1 ? s : k;
    *c = as_double(as_ulong(cv) ^ ((ulong)((n + 1) & 2) << 62));
    if ((as_ulong(x) & PD_MAG) < 0x3e40000000000000ul) sv = x;
    return as_double(as_ulong(sv) ^ ((ulong)(n & 2) << 62));
}
double pc_sin_f64(double x) { double c; return pc_sincos_f64(x, &c); }
double pc_cos_f64(double x) { double c; pc_sincos_f64(x, &c); return c; }

double pc_tan_f64(double x)
{
    ulong a = as_ulong(x) & PD_MAG;
    if (a >= PD_EXP) return PD_NAN;
    if (a < 0x3e40000000000000ul) return x;
    double r, rl;
    int n = pd_reduce(x, &r, &rl);
    double s = pd_sin_poly(r, rl), c = pd_cos_poly(r, rl);
    return (n & 1 ? -c : s) / (n & 1 ? s : c);
}

static inline int pd_reduce_pi(double x, double *f)
{
    double a = pd_abs(x);
    if (a >= 0x1p53) a = 0.0;
    double k = rint(a * 2.0);
    *f = as_double(as_ulong(a - k * 0.5) ^ (as_ulong(x) & PD_SIGN));
    int n = (int)((long)k & 3);
    return (pd_neg(x) ? -n : n) & 3;
}
static inline double pd_sinpi_poly(double f)
{
    double p = f * 0x1.921fb54442d18p+1;
    return pd_sin_poly(p, f * 0x1.1a62633145c07p-53 + (pd_abs(f) < 1e-280 ? 0.0 : pc_mul_err_f64(f, 0x1.921fb54442d18p+1, p)));
}
static inline double pd_cospi_poly(double f)
{
    double p = f * 0x1.921fb54442d18p+1;
    return pd_cos_poly(p, f * 0x1.1a62633145c07p-53);
}

double pc_sinpi_f64(double x)
{
    if ((as_ulong(x) & PD_MAG) >= PD_EXP) return PD_NAN;
    double f;
    int n = pd_reduce_pi(x, &f);
    double v = n & 1 ? pd_cospi_poly(f) : pd_sinpi_poly(f);
    v = n & 2 ? -v : v;
    return v == 0.0 ? as_double(as_ulong(x) & PD_SIGN) : v;
}

double pc_cospi_f64(double x)
{
    if ((as_ulong(x) & PD_MAG) >= PD_EXP) return PD_NAN;
    double f;
    int n = pd_reduce_pi(x, &f);
    double v = n & 1 ? pd_sinpi_poly(f) : pd_cospi_poly(f);
    v = (n + 1) & 2 ? -v : v;
    return v == 0.0 ? 0.0 : v;
}

double pc_tanpi_f64(double x)
{
    if ((as_ulong(x) & PD_MAG) >= PD_EXP) return PD_NAN;
    double f;
    int n = pd_reduce_pi(x, &f);
    if (f == 0.0) {
        if (n & 1) return n == 1 ? PD_INF : -PD_INF;
        return as_double((as_ulong(x) & PD_SIGN) ^ (n & 2 ? PD_SIGN : 0ul));
    }
    double s = pd_sinpi_poly(f), c = pd_cospi_poly(f);
    return (n & 1 ? -c : s) / (n & 1 ? s : c);
}

// atan(r) - r for |r| <= sqrt(2) - 1, by interpolation at Chebyshev nodes.
static inline double pd_atan_tail(double r)
{
    double z = r * r;
    double p = -0x1.3a2f1cc1ba3c5p-6;
    p = mad(p, z, 0x1.4161b24be475bp-5);
    p = mad(p, z, -0x1.a0993ef875d4ap-5);
    p = mad(p, z, 0x1.dfe637a48099bp-5);
    p = mad(p, z, -0x1.10fa76aa9b02cp-4);
    p = mad(p, z, 0x1.3b1262f3a2b5bp-4);
    p = mad(p, z, -0x1.745d0b27da190p-4);
    p = mad(p, z, 0x1.c71c7185386f1p-4);
    p = mad(p, z, -0x1.2492492436180p-3);
    p = mad(p, z, 0x1.999999999934bp-3);
    p = mad(p, z, -0x1.5555555555555p-2);
    return r * z * p;
}

static inline double pd_atan_ratio(double a, double b)
{
    int swap = a > b;
    double num = swap ? b : a, den = swap ? a : b;
    int middle = num > 0x1.a827999fcef32p-2 * den;
    double bh = middle ? 0x1.921fb54442d18p-1 : 0.0, bl = middle ? 0x1.1a62633145c07p-55 : 0.0;
    double r = (middle ? num - den : num) / (middle ? den + num : den);
    double t = pd_atan_tail(r);
    if (swap) return (0x1.921fb54442d18p+0 - bh) - (r + (t - (0x1.1a62633145c07p-54 - bl)));
    return bh + (r + (t + bl));
}

double pc_atan_f64(double x)
{
    ulong a = as_ulong(x) & PD_MAG;
    if (a > PD_EXP || a < 0x3e40000000000000ul) return x;
    return pd_copysign(a >= 0x4350000000000000ul ? 0x1.921fb54442d18p+0 : pd_atan_ratio(as_double(a), 1.0), x);
}

double pc_atan2_f64(double y, double x)
{
    ulong ay = as_ulong(y) & PD_MAG, ax = as_ulong(x) & PD_MAG;
    const double pi = 0x1.921fb54442d18p+1, half_pi = 0x1.921fb54442d18p+0;
    if (ay > PD_EXP || ax > PD_EXP) return PD_NAN;
    int xneg = pd_neg(x);
    if (ay == 0) return pd_copysign(xneg ? pi : 0.0, y);
    if (ax == 0) return pd_copysign(half_pi, y);
    if (ay == PD_EXP) return pd_copysign(ax == PD_EXP ? (xneg ? 0.75 * pi : 0.25 * pi) : half_pi, y);
    if (ax == PD_EXP) return pd_copysign(xneg ? pi : 0.0, y);
    int d = (int)(ay >> 52) - (int)(ax >> 52);
    if (d > 56) return pd_copysign(half_pi, y);
    if (d < -56) return pd_copysign(xneg ? pi : as_double(ay) / as_double(ax), y);
    ulong top = max(ay, ax);
    double s = top > 0x7e00000000000000ul ? 0x1p-100 : top < 0x1000000000000000ul ? 0x1p+600 : 1.0;
    double r = pd_atan_ratio(as_double(ay) * s, as_double(ax) * s);
    if (xneg) r = pi - (r - 0x1.1a62633145c07p-53);
    return pd_copysign(r, y);
}

// asin(x) - x over x, for x^2 = z <= 1/4, by interpolation at Chebyshev nodes.
static inline double pd_asin_tail(double z)
{
    double p = 0x1.d72b2bc8155f8p-6;
    p = mad(p, z, -0x1.e6aaa8a0a04cdp-7);
    p = mad(p, z, 0x1.1d189408314efp-6);
    p = mad(p, z, 0x1.65a9c4dfcf8b1p-8);
    p = mad(p, z, 0x1.52420b04b37bep-7);
    p = mad(p, z, 0x1.782651caa6547p-7);
    p = mad(p, z, 0x1.c9cf07674736ap-7);
    p = mad(p, z, 0x1.1c4d35cf95421p-6);
    p = mad(p, z, 0x1.6e8bb1c8209a2p-6);
    p = mad(p, z, 0x1.f1c71c1db0623p-6);
    p = mad(p, z, 0x1.6db6db6e31f13p-5);
    p = mad(p, z, 0x1.3333333332ecap-4);
    p = mad(p, z, 0x1.5555555555556p-3);
    return z * p;
}

typedef struct { double value; int large; } pd_asin_part;

// asin(|x|), or for |x| > 1/2 pi/4 - asin(|x|)/2. NaN for |x| > 1.
static inline pd_asin_part pd_asin_unit(double x)
{
    double a = pd_abs(x);
    pd_asin_part y;
    y.large = a > 0.5;
    double z = y.large ? mad(a, -0.5, 0.5) : a * a, s = y.large ? sqrt(z) : a;
    y.value = a > 1.0 ? PD_NAN : mad(s, pd_asin_tail(z), s);
    return y;
}

double pc_asin_f64(double x)
{
    pd_asin_part y = pd_asin_unit(x);
    double large = 0x1.921fb54442d18p+0 - mad(2.0, y.value, -0x1.1a62633145c07p-54);
    return pd_copysign(y.large ? large : y.value, x);
}

double pc_acos_f64(double x)
{
    pd_asin_part y = pd_asin_unit(x);
    double t = 2.0 * y.value, small = 0x1.921fb54442d18p+0 - (pd_copysign(y.value, x) - 0x1.1a62633145c07p-54);
    double large = pd_neg(x) ? 0x1.921fb54442d18p+1 - (t - 0x1.1a62633145c07p-53) : t;
    return y.large ? large : small;
}

static inline double pd_over_pi(double x)
{
    double p = x * 0x1.45f306dc9c883p-2;
    if (pd_abs(x) < 1e-280) return p;
    return p + (pc_mul_err_f64(x, 0x1.45f306dc9c883p-2, p) + x * -0x1.6b01ec5417056p-56);
}
double pc_asinpi_f64(double x) { return pd_over_pi(pc_asin_f64(x)); }
double pc_acospi_f64(double x) { return pd_over_pi(pc_acos_f64(x)); }
double pc_atanpi_f64(double x) { return pd_over_pi(pc_atan_f64(x)); }
double pc_atan2pi_f64(double y, double x) { return pd_over_pi(pc_atan2_f64(y, x)); }
