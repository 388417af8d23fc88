// Kernels of the tests of shared memory. kernels.spv is made of this by `pyroclast compile --emit il`, for machines
// without a compiler.

typedef struct Node {
    global struct Node *next;
    ulong value;
} Node;

// Sum and number of the nodes of a list.
kernel void walk(global Node *head, global ulong *out) {
    ulong sum = 0, count = 0;
    for (global Node *n = head; n; n = n->next) {
        sum += n->value;
        count++;
    }
    out[0] = sum;
    out[1] = count;
}

// Appends nodes of a pool to the list that ends with `tail`.
kernel void extend(global Node *tail, global Node *pool, uint count) {
    for (uint i = 0; i < count; i++) {
        pool[i].value = 1000 + i;
        pool[i].next = 0;
        tail->next = &pool[i];
        tail = &pool[i];
    }
}

// Adds to every value of a list, which may lie anywhere.
kernel void add(global Node *head, ulong amount) {
    for (global Node *n = head; n; n = n->next)
        n->value += amount;
}

kernel void scale(global uint *p, uint factor) {
    size_t i = get_global_id(0);
    p[i] = p[i] * factor + (uint)i;
}

// Uses what lies before the pointer.
kernel void before(global uint *p) { p[-1] += p[0]; }

// Uses memory whose address lies in memory.
kernel void follow(global ulong *cell, uint amount) {
    global uint *p = (global uint *)cell[get_global_id(0)];
    *p += amount;
}

kernel void is_null(global uint *p, global uint *out) { out[0] = p == 0; }

kernel void count(volatile global uint *p) { atomic_inc(p); }
