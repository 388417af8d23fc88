//! global: 256
//! arg 0: u8[256] = u8(i * 0x9e3779b97f4a7c15 >> 56 ^ i * 77)
//! arg 1: u8[256] = u8((i * 0xd1342543de82ef95 >> 56) | 1)
//! arg 2: u8[256] = 0
//! expect 2: min(arg0, arg1) + max(arg0, arg1) * 3
__kernel void test(__global const uchar *a, __global const uchar *b, __global uchar *r)
{
    size_t i = get_global_id(0);
    uchar x = a[i], y = b[i];
    r[i] = min(x, y) + max(x, y) * (uchar)3;
}
