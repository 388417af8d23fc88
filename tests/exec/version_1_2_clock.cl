//! require: __opencl_c_kernel_clock_scope_sub_group
//! global: 16
//! arg 0: u32[16] = 0
//! expect 0: 1
// The clock of a sub-group without -cl-std, where clang does not declare it.
#ifndef cl_khr_kernel_clock
#error
#endif

kernel void test(global uint *ok)
{
    ulong before = clock_read_sub_group();
    uint2 after = clock_read_hilo_sub_group();
    ok[get_global_id(0)] = (((ulong)after.y << 32) | after.x) >= before;
}
