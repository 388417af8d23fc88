//! global: 16
//! arg 0: f32[64] = 0
//! arg 1: u32[16] = 0
//! expect 1: 0
// length and normalize over the whole range of single precision, infinities as section 7.5.1 says.
__kernel void test(__global const float *zero, __global uint *bad)
{
    uint i = get_global_id(0), r = 0;
    float o = zero[i];
    float s = ldexp(1.0f, (int)i * 16 - 120) + o;
    float4 v = (float4)(3, 4, 0, 12) * s;
    r |= (length(v) != 13 * s) << 0;
    r |= (distance(v, (float4)(0)) != 13 * s) << 1;
    float4 n = normalize(v);
    r |= any(fabs(n - (float4)(3, 4, 0, 12) / 13.0f) > 0x1p-23f) << 2;
    // The small lane is 2^-125 of the large one; its quotient has all its bits.
    float big = 0x1p126f + o;
    float2 m = normalize((float2)(1.5f * 0x1p3f + o, big));
    r |= (m.x != 1.5f * 0x1p-123f || m.y != 1.0f) << 3;
    m = normalize((float2)(-INFINITY, 5.0f + o));
    r |= (m.x != -1.0f || m.y != 0.0f) << 4;
    float3 k = normalize((float3)(INFINITY, -3.0f + o, -INFINITY));
    r |= any(fabs(k - (float3)(1, 0, -1) * 0.70710678f) > 0x1p-23f) << 5;
    r |= !all(isnan(normalize((float2)(o, NAN)))) << 6;
    r |= !isnan(normalize((float2)(INFINITY, o + NAN)).y) << 9;
    r |= any(normalize((float4)(o)) != (float4)(0)) << 7;
    r |= (length((float2)(-INFINITY, o)) != INFINITY) << 8;
    bad[i] = r;
}
