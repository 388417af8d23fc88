// Texels of images in the memory of the processor. An image is the address of a `pc_image`, which the runtime makes of the
// format (`native::image_descriptor` in the compiler): which bits of a texel each component has, and what kind of number they
// are. All of that is the same for all work-items, so the choices below are control flow.
// Conversions are those of section 8.3 of the C specification. Reads and writes outside of the image do nothing.
#include "common.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define UNORM 0u
#define SNORM 1u
#define SIGNED 2u
#define UNSIGNED 3u
#define HALF 4u
#define FLOAT 5u
#define SRGB 6u
#define UNORM8X4 7u
#define FLOATX4 8u

typedef struct {
    // Address of the first texel, bytes from a row (or layer of a 1D array) to the next, and from a slice to the next.
    ulong base, row, slice;
    uint size[3];
    // cl_channel_order in the high half, cl_channel_type in the low one.
    uint format;
    // Bytes of a texel: 1, 2, 4, 8 or 16.
    uint element;
    uint kind;
    // Shift that brings the sign of SNORM and SIGNED into the highest bit.
    uint extend;
    // Levels of detail. A structure for each follows that of the first.
    uint levels;
    // Of red, green, blue and alpha: the first bit, ones for its bits (0 if reads ignore it), what it is then (0 or 1), and
    // ones for its bits if writes store it.
    uint shift[4], mask[4], other[4], stored[4];
} pc_image;

typedef const __constant pc_image *pc_image_ptr;

