//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! kernel: set step step test
//! global: 64
//! local: 16
//! arg 0: i32[64] = i * 5 - 7
//! arg 1: i32[64] = 0
//! expect 1: 0
// Program-scope variables: kernels share them, and they keep their values from one launch to the next.
typedef struct { char c; int list[5]; float4 v; struct { short s; uchar b[3]; } inner; } record;
global int counter;
int plain = 41;
global record records[3] = {{'a', {1, 2, 3, 4, 5}, (float4)(1, 2, 3, 4), {-3, {7, 8, 9}}}, {'b'}, {'c', {6}}};
static global long hidden = 0x123456789abcdefL;
global int big[20000];
constant int table[4] = {2, 3, 5, 7};
global float halves[8] = {0.5f, -1.5f};
const global uint constants[3] = {10, 20, 30};
global ulong8 wide = (ulong8)(1, 2, 3, 4, 5, 6, 7, 8);
global uchar packed_bytes[7] = "packed";
// Pointers to each other.
typedef struct node { int value; global struct node *next; } node;
extern global node second;
global node first = {11, &second};
global node second = {22, &first};
static global node third = {33, &third};
global int *inside = &big[12345];
global node *global heads[3] = {&first, &second, &first};
constant int *constant_pointer = table + 2;
int *generic_pointer = &plain;
int next(void)
{
    static int calls = 100;
    // Function-scope variables of other scopes are others.
    { static global int calls = 5; atomic_inc(&calls); }
    return atomic_add((volatile global int *)to_global(&calls), 1);
}
__kernel void set(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    atomic_add(&counter, a[i]);
    big[i * 300] = a[i];
    if (i == 0) {
        plain += 1;
        records[1].list[2] = 77;
        records[2].inner.b[1] = 200;
        hidden = -hidden;
        *inside = 99;
        heads[2] = heads[2]->next;
        wide.s3 = 44;
        packed_bytes[1] = 'i';
    }
    if (i < 8)
        halves[i] += i;
    next();
}
__kernel void step(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    big[i * 300]++;
    if (i == 0)
        *generic_pointer += 100;
    next();
}
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    int bad = 0;
    // Each launch added something; a race here would be between launches.
    bad |= counter != 64 * 63 / 2 * 5 - 7 * 64;
    bad |= (big[i * 300] != a[i] + 2 || big[i * 300 + 1] != 0) << 1;
    bad |= (plain != 242 || generic_pointer != &plain) << 2;
    bad |= (records[0].c != 'a' || records[0].list[i % 5] != (int)(i % 5) + 1 || records[0].v.z != 3 || records[0].inner.s != -3
        || records[0].inner.b[2] != 9) << 3;
    bad |= (records[1].list[2] != 77 || records[1].list[3] != 0 || records[2].inner.b[1] != 200 || records[2].list[0] != 6) << 4;
    bad |= (hidden != -0x123456789abcdefL) << 5;
    bad |= (first.next->value != 22 || second.next->next->next != &first || third.next != &third || third.next->value != 33
        || heads[i % 3]->value != (i % 3 ? 22 : 11)) << 6;
    bad |= (*inside != 99 || big[12345] != 99 || inside - big != 12345) << 7;
    bad |= (halves[i % 8] != (i % 8 == 0 ? 0.5f : i % 8 == 1 ? -0.5f : (float)(i % 8))) << 8;
    bad |= (constants[i % 3] != 10 * (i % 3 + 1) || constant_pointer[i & 1] != (i & 1 ? 7 : 5)) << 9;
    bad |= (wide.s3 != 44 || wide.s7 != 8 || wide.s0 != 1) << 10;
    bad |= (packed_bytes[1] != 'i' || packed_bytes[5] != 'd' || packed_bytes[6] != 0) << 11;
    // 100 before the first of 64 calls in each of three launches.
    int n = next();
    bad |= (n < 292 || n >= 356) << 12;
    r[i] = bad;
}
