//! global: 256
//! arg 0: u16[256] = u16(i * 251)
//! arg 1: u16[1024] = 0
//! arg 2: u32[256] = 0
//! expect 2: 0
// Halves in memory: exact round trips, directed rounding, and the strides of vectors of three.
__kernel void test(__global const half *a, __global half *b, __global uint *r)
{
    size_t i = get_global_id(0);
    ushort bits = ((__global const ushort *)a)[i];
    float x = vload_half(i, a);
    uint bad = 0;
    if ((bits & 0x7c00) != 0x7c00) {
        vstore_half(x, i * 4, b);
        bad |= (((__global ushort *)b)[i * 4] != bits) << 0;
        if ((bits & 0x7fff) > 0x0400 && (bits & 0x7fff) < 0x7bff) {
            float more = as_float(as_uint(x) + 1);
            bool negative = bits >> 15;
            vstore_half_rtz(more, i * 4 + 1, b);
            bad |= (((__global ushort *)b)[i * 4 + 1] != bits) << 1;
            vstore_half_rtp(more, i * 4 + 2, b);
            bad |= (((__global ushort *)b)[i * 4 + 2] != bits + !negative) << 2;
            vstore_half_rtn(more, i * 4 + 3, b);
            bad |= (((__global ushort *)b)[i * 4 + 3] != bits + negative) << 3;
        }
    }
    size_t j = i & 31;
    float3 packed = vload_half3(j, a);
    float3 padded = vloada_half3(j, a);
    bad |= (isequal(packed.z, vload_half(j * 3 + 2, a)) == 0 && !isnan(packed.z)) << 4;
    bad |= (isequal(padded.y, vload_half(j * 4 + 1, a)) == 0 && !isnan(padded.y)) << 5;
    bad |= (isnan(x) != ((bits & 0x7fff) > 0x7c00)) << 6;
    bad |= (isinf(x) != ((bits & 0x7fff) == 0x7c00)) << 7;
    bad |= (signbit(x) != bits >> 15) << 8;
    r[i] = bad;
}
