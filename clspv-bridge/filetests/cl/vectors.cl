//! test cl
// expect: OpEntryPoint GLCompute
kernel void vectors(global float4 *a, global const int8 *b, global uchar16 *c, float3 s) {
    size_t i = get_global_id(0);
    float4 v = a[i].wzyx + (float4)(s, 1.0f);
    int8 w = b[i];
    v.lo += convert_float2(w.s17);
    v = select(v, -v, isgreater(v, (float4)(2.0f)));
    a[i] = fma(v, v, (float4)(dot(v, v)));
    c[i] = convert_uchar16_sat((int16)(w, w.s76543210 != 0 ? w : -w));
    vstore3(cross(v.xyz, s), i, (global float *)a);
    if (any(w == 3) || all(w.lo > 0)) c[i].s3 = 1;
}
