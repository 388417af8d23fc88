// Dot products of bytes, plain and saturating, and bit fields.
//! options: -cl-std=CL3.0
//! require: cl_khr_integer_dot_product cl_khr_extended_bit_ops
//! global: 64
//! arg 0: u32[64] = i * 2654435761
//! arg 1: u32[64] = (i + 7) * 2246822519
//! arg 2: u32[64] = 0
//! expect 2: 511
kernel void test(global const uint *x, global const uint *y, global uint *ok)
{
    size_t i = get_global_id(0);
    uint good = 0, a = x[i], b = y[i];
    uint uu = 0;
    int ss = 0, us = 0;
    for (int k = 0; k < 32; k += 8) {
        int ua = a >> k & 255, ub = b >> k & 255, sa = (char)ua, sb = (char)ub;
        uu += ua * ub, ss += sa * sb, us += ua * sb;
    }
    good |= (dot(as_uchar4(a), as_uchar4(b)) == uu && dot_4x8packed_uu_uint(a, b) == uu) << 0;
    good |= (dot(as_char4(a), as_char4(b)) == ss && dot_4x8packed_ss_int(a, b) == ss) << 1;
    good |= (dot(as_uchar4(a), as_char4(b)) == us && dot(as_char4(b), as_uchar4(a)) == us && dot_4x8packed_us_int(a, b) == us) << 2;
    good |= (dot_acc_sat(as_uchar4(a), as_uchar4(b), 0xffffffffu - uu / 2) == 0xffffffffu
             && dot_acc_sat_4x8packed_uu_uint(a, b, 5u) == uu + 5) << 3;
    good |= (dot_acc_sat(as_char4(a), as_char4(b), INT_MAX) == (ss < 0 ? INT_MAX + ss : INT_MAX)
             && dot_acc_sat_4x8packed_ss_int(a, b, INT_MIN) == (ss > 0 ? INT_MIN + ss : INT_MIN)) << 4;
    good |= (dot_acc_sat_4x8packed_us_int(a, b, INT_MIN) == (us > 0 ? INT_MIN + us : INT_MIN)) << 5;
    uint at = i % 13, n = 1 + i % 19, mask = (1u << n) - 1;
    good |= (bitfield_insert(a, b, at, n) == (a & ~(mask << at) | (b & mask) << at) && bitfield_insert(a, b, 3, 0) == a) << 6;
    good |= (bitfield_extract_unsigned(a, at, n) == (a >> at & mask)
             && bitfield_extract_signed((short)a, 4, 7) == (short)((short)((ushort)a << 5) >> 9)) << 7;
    uchar4 r = bit_reverse(as_uchar4(a));
    good |= (bit_reverse(bit_reverse((ulong)a << 20)) == (ulong)a << 20 && (r.x >> 7) == (a & 1) && bit_reverse(a) >> 31 == (a & 1)) << 8;
    ok[i] = good;
}
