//! options: -cl-std=CL3.0
//! global: 512
//! local: 64
//! arg 0: i32[16] = i == 3 ? 100000 : i == 4 ? -100000 : i == 8 ? -1 : 0
//! arg 1: u32[16] = i == 0 ? 4000000000 : 0
//! expect 0: i == 0 ? 512 : i == 1 ? 512 * 511 / 2 : i == 2 ? -512 : i == 3 ? -7 : i == 4 ? 504 : i == 5 ? 511 : i == 6 ? 0 : i == 8 ? 0 : i == 9 ? 512 : i == 10 ? 512 : i == 11 ? 1 : i == 12 ? 77 : i == 13 ? 511 * 256 : 0
//! expect 1: i == 0 ? 0 : i == 1 ? 511 : i == 2 ? 1 : i == 3 ? 0 : i == 4 ? 1 : i == 5 ? 8 : 0
// Functions on atomic types, in short and explicit forms.
__kernel void test(__global atomic_int *a, __global atomic_uint *u)
{
    int i = get_global_id(0);
    atomic_fetch_add_explicit(a + 0, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add(a + 1, i);
    atomic_fetch_sub_explicit(a + 2, 1, memory_order_acq_rel);
    atomic_fetch_min_explicit(a + 3, i - 7, memory_order_seq_cst, memory_scope_device);
    atomic_fetch_max(a + 4, i - 7);
    atomic_fetch_or_explicit(a + 5, i, memory_order_release, memory_scope_device);
    atomic_fetch_and_explicit(a + 6, i, memory_order_acquire, memory_scope_device);
    atomic_fetch_xor_explicit(a + 7, i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor(a + 7, i);
    int none = -1;
    if (atomic_compare_exchange_strong_explicit(a + 8, &none, 0, memory_order_acq_rel, memory_order_acquire, memory_scope_device))
        atomic_store_explicit(a + 12, 77, memory_order_release, memory_scope_device);
    else if (none != 0)
        atomic_store(a + 15, none);
    // Counting by weak compare-exchange.
    int seen = atomic_load_explicit(a + 9, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak(a + 9, &seen, seen + 1))
        ;
    seen = 0;
    while (!atomic_compare_exchange_weak_explicit(a + 10, &seen, seen + 1, memory_order_seq_cst, memory_order_relaxed))
        ;
    // Exchanged values are passed on: all but one are seen once.
    int sum = i - atomic_exchange(a + 11, i);
    atomic_fetch_add(a + 13, sum);
    atomic_fetch_sub(a + 13, sum);
    atomic_fetch_add(a + 13, i);
    atomic_exchange(a + 11, 1);
    atomic_fetch_min(u + 0, (uint)i);
    atomic_fetch_max_explicit(u + 1, (uint)i, memory_order_relaxed);
    atomic_store(u + 2, 1);
    if (atomic_load(u + 2) != 1)
        atomic_fetch_add(u + 3, 1);
    __global atomic_flag *f = (__global atomic_flag *)(u + 4);
    atomic_flag_test_and_set(f);
    // A lock made of a flag protects a counter that is not an atomic. Groups wait for each other, work-items do not.
    __global atomic_flag *lock = (__global atomic_flag *)(u + 6);
    for (bool done = get_local_id(0) != 0; !done;)
        if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {
            *(__global uint *)(u + 5) += 1;
            atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
            done = true;
        }
}
