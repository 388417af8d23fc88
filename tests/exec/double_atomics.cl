//! options: -cl-std=CL3.0
//! require: cl_ext_float_atomics cl_khr_fp64 cl_khr_int64_base_atomics
//! global: 256
//! local: 64
//! arg 0: f64[5] = i == 1 ? 1000.0 : 0.0
//! expect 0: i == 0 ? 256.0 * 0.5 : i == 1 ? -127.0 : i == 2 ? 128.0 : i == 3 ? 64.0 : 3.0
__kernel void test(__global atomic_double *f)
{
    __local atomic_double sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 0.0);
    barrier(CLK_LOCAL_MEM_FENCE);
    double i = get_global_id(0);
    atomic_fetch_add_explicit(f + 0, 0.5, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min(f + 1, 128.0 - i);
    atomic_fetch_max_explicit(f + 2, 128.0 - i, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_add(&sum, 0.25);
    atomic_store(f + 4, 3.0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_fetch_add(f + 3, atomic_load(&sum));
}
