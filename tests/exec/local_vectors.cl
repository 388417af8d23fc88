//! global: 256
//! local: 64
//! arg 0: i32[256] = i * 0x9e3779b9
//! arg 1: i32[256] = 0
//! expect 1: 0
// Neighbouring elements of arrays in local memory, read and written by several at a time, at places of every
// alignment and while others are written between. Bits of the result tell which of them were wrong.
__kernel void test(__global const int *in, __global int *r)
{
    __local int words[4][20];
    __local int2 pairs[64];
    __local ulong longs[64];
    __local float unaligned[67];
    const int l = get_local_id(0), group = get_group_id(0) * 64;
    __global const int *own = in + group;
    for (int i = l; i < 80; i += 64)
        words[i / 20][i % 20] = own[i & 63];
    pairs[l] = (int2)(own[l], own[63 - l]);
    longs[l] = upsample(own[l], (uint)l);
    unaligned[l] = own[l] & 0xffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    int wrong = 0, row = l & 3;
    for (int i = 0; i < 20; i += 4)
        for (int k = 0; k < 4; k++)
            wrong |= words[row][i + k] != own[(row * 20 + i + k) & 63];
    int at = l & ~1;
    int2 a = pairs[at], b = pairs[at + 1];
    wrong |= (a.x != own[at] || a.y != own[63 - at] || b.x != own[at + 1] || b.y != own[62 - at]) << 1;
    ulong c = longs[at + 1], d = longs[at];
    wrong |= (c != upsample(own[at + 1], (uint)at + 1) || d != upsample(own[at], (uint)at)) << 2;
    if (l < 60) {
        float sum = unaligned[l] + unaligned[l + 1] * 2 + unaligned[l + 2] * 3 + unaligned[l + 3] * 4;
        float want = 0;
        for (int k = 0; k < 4; k++)
            want += (own[l + k] & 0xffff) * (k + 1);
        wrong |= (sum != want) << 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) {
        // Two of the four words are read between the stores.
        words[0][l & ~3] = l & 3;
    }
    if (l < 20) {
        words[1][l] = l;
        int before = words[1][l] * 2;
        words[1][l] = before;
        wrong |= (words[1][l] != l * 2) << 4;
    }
    if (l == 0) {
        words[2][4] = 40;
        words[2][5] = 50;
        words[2][6] = words[2][4] + 20;
        words[2][7] = words[2][5] + 20;
        words[2][own[0] & 7] += 1;
        words[2][8] = 80;
        words[2][9] = 90;
        words[2][10] = words[2][8] + words[2][9];
        words[2][11] = 7;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int extra = own[0] & 7;
    for (int k = 4; k < 8; k++)
        wrong |= (words[2][k] != k * 10 + (k == extra)) << 5;
    wrong |= (words[2][8] != 80 || words[2][9] != 90 || words[2][10] != 170 || words[2][11] != 7) << 6;
    r[group + l] = wrong;
}
