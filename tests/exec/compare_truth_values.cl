//! global: 64
//! arg 0: i32[64] = i % 4 - 1
//! arg 1: i32[64] = i / 4 % 4 - 2
//! arg 2: i32[64] = 0
//! expect 2: ((arg0 > 0) < (arg1 > 0)) + 2 * ((arg0 > 0) <= (arg1 > 0)) + 4 * ((arg0 > 0) > (arg1 > 0)) + 8 * ((arg0 > 0) >= (arg1 > 0)) + 16 * ((arg0 > 0) > (arg1 > 0)) + 32 * ((arg0 > 0) <= (arg1 > 0))
__kernel void test(__global const int *a, __global const int *b, __global int *r)
{
    size_t i = get_global_id(0);
    int x = a[i] > 0, y = b[i] > 0;
    int2 p = (int2)(a[i]) > 0, q = (int2)(b[i]) > 0; // true is -1
    r[i] = (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) - 16 * (p < q).x - 32 * (p >= q).y;
}
