//! error: recursi
int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
__kernel void test(__global int *r)
{
    r[0] = f(r[1]);
}
