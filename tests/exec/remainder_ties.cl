//! require: cl_khr_fp64
//! global: 256
//! arg 0: f64[256] = 0
//! arg 1: i32[256] = 0
//! expect 0: i * 0.5 - rint(i * 0.5)
//! expect 1: 0
// Ties go to the even quotient, whatever the sign of the divisor and however long the division of a neighbour takes.
__kernel void test(__global double *a, __global int *bad)
{
    size_t i = get_global_id(0);
    double x = (double)i * 0.5, big = ldexp(x, (int)(i * 37 & 255));
    a[i] = remainder(x, -1.0);
    double t = i % 3 ? big : x;
    double r = remainder(t, -1.0);
    if (i % 3 == 0) bad[i] |= r != a[i];
    else bad[i] |= (r != fmod(t, 1.0) && r != fmod(t, 1.0) - 1.0) << 1;
    bad[i] |= (remainder((float)x, -1.0f) != (float)a[i]) << 2;
}
