// Sub-groups of every size that kernels may require.
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_ballot cl_khr_subgroup_shuffle_relative
//! kernel: of8 of16 of32 of64 of128
//! global: 512
//! local: 256
//! arg 0: u32[512] = i * 7 % 61
//! arg 1: u32[512] = 0
//! expect 1: 5 * 511
uint sub_group_facts(uint size, uint x)
{
    uint id = get_local_id(0), lane = get_sub_group_local_id(), good = 0;
    good |= get_max_sub_group_size() == size && get_sub_group_size() == size;
    good |= (get_num_sub_groups() == 256 / size) << 1;
    good |= (get_sub_group_id() == id / size && lane == id % size) << 2;
    uint4 half_set = sub_group_ballot(lane % 2 == 1);
    good |= (sub_group_ballot_bit_count(half_set) == size / 2) << 3;
    good |= (sub_group_ballot_find_msb(half_set) == size - 1) << 4;
    uint sum = sub_group_scan_inclusive_add(x);
    uint before = sub_group_shuffle_up(sum, 1u);
    good |= (sum == (lane ? before : 0) + x) << 5;
    good |= (sub_group_broadcast(sum, size - 1) == sub_group_reduce_add(x)) << 6;
    good |= (sub_group_shuffle((ulong)x << 33 | lane, size - 1 - lane) % 128 == size - 1 - lane) << 7;
    good |= (sub_group_any(lane == size - 1) & !sub_group_all(lane != 0)) << 8;
    return good;
}
#define KERNEL(size) \
    __attribute__((intel_reqd_sub_group_size(size))) kernel void of##size(global const uint *in, global uint *out) \
    { out[get_global_id(0)] += sub_group_facts(size, in[get_global_id(0)]); }
KERNEL(8)
KERNEL(16)
KERNEL(32)
KERNEL(64)
KERNEL(128)
