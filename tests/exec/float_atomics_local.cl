//! options: -cl-std=CL3.0
//! require: cl_ext_float_atomics
//! global: 512
//! local: 64
//! arg 0: f32[24] = 0.0
//! expect 0: i % 3 == 0 ? 16.0 : i % 3 == 1 ? -3.0 : 60.0
// Local memory that holds nothing but floats: the device's own operations can be used.
__kernel void test(__global float *out)
{
    __local float a[3];
    uint l = get_local_id(0);
    if (l < 3)
        a[l] = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local atomic_float *p = (__local atomic_float *)a;
    atomic_fetch_add_explicit(p, 0.25f, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(p + 1, l - 3.0f, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(p + 2, l - 3.0f, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 3)
        out[get_group_id(0) * 3 + l] = a[l];
}
