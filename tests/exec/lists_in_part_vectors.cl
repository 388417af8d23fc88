//! global: 24
//! local: 3
//! arg 0: i32[64] = i - 1
//! arg 1: i32[24] = 0
//! expect 1: i + 2 + 20
// Lanes that execute no work-item must not walk: for them the list may have no end. Local memory keeps the
// local size.
__kernel void test(__global const int *next, __global int *length)
{
    __local int lengths[3];
    int at = get_global_id(0) + 1, n = 0;
    while (at != -1) {
        n++;
        at = next[at];
    }
    for (int i = 0; i < 20; i++)
        n += next[i] * 0 + 1;
    lengths[get_local_id(0)] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    length[get_global_id(0)] = lengths[get_local_id(0)];
}
