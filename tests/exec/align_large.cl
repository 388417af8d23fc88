//! global: 16
//! local: 8
//! arg 0: i32[16] = i * 3 + 1
//! arg 1: i32[16] = 9
//! expect 1: i * 3 + 1 + 5
// Alignments of 256 and more, of variables in every address space and of types.
typedef struct __attribute__((aligned(256))) {
    int a[3];
} s256;

typedef struct __attribute__((aligned(1024))) {
    int a[3];
} s1024;

constant int c1024 __attribute__((aligned(1024))) = 5;

kernel void test(global const int *in, global int *out)
{
    local int l[8] __attribute__((aligned(512)));
    int q[4] __attribute__((aligned(256)));
    s256 t;
    s1024 u = {{1, 2, 3}};
    int i = get_global_id(0), k = get_local_id(0);
    for (int n = 0; n < 4; n++)
        q[n] = in[i] + n;
    t.a[in[0]] = q[i & 3];
    l[7 - k] = t.a[1] - (i & 3);
    u.a[in[0]] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t wrong = ((size_t)q & 255) + ((size_t)&t & 255) + ((size_t)&u & 1023) + ((size_t)l & 511) + ((size_t)&c1024 & 1023);
    out[i] = l[7 - k] + c1024 + u.a[1] + (int)wrong + (sizeof(s256) != 256) + (sizeof(s1024) != 1024);
}
