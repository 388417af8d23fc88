//! global: 64
//! arg 0: u8[256] = i % 4 == 1 ? 0 : i % 250 + 1
//! arg 1: u8[256] = 200
//! arg 2: u16[256] = i % 2 == 1 ? 0 : i + 1
//! arg 3: u16[256] = 40000
//! arg 4: u32[64] = 0
//! expect 4: 0
// Division of small integers by zero has any result, which leaves the other components as they are.
__kernel void test(__global const uchar4 *a, __global uchar4 *q, __global const ushort2 *b,
                   __global ushort2 *h, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    uchar4 x = q[i] / a[i], y = q[i] % a[i];
    ushort2 z = h[i] / b[i], w = h[i] % b[i];
    q[i] = x;
    h[i] = z;
    r |= (q[i].x != 200 / a[i].x || q[i].z != 200 / a[i].z || q[i].w != 200 / a[i].w) << 0;
    r |= (h[i].x != 40000 / b[i].x) << 1;
    q[i] = y;
    h[i] = w;
    r |= (q[i].x != 200 % a[i].x || q[i].z != 200 % a[i].z || q[i].w != 200 % a[i].w) << 2;
    r |= (h[i].x != 40000 % b[i].x) << 3;
    r |= ((uint)x.y > 255 || (uint)y.y > 255 || (uint)z.y > 65535 || (uint)w.y > 65535) << 4;
    bad[i] = r;
}
