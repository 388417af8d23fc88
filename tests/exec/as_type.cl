//! global: 64
//! arg 0: f32[64] = i * 1.25 - 7
//! arg 1: u32[64] = 0
//! expect 1: bits32(arg0)
__kernel void test(__global const float *a, __global uint *r)
{
    uchar4 b = as_uchar4(a[get_global_id(0)]);
    r[get_global_id(0)] = as_uint(b);
}
