//! options: -cl-std=CL2.0
//! require: -__opencl_c_device_enqueue
//! global: 1
//! arg 0: i32[1] = 0
//! error: undeclared identifier 'get_default_queue'
// OpenCL C 2.0 is compiled for devices that do not list it; what they lack is an error of the kernels that use it.
__kernel void test(__global int *r)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *r = 1; });
}
