//! global: 64
//! arg 0: i32[64] = i * 11 % 64
//! arg 1: i32[64] = 0
//! expect 1: arg0 * 2 + 7
__kernel void test(__global const int *a, __global int *r)
{
    int table[64];
    for (int k = 0; k < 64; k++)
        table[k] = k * 2;
    table[a[get_global_id(0)]] += 7;
    r[get_global_id(0)] = table[a[get_global_id(0)]];
}
