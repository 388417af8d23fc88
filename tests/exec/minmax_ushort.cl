//! global: 256
//! arg 0: u16[256] = u16(i * 0x9e3779b97f4a7c15 >> 48 ^ i * 77)
//! arg 1: u16[256] = u16((i * 0xd1342543de82ef95 >> 48) | 1)
//! arg 2: u16[256] = 0
//! expect 2: min(arg0, arg1) + max(arg0, arg1) * 3
__kernel void test(__global const ushort *a, __global const ushort *b, __global ushort *r)
{
    size_t i = get_global_id(0);
    ushort x = a[i], y = b[i];
    r[i] = min(x, y) + max(x, y) * (ushort)3;
}
