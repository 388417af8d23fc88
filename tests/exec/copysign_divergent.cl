// The magnitude of one number and the sign of another, in control flow that differs between neighbours.
//! global: 64
//! arg 0: f32[64] = i * 1.25 - 40
//! arg 1: f32[64] = 0
//! arg 2: u32[64] = 0
//! expect 1: abs(arg0) < 8 ? arg0 * 4 : arg0 * 2 ulp 0
//! expect 2: 1
__kernel void test(__global const float *a, __global float *r, __global uint *good)
{
    size_t i = get_global_id(0);
    float x = a[i], z = x;
    int bits = as_int(x);
    if (fabs(x) < 8) {
        z = copysign(fabs(x) * 3, x);
        bits = (as_int(fabs(x) * 3) & 0x7fffffff) | (as_int(x) & 0x80000000);
    }
    r[i] = z + x;
    good[i] = (bits ^ 1) == (as_int(z) ^ 1);
}
