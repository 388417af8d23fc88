//! global: 256
//! arg 0: i32[256] = i32(i * 0x9e3779b97f4a7c15 >> 32 ^ i * 77)
//! arg 1: i32[256] = i32((i * 0xd1342543de82ef95 >> 32) | 1)
//! arg 2: i32[256] = 0
//! expect 2: (i32(arg0 + arg1) ^ i32(arg0 - arg1 * 3)) + i32(arg0 / arg1) * 5 + arg0 % arg1
__kernel void test(__global const int *a, __global const int *b, __global int *r)
{
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    r[i] = ((int)(x + y) ^ (int)(x - y * 3)) + (int)(x / y) * (int)5 + (int)(x % y);
}
