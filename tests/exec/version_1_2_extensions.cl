//! require: __opencl_c_subgroups cl_khr_extended_bit_ops cl_khr_integer_dot_product cl_khr_subgroup_shuffle
//! global: 64
//! local: 16
//! arg 0: u32[64] = i * 2654435761
//! arg 1: u32[64] = 0
//! expect 1: 63
// Without -cl-std, where clang declares none of these functions, the extensions have macros and functions.
#if __OPENCL_C_VERSION__ != 120 || !defined(cl_khr_extended_bit_ops) || !defined(cl_khr_integer_dot_product) || \
    !defined(cl_khr_subgroup_shuffle) || !defined(cl_khr_subgroup_ballot)
#error
#endif

kernel void test(global const uint *in, global uint *ok)
{
    size_t i = get_global_id(0);
    uint x = in[i], good = 0, reversed = 0, lane = get_sub_group_local_id();
    for (int k = 0; k < 32; k++)
        reversed |= (x >> k & 1) << (31 - k);
    good |= bit_reverse(x) == reversed ? 1 : 0;
    good |= bitfield_extract_unsigned(x, 4u, 8u) == (x >> 4 & 255) ? 2 : 0;
    uchar4 b = as_uchar4(x);
    good |= dot(b, b) == b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w ? 4 : 0;
    good |= dot((float2)(1, 2), (float2)(3, 4)) == 11 ? 8 : 0;
    good |= sub_group_reduce_add(1) == get_sub_group_size() ? 16 : 0;
    good |= sub_group_shuffle(lane, 0) == 0 && sub_group_scan_exclusive_add(1) == lane ? 32 : 0;
    ok[i] = good;
}
