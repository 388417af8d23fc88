//! global: 256
//! local: 128
//! arg 0: u32[256] = 0
//! arg 1: u32[256] = 0
//! arg 2: u32[4] = 0
//! expect 2: 0
// Results of atomics that are used after a barrier: each work-item keeps its own.
__kernel void test(__global uint *first, __global uint *second, __global uint *faults)
{
    __local uint count;
    __local uint seen[128];
    size_t l = get_local_id(0), g = get_global_id(0);
    if (l == 0)
        count = 0;
    seen[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint number = atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    first[g] = number;
    if (number < 128)
        atomic_inc(&seen[number]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (seen[l] != 1)
        atomic_inc(&faults[0]);
    if (l == 0)
        count = 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    // One work-item of the group succeeds.
    uint old = atomic_cmpxchg(&count, 1000, (uint)l);
    barrier(CLK_LOCAL_MEM_FENCE);
    second[g] = old;
    if ((old == 1000) != (count == l))
        atomic_inc(&faults[1]);
    if (old != 1000 && old != count)
        atomic_inc(&faults[2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint swapped = atomic_xchg(&count, (uint)l);
    barrier(CLK_LOCAL_MEM_FENCE);
    seen[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (swapped < 128)
        atomic_inc(&seen[swapped]);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Every number but the last comes back once; the first is that of the exchange above.
    if (seen[l] > 2)
        atomic_inc(&faults[3]);
}
