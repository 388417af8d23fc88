//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 64
//! local: 16
//! arg 0: u32[64] = 0
//! arg 1: i32[64] = 0
//! expect 1: 0
// Atomics and second results through generic pointers.
uint add(volatile atomic_uint *p, uint x) { return atomic_fetch_add_explicit(p, x, memory_order_relaxed, memory_scope_work_group); }
__kernel void test(__global uint *g, __global int *r)
{
    size_t i = get_global_id(0), j = get_local_id(0), group = get_group_id(0);
    __local atomic_uint counter;
    int bad = 0;
    if (j == 0)
        atomic_init(&counter, 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Odd work-items count in local memory, even ones in the group's element of the buffer.
    volatile atomic_uint *p = (i & 1) ? (volatile atomic_uint *)&counter : (volatile atomic_uint *)(g + group);
    uint before = add(p, 3);
    bad |= before % 3 != 0 || before >= 24;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint now = atomic_load_explicit(p, memory_order_relaxed, memory_scope_work_group);
    bad |= (now != 24) << 1;
    atomic_uint own;
    atomic_init(&own, 5u);
    volatile atomic_uint *q = (i & 4) ? (volatile atomic_uint *)&own : p;
    uint expected = (i & 4) ? 5 : 1000;
    bool swapped = atomic_compare_exchange_strong_explicit(q, &expected, 9u, memory_order_relaxed, memory_order_relaxed,
        memory_scope_work_group);
    bad |= (swapped != ((i & 4) != 0) || (!(i & 4) && expected != 24)) << 2;
    if (i & 4) {
        bad |= (add(q, 2) != 9 || atomic_exchange_explicit(q, 1u, memory_order_relaxed, memory_scope_work_group) != 11) << 3;
        atomic_store_explicit(q, 77u, memory_order_relaxed, memory_scope_work_group);
        bad |= (atomic_load_explicit(&own, memory_order_relaxed, memory_scope_work_group) != 77) << 4;
    }
    // Functions with a result behind a pointer.
    int exponent;
    __local int exponents[16];
    int *e = (i & 1) ? &exponent : (int *)&exponents[j];
    float m = frexp((float)(i + 1) * 3.0f, e), part, *ip = &part;
    bad |= (ldexp(m, *e) != (float)(i + 1) * 3.0f) << 5;
    bad |= (modf(i + 0.25f, ip) != 0.25f || part != i) << 6;
    float c, s = sincos(0.0f, &c);
    bad |= (s != 0.0f || c != 1.0f) << 7;
    r[i] = bad;
}
