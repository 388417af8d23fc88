// Rotations by negative numbers in a sub-group that is smaller than a full one.
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_rotate
//! global: 6
//! local: 6
//! arg 0: u32[6] = 0
//! expect 0: 1
kernel void test(global uint *out)
{
    uint id = get_sub_group_local_id(), n = get_sub_group_size(), good = 1;
    good &= sub_group_rotate(id, -1) == (id + n - 1) % n;
    good &= sub_group_rotate(id, -8) == (id + 2 * n - 8 % n) % n;
    good &= sub_group_rotate(id, 1) == (id + 1) % n;
    out[get_global_id(0)] = good;
}
