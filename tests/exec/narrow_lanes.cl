//! global: 101
//! local: 101
//! arg 0: u8[404] = i * 37 % 256
//! arg 1: u16[202] = i * 4099 % 65536
//! arg 2: i32[1010] = 0
//! arg 3: u8[404] = 0
//! expect 2: i < 101 ? i * 4 * 37 % 256 : i < 202 ? ((i - 101) * 4 + 3) * 37 % 256 : i < 303 ? (i - 202) * 37 % 256 : 0
//! expect 3: i < 404 ? i * 37 % 256 : 0
// Vectors of bytes and 16-bit integers: consecutive, extended, truncated, and in a vector that is not full.
__kernel void test(__global const uchar *bytes, __global const ushort *shorts, __global int *out, __global uchar *copy)
{
    int i = get_global_id(0), n = 101;
    uchar4 v = vload4(i, bytes);
    ushort2 s = vload2(i, shorts);
    out[i] = v.x;
    out[n + i] = v.w;
    out[2 * n + i] = bytes[i];
    bool is_right = convert_int2(s).y == (2 * i + 1) * 4099 % 65536 && convert_short2(s).x == (short)(2 * i * 4099);
    is_right = is_right && convert_float4(v).z == (float)((4 * i + 2) * 37 % 256);
    is_right = is_right && as_char4(v).y == (char)((4 * i + 1) * 37);
    out[3 * n + i] = !is_right;
    uchar4 twice = v + v;
    uchar4 sum = add_sat(v, (uchar4)(100)), less = sub_sat(as_uchar4(as_char4(v)), (uchar4)(100));
    out[4 * n + i] = twice.x != ((int)v.x * 2 & 255) || sum.y != min(v.y + 100, 255) || less.z != max(v.z - 100, 0);
    char c = as_char4(v).w;
    out[5 * n + i] = (char)(c * c) != (signed char)((c * c) & 255) || (c >> 2) != ((int)c >> 2) || (c < 0) != (v.w > 127);
    vstore4(convert_uchar4(convert_int4(v) + 256), i, copy);
}
