//! options: -cl-std=CL2.0
//! global: 16
//! arg 0: i32[16] = i * 7
//! arg 1: i32[16] = 0
//! expect 1: arg0 * 3 + 11
// Blocks that are called where they are made; OpenCL C 2.0, in which generic pointers need no feature.
int over(int *p) { return *p + 1; }
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    int x = a[i];
    int (^plus)(int, int) = ^(int p, int q) { return p + q * 2; };
    int y = plus(x, x) + 10;
    r[i] = over(&y);
}
