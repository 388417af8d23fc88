//! options: -cl-std=CL3.0
//! require: cl_khr_fp64
//! global: 32
//! arg 0: i32[32] = i * 13 + 5
//! arg 1: i32[32] = 0
//! expect 1: 0
// Vectors of 3, 8 and 16: swizzles as values and targets, shuffles with masks known only at run time, lanes by index,
// comparisons, conversions, loads and stores at odd places.
#define LANE(v, n) (((int *)&v)[n])
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    int x = a[i], bad = 0;
    int16 v = (int16)(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15);
    int8 even = v.even, odd = v.odd, hi = v.hi, lo = v.lo;
    for (int k = 0; k < 8; k++)
        bad |= LANE(even, k) != x + 2 * k || LANE(odd, k) != x + 2 * k + 1 || LANE(hi, k) != x + 8 + k || LANE(lo, k) != x + k;
    int16 w = v.sFEDCBA9876543210;
    for (int k = 0; k < 16; k++)
        bad |= (LANE(w, k) != x + 15 - k) << 1;
    w.s02468ace = v.s13579bdf;
    for (int k = 0; k < 16; k++)
        bad |= (LANE(w, k) != (k & 1 ? x + 15 - k : x + k + 1)) << 2;
    int3 t = v.s7a3;
    t.zx = t.xz;
    t.y += 100;
    bad |= (t.x != x + 3 || t.y != x + 110 || t.z != x + 7 || sizeof(t) != 16) << 3;
    uint8 mask = (uint8)(x, x >> 1, x * 3, 15, 16, 31, 7, x ^ 5);
    int8 s = shuffle(v, mask);
    for (int k = 0; k < 8; k++)
        bad |= (LANE(s, k) != x + (int)(((uint *)&mask)[k] & 15)) << 4;
    ushort8 m2 = convert_ushort8(mask);
    short8 s2 = shuffle2(convert_short8(lo), convert_short8(hi), m2);
    for (int k = 0; k < 8; k++)
        bad |= (((short *)&s2)[k] != (short)(x + (((ushort *)&m2)[k] & 15))) << 5;
    uchar4 m4 = (uchar4)(3, 6, x, 1);
    float4 f4 = shuffle2((float4)(0, 1, 2, 3), (float4)(4, 5, 6, 7), convert_uint4(m4));
    bad |= (f4.x != 3 || f4.y != 6 || f4.z != (x & 7) || f4.w != 1) << 6;
    int16 c = v > x + 7 ? v : -v;
    for (int k = 0; k < 16; k++)
        bad |= (LANE(c, k) != (k > 7 ? x + k : -x - k)) << 7;
    bad |= (any(v == x + 16) || !all(v >= x) || !any(v.hi == x + 9)) << 8;
    uchar16 bytes = convert_uchar16_sat(v - 20);
    for (int k = 0; k < 16; k++)
        bad |= (((uchar *)&bytes)[k] != clamp(x + k - 20, 0, 255)) << 9;
    int odd_place[24];
    for (int k = 0; k < 24; k++)
        odd_place[k] = k * k;
    int n = x & 7;
    int8 loaded = vload8(0, odd_place + n);
    int3 three = vload3(n / 2, odd_place + 1);
    vstore16(v, 0, odd_place + n);
    for (int k = 0; k < 8; k++)
        bad |= (LANE(loaded, k) != (n + k) * (n + k)) << 10;
    bad |= (three.z != (n / 2 * 3 + 3) * (n / 2 * 3 + 3) || odd_place[n + 15] != x + 15) << 11;
    double8 d = convert_double8(lo) * 0.5;
    long8 l = convert_long8_rtn(d);
    bad |= (l.s7 != (long)(x + 7) >> 1 || d.s3 != (x + 3) / 2.0) << 12;
    ulong4 mh = mul_hi((ulong4)(x, 0xffffffffffffffffUL, 1UL << 63, 3), (ulong4)(1UL << 62, 0xffffffffffffffffUL, x, 5));
    bad |= (mh.x != (ulong)x >> 2 || mh.y != 0xfffffffffffffffeUL || mh.z != (ulong)x >> 1 || mh.w != 0) << 13;
    r[i] = bad;
}
