//! global: 64
//! arg 0: u32[1024] = i * 2654435761
//! arg 1: u32[64] = 0
//! expect 1: 0
// What was just written with one type is read with others, and written again, also from one turn of a loop to the next.
__kernel void test(__global uint *p, __global uint *r)
{
    uint i = get_global_id(0), bad = 0;
    __global uint *own = p + i * 16;
    __global uchar *bytes = (__global uchar *)own;
    __global ushort *shorts = (__global ushort *)own;
    __global float *floats = (__global float *)own;
    __global uint4 *vectors = (__global uint4 *)own;
    own[0] = 0x01020304u + i;
    bad |= (bytes[1] != 3 || shorts[1] != 0x0102) << 0;
    bytes[2] = 0x77;
    bad |= (own[0] != 0x01770304u + i || shorts[1] != 0x0177) << 1;
    shorts[0] = 0xabcd;
    bad |= (own[0] != 0x0177abcdu || bytes[1] != 0xab) << 2;
    floats[1] = (float)i;
    bad |= (own[1] != as_uint((float)i)) << 3;
    own[1] = as_uint(2.5f);
    bad |= (floats[1] != 2.5f) << 4;
    vectors[1] = (uint4)(i, i + 1, i + 2, i + 3);
    bad |= (own[6] != i + 2 || bytes[20] != (uchar)(i + 1)) << 5;
    own[7] = 99;
    bad |= (vectors[1].w != 99 || vectors[1].x != i) << 6;
    own[8] = 0;
    for (uint n = 0; n < 20; n++) {
        bytes[32 + (n & 3)] += n + 1;
        own[8] += 0x01000100u;
    }
    uint want = 0;
    for (uint n = 0; n < 20; n++) {
        uint at = (n & 3) * 8;
        want = (want & ~(0xffu << at)) | (((want >> at & 0xff) + n + 1 & 0xff) << at);
        want += 0x01000100u;
    }
    bad |= (own[8] != want) << 7;
    r[i] = bad;
}
