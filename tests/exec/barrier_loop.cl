//! global: 128
//! local: 32
//! arg 0: i32[128] = i % 32
//! arg 1: local 256
//! expect 0: i % 32 * (i % 32 + 1) / 2
// inclusive scan by doubling
__kernel void test(__global int *a, __local int *s)
{
    int l = get_local_id(0), n = get_local_size(0), from = 0;
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        int v = s[from + l] + (l >= step ? s[from + l - step] : 0);
        from = n - from;
        s[from + l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = s[from + l];
}
