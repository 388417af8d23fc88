//! require: cl_khr_fp64
//! global: 64
//! arg 0: u16[256] = 0
//! arg 1: u32[64] = 0
//! expect 1: 0
// Doubles close to the middle of two halves: rounded once, not by way of single precision.
__kernel void test(__global half *h, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    double middle = 1.0 + (2 * (i & 31) + 1) * 0x1p-11;
    double x = i & 32 ? middle - 0x1p-50 : middle + 0x1p-50;
    double down = middle - 0x1p-11, up = middle + 0x1p-11;
    vstore_half(x, i * 4, h);
    r |= (vload_half(i * 4, h) != (i & 32 ? down : up)) << 0;
    vstore_half_rte(x, i * 4 + 1, h);
    r |= (vload_half(i * 4 + 1, h) != (i & 32 ? down : up)) << 1;
    vstore_half2((double2)(x, -x), i * 2 + 1, h);
    r |= (vload_half(i * 4 + 3, h) != (i & 32 ? -down : -up)) << 2;
    vstore_half_rtz(x, i * 4, h);
    r |= (vload_half(i * 4, h) != down) << 3;
    r |= (convert_double(vload_half(i * 4, h)) != down) << 4;
    r |= (convert_double_rtz((ulong)-1 >> (i & 1)) != (i & 1 ? 0x1.fffffffffffffp+62 : 0x1.fffffffffffffp+63)) << 5;
    double2 two = convert_double2((int2)(i, -(int)i));
    r |= (two.x != i || two.y != -(double)i) << 6;
    bad[i] = r;
}
