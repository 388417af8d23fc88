//! require: cl_khr_fp16
//! global: 1
//! arg 0: u16[4] = 0
//! arg 1: u32[1] = 1
//! expect 1: 0
// Infinite lanes count as 1 with their sign, the others as 0 with theirs (section 7.5.1).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void test(__global const half *zero, __global uint *bad)
{
    half o = zero[0];
    half4 v = normalize((half4)((half)INFINITY, (half)-3.0f, o, (half)-INFINITY));
    ushort4 bits = as_ushort4(v);
    bad[0] = any(bits != (ushort4)(0x39a8, 0x8000, 0, 0xb9a8));
}
