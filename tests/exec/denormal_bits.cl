//! global: 64
//! arg 0: u32[64] = i * 71 + 1
//! arg 1: u32[64] = 0
//! arg 2: u32[64] = 0
//! arg 3: u32[64] = 0
//! arg 4: u32[64] = 7
//! expect 1: arg0 + 1
//! expect 2: arg0 + 2147483649
//! expect 3: arg0 * 4
//! expect 4: 0
// What looks at the bits of a number must not take denormals for zeros, whatever the device's arithmetic does.
__kernel void test(__global const uint *a, __global uint *next, __global uint *larger, __global uint *scaled, __global uint *zero)
{
    size_t i = get_global_id(0);
    float x = as_float(a[i]);
    next[i] = as_uint(nextafter(x, 1.0f));
    larger[i] = as_uint(maxmag(x, as_float(a[i] + 0x80000001u)));
    scaled[i] = as_uint(ldexp(x, 2));
    int e;
    frexp(x, &e);
    zero[i] = ((as_uint(x) & 0x7fffffffu) == 0) + (as_uint(fabs(x)) == 0) + (ilogb(x) != e - 1);
}
