//! global: 32
//! arg 0: i32[128] = i
//! arg 1: i32[32] = 0
//! arg 2: value i32[3] = i + 1
//! expect 1: arg0[i * 4] + (arg0[i * 4 + 1] & 255) + arg0[i * 4 + 2] * 2 + arg0[i * 4 + 3] * 3 + 1 + 2 + 3
typedef struct { int a; char b[4]; struct { int c, d; } in; } item;
typedef struct { int x, y, z; } triple;
int weigh(item t, triple p) { return t.a + (uchar)t.b[0] + t.in.c * 2 + t.in.d * 3 + p.x + p.y + p.z; }
__kernel void test(__global const item *a, __global int *r, triple p)
{
    item copy = a[get_global_id(0)];
    r[get_global_id(0)] = weigh(copy, p);
}
