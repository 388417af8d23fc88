//! global: 16
//! arg 0: i32[16] = i
//! arg 1: i32[16] = 0
//! expect 1: arg0 * 2
// A 16-vector of 64-bit elements is aligned to 128 bytes, which clang 22 writes as a sign-extended byte.
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    volatile long16 v = (long16)(a[i]);
    long16 w = v + v;
    r[i] = (int)w.sf;
}
