// The sizes of Adreno's sub-groups by name.
//! options: -cl-std=CL3.0
//! require: cl_intel_required_subgroup_size
//! kernel: half_of_them all_of_them
//! global: 256
//! local: 128
//! arg 0: u32[256] = 0
//! expect 0: 256
__attribute__((qcom_reqd_sub_group_size("half"))) kernel void half_of_them(global uint *out)
{
    out[get_global_id(0)] = sub_group_reduce_add(get_max_sub_group_size() == 64 ? 1u : 0u) * 4;
}
__attribute__((qcom_reqd_sub_group_size("full"))) kernel void all_of_them(global uint *out)
{
    out[get_global_id(0)] = sub_group_reduce_add(get_max_sub_group_size() == 128 ? 1u : 0u) * 2;
}
