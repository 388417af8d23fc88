//! global: 256
//! arg 0: u16[256] = u16(i * 0x9e3779b97f4a7c15 >> 48 ^ i * 77)
//! arg 1: u16[256] = u16((i * 0xd1342543de82ef95 >> 48) | 1)
//! arg 2: u16[256] = 0
//! expect 2: (u16(arg0 + arg1) ^ u16(arg0 - arg1 * 3)) + u16(arg0 / arg1) * 5 + arg0 % arg1
__kernel void test(__global const ushort *a, __global const ushort *b, __global ushort *r)
{
    size_t i = get_global_id(0);
    ushort x = a[i], y = b[i];
    r[i] = ((ushort)(x + y) ^ (ushort)(x - y * 3)) + (ushort)(x / y) * (ushort)5 + (ushort)(x % y);
}
