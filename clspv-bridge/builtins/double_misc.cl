// Hyperbolic functions, roots, remainders, error and gamma functions, fma in double precision (section 6.15.2).
#include "double.h"

double pc_sinh_f64(double x)
{
    double a = pd_abs(x), y;
    if (pd_isnan(x)) return x;
    if (a < 22.0) {
        double t = pc_expm1_f64(a);
        y = 0.5 * (t + t / (t + 1.0));
    } else {
        double e = pc_exp_f64(0.5 * fmin(a, 1500.0));
        y = (0.5 * e) * e;
    }
    return pd_copysign(y, x);
}

double pc_cosh_f64(double x)
{
    double a = pd_abs(x);
    if (pd_isnan(x)) return x;
    if (a < 22.0) {
        double e = pc_exp_f64(a);
        return 0.5 * e + 0.5 / e;
    }
    double e = pc_exp_f64(0.5 * fmin(a, 1500.0));
    return (0.5 * e) * e;
}

double pc_tanh_f64(double x)
{
    double a = pd_abs(x);
    double t = pc_expm1_f64(2.0 * fmin(a, 40.0));
    double q = (a < 0.5 ? t : 2.0) / (t + 2.0);
    return pd_isnan(x) || a < 0x1p-28 ? x : pd_copysign(a < 0.5 ? q : 1.0 - q, x);
}

double pc_asinh_f64(double x)
{
    double a = pd_abs(x);
    if (pd_isnan(x) || pd_isinf(x) || a < 0x1p-28) return x;
    double y = a > 0x1p28 ? pc_log_f64(a) + 0x1.62e42fefa39efp-1 : pc_log1p_f64(a + a * a / (1.0 + sqrt(1.0 + a * a)));
    return pd_copysign(y, x);
}

double pc_acosh_f64(double x)
{
    if (pd_isnan(x) || x < 1.0) return PD_NAN;
    if (x > 0x1p28) return pc_log_f64(x) + 0x1.62e42fefa39efp-1;
    double t = x - 1.0;
    return pc_log1p_f64(t + sqrt(2.0 * t + t * t));
}

double pc_atanh_f64(double x)
{
    double a = pd_abs(x);
    if (pd_isnan(x) || a > 1.0) return PD_NAN;
    if (a == 1.0) return pd_copysign(PD_INF, x);
    if (a < 0x1p-28) return x;
    return pd_copysign(0.5 * pc_log1p_f64(2.0 * a / (1.0 - a)), x);
}

double pc_rsqrt_f64(double x) { return 1.0 / sqrt(x); }

double pc_cbrt_f64(double x)
{
    ulong a = as_ulong(x) & PD_MAG;
    if (a == 0 || a >= PD_EXP) return x;
    double m = as_double(a), down = 1.0;
    if (a < 0x0010000000000000ul) {
        m = (double)a * 8.0; // x * 2^1077, and 1077 = 3 * 359
        down = 0x1p-359;
        a = as_ulong(m);
    } else if (a > 0x7f00000000000000ul) {
        m *= 0x1p-300;
        down = 0x1p+100;
        a = as_ulong(m);
    }
    // The inverse root by Newton's method, from five bits.
    double r = as_double((ulong)(0x553ef0f0u - (uint)(a >> 32) / 3u) << 32);
    for (int i = 0; i < 4; i++) r = mad(r * (1.0 / 3.0), mad(-(m * r), r * r, 1.0), r);
    double y = m * (r * r);
    double y2 = y * y, e2 = pc_mul_err_f64(y, y, y2);
    double y3 = y2 * y, e3 = mad(e2, y, pc_mul_err_f64(y2, y, y3));
    y = mad(-((y3 - m) + e3), (1.0 / 3.0) * (r * r), y);
    return pd_copysign(y * down, x);
}