// The sRGB curve, by code.
__constant float pc_srgb[256] = {
    0.0f, 0x1.3e4568p-12f, 0x1.3e4568p-11f, 0x1.dd681cp-11f, 0x1.3e4568p-10f, 0x1.8dd6c2p-10f, 0x1.dd681cp-10f, 0x1.167cbap-9f,
    0x1.3e4568p-9f, 0x1.660e14p-9f, 0x1.8dd6c2p-9f, 0x1.b6a31cp-9f, 0x1.e1e31ep-9f, 0x1.07c38cp-8f, 0x1.1fcc2cp-8f, 0x1.390ffap-8f,
    0x1.53936cp-8f, 0x1.6f5adep-8f, 0x1.8c6a94p-8f, 0x1.aac6cp-8f, 0x1.ca7382p-8f, 0x1.eb74e2p-8f, 0x1.06e76cp-7f, 0x1.18c2a6p-7f,
    0x1.2b4e0ap-7f, 0x1.3e8b7cp-7f, 0x1.527cd6p-7f, 0x1.6723eep-7f, 0x1.7c8292p-7f, 0x1.929a88p-7f, 0x1.a96d92p-7f, 0x1.c0fd68p-7f,
    0x1.d94bbep-7f, 0x1.f25a44p-7f, 0x1.061552p-6f, 0x1.135f3ep-6f, 0x1.210bb8p-6f, 0x1.2f1b8cp-6f, 0x1.3d8f84p-6f, 0x1.4c6866p-6f,
    0x1.5ba6fap-6f, 0x1.6b4c04p-6f, 0x1.7b5842p-6f, 0x1.8bcc74p-6f, 0x1.9ca958p-6f, 0x1.adefaap-6f, 0x1.bfa02p-6f, 0x1.d1bb74p-6f,
    0x1.e4425ap-6f, 0x1.f73586p-6f, 0x1.054ad4p-5f, 0x1.0f31bap-5f, 0x1.194fccp-5f, 0x1.23a55ep-5f, 0x1.2e32c8p-5f, 0x1.38f86p-5f,
    0x1.43f678p-5f, 0x1.4f2d64p-5f, 0x1.5a9d76p-5f, 0x1.664702p-5f, 0x1.722a56p-5f, 0x1.7e47c8p-5f, 0x1.8a9fa4p-5f, 0x1.97323ap-5f,
    0x1.a3ffd8p-5f, 0x1.b108dp-5f, 0x1.be4d6cp-5f, 0x1.cbcdfap-5f, 0x1.d98ac6p-5f, 0x1.e7841cp-5f, 0x1.f5ba48p-5f, 0x1.0216cap-4f,
    0x1.096f26p-4f, 0x1.10e65cp-4f, 0x1.187c9p-4f, 0x1.2031e8p-4f, 0x1.280688p-4f, 0x1.2ffa92p-4f, 0x1.380e2ap-4f, 0x1.404174p-4f,
    0x1.489494p-4f, 0x1.5107acp-4f, 0x1.599adep-4f, 0x1.624e4ep-4f, 0x1.6b221ep-4f, 0x1.74167p-4f, 0x1.7d2b66p-4f, 0x1.86612p-4f,
    0x1.8fb7cp-4f, 0x1.992f68p-4f, 0x1.a2c83ap-4f, 0x1.ac8256p-4f, 0x1.b65ddcp-4f, 0x1.c05aecp-4f, 0x1.ca79a8p-4f, 0x1.d4ba3p-4f,
    0x1.df1ca2p-4f, 0x1.e9a12p-4f, 0x1.f447cap-4f, 0x1.ff10bcp-4f, 0x1.04fe0cp-3f, 0x1.0a84fep-3f, 0x1.101d44p-3f, 0x1.15c6eep-3f,
    0x1.1b8208p-3f, 0x1.214ea6p-3f, 0x1.272cd4p-3f, 0x1.2d1ca2p-3f, 0x1.331e1ep-3f, 0x1.393158p-3f, 0x1.3f566p-3f, 0x1.458d42p-3f,
    0x1.4bd60ep-3f, 0x1.5230d4p-3f, 0x1.589dap-3f, 0x1.5f1c84p-3f, 0x1.65ad8ap-3f, 0x1.6c50c4p-3f, 0x1.73063ep-3f, 0x1.79ce06p-3f,
    0x1.80a82ep-3f, 0x1.8794cp-3f, 0x1.8e93ccp-3f, 0x1.95a55ep-3f, 0x1.9cc986p-3f, 0x1.a40052p-3f, 0x1.ab49cep-3f, 0x1.b2a60ap-3f,
    0x1.ba1512p-3f, 0x1.c196f4p-3f, 0x1.c92bbep-3f, 0x1.d0d37cp-3f, 0x1.d88e3ep-3f, 0x1.e05c0ep-3f, 0x1.e83cfcp-3f, 0x1.f03116p-3f,
    0x1.f83866p-3f, 0x1.00297ep-2f, 0x1.044072p-2f, 0x1.086116p-2f, 0x1.0c8b7p-2f, 0x1.10bf86p-2f, 0x1.14fd6p-2f, 0x1.194502p-2f,
    0x1.1d9676p-2f, 0x1.21f1bep-2f, 0x1.2656e4p-2f, 0x1.2ac5ecp-2f, 0x1.2f3edep-2f, 0x1.33c1cp-2f, 0x1.384e98p-2f, 0x1.3ce56cp-2f,
    0x1.418642p-2f, 0x1.46312p-2f, 0x1.4ae60ep-2f, 0x1.4fa51p-2f, 0x1.546e2cp-2f, 0x1.59416cp-2f, 0x1.5e1edp-2f, 0x1.630664p-2f,
    0x1.67f82ap-2f, 0x1.6cf428p-2f, 0x1.71fa68p-2f, 0x1.770aecp-2f, 0x1.7c25bcp-2f, 0x1.814adcp-2f, 0x1.867a54p-2f, 0x1.8bb428p-2f,
    0x1.90f86p-2f, 0x1.9647p-2f, 0x1.9ba01p-2f, 0x1.a10394p-2f, 0x1.a67192p-2f, 0x1.abea1p-2f, 0x1.b16d14p-2f, 0x1.b6faa4p-2f,
    0x1.bc92c6p-2f, 0x1.c2357ep-2f, 0x1.c7e2d2p-2f, 0x1.cd9acap-2f, 0x1.d35d6ap-2f, 0x1.d92ab6p-2f, 0x1.df02b8p-2f, 0x1.e4e57p-2f,
    0x1.ead2e8p-2f, 0x1.f0cb26p-2f, 0x1.f6ce2cp-2f, 0x1.fcdcp-2f, 0x1.017a56p-1f, 0x1.048c18p-1f, 0x1.07a34ap-1f, 0x1.0abfeep-1f,
    0x1.0de208p-1f, 0x1.11099ap-1f, 0x1.1436a8p-1f, 0x1.176932p-1f, 0x1.1aa13ep-1f, 0x1.1ddecap-1f, 0x1.2121dep-1f, 0x1.246a7ap-1f,
    0x1.27b8ap-1f, 0x1.2b0c54p-1f, 0x1.2e6598p-1f, 0x1.31c46ep-1f, 0x1.3528dcp-1f, 0x1.3892ep-1f, 0x1.3c028p-1f, 0x1.3f77bcp-1f,
    0x1.42f29ap-1f, 0x1.467318p-1f, 0x1.49f93ep-1f, 0x1.4d850ap-1f, 0x1.511682p-1f, 0x1.54ada4p-1f, 0x1.584a78p-1f, 0x1.5becfep-1f,
    0x1.5f9538p-1f, 0x1.634328p-1f, 0x1.66f6d4p-1f, 0x1.6ab03ap-1f, 0x1.6e6f6p-1f, 0x1.723448p-1f, 0x1.75fef4p-1f, 0x1.79cf64p-1f,
    0x1.7da59ep-1f, 0x1.8181a4p-1f, 0x1.856378p-1f, 0x1.894b1cp-1f, 0x1.8d3892p-1f, 0x1.912bdep-1f, 0x1.9525p-1f, 0x1.9923fep-1f,
    0x1.9d28d8p-1f, 0x1.a13392p-1f, 0x1.a5442cp-1f, 0x1.a95aacp-1f, 0x1.ad771p-1f, 0x1.b1995ep-1f, 0x1.b5c198p-1f, 0x1.b9efbep-1f,
    0x1.be23d4p-1f, 0x1.c25ddep-1f, 0x1.c69ddcp-1f, 0x1.cae3d2p-1f, 0x1.cf2fcp-1f, 0x1.d381aap-1f, 0x1.d7d994p-1f, 0x1.dc377ep-1f,
    0x1.e09b6ap-1f, 0x1.e5055cp-1f, 0x1.e97556p-1f, 0x1.edeb5cp-1f, 0x1.f2676cp-1f, 0x1.f6e98cp-1f, 0x1.fb71bcp-1f, 0x1.0p+0f,
};

