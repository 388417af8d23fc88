//! global: 64
//! arg 0: i32[64] = i
//! arg 1: i32[64] = 0
//! expect 1: arg0 + 5
// A condition that is the same in all work-items although its operands are not.
__kernel void test(__global const int *a, __global int *r)
{
    uint l = get_local_id(0), g = get_global_id(0);
    float v = (5 - l + l) & 1023;
    int n = a[g];
    if (convert_int(v * 0.25f)) n += convert_int(v);
    r[g] = n;
}
