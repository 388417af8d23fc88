//! options: -cl-std=CL3.1 -Werror
//! global: 1
//! arg 0: i32[4] = 0
//! expect 0: i < 3 ? 310 : 1
__kernel void test(__global int *r)
{
    r[0] = __OPENCL_C_VERSION__;
    r[1] = __OPENCL_VERSION__;
    r[2] = CL_VERSION_3_1;
    // Functions that became part of the language in 3.1.
    r[3] = bit_reverse(1u) == 0x80000000u && dot_4x8packed_uu_uint(0x01010101u, 0x02010101u) == 5
        && sub_group_shuffle(7, 0) == 7 && sub_group_rotate(7, 1) == 7;
}
