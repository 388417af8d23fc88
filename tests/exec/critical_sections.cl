//! options: -cl-std=CL3.0
//! global: 1024
//! local: 1024
//! arg 0: i32[1024] = 0
//! arg 1: i32[1024] = 1000000000
//! arg 2: local 4096
//! expect 0: 0
//! expect 1: i
__kernel void test(__global int *state, __global int *winner, volatile __local atomic_flag *flags)
{
    // Each work-item looks for the first section that is not visited yet; the flags keep sections exclusive.
    uint count = get_local_size(0), me = get_local_id(0);
    if (me == 0)
        for (uint i = 0; i < count; i++)
            atomic_flag_clear_explicit(flags + i, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    bool stop = false;
    for (uint i = 0; !stop && i < count; i++) {
        bool set = atomic_flag_test_and_set_explicit(&flags[i], memory_order_relaxed, memory_scope_work_group);
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        if (!set) {
            if (winner[i] == 1000000000) {
                winner[i] = i; // what every winner would write; 1000000000 stays where none came
                stop = true;
            }
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
            atomic_flag_clear_explicit(&flags[i], memory_order_relaxed, memory_scope_work_group);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0)
        for (uint i = 0; i < count; i++)
            state[i] = atomic_flag_test_and_set_explicit(flags + i, memory_order_relaxed, memory_scope_work_group);
}
