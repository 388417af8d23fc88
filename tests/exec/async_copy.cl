//! global: 64
//! local: 16
//! arg 0: i32[64] = i * 3
//! arg 1: i32[64] = 0
//! arg 2: local 64
//! expect 1: i / 16 * 48 + (15 - i % 16) * 3 + 1
__kernel void test(__global const int *a, __global int *r, __local int *s)
{
    size_t g = get_group_id(0) * 16, l = get_local_id(0);
    event_t e = async_work_group_copy(s, a + g, 16, 0);
    wait_group_events(1, &e);
    int v = s[15 - l] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(r + g, s, 16, 0);
    wait_group_events(1, &e);
}
