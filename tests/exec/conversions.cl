//! global: 64
//! arg 0: f32[64] = (i - 32) * 10.3
//! arg 1: i32[64] = 0
//! expect 1: int(trunc(arg0)) + max(min(rint(arg0), 127), -128) * 1000 + max(min(int(floor(arg0)), 255), 0) * 1000000
__kernel void test(__global const float *a, __global int *r)
{
    float x = a[get_global_id(0)];
    r[get_global_id(0)] = (int)x + convert_char_sat_rte(x) * 1000 + convert_uchar_sat_rtn(x) * 1000000;
}