static inline int pc_inside(pc_image_ptr d, int x, int y, int z)
{
    return (uint)x < d->size[0] && (uint)y < d->size[1] && (uint)z < d->size[2];
}

static inline ulong pc_row(pc_image_ptr d, int y, int z) { return d->base + (ulong)(uint)z * d->slice + (ulong)(uint)y * d->row; }

static inline uint4 pc_load4(const __constant uint *of) { return vload4(0, of); }

// The bits of the components of a texel. A texel of 16 bytes holds one in each word, in order.
static inline uint4 pc_bits(pc_image_ptr d, int x, int y, int z)
{
    const __global uchar *p = (const __global uchar *)pc_row(d, y, z);
    long i = x;
    uint4 first = pc_load4(d->shift), v;
    switch (d->element) {
    case 1: v = (uint4)(p[i]); break;
    case 2: v = (uint4)(((const __global ushort *)p)[i]); break;
    case 4: v = (uint4)(((const __global uint *)p)[i]); break;
    case 8: {
        uint2 w = vload2(i, (const __global uint *)p);
        v = (uint4)(first.x & 32 ? w.y : w.x, first.y & 32 ? w.y : w.x, first.z & 32 ? w.y : w.x, first.w & 32 ? w.y : w.x);
        break;
    }
    default: v = vload4(i, (const __global uint *)p); break;
    }
    return (v >> (first & 31)) & pc_load4(d->mask);
}

static inline int4 pc_signed(pc_image_ptr d, uint4 bits) { return as_int4(bits << d->extend) >> (int)d->extend; }

// x / 255 for integers up to 255, rounded correctly: the first product is exact.
static inline float4 pc_unorm8(uint4 x)
{
    float4 v = convert_float4(as_int4(x));
    return v * 0x1.01p-8f + v * 0x1.010102p-24f;
}

static inline float4 pc_read_f(pc_image_ptr d, int x, int y, int z)
{
    long i = x;
    if (d->kind == FLOATX4) return vload4(i, (const __global float *)pc_row(d, y, z));
    if (d->kind == UNORM8X4) return pc_unorm8((uint4)(((const __global uint *)pc_row(d, y, z))[i]) >> pc_load4(d->shift) & 255u);
    uint4 bits = pc_bits(d, x, y, z), mask = pc_load4(d->mask);
    float4 v;
    switch (d->kind) {
    case UNORM: v = convert_float4(as_int4(bits)) / convert_float4(as_int4(max(mask, 1u))); break;
    case SNORM: v = fmax(convert_float4(pc_signed(d, bits)) / convert_float4(as_int4(max(mask >> 1, 1u))), -1.0f); break;
    case HALF: v = convert_float4(as_half4(convert_ushort4(bits))); break;
    case SRGB:
        v = (float4)(pc_srgb[bits.x & 255u], pc_srgb[bits.y & 255u], pc_srgb[bits.z & 255u], (float)(int)bits.w / 255.0f);
        break;
    default: v = as_float4(bits); break;
    }
    return select(convert_float4(as_int4(pc_load4(d->other))), v, mask != 0);
}

