//! global: 64
//! arg 0: i32[64] = i % 4
//! arg 1: i32[64] = 0
//! arg 2: i16[128] = i
//! expect 1: (arg0 == 0 ? 118 : arg0 == 1 ? 22 : arg0 == 2 ? 44 : 66) + 256 * (arg0 * 20 + 12)
// Members of packed records, and elements of arrays in them, lie at less than the alignment of their types.
typedef struct __attribute__((packed)) {
    uchar head[4];
    short8 rows[2];
} Record;
constant Record table[4] = {
    { { 1, 2, 3, 4 }, { (short8)(4), (short8)(118, 1, 2, 3, 4, 5, 6, 7) } },
    { { 5 }, { (short8)(11), (short8)(22) } },
    { { 6 }, { (short8)(33), (short8)(44) } },
    { { 7 }, { (short8)(55), (short8)(66) } },
};
__kernel void test(__global const int *a, __global int *r, __global const Record *records)
{
    size_t i = get_global_id(0);
    short from_table = i % 8 < 4 ? table[a[i]].rows[1].s0 : (*(table[a[i]].rows + 1)).s0;
    // A record has 18 shorts; its second row begins after 2 + 8.
    short8 row = i % 16 < 8 ? records[a[i]].rows[1] : *(&records[a[i]].rows[0] + 1);
    r[i] = from_table + 256 * (row.s2 + 2 * a[i]);
}
