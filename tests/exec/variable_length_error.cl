//! options: -cl-std=CL3.0
//! error: variable length arrays are not supported
__kernel void test(__global int *r, int n) { int a[n]; a[n - 1] = 1; r[0] = a[n - 1]; }
