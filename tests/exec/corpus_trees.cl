//! options: -cl-std=CL3.0
//! kernel: build test
//! global: 128
//! local: 32
//! arg 0: i32[128] = (i * 37) % 128
//! arg 1: i32[128] = 0
//! arg 2: i32[1024] = 0
//! expect 1: 0
// Trees with indices and with pointers in a buffer, a bounding-volume walk with a private stack, a list with pointers.
typedef struct { int key, left, right, value; } node;
typedef struct item { int value; __global struct item *next; } item;
int insert(__global node *nodes, int *count, int key)
{
    int at = 0, n = *count;
    nodes[n].key = key;
    nodes[n].left = nodes[n].right = -1;
    nodes[n].value = key * key;
    *count = n + 1;
    if (n == 0)
        return 0;
    for (;;) {
        __global int *link = key < nodes[at].key ? &nodes[at].left : &nodes[at].right;
        if (*link < 0) {
            *link = n;
            return n;
        }
        at = *link;
    }
}
__kernel void build(__global const int *keys, __global int *out, __global int *memory)
{
    if (get_global_id(0) != 0)
        return;
    int count = 0;
    for (int k = 0; k < 128; k++)
        insert((__global node *)memory, &count, keys[k]);
    __global item *items = (__global item *)(memory + 512);
    for (int k = 0; k < 64; k++) {
        items[k].value = k;
        items[k].next = k + 3 < 64 ? &items[k + 3] : 0;
    }
}
int find(__global const node *nodes, int key)
{
    int at = 0;
    while (at >= 0 && nodes[at].key != key)
        at = key < nodes[at].key ? nodes[at].left : nodes[at].right;
    return at < 0 ? -1 : nodes[at].value;
}
// Sum of the values of keys in a range, by a stack of node indices.
int range_sum(__global const node *nodes, int low, int high)
{
    int stack[128], top = 0, sum = 0;
    stack[top++] = 0;
    while (top) {
        __global const node *n = nodes + stack[--top];
        if (n->key >= low && n->key <= high)
            sum += n->value;
        if (n->left >= 0 && n->key > low)
            stack[top++] = n->left;
        if (n->right >= 0 && n->key <= high)
            stack[top++] = n->right;
    }
    return sum;
}
__kernel void test(__global const int *keys, __global int *out, __global int *memory)
{
    int i = get_global_id(0), bad = 0;
    __global const node *nodes = (__global const node *)memory;
    bad |= find(nodes, i) != i * i || find(nodes, i + 128) != -1;
    int want = 0;
    for (int k = i / 2; k <= i; k++)
        want += k * k;
    bad |= (range_sum(nodes, i / 2, i) != want) << 1;
    int sum = 0, length = 0;
    for (__global const item *p = (__global const item *)(memory + 512) + i % 3; p; p = p->next, length++)
        sum += p->value;
    int first = i % 3, n = (63 - first) / 3 + 1;
    bad |= (length != n || sum != n * first + 3 * n * (n - 1) / 2) << 2;
    out[i] = bad;
}
