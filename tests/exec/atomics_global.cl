//! global: 1000
//! arg 0: i32[8] = i == 3 ? 100000 : 0
//! arg 1: u32[1] = 0
//! expect 0: i == 0 ? 1000 : i == 1 ? 499500 : i == 2 ? 999 : i == 3 ? -5 : i == 4 ? -1000 : i == 5 ? 1023 : i == 6 ? 0 : 1
//! expect 1: 1000
__kernel void test(__global int *a, __global uint *n)
{
    int i = get_global_id(0);
    atomic_inc(a + 0);
    atomic_add(a + 1, i);
    atomic_max(a + 2, i);
    atomic_min(a + 3, i - 5);
    atomic_dec(a + 4);
    atomic_or(a + 5, i);
    atomic_and(a + 6, i);
    atomic_cmpxchg(a + 7, 0, 1);
    uint old, seen = *(volatile __global uint *)n;
    do {
        old = seen;
        seen = atomic_cmpxchg(n, old, old + 1);
    } while (seen != old);
}
