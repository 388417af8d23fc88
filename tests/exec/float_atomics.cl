//! options: -cl-std=CL3.0
//! require: cl_ext_float_atomics
//! global: 512
//! local: 64
//! arg 0: f32[8] = i == 1 ? 1000.0 : 0.0
//! expect 0: i == 0 ? 512.0 * 0.5 : i == 1 ? -255.0 : i == 2 ? 256.0 : i == 3 ? 8.0 * 64.0 * 0.25 : i == 4 ? 256.0 : i == 5 ? -128.0 : i == 6 ? 3.0 : 0.0
__kernel void test(__global atomic_float *f)
{
    __local atomic_float sum, most;
    if (get_local_id(0) == 0) {
        atomic_init(&sum, 0.0f);
        atomic_init(&most, 0.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float i = get_global_id(0);
    atomic_fetch_add_explicit(f + 0, 0.5f, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min(f + 1, 256.0f - i);
    atomic_fetch_max_explicit(f + 2, 256.0f - i, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_add(&sum, 0.25f);
    atomic_fetch_max(&most, 256.0f - i);
    atomic_fetch_sub_explicit(f + 5, 0.25f, memory_order_relaxed);
    atomic_store(f + 6, 3.0f);
    atomic_exchange(f + 6, 3.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add(f + 3, atomic_load(&sum));
        atomic_fetch_max(f + 4, atomic_load(&most));
    }
}
