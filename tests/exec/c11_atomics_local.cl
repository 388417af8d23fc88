//! options: -cl-std=CL3.0
//! global: 256
//! local: 64
//! arg 0: i32[40] = 0
//! expect 0: i % 10 == 0 ? 64 : i % 10 == 1 ? 2016 : i % 10 == 2 ? -5 : i % 10 == 3 ? 63 : i % 10 == 4 ? 63 : i % 10 == 5 ? 0 : i % 10 == 6 ? 64 : i % 10 == 7 ? 9 : 1
__kernel void test(__global int *out)
{
    __local atomic_int a[10];
    __local atomic_flag lock;
    __local int plain;
    int l = get_local_id(0);
    if (l < 10)
        atomic_init(a + l, l == 5 ? -1 : 0);
    if (l == 0) {
        atomic_flag_clear(&lock);
        plain = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(a + 0, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add(a + 1, l);
    atomic_fetch_min_explicit(a + 2, l - 5, memory_order_acq_rel, memory_scope_work_group);
    atomic_fetch_max(a + 3, l);
    atomic_fetch_or(a + 4, l);
    atomic_fetch_and(a + 5, l);
    int seen = 0;
    while (!atomic_compare_exchange_strong_explicit(a + 6, &seen, seen + 1, memory_order_acq_rel, memory_order_relaxed,
        memory_scope_work_group))
        ;
    atomic_store_explicit(a + 7, 9, memory_order_release, memory_scope_work_group);
    atomic_exchange(a + 8, 1);
    if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire, memory_scope_work_group))
        plain += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 9)
        out[get_group_id(0) * 10 + l] = atomic_load_explicit(a + l, memory_order_relaxed, memory_scope_work_group);
    if (l == 9)
        out[get_group_id(0) * 10 + 9] = plain;
}
