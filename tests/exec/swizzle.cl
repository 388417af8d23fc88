//! global: 16
//! arg 0: i32[64] = i * 7
//! arg 1: i32[64] = 0
//! expect 1: i % 4 == 0 ? arg0[i / 4 * 4 + 3] : i % 4 == 1 ? arg0[i / 4 * 4] : i % 4 == 2 ? arg0[i / 4 * 4 + 2] + 1 : arg0[i / 4 * 4 + 1]
__kernel void test(__global const int4 *a, __global int4 *r)
{
    size_t i = get_global_id(0);
    int4 v = a[i], w;
    w.xw = v.wy;
    w.s1 = v.s0;
    w.hi.x = v.odd.x == v.y ? v.z + 1 : 0;
    r[i] = w;
}
