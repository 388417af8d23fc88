//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 32
//! local: 8
//! arg 0: i32[32] = i * 11 + 3
//! arg 1: i32[32] = 0
//! arg 2: u64[96] = 0
//! expect 1: 0
// Pointers of every space stored in private, local and global memory and loaded again, at run-time indices.
typedef struct node { int value; struct node *next; } node;
typedef struct { int *first; __local int *second; __private int *third; __global int *fourth; } holder;
int chain(const node *n)
{
    int sum = 0;
    for (; n; n = n->next)
        sum = sum * 3 + n->value;
    return sum;
}
__kernel void test(__global int *a, __global int *r, __global ulong *memory)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int bad = 0, x = a[i];
    int own[3] = {x, x + 1, x + 2};
    __local int shared[8];
    shared[j] = x - 1;
    // An array of pointers into three spaces.
    int *list[6] = {own, &shared[j], (int *)(a + i), own + 2, NULL, own + 1};
    int sum = 0;
    for (int k = 0; k < 6; k++) {
        int *p = list[(k + i) % 6];
        if (p)
            sum += *p;
    }
    bad |= sum != x + (x - 1) + x + (x + 2) + (x + 1);
    // Pointers to pointers.
    int **slot = &list[i % 4];
    **slot += 5;
    const int after[4] = {own[0], shared[j], a[i], own[2]}, before[4] = {x, x - 1, x, x + 2};
    bad |= (after[i % 4] != before[i % 4] + 5) << 1;
    // In global memory.
    memory[3 * i] = (ulong)&own[1];
    *(__global int *__global *)(memory + 3 * i + 1) = a + i;
    ((int *__global *)memory)[3 * i + 2] = &shared[j];
    int *back = ((int *__global *)memory)[3 * i + i % 3];
    bad |= (*back != (i % 3 == 0 ? own[1] : i % 3 == 1 ? a[i] : shared[j])) << 2;
    // A chain through three spaces.
    __local node heads[8];
    node mine = {x, NULL}, last = {7, NULL};
    heads[j].value = 2;
    heads[j].next = &mine;
    mine.next = (i & 1) ? &last : NULL;
    const node *head = (i & 2) ? (const node *)&heads[j] : &mine;
    int want = (i & 2) ? 2 * 3 + x : x;
    if (i & 1)
        want = want * 3 + 7;
    bad |= (chain(head) != want) << 3;
    // A structure of pointers of known spaces, chosen at run time.
    holder h[2];
    for (int k = 0; k < 2; k++) {
        h[k].first = k ? (int *)&shared[j] : own;
        h[k].second = k ? NULL : &shared[j];
        h[k].third = &own[k];
        h[k].fourth = a + i;
    }
    holder *c = &h[i & 1];
    bad |= (*c->first != ((i & 1) ? shared[j] : own[0]) || (c->second == NULL) != (i & 1) || *c->third != own[i & 1]
        || *c->fourth != a[i]) << 4;
    // Pointers to private memory in private memory, compared and moved.
    __private int *ends[2] = {own, own + 3};
    int count = 0;
    for (__private int *p = ends[0]; p < ends[1 - (int)(i >> 6)]; p++)
        count += p >= ends[0];
    bad |= (count != 3) << 5;
    r[i] = bad;
}