double pc_hypot_f64(double x, double y)
{
    ulong ax = as_ulong(x) & PD_MAG, ay = as_ulong(y) & PD_MAG, hi = max(ax, ay), lo = min(ax, ay);
    if (ax == PD_EXP || ay == PD_EXP) return PD_INF;
    if (hi > PD_EXP) return PD_NAN;
    if (lo == 0) return as_double(hi);
    double a = as_double(hi), b = as_double(lo), down = 1.0;
    if (hi > 0x5f00000000000000ul) {
        a *= 0x1p-600;
        b *= 0x1p-600;
        down = 0x1p+600;
    } else if (hi < 0x2000000000000000ul) {
        a *= 0x1p+600;
        b *= 0x1p+600;
        down = 0x1p-600;
    }
    double p = a * a, e = pc_mul_err_f64(a, a, p), q = b * b;
    return sqrt(p + (q + e)) * down;
}

static inline double pd_mod_core(ulong ax, ulong ay, uint *quot)
{
    *quot = 0;
    if (ax < ay) return as_double(ax);
    int ex = (int)(ax >> 52), ey = (int)(ay >> 52);
    ulong r = (ax & 0x000ffffffffffffful) | (ex ? 0x0010000000000000ul : 0ul);
    ulong m = (ay & 0x000ffffffffffffful) | (ey ? 0x0010000000000000ul : 0ul);
    ex = max(ex, 1);
    ey = max(ey, 1);
    int d = ex - ey;
    uint q = 0;
    for (;;) {
        int k = min(d, 11);
        ulong n = r << k, t = n / m;
        q = (q << k) + (uint)t;
        r = n - t * m;
        d -= k;
        if (d == 0) break;
    }
    *quot = q;
    if (r == 0) return 0.0;
    int z = (int)clz(r) - 11, e = ey - z;
    if (e < 1) return as_double(r << (ey - 1));
    return as_double(((r << z) & 0x000ffffffffffffful) | ((ulong)e << 52));
}

double pc_fmod_f64(double x, double y)
{
    ulong ax = as_ulong(x) & PD_MAG, ay = as_ulong(y) & PD_MAG;
    if (ax >= PD_EXP || ay > PD_EXP || ay == 0) return PD_NAN;
    if (ay == PD_EXP) return x;
    uint q;
    return pd_copysign(pd_mod_core(ax, ay, &q), x);
}

double pc_remquo_f64(double x, double y, __private int *quo)
{
    ulong ax = as_ulong(x) & PD_MAG, ay = as_ulong(y) & PD_MAG;
    *quo = 0;
    if (ax >= PD_EXP || ay > PD_EXP || ay == 0) return PD_NAN;
    if (ay == PD_EXP) return x;
    uint q;
    double r = pd_mod_core(ax, ay, &q);
    double rest = as_double(ay) - r;
    if (r > rest || (r == rest && (q & 1))) {
        q += 1;
        r = -rest;
    }
    int n = (int)(q & 0x7fu);
    *quo = (as_ulong(x) ^ as_ulong(y)) >> 63 ? -n : n;
    if (r == 0.0) return as_double(as_ulong(x) & PD_SIGN);
    return pd_neg(x) ? -r : r;
}
double pc_remainder_f64(double x, double y) { int q; return pc_remquo_f64(x, y, &q); }

// As pc_round_f32.
double pc_round_f64(double x) { return trunc(x + pd_copysign(0x1.fffffffffffffp-2, x)); }

double pc_fract_f64(double x, __private double *ip)
{
    double f = floor(x);
    *ip = f;
    if (pd_isnan(x)) return x;
    if (pd_isinf(x)) return pd_copysign(0.0, x);
    return x == 0.0 ? x : pd_abs(fmin(x - f, 0x1.fffffffffffffp-1));
}

double pc_modf_f64(double x, __private double *ip)
{
    double t = pd_copysign(trunc(x), x);
    *ip = t;
    if (pd_isnan(x)) return x;
    return pd_copysign(pd_isinf(x) ? 0.0 : x - t, x);
}

double pc_frexp_f64(double x, __private int *e)
{
    ulong a = as_ulong(x) & PD_MAG;
    *e = 0;
    if (a == 0 || a >= PD_EXP) return x;
    int k = 0;
    if (a < 0x0010000000000000ul) {
        a = as_ulong((double)a);
        k = -1074;
    }
    *e = (int)(a >> 52) - 1022 + k;
    return as_double((as_ulong(x) & PD_SIGN) | (a & 0x000ffffffffffffful) | 0x3fe0000000000000ul);
}

