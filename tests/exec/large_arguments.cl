//! global: 16
//! arg 0: i32[16] = 0
//! arg 1: value i32[128] = i * i
//! expect 0: i * i + (127 - i) * (127 - i)
typedef struct { int v[128]; } block;
__kernel void test(__global int *r, block b)
{
    int i = get_global_id(0);
    r[i] = b.v[i] + b.v[127 - i];
}
