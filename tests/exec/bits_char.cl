//! global: 256
//! arg 0: i8[256] = i8(i * 0x9e3779b97f4a7c15 >> 56 ^ i * 77)
//! arg 1: i8[256] = i8((i * 0xd1342543de82ef95 >> 56) | 1)
//! arg 2: i8[256] = 0
//! expect 2: (i8(arg0 << (arg1 & 7)) ^ (arg0 >> (arg1 & 7))) + ((arg0 & arg1) | (~arg0 ^ arg1))
__kernel void test(__global const char *a, __global const char *b, __global char *r)
{
    size_t i = get_global_id(0);
    char x = a[i], y = b[i];
    r[i] = ((char)(x << (y & 7)) ^ (char)(x >> (y & 7))) + (char)((x & y) | (~x ^ y));
}
