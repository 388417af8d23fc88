//! global: 256
//! arg 0: i32[256] = i32(i * 2654435761)
//! arg 1: i32[256] = i32(i * 40503 * 65537 + 99)
//! arg 2: i32[2560] = 0
//! expect 2: i % 10 == 0 ? popcount(u32(arg0[i / 10])) : i % 10 == 1 ? (arg0[i / 10] * arg1[i / 10]) >> 32 : i % 10 == 2 ? max(min(arg0[i / 10] + arg1[i / 10], 2147483647), -2147483648) : i % 10 == 3 ? (arg0[i / 10] + arg1[i / 10]) >> 1 : i % 10 == 4 ? abs(arg0[i / 10]) : i % 10 == 5 ? (u32(arg0[i / 10]) << 7 | u32(arg0[i / 10]) >> 25) : i % 10 == 6 ? abs(arg0[i / 10] - arg1[i / 10]) : i % 10 == 7 ? max(min(arg0[i / 10] - arg1[i / 10], 2147483647), -2147483648) : i % 10 == 8 ? (arg0[i / 10] + arg1[i / 10] + 1) >> 1 : max(min(arg0[i / 10], 1000), -1000)
__kernel void test(__global const int *a, __global const int *b, __global int *r)
{
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    r[i * 10 + 0] = popcount(x);
    r[i * 10 + 1] = mul_hi(x, y);
    r[i * 10 + 2] = add_sat(x, y);
    r[i * 10 + 3] = hadd(x, y);
    r[i * 10 + 4] = abs(x);
    r[i * 10 + 5] = rotate(x, 7);
    r[i * 10 + 6] = abs_diff(x, y);
    r[i * 10 + 7] = sub_sat(x, y);
    r[i * 10 + 8] = rhadd(x, y);
    r[i * 10 + 9] = clamp(x, -1000, 1000);
}