static inline uint4 pc_read_u(pc_image_ptr d, int x, int y, int z)
{
    uint4 bits = pc_bits(d, x, y, z);
    return select(pc_load4(d->other), as_uint4(pc_signed(d, bits)), pc_load4(d->mask) != 0);
}

// Of samplers, which ask for texels inside only.
float4 pc_texel_sampled_f(pc_image_ptr d, int x, int y, int z) { return pc_read_f(d, x, y, z); }
uint4 pc_texel_sampled_u(pc_image_ptr d, int x, int y, int z) { return pc_read_u(d, x, y, z); }

float4 pc_texel_read_f(pc_image_ptr d, int x, int y, int z)
{
    float4 v = (float4)(0.0f);
    if (pc_inside(d, x, y, z)) v = pc_read_f(d, x, y, z);
    return v;
}

uint4 pc_texel_read_u(pc_image_ptr d, int x, int y, int z)
{
    uint4 v = (uint4)(0u);
    if (pc_inside(d, x, y, z)) v = pc_read_u(d, x, y, z);
    return v;
}

static inline void pc_put(pc_image_ptr d, int x, int y, int z, uint4 bits)
{
    uint4 first = pc_load4(d->shift), c = (bits & pc_load4(d->stored)) << (first & 31);
    __global uchar *p = (__global uchar *)pc_row(d, y, z);
    long i = x;
    switch (d->element) {
    case 1: p[i] = (uchar)(c.x | c.y | c.z | c.w); break;
    case 2: ((__global ushort *)p)[i] = (ushort)(c.x | c.y | c.z | c.w); break;
    case 4: ((__global uint *)p)[i] = c.x | c.y | c.z | c.w; break;
    case 8: {
        uint4 high = select((uint4)(0), c, (first & 32) != 0), low = c ^ high;
        vstore2((uint2)(low.x | low.y | low.z | low.w, high.x | high.y | high.z | high.w), i, (__global uint *)p);
        break;
    }
    default: vstore4(c, i, (__global uint *)p); break;
    }
}

// A linear number along the curve: 1.055 y^(5/12) - 0.055, or a straight line for small ones. NaN becomes 0.
static inline float pc_encode(float y)
{
    y = y > 0.0f ? fmin(y, 1.0f) : 0.0f;
    float s = sqrt(y), x = fmax(s, 0x1p-6f);
    // The cube root of x: a guess from the exponent, and three steps of Newton's method.
    float c = as_float(as_uint(x) / 3u + 0x2a514067u);
    for (int i = 0; i < 3; i++) c = (2.0f * c + x / (c * c)) * (1.0f / 3.0f);
    float high = 1.055f * (sqrt(s) * c) - 0.055f;
    return y < 0.0031308f ? 12.92f * y : high;
}

static inline uint4 pc_code(pc_image_ptr d, float4 v)
{
    uint4 stored = pc_load4(d->stored);
    switch (d->kind) {
    case SRGB: v = (float4)(pc_encode(v.x), pc_encode(v.y), pc_encode(v.z), v.w); // and then as UNORM
    case UNORM:
    case UNORM8X4: {
        float4 most = convert_float4(as_int4(stored));
        return as_uint4(convert_int4(rint(fmin(fmax(v * most, 0.0f), most)))); // NaN becomes 0
    }
    case SNORM: {
        float4 most = convert_float4(as_int4(stored >> 1));
        float4 s = fmin(fmax(v * most, -1.0f - most), most);
        return select((uint4)(0), as_uint4(convert_int4(rint(s))), v == v);
    }
    case HALF: return convert_uint4(as_ushort4(convert_half4(v)));
    default: return as_uint4(v);
    }
}

void pc_texel_write_f(pc_image_ptr d, int x, int y, int z, float4 v)
{
    if (pc_inside(d, x, y, z)) pc_put(d, x, y, z, pc_code(d, v));
}

void pc_texel_write_u(pc_image_ptr d, int x, int y, int z, uint4 v)
{
    if (!pc_inside(d, x, y, z)) return;
    uint4 stored = pc_load4(d->stored);
    int4 most = as_int4(stored >> 1);
    pc_put(d, x, y, z, d->kind == UNSIGNED ? min(v, stored) : as_uint4(clamp(as_int4(v), -1 - most, most)));
}
