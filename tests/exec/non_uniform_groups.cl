//! options: -cl-std=CL3.0
//! require: CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
//! global: 37 5
//! local: 8 2
//! arg 0: i32[185] = 0
//! expect 0: (i % 37 < 32 ? 8 : 5) + (i / 37 < 4 ? 2 : 1) * 100 + 8 * 10000 + (i % 37 / 8) * 100000 + (i / 37 / 2) * 1000000 + 5 * 10000000
__kernel void test(__global int *a)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    a[y * 37 + x] = get_local_size(0) + get_local_size(1) * 100 + get_enqueued_local_size(0) * 10000 + get_group_id(0) * 100000
                  + get_group_id(1) * 1000000 + get_num_groups(0) * 10000000;
}
