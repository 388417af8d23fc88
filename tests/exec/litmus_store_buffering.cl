//! options: -cl-std=CL3.0
//! global: 8192
//! local: 64
//! arg 0: u32[4096] = 0
//! arg 1: u32[4096] = 0
//! arg 2: u32[8192] = 7
//! arg 3: u32[4096] = 0
//! arg 4: u32[2] = 0
//! expect 4: i == 0 ? 0 : 4096
// Pairs of work-items of different groups store to one variable each and then load the other's: with sequentially consistent
// accesses one of them sees the other's store. Who comes second judges.
__kernel void test(__global atomic_uint *x, __global atomic_uint *y, __global uint *seen, __global atomic_uint *arrived,
    __global atomic_uint *verdict)
{
    uint i = get_global_id(0), half_size = get_global_size(0) / 2;
    uint side = (get_group_id(0) & 1), pair = get_group_id(0) / 2 * get_local_size(0) + get_local_id(0);
    uint other;
    if (side == 0) {
        atomic_store(x + pair, 1);
        other = atomic_load(y + pair);
    } else {
        atomic_store_explicit(y + pair, 1, memory_order_seq_cst, memory_scope_device);
        other = atomic_load_explicit(x + pair, memory_order_seq_cst, memory_scope_device);
    }
    seen[side * half_size + pair] = other;
    if (atomic_fetch_add_explicit(arrived + pair, 1, memory_order_acq_rel, memory_scope_device) == 1) {
        uint theirs = seen[(side ^ 1) * half_size + pair];
        if (other + theirs == 0 || other > 1 || theirs > 1)
            atomic_fetch_add(verdict, 1);
        atomic_fetch_add(verdict + 1, 1);
    }
}
