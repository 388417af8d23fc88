//! global: 256
//! local: 64
//! arg 0: u32[256] = i * 2654435761 >> 7
//! arg 1: u32[16] = 0
//! expect 1: 0
__kernel void test(__global const uint *a, __global uint *r)
{
    __local uint hist[16];
    __local uint total;
    size_t l = get_local_id(0);
    if (l < 16)
        hist[l] = 0;
    if (l == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&hist[a[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        atomic_add(&total, hist[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0 && total != 64)
        atomic_add(r, 1);
}
