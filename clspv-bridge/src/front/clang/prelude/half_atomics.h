// cl_ext_float_atomics: the form of atomic_init for halves.
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
void __attribute__((overloadable)) atomic_init(volatile __global atomic_half *, half);
void __attribute__((overloadable)) atomic_init(volatile __local atomic_half *, half);
void __attribute__((overloadable)) atomic_init(volatile atomic_half *, half);
#endif
