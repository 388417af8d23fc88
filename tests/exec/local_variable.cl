//! global: 64
//! local: 16
//! arg 0: i32[64] = i * i
//! arg 1: i32[64] = 0
//! expect 1: arg0[i / 16 * 16 + 15 - i % 16]
__kernel void test(__global const int *a, __global int *r)
{
    __local int tile[16];
    size_t l = get_local_id(0);
    tile[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = tile[15 - l];
}
