//! options: -cl-std=CL3.0
//! kernel: clear insert test
//! global: 256
//! local: 64
//! arg 0: u32[256] = i * 2654435761 + 1
//! arg 1: i32[256] = 0
//! arg 2: u32[2048] = 12345
//! expect 1: i * 3 + 1
// A hash table with open addressing in a buffer of keys and values, filled by all work-items at once.
#define SLOTS 1024u
#define EMPTY 0xffffffffu
typedef struct { volatile __global uint *keys; __global uint *values; uint mask; } table;
uint hash(uint k)
{
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    return k ^ k >> 16;
}
table open(__global uint *memory)
{
    table t = {memory, memory + SLOTS, SLOTS - 1};
    return t;
}
bool put(const table *t, uint key, uint value)
{
    for (uint at = hash(key) & t->mask, n = 0; n < SLOTS; at = (at + 1) & t->mask, n++) {
        uint old = atomic_cmpxchg(&t->keys[at], EMPTY, key);
        if (old == EMPTY || old == key) {
            t->values[at] = value;
            return true;
        }
    }
    return false;
}
int get(const table *t, uint key)
{
    uint at = hash(key) & t->mask;
    while (t->keys[at] != key) {
        if (t->keys[at] == EMPTY)
            return -1;
        at = (at + 1) & t->mask;
    }
    return t->values[at];
}
__kernel void clear(__global const uint *in, __global int *out, __global uint *memory)
{
    for (uint k = get_global_id(0); k < SLOTS; k += get_global_size(0))
        memory[k] = EMPTY;
}
__kernel void insert(__global const uint *in, __global int *out, __global uint *memory)
{
    table t = open(memory);
    uint i = get_global_id(0);
    out[i] = put(&t, in[i], i * 3 + 1) ? 0 : -5;
}
__kernel void test(__global const uint *in, __global int *out, __global uint *memory)
{
    table t = open(memory);
    size_t i = get_global_id(0);
    int absent = get(&t, in[i] ^ 0x55u);
    out[i] += get(&t, in[i]) + (absent < 0 ? 0 : 1000 * (absent >= 1024));
}
