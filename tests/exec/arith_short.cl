//! global: 256
//! arg 0: i16[256] = i16(i * 0x9e3779b97f4a7c15 >> 48 ^ i * 77)
//! arg 1: i16[256] = i16((i * 0xd1342543de82ef95 >> 48) | 1)
//! arg 2: i16[256] = 0
//! expect 2: (i16(arg0 + arg1) ^ i16(arg0 - arg1 * 3)) + i16(arg0 / arg1) * 5 + arg0 % arg1
__kernel void test(__global const short *a, __global const short *b, __global short *r)
{
    size_t i = get_global_id(0);
    short x = a[i], y = b[i];
    r[i] = ((short)(x + y) ^ (short)(x - y * 3)) + (short)(x / y) * (short)5 + (short)(x % y);
}
