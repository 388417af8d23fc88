//! options: -cl-std=CL2.0
//! require: -__opencl_c_device_enqueue
//! global: 1
//! arg 0: i32[1] = 0
//! error: OpenCL C 2.0 is not supported
// Versions that CL_DEVICE_OPENCL_C_ALL_VERSIONS does not list fail to compile.
__kernel void test(__global int *r) { *r = 1; }