double pc_ldexp_f64(double x, int n)
{
    ulong a = as_ulong(x) & PD_MAG, s = as_ulong(x) & PD_SIGN;
    if (a == 0 || a >= PD_EXP) return x;
    int e = (int)(a >> 52);
    if (e == 0) {
        a = as_ulong((double)a);
        e = (int)(a >> 52) - 1074;
    }
    ulong m = a & 0x000ffffffffffffful;
    n = min(max(n, -5000), 5000);
    e += n;
    if (e >= 2047) return as_double(s | PD_EXP);
    if (e >= 1) return as_double(s | ((ulong)e << 52) | m);
    if (e < -53) return as_double(s);
    m |= 0x0010000000000000ul;
    int shift = 1 - e;
    ulong rest = m & ((1ul << shift) - 1ul), tie = 1ul << (shift - 1), q = m >> shift;
    q += rest > tie || (rest == tie && (q & 1)) ? 1 : 0;
    return as_double(s | q);
}

double pc_nextafter_f64(double x, double y)
{
    ulong ix = as_ulong(x), iy = as_ulong(y), ax = ix & PD_MAG, ay = iy & PD_MAG;
    if (ax > PD_EXP || ay > PD_EXP) return PD_NAN;
    if (ix == iy || (ax | ay) == 0) return y;
    if (ax == 0) return as_double((iy & PD_SIGN) | 1ul);
    long sx = pd_neg(x) ? -(long)ax : (long)ax, sy = pd_neg(y) ? -(long)ay : (long)ay;
    return as_double((sx < sy) == (sx > 0) ? ix + 1ul : ix - 1ul);
}

double pc_fdim_f64(double x, double y)
{
    if (pd_isnan(x) || pd_isnan(y)) return PD_NAN;
    return x > y ? x - y : 0.0;
}
double pc_maxmag_f64(double x, double y) { double a = pd_abs(x), b = pd_abs(y); return a > b ? x : b > a ? y : fmax(x, y); }
double pc_minmag_f64(double x, double y) { double a = pd_abs(x), b = pd_abs(y); return a < b ? x : b < a ? y : fmin(x, y); }

