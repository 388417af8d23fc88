//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! global: 32
//! local: 8
//! arg 0: i32[32] = i * 11 - 90
//! arg 1: i32[32] = 0
//! expect 1: 0
// What clang's SPIR-V spells in unusual ways.
constant int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
constant int *constant corners[2] = {&table[0][1], &table[2][3]};
global int variables[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
global int *global ends[3] = {&variables[0][5], &variables[1][0], variables[1] + 5};
global struct { char c; global int *p[2]; struct { short s; global int *q; } in; } deep
    = {3, {variables[0], &variables[1][2]}, {4, &variables[0][3]}};
typedef struct { int n; __private int *p[3]; } holder;
inline int not_static(int x) { return x * 3; }
__attribute__((noinline)) static int4 by_value(int16 v, holder h) { return v.lo.hi + *h.p[h.n % 3]; }
ulong squares(int n)
{
    ulong s = 0;
    for (int i = 0; i < n; i++)
        s += (ulong)i * i;
    return s;
}
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int x = a[i], bad = 0, m = x & 1;
    bad |= (*corners[m] != (m ? 12 : 2) || corners[m][m ? -3 : 3] != (m ? 9 : 5));
    bad |= (*ends[(x & 0xff) % 3] != ((x & 0xff) % 3 == 0 ? 6 : (x & 0xff) % 3 == 1 ? 7 : 12)) << 1;
    bad |= (deep.c != 3 || deep.p[m][1] != (m ? 10 : 2) || *deep.in.q != 4 || deep.in.s != 4) << 2;
    bad |= (squares(20 + m) != (m ? 2870 : 2470)) << 3;
    uint u = x;
    bad |= (rotate(u, 0u) != u || rotate(u, 32u) != u || rotate(u, 37u) != (u << 5 | u >> 27)) << 4;
    ulong w = (ulong)u << 20 | 77;
    bad |= ((w << (x & 31) | w >> (64 - (x & 31)) % 64) != rotate(w, (ulong)(x & 31)) && (x & 31)) << 5;
    int4 v = (int4)(x, -1, 5, 0);
    bad |= (any(v) != 1 || all(v) != 0 || any(v >= 0) != 1 || all((int2)(-1, x | 1 << 31)) != 1) << 6;
    bad |= (ldexp((float2)(1.5f, 3), 2).y != 12 || convert_float((float)x) != x || convert_int((uint)x) != x) << 7;
    __local float tile[16];
    tile[j] = x;
    tile[j + 8] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    bad |= (vload4(3, tile).x != 1) << 8;
    int values[3] = {x, x + 1, x + 2};
    holder h = {x & 3, {values, values + 1, values + 2}};
    int16 big = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    bad |= (by_value(big, h).y != 5 + values[(x & 3) % 3]) << 9;
    bad |= (not_static(x) != 3 * x || (short)not_static(x) != (short)(x + x + x)) << 10;
    uint swapped = (u >> 24) | (u >> 8 & 0xff00) | (u << 8 & 0xff0000) | (u << 24);
    bad |= (as_uchar4(swapped).x != as_uchar4(u).w || as_uchar4(swapped).z != as_uchar4(u).y) << 11;
    int zeros[40] = {0}, copy[40];
    zeros[x & 31] = x;
    for (int k = 0; k < 40; k++)
        copy[k] = zeros[k];
    bad |= (copy[x & 31] != x || copy[(x & 31) + 1] != 0 || copy[39] != 0) << 12;
    long n = (long)x * 0x100000001L;
    bad |= (popcount(n) != popcount(u) * (x >= 0 ? 2 : 0) && x >= 0) << 13;
    bad |= (signbit((float)x) != (x < 0)) << 14;
    bad |= (mul_hi((long)x << 40, 1L << 40) != (long)x << 16 || mad_hi(x, 1 << 30, 7) != (x >> 2) + 7) << 15;
    r[i] = bad;
}
