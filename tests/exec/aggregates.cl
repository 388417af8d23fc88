//! global: 64
//! arg 0: i32[256] = i * 3 + 1
//! arg 1: i32[64] = 0
//! arg 2: value i32[10] = i + 5
//! expect 1: 0
// Structures passed, returned, chosen and copied by value; unions; packed members; tables of pointers.
typedef struct { int head; short list[12]; long tail; } big;
typedef struct __attribute__((packed)) { char c; int i; short s; } tight;
typedef union { float f; uint u; uchar b[4]; } pun;
__constant int low[3] = {1, 2, 3}, high[3] = {10, 20, 30};
__constant int *__constant tables[2] = {low, high};
big filled(big v, int x)
{
    for (int k = 0; k < 12; k++)
        v.list[k] += x * k;
    v.tail = v.head + x;
    return v;
}
__kernel void test(__global const int *a, __global int *r, big v)
{
    size_t i = get_global_id(0);
    int x = a[i], bad = 0;
    big w = filled(v, x), z = v;
    if (x & 1)
        z = filled(w, 1);
    bad |= (w.list[i % 12] != (short)(v.list[i % 12] + x * (int)(i % 12))) << 0;
    bad |= (w.tail != (long)v.head + x) << 1;
    bad |= (z.list[5] != (x & 1 ? (short)(w.list[5] + 5) : v.list[5])) << 2;
    bad |= (v.head != 5 || v.list[0] != 6 || v.list[2] != 7) << 3;
    tight t[3];
    for (int k = 0; k < 3; k++) {
        t[k].c = x + k;
        t[k].i = x * k;
        t[k].s = x - k;
    }
    bad |= (t[i % 3].i != x * (int)(i % 3) || sizeof(tight) != 7 || t[2].c != (char)(x + 2)) << 4;
    pun p;
    p.u = 0x3f800000u + x;
    bad |= (p.b[0] != (x & 255) || as_uint(p.f) != 0x3f800000u + x) << 5;
    bad |= (tables[i & 1][i % 3] != (int)(i % 3 + 1) * (i & 1 ? 10 : 1)) << 6;
    int line[40] = {0};
    line[i % 40] = x;
    int sum = 0;
    for (int k = 0; k < 40; k++)
        sum += line[k];
    bad |= (sum != x) << 7;
    r[i] = bad;
}