// Correctly rounded a * b + c in 128-bit integers.
double pc_fma_f64(double a, double b, double c)
{
    ulong ia = as_ulong(a), ib = as_ulong(b), ic = as_ulong(c);
    int ea = (int)(ia >> 52) & 2047, eb = (int)(ib >> 52) & 2047, ec = (int)(ic >> 52) & 2047;
    if (ea < 2047 && eb < 2047 && ec == 2047) return c; // even where the product overflows
    if (ea == 2047 || eb == 2047 || (ia << 1) == 0 || (ib << 1) == 0) return a * b + c;
    ulong sp = (ia ^ ib) & PD_SIGN, sc = ic & PD_SIGN;
    ulong ma = (ia & 0x000ffffffffffffful) | (ea ? 0x0010000000000000ul : 0ul);
    ulong mb = (ib & 0x000ffffffffffffful) | (eb ? 0x0010000000000000ul : 0ul);
    ulong mc = (ic & 0x000ffffffffffffful) | (ec ? 0x0010000000000000ul : 0ul);
    int xp = max(ea, 1) + max(eb, 1) - 2150, xc = max(ec, 1) - 1075;
    // product and addend with bit 125 leading: value = (h, l) * 2^x
    ulong ph = mul_hi(ma, mb), pl = ma * mb;
    int z = (ph ? (int)clz(ph) : 64 + (int)clz(pl)) - 2;
    if (z >= 64) {
        ph = pl << (z - 64);
        pl = 0;
    } else if (z > 0) {
        ph = (ph << z) | (pl >> (64 - z));
        pl <<= z;
    }
    xp -= z;
    ulong ch = 0, cl = 0;
    if (mc) {
        int zc = (int)clz(mc) - 2;
        ch = mc << zc;
        xc -= zc + 64;
    } else {
        xc = xp;
    }
    int d = xp - xc, x = xp;
    if (mc && d != 0) {
        int s = d > 0 ? d : -d;
        ulong h = d > 0 ? ch : ph, l = d > 0 ? cl : pl;
        if (d < 0) x = xc;
        if (s > 126) {
            l = 1;
            h = 0;
        } else if (s >= 64) {
            ulong lost = l | (s > 64 ? h << (128 - s) : 0ul);
            l = (s > 64 ? h >> (s - 64) : h) | (lost != 0);
            h = 0;
        } else {
            ulong lost = l << (64 - s);
            l = (l >> s) | (h << (64 - s)) | (lost != 0);
            h >>= s;
        }
        if (d > 0) {
            ch = h;
            cl = l;
        } else {
            ph = h;
            pl = l;
        }
    }
    ulong rh, rl, sign;
    if (sp == sc) {
        rl = pl + cl;
        rh = ph + ch + (rl < pl ? 1 : 0);
        sign = sp;
    } else if (ph > ch || (ph == ch && pl >= cl)) {
        rl = pl - cl;
        rh = ph - ch - (pl < cl ? 1 : 0);
        sign = sp;
    } else {
        rl = cl - pl;
        rh = ch - ph - (cl < pl ? 1 : 0);
        sign = sc;
    }
    if ((rh | rl) == 0) return as_double(sp == sc ? sp : 0ul);
    // bit 127 leading
    z = rh ? (int)clz(rh) : 64 + (int)clz(rl);
    if (z >= 64) {
        rh = rl << (z - 64);
        rl = 0;
    } else if (z > 0) {
        rh = (rh << z) | (rl >> (64 - z));
        rl <<= z;
    }
    int e = x + 127 - z + 1023;
    int drop = 11; // of rh
    if (e < 1) drop += 1 - e;
    ulong q, rest_bit, sticky;
    if (drop > 64) return as_double(sign);
    if (drop == 64) {
        q = 0;
        rest_bit = rh >> 63;
        sticky = (rh << 1) | rl;
    } else {
        q = rh >> drop;
        rest_bit = (rh >> (drop - 1)) & 1;
        sticky = (drop > 1 ? rh << (65 - drop) : 0ul) | rl;
    }
    q += rest_bit && (sticky || (q & 1)) ? 1 : 0;
    if (e < 1) return as_double(sign | q);
    if (q >> 53) {
        q >>= 1;
        e++;
    }
    if (e >= 2047) return as_double(sign | PD_EXP);
    return as_double(sign | ((ulong)e << 52) | (q & 0x000ffffffffffffful));
}

