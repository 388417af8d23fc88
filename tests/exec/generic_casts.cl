//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 64
//! local: 16
//! arg 0: i32[64] = i
//! arg 1: i32[64] = 0
//! arg 2: local 256
//! expect 1: 0
// to_global, to_local, to_private, get_fence and NULL, with the address space known at run time, and known when compiling.
int mask(void *p)
{
    return (to_global(p) != NULL) | (to_local(p) != NULL) << 1 | (to_private(p) != NULL) << 2
        | (get_fence(p) == CLK_LOCAL_MEM_FENCE) << 3;
}
__kernel void test(__global int *a, __global int *r, __local int *l)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int own[4] = {(int)i, 2, 3, 4}, bad = 0;
    l[j] = i * 3;
    int *p;
    switch (i & 3) {
    case 0: p = a + i; break;
    case 1: p = l + j; break;
    case 2: p = own + (i >> 4); break;
    default: p = NULL; break;
    }
    const int want[4] = {1, 2 | 8, 4, 0};
    bad |= mask(p) != want[i & 3];
    bad |= (mask(a) != 1 || mask(l) != 10 || mask(own) != 4) << 1;
    __global int *g = to_global(p);
    __local int *s = to_local(p);
    __private int *q = to_private(p);
    if (g)
        bad |= (g != a + i || *g != (int)i) << 2;
    if (s)
        bad |= (s != l + j || *s != (int)i * 3) << 3;
    if (q)
        bad |= (q != own + (i >> 4) || *q != own[i >> 4]) << 4;
    bad |= ((g != NULL) + (s != NULL) + (q != NULL) != ((i & 3) != 3)) << 5;
    // There and back again, as integers too.
    ulong bits = (ulong)p;
    int *again = (int *)bits;
    bad |= (again != p || (bits == 0) != (p == NULL)) << 6;
    if (p)
        bad |= (*again != *p || (bits & 3) != 0 || (int *)(bits + 4) - p != 1) << 7;
    // NULL of one space is NULL of every other.
    __local int *none = (i & 4) ? NULL : l;
    int *generic_none = none;
    bad |= ((generic_none == NULL) != ((i & 4) != 0)) << 8;
    r[i] = bad;
}
