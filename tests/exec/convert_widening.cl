//! global: 64
//! arg 0: i8[64] = i * 4 - 128
//! arg 1: u32[64] = 0
//! expect 1: 0
// Explicit conversions between integers know the sign of what they widen.
#define TO(type, x) convert_##type(x)
__kernel void test(__global const char *a, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    char x = a[i];
    uchar u = as_uchar(x);
    r |= (convert_int(x) != (int)x) << 0;
    r |= (convert_ushort(u) != (ushort)u) << 1;
    r |= (convert_long_rte(x) != (long)x) << 2;
    r |= (TO(ulong, u) != (ulong)u) << 3;
    r |= any(convert_short2((char2)(x, -x)) != (short2)(x, (char)-x)) << 4;
    bad[i] = r;
}
