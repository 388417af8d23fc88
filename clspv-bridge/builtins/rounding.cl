// Remainders, parts and neighbours of floating-point values (section 6.15.2): all exact.
#include "common.h"

// |x| modulo |y| for finite x and finite y != 0, with the low bits of the truncated quotient.
static inline float pc_mod_core(uint ax, uint ay, uint *quot)
{
    uint q = 0;
    if (ax < ay) {
        *quot = 0;
        return as_float(ax);
    }
    int ex = (int)(ax >> 23), ey = (int)(ay >> 23);
    uint mx = (ax & 0x7fffffu) | (ex ? 0x800000u : 0u), my = (ay & 0x7fffffu) | (ey ? 0x800000u : 0u);
    ex = max(ex, 1);
    ey = max(ey, 1);
    int d = ex - ey;
    ulong r = mx;
    // 32 quotient bits a round
    for (;;) {
        int k = min(d, 32);
        ulong n = r << k;
        ulong t = n / my;
        q = (k == 32 ? 0u : q << k) + (uint)t;
        r = n - t * my;
        d -= k;
        if (d == 0) break;
    }
    *quot = q;
    uint m = (uint)r;
    if (m == 0) return 0.0f;
    int z = (int)clz(m) - 8;
    int e = ey - z;
    if (e < 1) return as_float(m << (ey - 1));
    return as_float(((m << z) & 0x7fffffu) | ((uint)e << 23));
}

float pc_fmod_f32(float x, float y)
{
    uint ax = as_uint(x) & 0x7fffffffu, ay = as_uint(y) & 0x7fffffffu;
    if (ax >= 0x7f800000u || ay > 0x7f800000u || ay == 0) return PC_NAN;
    if (ay == 0x7f800000u) return x;
    uint q;
    return pc_copysign(pc_mod_core(ax, ay, &q), x);
}

float pc_remquo_f32(float x, float y, __private int *quo)
{
    uint ax = as_uint(x) & 0x7fffffffu, ay = as_uint(y) & 0x7fffffffu;
    *quo = 0;
    if (ax >= 0x7f800000u || ay > 0x7f800000u || ay == 0) return PC_NAN;
    if (ay == 0x7f800000u) return x;
    uint q;
    float r = pc_mod_core(ax, ay, &q);
    float fy = as_float(ay);
    // nearest: compare r with y/2 without rounding
    float rest = fy - r;
    // Neither is negative: their bits compare as they do, also where denormals count as zeros.
    int up = as_uint(r) > as_uint(rest) || (as_uint(r) == as_uint(rest) && (q & 1));
    if (ay < 0x01000000u) { // all in units of 2^-149, where the difference may be denormal
        uint ir = as_uint(r), irest = ay - ir;
        up = ir > irest || (ir == irest && (q & 1));
        rest = as_float(irest);
    }
    if (up) {
        q += 1;
        r = as_float(as_uint(rest) ^ PC_SIGN);
    }
    int n = (int)(q & 0x7fu);
    *quo = (as_uint(x) ^ as_uint(y)) >> 31 ? -n : n;
    if ((as_uint(r) << 1) == 0) return as_float(as_uint(x) & PC_SIGN);
    return as_float(as_uint(r) ^ (as_uint(x) & PC_SIGN));
}

float pc_remainder_f32(float x, float y)
{
    int q;
    return pc_remquo_f32(x, y, &q);
}

// The sum with the largest number below a half reaches the next integer from a half on: there it is rounded to even, upwards.
float pc_round_f32(float x) { return trunc(x + pc_copysign(0x1.fffffep-2f, x)); }

float pc_fract_f32(float x, __private float *ip)
{
    float f = floor(x);
    *ip = f;
    if (pc_isnan(x)) return x;
    if (pc_isinf(x)) return pc_copysign(0.0f, x);
    return (as_uint(x) << 1) == 0 ? x : pc_abs(fmin(x - f, 0x1.fffffep-1f));
}

float pc_modf_f32(float x, __private float *ip)
{
    float t = pc_copysign(trunc(x), x);
    *ip = t;
    return pc_copysign(pc_isinf(x) ? 0.0f : x - t, x);
}

float pc_frexp_f32(float x, __private int *e)
{
    uint a = as_uint(x) & 0x7fffffffu;
    *e = 0;
    if (a == 0 || a >= 0x7f800000u) return x;
    int k = 0;
    if (a < 0x00800000u) {
        a = as_uint((float)a);
        k = -149;
    }
    *e = (int)(a >> 23) - 126 + k;
    return as_float((as_uint(x) & PC_SIGN) | (a & 0x7fffffu) | 0x3f000000u);
}

float pc_ldexp_f32(float x, int n)
{
    uint a = as_uint(x) & 0x7fffffffu, s = as_uint(x) & PC_SIGN;
    int e = (int)(a >> 23);
    if ((uint)e - 1u < 254u && (uint)(e + n) - 1u < 254u) return as_float(as_uint(x) + ((uint)n << 23));
    if (a == 0 || a >= 0x7f800000u) return x;
    uint m = a & 0x7fffffu;
    if (e == 0) {
        a = as_uint((float)a);
        e = (int)(a >> 23) - 149;
        m = a & 0x7fffffu;
    }
    n = min(max(n, -1000), 1000);
    e += n;
    if (e >= 255) return as_float(s | 0x7f800000u);
    if (e >= 1) return as_float(s | ((uint)e << 23) | m);
    if (e < -24) return as_float(s);
    m |= 0x00800000u;
    uint shift = (uint)(1 - e);
    uint rest = m & ((1u << shift) - 1u), tie = 1u << (shift - 1);
    uint q = m >> shift;
    q += rest > tie || (rest == tie && (q & 1)) ? 1 : 0;
    return as_float(s | q);
}

float pc_nextafter_f32(float x, float y)
{
    uint ix = as_uint(x), iy = as_uint(y);
    uint ax = ix & 0x7fffffffu, ay = iy & 0x7fffffffu;
    if (ax > 0x7f800000u || ay > 0x7f800000u) return PC_NAN;
    if (ix == iy || (ax | ay) == 0) return y;
    if (ax == 0) return as_float((iy & PC_SIGN) | 1u);
    int sx = ix >> 31 ? -(int)ax : (int)ax, sy = iy >> 31 ? -(int)ay : (int)ay;
    int away = (sx < sy) == (sx > 0);
    return as_float(away ? ix + 1u : ix - 1u);
}

float pc_fdim_f32(float x, float y)
{
    if (pc_isnan(x) || pc_isnan(y)) return PC_NAN;
    return x > y ? x - y : 0.0f;
}

// Magnitudes are compared as integers: devices may take denormals for zeros.
float pc_maxmag_f32(float x, float y)
{
    uint a = as_uint(x) & 0x7fffffffu, b = as_uint(y) & 0x7fffffffu;
    if (a == b || max(a, b) > 0x7f800000u) return fmax(x, y);
    return a > b ? x : y;
}

float pc_minmag_f32(float x, float y)
{
    uint a = as_uint(x) & 0x7fffffffu, b = as_uint(y) & 0x7fffffffu;
    if (a == b || max(a, b) > 0x7f800000u) return fmin(x, y);
    return a < b ? x : y;
}
