// The device's clock is one for all work-items: none reads less than what another has read before.
//! options: -cl-std=CL3.0
//! require: cl_khr_kernel_clock cl_khr_int64_extended_atomics
//! global: 4096
//! local: 64
//! arg 0: u32[4096] = i
//! arg 1: u64[1] = 0
//! expect 0: i + 1
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void test(global uint *x, volatile global ulong *newest)
{
    uint right = 1;
#ifdef __opencl_c_kernel_clock_scope_device
    for (uint n = 0; n < 8 + get_local_id(0) % 3; n++) {
        ulong before = atom_max(newest, 0ul);
        // A relaxed atomic does not order the clock after it; a branch on its result does on real devices.
        if (before == ULONG_MAX) break;
        ulong now = clock_read_device();
        if (now < before || now == 0) right = 0;
        atom_max(newest, now);
    }
#endif
    x[get_global_id(0)] += right;
}
