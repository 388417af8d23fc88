//! options: -cl-std=CL3.0
//! error: pointers to functions are not allowed
int f(int x) { return x; }
__kernel void test(__global int *r) { int (*p)(int) = f; r[0] = p(1); }
