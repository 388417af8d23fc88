//! options: -cl-std=CL3.0
//! global: 4096
//! local: 64
//! arg 0: u32[4096] = i
//! arg 1: u32[64] = 0
//! arg 2: u32[2] = 0
//! expect 2: i == 0 ? 4096 * 4095 / 2 : 64
// The reduction whose last group adds up what all groups have left: a release by each group, an acquire by the last one.
__kernel void test(__global const uint *in, __global uint *partial, __global atomic_uint *out)
{
    __local uint sum[64];
    __local uint last;
    uint l = get_local_id(0);
    sum[l] = in[get_global_id(0)];
    for (uint step = 32; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            sum[l] += sum[l + step];
    }
    if (l == 0) {
        partial[get_group_id(0)] = sum[0];
        last = atomic_fetch_add_explicit(out + 1, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last)
        atomic_fetch_add_explicit(out, partial[l], memory_order_relaxed, memory_scope_device);
}
