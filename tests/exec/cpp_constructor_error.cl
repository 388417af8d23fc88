//! options: -cl-std=CLC++
//! require: cl_ext_cxx_for_opencl
//! error: constructor
// Code that would have to run before the first kernel.
struct counter { int x; counter(int y) : x(y + (int)get_global_size(0)) {} };
counter c(5);
kernel void test(global int *r) { r[0] = c.x; }
