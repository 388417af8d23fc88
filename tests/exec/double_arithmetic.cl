//! require: cl_khr_fp64
//! global: 64
//! arg 0: f64[64] = i * 0.1
//! arg 1: f64[64] = 0
//! expect 1: arg0 * arg0 + 1.0 / (arg0 + 1) ulp 1
__kernel void test(__global const double *a, __global double *r)
{
    double x = a[get_global_id(0)];
    r[get_global_id(0)] = x * x + 1.0 / (x + 1.0);
}
