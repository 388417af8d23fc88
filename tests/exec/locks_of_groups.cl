//! global: 8
//! local: 1
//! arg 0: i32[1] = 0
//! arg 1: i32[1] = 0
//! expect 0: 0
//! expect 1: 80
// A spin lock between work-groups: they must not be executed as lanes of one vector.
__kernel void test(volatile __global int *lock, __global int *sum)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int terms = 0;
    for (int i = 0; i < 10; i++)
        terms += sum[0] * 0 + 1;
    sum[0] += terms;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}
