//! global: 16
//! arg 0: i8[256] = i * 7 - 100
//! arg 1: i8[64] = 0
//! arg 2: i32[128] = i * 1000 - 3
//! arg 3: i32[48] = 0
//! expect 1: arg0[i / 4 * 16 + i % 4 * 2]
//! expect 3: arg2[i / 3 * 8 + i % 3 * 2]
// The optimiser narrows loads whose last lanes are not read: vectors of 7 and of 5 lanes.
__kernel void test(__global const char8 *a, __global char4 *r, __global const int8 *b, __global int *s)
{
    size_t i = get_global_id(0);
    r[i] = a[i * 2].even;
    int8 v = b[i];
    vstore3(v.s024, i, s);
}
