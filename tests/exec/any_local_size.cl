//! options: -cl-std=CL3.0
//! global: 160 80
//! offset: 7 1000000
//! local: 2 2
//! arg 0: i32[12800] = 0
//! arg 1: i32[12800] = 0
//! expect 0: (i % 160 + 7) + (i / 160 + 1000000) * 1000
//! expect 1: i + 80 * 100000 + 2 * 10000000
// The local size is not observable: the kernel reads only global ids and sizes of the enqueued range.
__kernel void test(__global int *a, __global int *b)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t n = (y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0);
    a[n] = x + y * 1000;
    b[n] = get_global_linear_id() + get_num_groups(0) * 100000 + get_enqueued_local_size(1) * 10000000;
}
