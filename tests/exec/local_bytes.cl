//! global: 64
//! local: 32
//! arg 0: u8[64] = i * 3
//! arg 1: u32[16] = 0
//! arg 2: local 32
//! expect 1: arg0[i * 4] + 256 * arg0[i * 4 + 1] + 65536 * arg0[i * 4 + 2] + 16777216 * arg0[i * 4 + 3]
__kernel void test(__global const uchar *a, __global uint *r, __local uchar *scratch)
{
    size_t l = get_local_id(0);
    scratch[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 4 == 0)
        r[get_global_id(0) / 4] = *(__local uint *)(scratch + l);
}
