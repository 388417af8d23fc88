// Ids, sizes and uniform operations of sub-groups in a work-group of three dimensions whose last sub-group may be partial.
//! options: -cl-std=CL3.0
//! require: __opencl_c_subgroups
//! global: 10 3 4
//! local: 5 3 2
//! arg 0: u32[240] = 0
//! expect 0: 1
kernel void test(global uint *ok)
{
    local uint seen[256];
    uint linear = get_local_linear_id(), items = 30;
    uint id = get_sub_group_id(), lane = get_sub_group_local_id(), size = get_sub_group_size(), full = get_max_sub_group_size();
    seen[linear] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Every place of every sub-group is taken once.
    atomic_inc(&seen[id * full + lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
    bool good = seen[linear] == 1;
    good &= get_num_sub_groups() == (items + full - 1) / full && get_enqueued_num_sub_groups() == get_num_sub_groups();
    good &= lane < size && id < get_num_sub_groups() && linear == id * full + lane;
    good &= size == (id + 1 == get_num_sub_groups() ? items - id * full : full);
    uint first = id * full;
    good &= sub_group_broadcast(linear, 0) == first && sub_group_broadcast(linear * 3, size - 1) == (first + size - 1) * 3;
    good &= sub_group_reduce_add(linear) == size * first + size * (size - 1) / 2;
    good &= sub_group_scan_inclusive_add(linear) == (lane + 1) * first + lane * (lane + 1) / 2;
    good &= sub_group_scan_exclusive_add(linear) == lane * first + lane * (lane - 1) / 2;
    good &= sub_group_reduce_max((int)linear - 20) == (int)(first + size) - 21 && sub_group_reduce_min((int)linear - 20) == (int)first - 20;
    good &= sub_group_scan_exclusive_max((int)lane) == (lane ? (int)lane - 1 : INT_MIN);
    good &= sub_group_scan_exclusive_min((uint)lane) == (lane ? 0 : UINT_MAX);
    good &= sub_group_all(lane < size) && !sub_group_all(lane == 0 && size > 1) | (size == 1);
    good &= sub_group_any(lane == size - 1) && !sub_group_any(lane >= size);
    seen[linear] = lane + 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    good &= seen[first + size - 1 - lane] == size - lane;
    size_t at = get_global_id(0) + 10 * (get_global_id(1) + 3 * get_global_id(2));
    ok[at] = good;
    ok[at + 120] = at == get_global_linear_id() && get_local_id(0) == get_global_id(0) % 5 && get_local_id(1) == get_global_id(1)
        && get_local_id(2) == get_global_id(2) % 2 && get_local_size(0) == 5;
}
