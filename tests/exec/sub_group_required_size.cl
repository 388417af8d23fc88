// A size that no device has is refused when the program is built.
//! options: -cl-std=CL3.0
//! require: cl_intel_required_subgroup_size
//! error: required sub-group size of 2048
__attribute__((intel_reqd_sub_group_size(2048))) kernel void test(global uint *out) { out[get_global_id(0)] = sub_group_reduce_add(1); }
