// Devices with smaller sub-groups refuse larger ones in divergent control flow when the program is built.
//! options: -cl-std=CL3.0
//! require: cl_intel_required_subgroup_size
//! error: 128 work-items in control flow
__attribute__((intel_reqd_sub_group_size(128))) kernel void test(global uint *out)
{
    uint id = get_global_id(0);
    if (id % 3 == 0) out[id] = sub_group_reduce_add(1);
}
