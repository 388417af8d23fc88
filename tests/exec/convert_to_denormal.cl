//! require: cl_khr_fp64
//! global: 64
//! arg 0: u32[64] = 0
//! expect 0: 0
// Doubles whose singles are denormal or next to it: each mode's own neighbour, or zero where denormals are flushed.
uint wrong(float result, float expected)
{
    uint r = as_uint(result), e = as_uint(expected);
    return r != e && !((e & 0x7f800000u) == 0 && (r & 0x7fffffffu) == 0);
}
__kernel void test(__global uint *bad)
{
    uint i = get_global_id(0);
    // The last ones are 2^-126 and above.
    uint k = i < 32 ? i + 1 : 0x00800000u - 48 + i;
    double x = (k + (i & 1 ? 0.25 : 0.75)) * 0x1p-149;
    float below = as_float(k), above = as_float(k + 1);
    bad[i] = wrong(convert_float_rtz(x), below) + wrong(convert_float_rtz(-x), -below) * 2 + wrong(convert_float_rtp(x), above) * 4
        + wrong(convert_float_rtp(-x), -below) * 8 + wrong(convert_float_rtn(x), below) * 16 + wrong(convert_float_rtn(-x), -above) * 32
        + wrong(convert_float_rte(x), i & 1 ? below : above) * 64;
}
