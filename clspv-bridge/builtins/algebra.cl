// Division, roots, hypot, fma (section 6.15.2).
#include "common.h"

// Quotient within 1 ulp from a division of 2.5 ulp, for operands whose quotient neither overflows nor underflows.
float pc_div_f32(float a, float b)
{
    float q = a / b;
    if (pc_abs(q) > 1e30f || pc_abs(q) < 1e-30f || pc_abs(b) > 1e30f || pc_abs(b) < 1e-30f || pc_abs(a) < 1e-30f) return q;
    float p = q * b;
    float r = (a - p) - pc_mul_err(q, b, p);
    return q + r / b;
}

// Square root within 1 ulp from a device square root of a few ulp.
float pc_sqrt_f32(float x)
{
    uint ix = as_uint(x);
    if (ix - 1u >= 0x7f7fffffu) { // zero, infinity, NaN, negative
        if ((ix & 0x7fffffffu) == 0 || ix == 0x7f800000u) return x;
        return PC_NAN;
    }
    float up = 1.0f, down = 1.0f;
    if (ix < 0x0d000000u) {
        up = 0x1p+48f;
        down = 0x1p-24f;
        if (ix < 0x00800000u) {
            x = (float)ix; // x * 2^149
            up = 0.5f;     // 2^148 in all
            down = 0x1p-74f;
        }
    }
    x = x * up;
    float s = native_sqrt(x);
    float p = s * s;
    float r = (x - p) - pc_mul_err(s, s, p);
    return (s + 0.5f * (r / s)) * down;
}

float pc_rsqrt_f32(float x)
{
    uint ix = as_uint(x);
    if (ix - 1u >= 0x7f7fffffu) {
        if ((ix & 0x7fffffffu) == 0) return pc_copysign(PC_INF, x);
        if (ix == 0x7f800000u) return 0.0f;
        return PC_NAN;
    }
    float up = 1.0f;
    if (ix < 0x00800000u) {
        x = (float)ix * 0.5f;
        up = 0x1p+74f;
    }
    float s = pc_sqrt_f32(x);
    return (1.0f / s) * up;
}

float pc_cbrt_f32(float x)
{
    uint a = as_uint(x) & 0x7fffffffu;
    if (a == 0 || a >= 0x7f800000u) return x;
    float m = as_float(a), down = 1.0f;
    if (a < 0x00800000u) {
        m = (float)a; // x * 2^149
        m *= 2.0f;    // 2^150
        down = 0x1p-50f;
        a = as_uint(m);
    } else if (a < 0x21000000u) { // the residual's low half would be denormal
        m *= 0x1p+72f;
        down = 0x1p-24f;
        a = as_uint(m);
    } else if (a > 0x7e000000u) {
        m *= 0x1p-24f;
        down = 0x1p+8f;
        a = as_uint(m);
    }
    float y = as_float(a / 3u + 0x2a5137a0u);
    y = y - (y * y * y - m) / (3.0f * y * y);
    y = y - (y * y * y - m) / (3.0f * y * y);
    y = y - (y * y * y - m) / (3.0f * y * y);
    // last step with the residual in double length
    float y2 = y * y, e2 = pc_mul_err(y, y, y2);
    float y3 = y2 * y, e3 = pc_mul_err(y2, y, y3) + e2 * y;
    y = y - ((y3 - m) + e3) / (3.0f * y2);
    return pc_copysign(y * down, x);
}

float pc_hypot_f32(float x, float y)
{
    uint ax = as_uint(x) & 0x7fffffffu, ay = as_uint(y) & 0x7fffffffu;
    uint hi = max(ax, ay), lo = min(ax, ay);
    if (ax == 0x7f800000u || ay == 0x7f800000u) return PC_INF;
    if (hi > 0x7f800000u) return PC_NAN;
    if (lo == 0) return as_float(hi);
    float a = as_float(hi), b = as_float(lo), down = 1.0f;
    if (hi < 0x00800000u) {
        a = (float)hi;
        b = (float)lo;
        float s = pc_sqrt_f32(a * a + b * b);
        return s * 0x1p-75f * 0x1p-74f;
    }
    if (hi > 0x5e000000u) {
        a *= 0x1p-70f;
        b *= 0x1p-70f;
        down = 0x1p+70f;
    } else if (hi < 0x2f000000u) { // below 2^-33, where the squares' low halves come near denormals
        a *= 0x1p+94f;
        b *= 0x1p+94f;
        down = 0x1p-94f;
    }
    float p = a * a, e = pc_mul_err(a, a, p), q = b * b;
    return pc_sqrt_f32(p + (q + e)) * down;
}

