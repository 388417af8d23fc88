// Correctly rounded division and square root in double precision, for drivers that are not known to round theirs
// (Vulkan asks for 2.5 ulp and for what an inverse square root gives). Section 7.4 wants them exact.
#include "double.h"

// sign, exponent and a significand with its leading bit at 63, of which what is below bit 11 is to be rounded off;
// value = m * 2^(e - 63). `sticky`: there is more below.
static inline double pd_round(ulong sign, int e, ulong m, int sticky)
{
    int drop = 11;
    int biased = e + 1023;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 0;
    }
    if (drop > 64) return as_double(sign);
    ulong q = drop == 64 ? 0ul : m >> drop;
    ulong half_bit = (m >> (drop - 1)) & 1ul;
    ulong below = drop > 1 ? m << (65 - drop) : 0ul;
    q += half_bit && (below != 0 || sticky || (q & 1ul)) ? 1 : 0;
    // q holds the implicit bit of normal numbers: adding lets a carry move to the exponent
    ulong r = biased == 0 ? q : ((ulong)(biased - 1) << 52) + q;
    return as_double(sign | (r >= PD_EXP ? PD_EXP : r));
}

double pc_div_f64(double a, double b)
{
    ulong ia = as_ulong(a) & PD_MAG, ib = as_ulong(b) & PD_MAG;
    ulong sign = (as_ulong(a) ^ as_ulong(b)) & PD_SIGN;
    if (ia > PD_EXP || ib > PD_EXP) return PD_NAN;
    if (ia == PD_EXP || ib == 0) return ia == ib || (ia == PD_EXP && ib == PD_EXP) ? PD_NAN : as_double(sign | PD_EXP);
    if (ia == 0 || ib == PD_EXP) return as_double(sign);
    int za = max((int)clz(ia) - 11, 0), zb = max((int)clz(ib) - 11, 0);
    int ea = (int)(ia >> 52), eb = (int)(ib >> 52);
    ulong ma = ea ? (ia & 0x000ffffffffffffful) | 0x0010000000000000ul : ia << za;
    ulong mb = eb ? (ib & 0x000ffffffffffffful) | 0x0010000000000000ul : ib << zb;
    int e = (ea ? ea : 1 - za) - (eb ? eb : 1 - zb);
    if (ma < mb) {
        ma <<= 1;
        e -= 1;
    }
    // 1 bit, then 5 times 11 bits of the quotient
    ulong q = 1ul, r = ma - mb;
    for (int i = 0; i < 5; i++) {
        ulong n = r << 11, t = n / mb;
        q = (q << 11) | t;
        r = n - t * mb;
    }
    return pd_round(sign, e, q << 8, r != 0);
}

// Error of the rounded product p = a * b (Dekker).
double pc_mul_err_f64(double a, double b, double p)
{
    double ah = pd_head(a), al = a - ah, bh = pd_head(b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

// Error of the rounded square p = s * s, exactly: both halves of s have 26 bits.
static inline double pd_square_err(double s, double p)
{
    double h = as_double((as_ulong(s) + 0x0000000004000000ul) & 0xfffffffff8000000ul), l = s - h;
    return ((h * h - p) + 2.0 * (h * l)) + l * l;
}

double pc_sqrt_f64(double x)
{
    ulong ix = as_ulong(x);
    if (ix - 1ul >= 0x7feffffffffffffful) { // zero, infinity, NaN, negative
        if ((ix & PD_MAG) == 0 || ix == PD_EXP) return x;
        return PD_NAN;
    }
    int e = (int)(ix >> 52);
    ulong m = ix & 0x000ffffffffffffful;
    if (e == 0) {
        int z = (int)clz(m) - 11;
        m = (m << z) & 0x000ffffffffffffful;
        e = 1 - z;
    }
    // x = y * 2^(2 k) with y in [1, 4)
    e -= 1023;
    int k = e >> 1;
    double y = as_double((ulong)(1023 + (e & 1)) << 52 | m);
    double s = sqrt(y); // inside the library this is the device's
    double p = s * s;
    s = s + ((y - p) - pd_square_err(s, p)) / (2.0 * s);
    // s is off by one unit at most. It is the nearest if |y - s^2| does not exceed s units, all being multiples of unit^2
    const double unit = 0x1p-52;
    s = fmin(fmax(s, 1.0), 2.0 - unit);
    p = s * s;
    double err = pd_square_err(s, p), d = y - p;
    ulong is = as_ulong(s);
    if (d - s * unit > err) is += 1;
    else if (d + s * unit <= err) is -= 1;
    return as_double(is + ((ulong)(long)k << 52));
}
