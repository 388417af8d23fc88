//! options: -cl-std=CL3.0
//! require: cl_khr_fp64
//! global: 32
//! local: 8
//! arg 0: i32[32] = i * 29 - 100
//! arg 1: i32[32] = 0
//! arg 2: local 1024
//! expect 1: 0
// Packed and aligned structures, unions, arrays of structures of vectors at run-time indices, memory seen as
// other types, big private arrays, half as storage.
typedef struct __attribute__((packed)) { char c; short s; long l; float3 v; char t[3]; } tight;
typedef struct __attribute__((aligned(64))) { int x; } spread;
typedef union { double d; ulong u; uint2 v; ushort h[4]; struct { uchar low; uchar rest[7]; } b; } pun;
typedef struct { float4 v[2]; char2 c[3]; struct { int3 t; } in; } nested;
__kernel void test(__global const int *a, __global int *r, __local uchar *l)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int x = a[i], bad = 0;
    bad |= (sizeof(tight) != 30 || sizeof(spread) != 64 || sizeof(nested) != 64) << 2;
    tight t[3];
    for (int k = 0; k < 3; k++) {
        t[k].c = x + k;
        t[k].s = x * k;
        t[k].l = (long)x << k * 16;
        t[k].v = (float3)(x, k, 2);
        t[k].t[k] = k;
    }
    int at = (x & 0x7fff) % 3;
    bad |= (t[at].s != (short)(x * at) || t[at].l != (long)x << at * 16 || t[at].v.y != at || t[at].t[at] != at) << 3;
    spread p[3] = {{1}, {x}, {3}};
    bad |= (((ulong)&p[1] & 63) != 0 || p[at].x != (at == 0 ? 1 : at == 1 ? x : 3)) << 4;
    pun q;
    q.d = 1.0 + x;
    bad |= (q.u != as_ulong(1.0 + x) || q.v.y != (uint)(q.u >> 32) || q.h[3] != (ushort)(q.u >> 48) || q.b.rest[6] != (uchar)(q.u >> 56)) << 5;
    q.h[at] = 0xabcd;
    bad |= ((ushort)(q.u >> 16 * at) != 0xabcd) << 6;
    nested n[4];
    for (int k = 0; k < 4; k++) {
        n[k].v[k & 1] = (float4)(k, x, k + x, 4);
        n[k].v[~k & 1] = (float4)(0);
        n[k].c[k % 3] = (char2)(k, -k);
        n[k].in.t = (int3)(x, k, x * k);
    }
    int m = x & 3;
    bad |= (n[m].v[m & 1].z != m + x || n[m].v[~m & 1].w != 0 || n[m].c[m % 3].y != -m || n[m].in.t.z != x * m) << 7;
    ((float *)n)[m * 16 + 3] = 99;
    bad |= (n[m].v[0].w != 99) << 8;
    // Local memory as bytes, shorts, longs and vectors.
    __local uchar *mine = l + 128 * j;
    *(__local long *)mine = 0x0102030405060708L * (x & 0xff);
    ((__local short *)mine)[4] = x;
    *(__local float4 *)(mine + 16) = (float4)(x, 1, 2, 3);
    mine[10] = 7;
    mine[11] = x;
    bad |= (((__local uint *)mine)[2] != (((uint)x & 0xffff) | 7u << 16 | (uint)(x & 255) << 24)) << 9;
    bad |= (mine[3] != (uchar)(0x0102030405060708L * (x & 0xff) >> 24) || as_float(((__local int *)mine)[4]) != x) << 10;
    // Half as storage.
    vstore_half2((float2)(x, 0.5f), 1, (__local half *)(mine + 32));
    ushort own[5];
    vstore_half(2.5f, m, (half *)own);
    bad |= (vload_half(2, (__local half *)(mine + 32)) != x || vload_half(m, (half *)own) != 2.5f) << 11;
    int big[1500];
    for (int k = 0; k < 1500; k++)
        big[k] = k ^ x;
    int sum = 0;
    for (int k = 0; k < 100; k++)
        sum += big[(k * 7 + (x & 255)) % 1500] ^ x ^ ((k * 7 + (x & 255)) % 1500);
    bad |= (sum != 0) << 12;
    // Pointers to pointers and to arrays, integer casts.
    int row[3][4];
    for (int k = 0; k < 12; k++)
        ((int *)row)[k] = k + x;
    int (*line)[4] = &row[at], *cell = &(*line)[m], **handle = &cell;
    (*handle)++;
    bad |= (m < 3 && **handle != at * 4 + m + 1 + x) << 13;
    ulong address = (ulong)*handle;
    bad |= (*(int *)(address - 4) != at * 4 + m + x || cell - (int *)row != at * 4 + m + 1) << 14;
    r[i] = bad;
}
