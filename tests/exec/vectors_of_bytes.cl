//! global: 4
//! arg 0: u32[16] = i * 2654435761
//! arg 1: u32[64] = 0
//! expect 1: 0
// Bytes that are written and read as vectors of many widths: LLVM makes vectors of 64 bytes of them, which clang's back
// end cannot write.
void clear(uchar *p, uchar c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = c;
}

uint differ(const uchar *p, const uchar *q, size_t n)
{
    uint count = 0;
    for (size_t i = 0; i < n; i++)
        count += p[i] != q[i];
    return count;
}

#define TRY(from, to)                                                                \
    {                                                                                \
        from in = *(from *)data;                                                     \
        clear((uchar *)&out, 0, sizeof(out));                                        \
        *(to *)&out = as_##to(in);                                                   \
        wrong += differ((uchar *)&out, (uchar *)data, sizeof(to));                   \
    }

kernel void test(global const uint *bytes, global uint *result)
{
    char data[128] __attribute__((aligned(128)));
    char out[128] __attribute__((aligned(128)));
    uint wrong = 0;
    for (int i = 0; i < 128; i++)
        data[i] = bytes[i / 8] >> (i % 4 * 8);
    TRY(ulong8, uint16)
    TRY(uint16, ulong8)
    TRY(ushort16, uint8)
    TRY(uchar16, ulong2)
    for (int i = 0; i < 16; i++)
        result[get_global_id(0) * 16 + i] = wrong;
}
