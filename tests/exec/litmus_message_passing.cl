//! options: -cl-std=CL3.0
//! global: 4096
//! local: 64
//! arg 0: u32[4096] = 0
//! arg 1: u32[4096] = 0
//! arg 2: u32[2] = 0
//! expect 2: 0
// Every group writes a message and then its flag, and looks at the flags of others: who sees a flag sees the message. With
// release stores, with fences around relaxed stores, and with the default order.
__kernel void test(__global uint *data, __global atomic_uint *flags, __global atomic_uint *bad)
{
    uint i = get_global_id(0), n = get_global_size(0);
    for (uint round = 1; round <= 16; round++) {
        data[i] = round * n + i;
        if (i % 3 == 0)
            atomic_store_explicit(flags + i, round, memory_order_release, memory_scope_device);
        else if (i % 3 == 1) {
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
            atomic_store_explicit(flags + i, round, memory_order_relaxed, memory_scope_device);
        } else
            atomic_store(flags + i, round);
        // A work-item of another group.
        uint other = (i * 37 + round * 1031) % n, seen;
        if (round & 1)
            seen = atomic_load_explicit(flags + other, memory_order_acquire, memory_scope_device);
        else {
            seen = atomic_load_explicit(flags + other, memory_order_relaxed, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        }
        uint message = data[other];
        if (message < seen * n + other && seen != 0)
            atomic_fetch_add(bad, 1);
    }
}
