// Rotations by negative numbers in a sub-group that is smaller than a full one. They are modulo the size of the
// largest sub-group: with sub-groups of 4, the other one of this work-group has places without work-items.
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_rotate
//! global: 6
//! local: 6
//! arg 0: u32[6] = 0
//! expect 0: 1
int wrong(uint value, uint from)
{
    return from < get_sub_group_size() && value != from;
}

kernel void test(global uint *out)
{
    uint id = get_sub_group_local_id(), n = get_max_sub_group_size(), bad = 0;
    bad |= wrong(sub_group_rotate(id, -1), (id + n - 1) % n);
    bad |= wrong(sub_group_rotate(id, -8), (id + 2 * n - 8 % n) % n);
    bad |= wrong(sub_group_rotate(id, 1), (id + 1) % n);
    out[get_global_id(0)] = !bad;
}
