//! test cl
// expect: OpEntryPoint
kernel void math(global float *a, global float4 *b, global int *n) {
    size_t i = get_global_id(0);
    float x = a[i], y = a[i + 1];
    a[i] = sin(x) + cos(y) * tan(x) + exp(x) - log(fabs(y) + 1.0f) + pow(fabs(x), y) + fmod(x, y) + atan2(x, y);
    float whole, part = modf(x, &whole), c;
    int e;
    a[i + 2] = part + whole + sincos(y, &c) + c + frexp(x, &e) + ldexp(y, e) + native_exp(x) + half_rsqrt(y + 2.0f);
    b[i] = mix(b[i], normalize(b[i + 1]), 0.5f) + clamp(b[i], 0.0f, 1.0f) + rint(b[i]) + fmin(b[i], x) + hypot(b[i], b[i + 2]);
    n[i] = ilogb(x) + isnan(y) + signbit(x) + mad24(n[i], 3, 4) + (int)remainder(x, y);
}
