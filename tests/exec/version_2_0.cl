//! options: -cl-std=CL2.0
//! require: __opencl_c_device_enqueue
//! global: 32
//! local: 8
//! arg 0: i32[32] = 0
//! arg 1: i32[1] = 5
//! expect 0: 200 + 36 + i % 8 + 5
//! expect 1: 5 + 32
// All of OpenCL C 2.0, without macros of features: variables, generic pointers, atomics, collectives, blocks, pipes.
#if __OPENCL_C_VERSION__ != 200
#error
#endif

int base = 200;
int *constant entry = &base;

int through(int *p) { return *p; }

void unused(read_only pipe int in, write_only pipe int out)
{
    int packet;
    if (!read_pipe(in, &packet))
        write_pipe(out, &packet);
}

__kernel void test(__global int *r, __global atomic_int *count)
{
    __local int own;
    int mine = get_local_id(0), i = get_global_id(0);
    if (mine == 0)
        own = atomic_load_explicit(count, memory_order_relaxed, memory_scope_device) * 0 + 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
    int (^sum)(int, int) = ^(int a, int b) { return a + b; };
    r[i] = sum(*entry + work_group_reduce_add(mine + 1), through(&mine)) + through(&own);
}
