//! global: 32
//! local: 8
//! offset: 100
//! arg 0: i32[32] = 0
//! expect 0: i + 100 + 100 * 1000 + (i / 8) * 1000000
__kernel void test(__global int *a)
{
    size_t i = get_global_id(0);
    a[i - get_global_offset(0)] = i + get_global_offset(0) * 1000 + get_group_id(0) * 1000000;
}
