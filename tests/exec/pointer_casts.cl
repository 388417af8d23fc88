//! global: 16
//! arg 0: u32[16] = i * 16843009 + 0x01020304
//! arg 1: u32[16] = 0
//! expect 1: (arg0 & 255) * 1000 + (arg0 >> 16) + ((arg0 >> 8) & 255)
__kernel void test(__global const uint *a, __global uint *r)
{
    __global const uchar *bytes = (__global const uchar *)(a + get_global_id(0));
    __global const ushort *halves = (__global const ushort *)bytes;
    r[get_global_id(0)] = bytes[0] * 1000u + halves[1] + bytes[1];
}
