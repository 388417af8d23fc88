//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 48
//! local: 8
//! arg 0: i32[48] = i * 7 - 20
//! arg 1: i32[48] = 0
//! arg 2: local 64
//! arg 3: i32[48] = 1000 + i
//! expect 1: 0
// Accesses through pointers of which only the run tells the address space: loads, stores, vectors, bytes, structures, copies,
// selections, loops, arithmetic before and behind the object.
typedef struct { int n; short h[3]; char c; float4 v; } record;
void fill(int *p, int n, int x)
{
    for (int k = 0; k < n; k++)
        p[k] = x + k * k;
}
int total(const int *p, int n)
{
    int sum = 0;
    for (const int *q = p; q != p + n; ++q)
        sum += *q;
    return sum;
}
void bytes(uchar *p, uint x)
{
    p[0] = x;
    p[1] = x >> 8;
    p[2] = x >> 16;
    p[3] = x >> 24;
}
__kernel void test(__global const int *a, __global int *r, __local int *l, __global int *out)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int x = a[i], bad = 0;
    int own[8];
    __local int shared[8 * 8];
    for (int way = 0; way < 3; way++) {
        int *p = way == 0 ? (int *)own : way == 1 ? (int *)(shared + 8 * j) : (int *)(out + 0 * i);
        // One work-item at a time may use the global buffer.
        if (way == 2 && i != 0)
            break;
        fill(p, 8, x);
        int want = 8 * x + 140;
        bad |= (total(p, 8) != want) << way;
        bad |= (total(p + 2, 3) != 3 * x + 4 + 9 + 16) << way;
        int4 v = vload4(1, p);
        bad |= (v.x + v.w != 2 * x + 16 + 49) << (3 + way);
        vstore2((int2)(v.y, x), 1, p);
        bad |= (p[2] != x + 25 || p[3] != x) << (3 + way);
        bytes((uchar *)(p + 5), 0x12345678u + x);
        bad |= (p[5] != 0x12345678 + x || ((ushort *)p)[10] != ((0x12345678 + x) & 0xffff)) << (6 + way);
        // Computed before the object.
        int *before = p - 3;
        bad |= (before[3] != x || *(before + 5 + (x & 1)) != p[2 + (x & 1)]) << (9 + way);
        bad |= (p == 0 || !p || p + 1 <= p || &p[4] - &p[1] != 3) << (12 + way);
    }
    // Structures and copies between spaces.
    record mine = {x, {1, 2, x}, 'q', (float4)(x, 1, 2, 3)};
    __local record theirs[8];
    const record *from = (x & 1) ? (const record *)&mine : (const record *)&theirs[j];
    record *to = (x & 1) ? (record *)&theirs[j] : &mine;
    theirs[j] = mine;
    mine.n += 5;
    *to = *from;
    record *other = (x & 2) ? to : (record *)from;
    bad |= (other->n != x + ((x & 1) ? 5 : 0) || other->h[2] != (short)x || other->c != 'q' || other->v.x != x || other->v.w != 3)
        << 15;
    long *wide = (x & 1) ? (long *)&own[2] : (long *)&l[2 * j];
    *wide = 0x123456789abcdefL * x;
    bad |= (*wide != 0x123456789abcdefL * x) << 16;
    r[i] = bad;
}
