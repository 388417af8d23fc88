// cl_khr_work_group_uniform_arithmetic
#define __PC_OV __attribute__((overloadable, convergent))
#define __PC_WG(T, op) \
    T __PC_OV work_group_reduce_##op(T); \
    T __PC_OV work_group_scan_exclusive_##op(T); \
    T __PC_OV work_group_scan_inclusive_##op(T);
#define __PC_INT(T) __PC_WG(T, mul) __PC_WG(T, and) __PC_WG(T, or) __PC_WG(T, xor)
__PC_INT(int) __PC_INT(uint) __PC_INT(long) __PC_INT(ulong) __PC_WG(float, mul)
__PC_WG(int, logical_and) __PC_WG(int, logical_or) __PC_WG(int, logical_xor)
#ifdef cl_khr_fp64
__PC_WG(double, mul)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__PC_WG(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#undef __PC_OV
#undef __PC_WG
#undef __PC_INT