// x e^(x^2) erfc(x) as a polynomial in 1/x about the middle of its interval, for x >= 0.84.
static inline double pd_erfc_tail(double x)
{
    if (x > 27.5) return 0.0;
    double v = 1.0 / x, u, g;
#define PD_P(c) g = mad(g, u, c);
    if (x < 1.3) {
        u = v - 0x1.f5af5af5af5afp-1;
        g = -0x1.64788224ab0c2p-14;
        PD_P(-0x1.262c451a47a2cp-13) PD_P(0x1.0bd8165264a88p-11) PD_P(-0x1.ee2ed0dae837cp-11) PD_P(0x1.7005740f85d72p-10)
        PD_P(-0x1.ca89b45e423fdp-10) PD_P(0x1.c00b307c185fbp-10) PD_P(-0x1.cf68884e61409p-11) PD_P(-0x1.426edd8685436p-10)
        PD_P(0x1.4e1d20c102b3bp-8) PD_P(-0x1.6117cfd2854dcp-7) PD_P(0x1.1803476913b43p-6) PD_P(-0x1.482403ef47942p-6)
        PD_P(0x1.3e36a8f78ca75p-7) PD_P(0x1.1ea6a75eda573p-5) PD_P(-0x1.3f10391c2b12ap-3) PD_P(0x1.b90b8316794cbp-2)
    } else if (x < 2.2) {
        u = v - 0x1.3949660abdc32p-1;
        g = -0x1.155efa627fd59p-5;
        PD_P(0x1.ee1f9e258a2b5p-5) PD_P(-0x1.069a04f668a4ep-4) PD_P(0x1.97f8d99e4219ep-5) PD_P(-0x1.7b7f4fde42712p-6)
        PD_P(-0x1.151be0949dd20p-7) PD_P(0x1.29fd896c0af0ap-5) PD_P(-0x1.ad43dacee25a8p-5) PD_P(0x1.9f3c6717249ccp-5)
        PD_P(-0x1.e2816ab229a58p-6) PD_P(-0x1.f33839c998084p-8) PD_P(0x1.9c0e25fd10ea1p-5) PD_P(-0x1.4d102651d48adp-4)
        PD_P(0x1.3872373b9eba8p-4) PD_P(-0x1.140f741812368p-8) PD_P(-0x1.5f42a14f4a255p-3) PD_P(0x1.f793a8b7b4e86p-2)
    } else if (x < 4.5) {
        u = v - 0x1.5a814afd6a053p-2;
        g = -0x1.1f473bd97e42dp-4;
        PD_P(-0x1.3c9fa933010ecp+2) PD_P(0x1.2bdedf1e71778p+2) PD_P(-0x1.0de983fee860bp+1) PD_P(0x1.66dd05fe4158cp-7)
        PD_P(0x1.d9a8f8cd7d82cp-1) PD_P(-0x1.d0262b9b6f081p-1) PD_P(0x1.be815909240a7p-2) PD_P(0x1.45b6034c8b201p-5)
        PD_P(-0x1.22628162ed4b8p-2) PD_P(0x1.10556f5db74d3p-2) PD_P(-0x1.6a46c68ff1dd5p-4) PD_P(-0x1.ade9101024153p-4)
        PD_P(0x1.8c754a13257b2p-3) PD_P(-0x1.cc7cec5028fb6p-4) PD_P(-0x1.27230a3285c76p-3) PD_P(0x1.12931918b4d0bp-1)
    } else {
        u = v - 0x1.08a83177f61b3p-3;
        g = 0x1.41d66a03bf453p+9;
        PD_P(-0x1.62789a967688cp+8) PD_P(-0x1.6aafcb391486cp+2) PD_P(0x1.2acd4b7d08e7ep+6) PD_P(-0x1.bdae0cff20a9dp+4)
        PD_P(-0x1.50d11412a66b2p+2) PD_P(0x1.131d3d306f95ep+3) PD_P(-0x1.10c74ef680304p+1) PD_P(-0x1.80f5b6c2912efp+0)
        PD_P(0x1.440450cd6df6ep+0) PD_P(-0x1.8ef2b4d7bcd9fp-7) PD_P(-0x1.f5950c5aa2e52p-2) PD_P(0x1.bc7ca07d8d2f5p-3)
        PD_P(0x1.6fa24160139bdp-3) PD_P(-0x1.f3141f6eb0dc5p-3) PD_P(-0x1.1c8ad6d5d6b6bp-4) PD_P(0x1.1e82d96c09f33p-1)
    }
    double h = as_double(as_ulong(x) & 0xffffffff00000000ul);
    double e = pc_exp_f64(-h * h), k = pc_exp_f64((h - x) * (h + x));
    return e * (k * (g * v));
}

static inline double pd_erf_small(double x)
{
    double u = x * x, g = -0x1.53bf6c2b5f5ffp-38;
    PD_P(0x1.8d083ffcfabfbp-34) PD_P(-0x1.507525be544fap-30) PD_P(0x1.fca0319567dabp-27) PD_P(-0x1.5f72d41f85a74p-23)
    PD_P(0x1.b9e6b81ec8fe4p-20) PD_P(-0x1.f4d25b99fe0e2p-17) PD_P(0x1.f9a326f5960f5p-14) PD_P(-0x1.c02db4002e985p-11)
    PD_P(0x1.565bcd0e6a207p-8) PD_P(-0x1.b82ce31288b46p-6) PD_P(0x1.ce2f21a042be2p-4) PD_P(-0x1.812746b0379e7p-2)
    return x + x * (g * u + 0x1.06eba8214db68p-3);
}

