//! error: bit-fields are not supported
// OpenCL C has none.
typedef struct { uint a : 3; } bits;
__kernel void test(__global bits *r) { r->a = 1; }
