//! options: -cl-std=CL2.0
//! global: 32
//! local: 8
//! arg 0: i32[32] = 0
//! arg 1: i32[1] = 5
//! expect 0: 200 + 36 + i % 8
//! expect 1: 5 + 32
// OpenCL C 2.0 without enqueuing kernels, on every device.
#if __OPENCL_C_VERSION__ != 200
#error
#endif

int base = 200;

int through(int *p) { return *p; }

__kernel void test(__global int *r, __global atomic_int *count)
{
    int mine = get_local_id(0), i = get_global_id(0);
    atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
    r[i] = base + work_group_reduce_add(mine + 1) + through(&mine);
}
