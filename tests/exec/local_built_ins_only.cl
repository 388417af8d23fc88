//! require: cl_khr_fp64
//! global: 128
//! local: 64
//! kernel: test
//! arg 0: u16[256] = 0
//! expect 0: 0x3c00 + i % 1024
// A local array that only built-in functions use has its whole size: the copy takes two rounds.
__kernel void test(__global ushort *f)
{
    __local ushort data[16 * 128];
    size_t i = get_global_id(0), l = get_local_id(0);
    double2 v = 1.0 + (double2)(2 * i, 2 * i + 1) / 1024.0;
    vstore_half2(v, l, (__local half *)data);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(f + 2 * (i - l), data, 2 * get_local_size(0), 0);
    wait_group_events(1, &e);
}
