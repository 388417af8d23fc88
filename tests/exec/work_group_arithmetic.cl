// Reductions and scans of cl_khr_work_group_uniform_arithmetic.
//! options: -cl-std=CL3.0
//! require: cl_khr_work_group_uniform_arithmetic
//! global: 60
//! local: 20
//! arg 0: u32[60] = 0
//! expect 0: 127
#ifndef cl_khr_work_group_uniform_arithmetic
#error "the macro is missing"
#endif
kernel void test(global uint *ok)
{
    uint i = get_local_id(0), good = 0, all = 0, up = 0;
    ulong product = 1;
    for (uint k = 0; k < 20; ++k) all |= 1u << k, up |= k <= i ? 1u << k : 0, product *= 2 * k + 1;
    good |= (work_group_reduce_mul((ulong)(2 * i + 1)) == product) << 0;
    good |= (work_group_scan_exclusive_mul(i % 3 == 2 ? 2.0f : 1.0f) == (float)(1 << i / 3)) << 1;
    good |= (work_group_reduce_or(1u << i) == all && work_group_reduce_and(~(1u << i)) == ~all) << 2;
    good |= (work_group_scan_inclusive_or(1u << i) == up && work_group_scan_exclusive_or((long)(1u << i)) == (up >> 1)) << 3;
    good |= (work_group_scan_inclusive_xor(1) == (int)(i + 1 & 1) && work_group_scan_exclusive_and(~(1 << i)) == ~(int)(up >> 1)) << 4;
    good |= (work_group_reduce_logical_and((int)i) == 0 && work_group_reduce_logical_or((int)i) == 1 && work_group_reduce_logical_xor((int)i) == 1) << 5;
    good |= (work_group_scan_exclusive_logical_and(5) == 1 && work_group_scan_inclusive_logical_xor(7) == (int)(i + 1 & 1)) << 6;
    ok[get_global_id(0)] = good;
}
