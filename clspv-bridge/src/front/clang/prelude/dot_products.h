// cl_khr_integer_dot_product before OpenCL C 2.0. A declaration hides the built-in functions of its name, so those of
// floating-point vectors are declared too
#define __PC_OV __attribute__((overloadable, const))
#define __PC_DOT(R, A, B, name) \
    R __PC_OV dot(A##char4, B##char4); \
    R __PC_OV dot_acc_sat(A##char4, B##char4, R); \
    R __PC_OV dot_4x8packed_##name(uint, uint); \
    R __PC_OV dot_acc_sat_4x8packed_##name(uint, uint, R);
__PC_DOT(uint, u, u, uu_uint)
__PC_DOT(int, , , ss_int)
__PC_DOT(int, u, , us_int)
__PC_DOT(int, , u, su_int)
#define __PC_FLOAT(T) T __PC_OV dot(T, T); T __PC_OV dot(T##2, T##2); T __PC_OV dot(T##3, T##3); T __PC_OV dot(T##4, T##4);
__PC_FLOAT(float)
#ifdef cl_khr_fp64
__PC_FLOAT(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__PC_FLOAT(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#undef __PC_OV
#undef __PC_DOT
#undef __PC_FLOAT
