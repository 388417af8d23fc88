//! test cl
// expect: OpEntryPoint
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void types(global char *c, global short *s, global long *l, global half *h, global double *d, global uchar *u) {
    size_t i = get_global_id(0);
    c[i] = rotate(c[i], (char)3) + clz(c[i + 1]) - popcount(c[i]);
    s[i] = add_sat(s[i], (short)c[i]) * hadd(s[i], s[i + 1]);
    l[i] = mul_hi(l[i], (long)s[i]) / (l[i + 1] | 1) + (ulong)u[i] % 10;
    h[i] = h[i] * (half)2 + convert_half_rtz(d[i]) + convert_half_rtp(l[i]) + convert_half(u[i]) + convert_half2_rtn((float2)(d[i])).y;
    d[i] = sqrt(d[i]) + (double)l[i] + vload_half(i, h);
    u[i] = convert_uchar_sat_rte(d[i]) + abs_diff(u[i], u[i + 2]) + (c[i] > 3 ? 1 : 0);
}
