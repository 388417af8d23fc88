//! options: -cl-std=CL3.0
//! require: cl_khr_fp16
//! global: 256
//! local: 64
//! arg 0: u16[12] = i == 1 ? 25552 : 0
//! arg 1: u32[8] = 0
//! expect 0: i == 0 ? 21504 : i == 1 ? 55280 : i == 2 ? 22528 : i == 3 ? 21504 : i == 4 ? 22528 : i == 5 ? 54272 : i == 6 ? 16896 : i == 7 ? 22528 : i == 8 ? 18176 : i == 9 ? 23552 : i == 10 ? 17664 : 0
//! expect 1: i == 0 ? 0 : i == 1 ? 256 : 0
// Expected are the bits of 64, -127, 128, 64, 128, -64, 3, 128, 7, 256, 5.
// Atomics on halves, neighbours of which are changed by others at the same time.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#if !defined(__opencl_c_ext_fp16_global_atomic_add) || !defined(__opencl_c_ext_fp16_local_atomic_min_max)
#error
#endif
__kernel void test(__global atomic_half *h, __global uint *r)
{
    __local atomic_half sum, most;
    __local half plain[2];
    size_t g = get_global_id(0), l = get_local_id(0);
    if (l == 0) {
        atomic_init(&sum, 0.0h);
        atomic_init(&most, 0.0h);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2)
        plain[l] = 2 + l;
    half i = g;
    atomic_fetch_add_explicit(h + 0, 0.25h, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min(h + 1, 128.0h - i);
    atomic_fetch_max_explicit(h + 2, 128.0h - i, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_add(&sum, 0.25h);
    atomic_fetch_max(&most, 128.0h - i);
    atomic_fetch_sub_explicit(h + 5, 0.25h, memory_order_relaxed);
    atomic_store(h + 6, 3.0h);
    half old = atomic_exchange(h + 6, 3.0h);
    atomic_half mine;
    atomic_init(&mine, 1.5h);
    if (atomic_fetch_add(&mine, 2.0h) != 1.5h || atomic_load(&mine) != 3.5h || old != 3.0h)
        r[0] = 1;
    // Through a pointer of a space known at run time only.
    atomic_half *p = g & 1 ? h + 7 : (atomic_half *)&most;
    atomic_fetch_max(p, 128.0h - (g & ~1));
    // Plain stores beside atomics.
    if (g == 3)
        ((__global half *)h)[8] = 7;
    atomic_fetch_add(h + 9, 1.0h);
    if (g == 77)
        ((__global half *)h)[10] = 5;
    atomic_inc((volatile __global int *)r + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atomic_fetch_add(h + 3, atomic_load(&sum));
        atomic_fetch_max(h + 4, atomic_load(&most));
        if (plain[0] != 2 || plain[1] != 3)
            r[2] = 1;
    }
}
