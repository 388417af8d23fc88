//! global: 6 4 3
//! local: 3 2 1
//! arg 0: i32[72] = 0
//! arg 1: i32[72] = 0
//! expect 0: (i % 6) + (i / 6 % 4) * 100 + (i / 24) * 10000
//! expect 1: (i % 6 % 3) + (i / 6 % 4 % 2) * 10 + (i % 6 / 3) * 100 + (i / 6 % 4 / 2) * 1000 + (i / 24) * 10000 + 2 * 100000 + 2 * 1000000 + 3 * 10000000
__kernel void test(__global int *a, __global int *b)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t n = (z * get_global_size(1) + y) * get_global_size(0) + x;
    a[n] = x + y * 100 + z * 10000;
    b[n] = get_local_id(0) + get_local_id(1) * 10 + get_group_id(0) * 100 + get_group_id(1) * 1000 + get_group_id(2) * 10000
         + get_num_groups(0) * 100000 + get_local_size(1) * 1000000 + get_work_dim() * 10000000;
}
