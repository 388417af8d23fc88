//! require: cl_khr_fp16
//! global: 64
//! arg 0: i8[256] = i * 2 - 128
//! arg 1: u32[64] = 0
//! arg 2: u16[64] = 0x5800 + i * 8
//! expect 1: 0
// Explicit conversions between integers know the sign of what they widen; halves saturate.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void test(__global const char *a, __global uint *bad, __global const half *h)
{
    uint i = get_global_id(0), r = 0;
    char x = a[i];
    uchar u = as_uchar(x);
    r |= (convert_int(x) != (int)x) << 0;
    r |= (convert_int(u) != (int)u) << 1;
    r |= (convert_long_rte(x) != (long)x) << 2;
    r |= (convert_ulong(u) != (ulong)u) << 3;
    char4 v = vload4(i, a);
    r |= any(convert_short4(v) != (short4)(v.x, v.y, v.z, v.w)) << 4;
    r |= any(convert_int4(as_uchar4(v)) != (int4)(as_uchar(v.x), as_uchar(v.y), as_uchar(v.z), as_uchar(v.w))) << 5;
    r |= (convert_ulong_sat((short)x) != (ulong)max((int)x, 0)) << 6;
    // 128 and up
    float f = h[i];
    r |= (convert_char_sat(h[i]) != 127) << 7;
    r |= (convert_uchar_sat_rte(-h[i]) != 0) << 8;
    r |= (convert_uchar_sat(h[i]) != (uchar)min(f, 255.0f)) << 9;
    bad[i] = r;
}