// Correctly rounded a * b + c through double: the product is exact, the sum is rounded to odd.
float pc_fma_f32(float a, float b, float c)
{
    double p = (double)a * (double)b, z = (double)c;
    double s = p + z;
    double t = s - p;
    double e = (p - (s - t)) + (z - t); // what the addition lost (D. Knuth's two-sum)
    ulong u = as_ulong(s);
    if (islessgreater(e, 0.0) && !(u & 1)) { // not for infinities, whose e is NaN
        // one of the two neighbours around the exact sum is odd: take it
        u += (e > 0.0) == (s > 0.0) ? 1ul : -1ul;
        s = as_double(u);
    }
    return (float)s;
}

// The same in integers, for devices without double.
float pc_fma_int_f32(float a, float b, float c)
{
    uint ia = as_uint(a), ib = as_uint(b), ic = as_uint(c);
    uint ea = (ia >> 23) & 255u, eb = (ib >> 23) & 255u, ec = (ic >> 23) & 255u;
    if (ea < 255u && eb < 255u && ec == 255u) return c; // even where the product overflows
    if (ea == 255u || eb == 255u || (ia << 1) == 0 || (ib << 1) == 0)
        return a * b + c; // the product is exact or special
    uint sp = (ia ^ ib) & PC_SIGN, sc = ic & PC_SIGN;
    uint ma = (ia & 0x7fffffu) | (ea ? 0x800000u : 0u), mb = (ib & 0x7fffffu) | (eb ? 0x800000u : 0u);
    uint mc = (ic & 0x7fffffu) | (ec ? 0x800000u : 0u);
    int xp = (int)(ea ? ea : 1u) + (int)(eb ? eb : 1u) - 300; // product = P * 2^xp
    int xc = (int)(ec ? ec : 1u) - 150;
    ulong P = (ulong)ma * mb;
    int zp = (int)clz(P) - 2;
    P <<= zp; // bit 61 leads
    xp -= zp;
    ulong C = 0;
    if (mc) {
        C = mc;
        int zc = (int)clz(C) - 2;
        C <<= zc;
        xc -= zc;
    } else {
        xc = xp;
    }
    // align to the larger exponent, keeping a sticky bit
    int d = xp - xc;
    int x = d >= 0 || !mc ? xp : xc;
    if (mc) {
        if (d > 0) C = d > 62 ? 1ul : (C >> d) | ((C & ((1ul << d) - 1ul)) != 0);
        else if (d < 0) P = -d > 62 ? 1ul : (P >> -d) | ((P & ((1ul << -d) - 1ul)) != 0);
    }
    ulong S;
    uint sign;
    if (sp == sc) {
        S = P + C;
        sign = sp;
    } else if (P >= C) {
        S = P - C;
        sign = sp;
    } else {
        S = C - P;
        sign = sc;
    }
    if (S == 0) return as_float(sp == sc ? sp : 0u);
    int z = (int)clz(S);
    // leading bit to 2^(x + 63 - z): the result's biased exponent
    int e = x + 63 - z + 127;
    int drop = 40 - z; // bits below the 24 of the significand
    if (e < 1) drop += 1 - e;
    ulong q;
    if (drop <= 0) {
        q = S << -drop;
    } else if (drop > 63) {
        q = 0;
    } else {
        ulong rest = S & ((1ul << drop) - 1ul), tie = 1ul << (drop - 1);
        q = S >> drop;
        q += rest > tie || (rest == tie && (q & 1)) ? 1 : 0;
    }
    if (e < 1) return as_float(sign | (uint)q);
    if (q >> 24) {
        q >>= 1;
        e++;
    }
    if (e >= 255) return as_float(sign | 0x7f800000u);
    return as_float(sign | ((uint)e << 23) | ((uint)q & 0x7fffffu));
}
