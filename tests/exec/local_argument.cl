//! global: 64
//! local: 16
//! arg 0: i32[64] = i + 1
//! arg 1: i32[4] = 0
//! arg 2: local 64
//! expect 1: 16 * (16 * i) + 136
__kernel void test(__global const int *a, __global int *sums, __local int *scratch)
{
    size_t l = get_local_id(0);
    scratch[l] = a[get_global_id(0)];
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            scratch[l] += scratch[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        sums[get_group_id(0)] = scratch[0];
}
