//! global: 64
//! local: 16
//! arg 0: u8[68] = i * 7 + 3
//! arg 1: u16[68] = i * 1031 + 5
//! arg 2: u8[320] = 77
//! arg 3: u16[192] = 77
//! arg 4: u32[64] = 0
//! expect 4: 0
// vloadn and vstoren need the alignment of an element only, also where vectors are accessed by words.
__constant uchar table[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 10, 11, 12};
__kernel void test(__global const uchar *a, __global const ushort *s, __global uchar *out_a,
                   __global ushort *out_s, __global uint *bad)
{
    __local uchar local_a[16 * 5];
    __local ushort local_s[16 * 3];
    uint i = get_global_id(0), l = get_local_id(0), k = i % 8, r = 0;
    uchar4 v = vload4(0, a + i);
    ushort2 w = vload2(0, s + i);
    r |= any(v != (uchar4)(a[i], a[i + 1], a[i + 2], a[i + 3])) << 0;
    r |= any(w != (ushort2)(s[i], s[i + 1])) << 1;
    uchar4 c = vload4(0, table + k);
    r |= any(c != (uchar4)(table[k], table[k + 1], table[k + 2], table[k + 3])) << 2;

    vstore4(v, 0, out_a + i * 5 + 1);
    vstore2(w, 0, out_s + i * 3 + 1);
    r |= (out_a[i * 5] != 77 || out_a[i * 5 + 1] != v.x || out_a[i * 5 + 4] != v.w) << 3;
    r |= (out_s[i * 3] != 77 || out_s[i * 3 + 1] != w.x || out_s[i * 3 + 2] != w.y) << 4;

    local_a[l * 5] = 66;
    local_s[l * 3] = 66;
    vstore4(v, 0, local_a + l * 5 + 1);
    vstore2(w, 0, local_s + l * 3 + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint n = 15 - l;
    uchar4 lv = vload4(0, local_a + n * 5 + 1);
    ushort2 lw = vload2(0, local_s + n * 3 + 1);
    r |= (local_a[n * 5] != 66 || lv.x != a[i - l + n] || lv.y != local_a[n * 5 + 2]) << 5;
    r |= (local_s[n * 3] != 66 || lw.x != s[i - l + n] || lw.y != local_s[n * 3 + 2]) << 6;

    uchar own_a[12];
    ushort own_s[12];
    for (uint j = 0; j < 12; j++) {
        own_a[j] = j + 1;
        own_s[j] = j + 1;
    }
    vstore4(v, 0, own_a + k);
    vstore2(w, 0, own_s + k);
    r |= (any(vload4(0, own_a + k) != v) || own_a[k + 4] != k + 5) << 7;
    r |= (any(vload2(0, own_s + k) != w) || own_s[k + 2] != k + 3) << 8;
    r |= (own_a[k + 1] != v.y || own_s[k + 1] != w.y) << 9;
    bad[i] = r;
}
