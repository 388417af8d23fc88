//! options: -cl-std=CLC++2021
//! require: cl_ext_cxx_for_opencl
//! error: constructor
struct counter { int x; ~counter() { x = 0; } };
counter c;
kernel void test(global int *r) { r[0] = c.x; }
