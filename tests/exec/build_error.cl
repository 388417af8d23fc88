//! error: undeclared identifier
__kernel void test(__global int *r)
{
    r[0] = not_declared;
}
