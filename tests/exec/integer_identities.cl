//! global: 256
//! arg 0: u32[256] = u32(i * 0x9e3779b97f4a7c15 >> 32 ^ i * 77)
//! arg 1: u32[256] = u32((i * 0xd1342543de82ef95 >> 32) ^ i)
//! arg 2: u32[256] = 0
//! expect 2: 0
// Built-ins against the same by other means; a bit of the result for each that differs.
__kernel void test(__global const uint *a, __global const uint *b, __global uint *r)
{
    size_t i = get_global_id(0);
    uint x = a[i], y = b[i], n = i & 31, bad = 0;
    uint turned = x;
    for (uint k = 0; k < n; k++)
        turned = (turned << 1) | (turned >> 31);
    bad |= (rotate(x, n) != turned) << 0;
    bad |= (((x << n) | (x >> ((32 - n) & 31))) != turned) << 1;
    ulong wide = ((ulong)x << 32) | y;
    uint w = i & 63;
    ulong wide_turned = wide;
    for (uint k = 0; k < w; k++)
        wide_turned = (wide_turned << 1) | (wide_turned >> 63);
    bad |= (rotate(wide, (ulong)w) != wide_turned) << 2;
    uchar4 bytes = as_uchar4(x);
    uint swapped = (x >> 24) | ((x >> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24);
    bad |= (as_uint(bytes.wzyx) != swapped) << 3;
    uint ones = 0, leading = 32;
    for (uint k = 0; k < 32; k++) {
        ones += x >> k & 1;
        if (x >> k & 1)
            leading = 31 - k;
    }
    bad |= (popcount(x) != ones) << 4;
    bad |= (clz(x) != leading) << 5;
    bad |= (hadd(x, y) != (uint)(((ulong)x + y) >> 1)) << 6;
    bad |= (rhadd((int)x, (int)y) != (int)(((long)(int)x + (int)y + 1) >> 1)) << 7;
    bad |= (mul_hi(x, y) != (uint)((ulong)x * y >> 32)) << 8;
    bad |= (mul_hi((int)x, (int)y) != (int)((long)(int)x * (int)y >> 32)) << 9;
    bad |= (add_sat(x, y) != (uint)min((ulong)x + y, (ulong)UINT_MAX)) << 10;
    bad |= (sub_sat((int)x, (int)y) != (int)clamp((long)(int)x - (int)y, (long)INT_MIN, (long)INT_MAX)) << 11;
    bad |= (abs_diff((int)x, (int)y) != (uint)abs((long)(int)x - (int)y)) << 12;
    bad |= (upsample((ushort)x, (ushort)y) != ((x & 0xffff) << 16 | (y & 0xffff))) << 13;
    bad |= (bitselect(x, y, turned) != ((x & ~turned) | (y & turned))) << 14;
    uint4 m = (uint4)(x, y, turned, n), p = (uint4)(1, 2, 3, 4);
    uint in[8] = {1, 2, 3, 4, x, y, turned, n};
    uint4 q = shuffle2(p, m, m);
    bad |= (q.x != in[x & 7] || q.y != in[y & 7] || q.z != in[turned & 7] || q.w != in[n & 7]) << 15;
    bad |= (convert_char_sat((int)x >> n) != (char)clamp((int)x >> n, -128, 127)) << 16;
    bad |= (convert_ushort_sat((int)x >> n) != (ushort)clamp((int)x >> n, 0, 65535)) << 17;
    uint case_of = 9;
    switch ((long)(int)y >> 29) {
    case -4: case_of = 0; break;
    case -1: case_of = 1; break;
    case 0: case_of = 2; break;
    case 3: case_of = 3; break;
    }
    uint top = y >> 29;
    uint want = top == 4 ? 0 : top == 7 ? 1 : top == 0 ? 2 : top == 3 ? 3 : 9;
    bad |= (case_of != want) << 18;
    r[i] = bad;
}
