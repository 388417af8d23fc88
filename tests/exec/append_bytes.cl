//! global: 256
//! arg 0: i64[256] = i * 0x9e3779b97f4a7c15
//! arg 1: i32[256] = 0
//! expect 1: 0
// Data of 32 bytes is appended to a block at any place, as hash functions do: in big-endian order of 64 and 32
// bits, and in order. Bits of the result tell in which of them the block has wrong bytes.
#define BYTE(words, n) ((uchar)((words)[(n) / 8] >> ((n) % 8 * 8)))
int check(ulong *block, const ulong *data, int first, int flip)
{
    int wrong = 0;
    for (int j = 0; j < 64; j++) {
        int k = (j ^ flip) - first;
        uchar want = k >= 0 && k < 32 ? BYTE(data, k ^ flip) : (uchar)(j * 3 + 1);
        wrong += BYTE(block, j) != want;
    }
    return wrong != 0;
}
void fill(ulong *block)
{
    for (int w = 0; w < 8; w++) {
        block[w] = 0;
        for (int j = 0; j < 8; j++)
            block[w] |= (ulong)(uchar)((w * 8 + j) * 3 + 1) << j * 8;
    }
}
__kernel void test(__global const ulong *in, __global int *r)
{
    size_t i = get_global_id(0);
    int first = i % 33;
    ulong data[4] = { in[i], in[i] * 3, ~in[i], in[i] >> 7 }, block[8];
    fill(block);
    for (int k = 0, p = first; k < 32; k++, p++)
        ((uchar *)block)[p ^ 7] = ((uchar *)data)[k ^ 7];
    int wrong = check(block, data, first, 7);
    fill(block);
    for (int k = 0, p = first; k < 32; k++, p++)
        ((uchar *)block)[p ^ 3] = ((uchar *)data)[k ^ 3];
    wrong |= check(block, data, first, 3) << 1;
    fill(block);
    for (int k = 0, p = first; k < 32; k++, p++)
        ((uchar *)block)[p] = ((uchar *)data)[k];
    wrong |= check(block, data, first, 0) << 2;
    r[i] = wrong;
}
