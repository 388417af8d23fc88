// Clocks do not go back.
//! options: -cl-std=CL3.0
//! require: cl_khr_kernel_clock
//! global: 64
//! arg 0: u32[64] = i
//! expect 0: i + 1
kernel void test(global uint *x)
{
#ifdef __opencl_c_kernel_clock_scope_device
    ulong before = clock_read_device();
    uint2 halves = clock_read_hilo_device();
    ulong group = clock_read_work_group();
#else
    ulong before = clock_read_sub_group();
    uint2 halves = clock_read_hilo_sub_group();
    ulong group = clock_read_sub_group();
#endif
    ulong middle = as_ulong(halves);
    if (before <= middle && middle <= group && clock_read_sub_group() != 0) x[get_global_id(0)] += 1;
}
