//! options: -cl-std=CL3.0
//! require: -__opencl_c_device_enqueue
//! error: enqueue_kernel
__kernel void test(__global int *r) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ r[0] = 1; }); }
