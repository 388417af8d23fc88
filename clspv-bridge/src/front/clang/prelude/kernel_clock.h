// cl_khr_kernel_clock before OpenCL C 2.0
#define __PC_OV __attribute__((overloadable))
#define __PC_CLOCK(scope) ulong __PC_OV clock_read_##scope(void); uint2 __PC_OV clock_read_hilo_##scope(void);
__PC_CLOCK(device)
__PC_CLOCK(work_group)
__PC_CLOCK(sub_group)
#undef __PC_OV
#undef __PC_CLOCK
