//! test cl
// expect: OpAtomic
kernel void atomics(global volatile int *p, global volatile uint *u, local int *l, global float *f, global long *w) {
    *l = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(p, 3); atomic_sub(p + 1, 1); atomic_min(p + 2, -4); atomic_max(u, 9u); atomic_and(u + 1, 7u);
    atomic_or(l, 1); atomic_xor(l, 2); atomic_dec(p + 3);
    int old = atomic_cmpxchg(p + 4, 1, 2) + atomic_xchg(p + 5, 7);
    atomic_xchg(f, 1.5f);
    atomic_fetch_add_explicit((global atomic_int *)(p + 6), old, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit((global atomic_uint *)(u + 2), 1u, memory_order_release, memory_scope_device);
    p[7] = atomic_load_explicit((global atomic_int *)(p + 8), memory_order_acquire, memory_scope_device) + *l;
}
