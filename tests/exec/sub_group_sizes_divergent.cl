// Small sub-groups in control flow that differs within the work-group, and a reduction of the work-group.
//! options: -cl-std=CL3.0
//! require: cl_intel_required_subgroup_size
//! global: 128
//! local: 64
//! arg 0: u32[128] = 0
//! expect 0: 15
__attribute__((intel_reqd_sub_group_size(8))) kernel void test(global uint *out)
{
    uint id = get_global_id(0), n = id % 16, good;
    // Taken by the last three work-items of even sub-groups and the first five of odd ones.
    if (n < 8 ? n >= 5 : n < 13) {
        uint active = n < 8 ? 3 : 5;
        good = sub_group_non_uniform_reduce_add(1) == active;
        good |= (sub_group_ballot_bit_count(sub_group_ballot(1)) == active) << 1;
        good |= (sub_group_elect() == (n == 5 || n == 8)) << 2;
    } else {
        uint active = n < 8 ? 5 : 3;
        good = sub_group_non_uniform_reduce_add(1) == active;
        good |= (sub_group_non_uniform_scan_exclusive_add(1) == (n < 8 ? n : n - 13)) << 1;
        good |= (sub_group_broadcast_first(n) == (n < 8 ? 0 : 13)) << 2;
    }
    uint all = work_group_reduce_add(1u), rank = work_group_scan_exclusive_add(1u);
    out[id] = good | (all == 64 && rank == get_local_id(0)) << 3;
}
