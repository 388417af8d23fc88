//! require: cl_khr_fp16
//! global: 8
//! arg 0: u16[128] = 15360 + i * 3
//! arg 1: u16[32] = 0
//! arg 2: u16[64] = 0
//! expect 1: arg0[i / 4 * 16 + i % 4 * 2]
//! expect 2: arg0[i / 8 * 16 + i % 8 * 2]
// Even lanes only: the optimiser narrows the loads and shuffles half vectors with an undefined vector of integers.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void test(__global const half8 *a, __global half4 *r, __global half8 *s)
{
    size_t i = get_global_id(0);
    r[i] = a[2 * i].even;
    half16 wide = vload16(i, (__global const half *)a);
    s[i] = wide.even;
}