double pc_erf_f64(double x)
{
    double a = pd_abs(x);
    if (pd_isnan(x)) return x;
    if (a < 0.84375) return pd_erf_small(x);
    return pd_copysign(a > 6.0 ? 1.0 : 1.0 - pd_erfc_tail(a), x);
}

double pc_erfc_f64(double x)
{
    double a = pd_abs(x);
    if (pd_isnan(x)) return x;
    if (a < 0.84375) return x < 0.25 ? 1.0 - pd_erf_small(x) : 0.5 - (pd_erf_small(x) - 0.5);
    double t = pd_erfc_tail(a);
    return pd_neg(x) ? 2.0 - t : t;
}

// Stirling's series for x >= 12: log gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + this.
static inline double pd_stirling(double x)
{
    double u = 1.0 / x, z = u * u;
    double p = -3617.0 / 122400.0;
    p = mad(p, z, 1.0 / 156.0);
    p = mad(p, z, -691.0 / 360360.0);
    p = mad(p, z, 1.0 / 1188.0);
    p = mad(p, z, -1.0 / 1680.0);
    p = mad(p, z, 1.0 / 1260.0);
    p = mad(p, z, -1.0 / 360.0);
    p = mad(p, z, 1.0 / 12.0);
    return p * u;
}

double pc_tgamma_f64(double x)
{
    if (pd_isnan(x)) return x;
    if (as_ulong(x) == PD_EXP) return x;
    if (x == 0.0) return pd_copysign(PD_INF, x);
    if (x < 0.0 && (pd_isinf(x) || floor(x) == x)) return PD_NAN;
    if (x > 171.7) return PD_INF;
    if (x < -184.0) return pd_copysign(0.0, pc_sinpi_f64(x));
    double a = pd_abs(x);
    if (a < 1e-17) return 1.0 / x;
    // gamma(first) = gamma(first + n) / (first (first + 1) ... (first + n - 1))
    double first = x < -0.5 ? 1.0 - x : x, lost = x < -0.5 ? (1.0 - first) - x : 0.0;
    double y = first, d = 1.0, n = 0.0;
    while (y < 12.0) {
        d *= y;
        n += 1.0;
        y = first + n;
    }
    double h = pc_pow_f64(y, 0.5 * (y - 0.5));
    double g = pc_exp_f64(-y) * h * 0x1.40d931ff62706p+1 * pc_exp_f64(pd_stirling(y)) / d;
    // y was rounded: gamma'(y)/gamma(y) is about log y - 1/(2 y)
    g *= 1.0 + (first - (y - n)) * (pc_log_f64(y) - 0.5 / y);
    if (x >= -0.5) return h * g;
    return 0x1.921fb54442d18p+1 / pc_sinpi_f64(x) / h / g * (1.0 - lost * pc_log_f64(first));
}

double pc_lgamma_r_f64(double x, __private int *sign)
{
    *sign = 1;
    if (pd_isnan(x)) return x;
    if (pd_isinf(x)) return PD_INF;
    if (x == 0.0 || (x < 0.0 && floor(x) == x)) {
        *sign = 0;
        return PD_INF;
    }
    double a = pd_abs(x), y = a, d = 1.0;
    if (a < 1e-17) {
        *sign = x < 0.0 ? -1 : 1;
        return -pc_log_f64(a);
    }
    if (a == 1.0 || a == 2.0) {
        if (x > 0.0) return 0.0;
    }
    while (y < 12.0) {
        d *= y;
        y += 1.0;
    }
    double g = y > 1e17 ? y * (pc_log_f64(y) - 1.0)
                        : ((y - 0.5) * pc_log_f64(y) - y) + (0x1.d67f1c864beb5p-1 + pd_stirling(y)) - pc_log_f64(d);
    if (x < 0.0) {
        // log gamma(x) = log(pi / |x sin(pi x)|) - log gamma(|x|)
        double s = pc_sinpi_f64(x);
        *sign = s < 0.0 ? -1 : 1;
        g = pc_log_f64(0x1.921fb54442d18p+1 / pd_abs(x * s)) - g;
    }
    return g;
}
double pc_lgamma_f64(double x) { int s; return pc_lgamma_r_f64(x, &s); }
