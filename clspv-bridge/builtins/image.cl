// Reads of images through samplers (sections 8.2 and 8.3 of the C specification): exact address arithmetic, the border, and
// linear filtering, over plain texel reads. A sampler is a word: see `sampler` in abi.rs. Coordinates are scalars, the
// array layer last. Texels are four floats, or four integers for signed and unsigned formats alike.
#include "common.h"

#define NONE 0u
#define TO_EDGE 1u
#define CLAMP 2u
#define REPEAT 3u
#define MIRRORED 4u
#define ADDRESS(s) ((s) & 7u)
#define NORMALIZED 8u
#define LINEAR 16u

// Texel -1 and texel n stand for everything outside.
static inline int pc_limit(float texel, int n) { return (int)fmin(fmax(texel, -1.0f), (float)n); }

// In CLAMP mode the texel may be outside by one; else the nearest texel inside is meant (for NONE that is one choice of many).
static inline int pc_address(int texel, int n, uint s) { return ADDRESS(s) == CLAMP ? texel : clamp(texel, 0, n - 1); }

static inline float pc_mirror(float x) { return fabs(x - 2.0f * rint(0.5f * x)); }

static inline int pc_nearest(float x, int n, uint s)
{
    float size = (float)n;
    if (ADDRESS(s) == REPEAT) {
        int i = pc_limit(floor((x - floor(x)) * size), n);
        return clamp(i > n - 1 ? i - n : i, 0, n - 1);
    }
    if (ADDRESS(s) == MIRRORED) return clamp(pc_limit(floor(pc_mirror(x) * size), n), 0, n - 1);
    return pc_address(pc_limit(floor(s & NORMALIZED ? x * size : x), n), n, s);
}

typedef struct { int i0, i1; float a; } pc_pair;

static inline pc_pair pc_two(float x, int n, uint s)
{
    float size = (float)n;
    float u = ADDRESS(s) == REPEAT ? (x - floor(x)) * size
        : ADDRESS(s) == MIRRORED ? pc_mirror(x) * size
        : s & NORMALIZED ? x * size : x;
    u -= 0.5f;
    float f = floor(u);
    pc_pair p;
    p.a = u - f;
    p.i0 = pc_limit(f, n);
    p.i1 = pc_limit(f + 1.0f, n);
    if (ADDRESS(s) == REPEAT) {
        p.i0 = p.i0 < 0 ? n - 1 : min(p.i0, n - 1);
        p.i1 = p.i1 > n - 1 ? 0 : max(p.i1, 0);
    } else {
        p.i0 = pc_address(p.i0, n, s);
        p.i1 = pc_address(p.i1, n, s);
    }
    return p;
}

static inline int pc_layer(float x, int n) { return clamp(pc_limit(rint(x), n), 0, n - 1); }

#define IN(i, n) ((uint)(i) < (uint)(n))
#define INSIDE(i, n) clamp(i, 0, (n) - 1)

// The border is transparent black, or opaque black for orders without alpha: R, RG, RGB, LUMINANCE, DEPTH, sRGB.
static inline uint pc_opaque(int order) { return 0x0000a215u >> (order - 0x10b0) & 1u; }
#define BORDER_f(image) ((float4)(0.0f, 0.0f, 0.0f, (float)pc_opaque(get_image_channel_order(image))))
#define BORDER_u(image) ((uint4)(0u, 0u, 0u, pc_opaque(get_image_channel_order(image))))

#define W get_image_width(image)
#define H get_image_height(image)
#define D get_image_depth(image)
#define L (int)get_image_array_size(image)

// One texel by its coordinates i, j, k, which may be outside by one in CLAMP mode.
#define TEXELS(T, V, READ) \
static inline V pc_1d_##T(read_only image1d_t image, int i, uint s) \
{ \
    V v = READ(image, INSIDE(i, W)); \
    if (ADDRESS(s) == CLAMP) v = IN(i, W) ? v : BORDER_##T(image); \
    return v; \
} \
static inline V pc_1da_##T(read_only image1d_array_t image, int i, int layer, uint s) \
{ \
    V v = READ(image, (int2)(INSIDE(i, W), layer)); \
    if (ADDRESS(s) == CLAMP) v = IN(i, W) ? v : BORDER_##T(image); \
    return v; \
} \
static inline V pc_2d_##T(read_only image2d_t image, int i, int j, uint s) \
{ \
    V v = READ(image, (int2)(INSIDE(i, W), INSIDE(j, H))); \
    if (ADDRESS(s) == CLAMP) v = IN(i, W) && IN(j, H) ? v : BORDER_##T(image); \
    return v; \
} \
static inline V pc_2da_##T(read_only image2d_array_t image, int i, int j, int layer, uint s) \
{ \
    V v = READ(image, (int4)(INSIDE(i, W), INSIDE(j, H), layer, 0)); \
    if (ADDRESS(s) == CLAMP) v = IN(i, W) && IN(j, H) ? v : BORDER_##T(image); \
    return v; \
} \
static inline V pc_3d_##T(read_only image3d_t image, int i, int j, int k, uint s) \
{ \
    V v = READ(image, (int4)(INSIDE(i, W), INSIDE(j, H), INSIDE(k, D), 0)); \
    if (ADDRESS(s) == CLAMP) v = IN(i, W) && IN(j, H) && IN(k, D) ? v : BORDER_##T(image); \
    return v; \
}
TEXELS(f, float4, read_imagef)
TEXELS(u, uint4, read_imageui)

// Nearest texel, for floating-point and for integer coordinates.
#define NEAREST(T, V) \
static inline V pc_nearest_1d_##T(read_only image1d_t image, float x, uint s) \
{ return pc_1d_##T(image, pc_nearest(x, W, s), s); } \
static inline V pc_nearest_1da_##T(read_only image1d_array_t image, float x, float z, uint s) \
{ return pc_1da_##T(image, pc_nearest(x, W, s), pc_layer(z, L), s); } \
static inline V pc_nearest_2d_##T(read_only image2d_t image, float x, float y, uint s) \
{ return pc_2d_##T(image, pc_nearest(x, W, s), pc_nearest(y, H, s), s); } \
static inline V pc_nearest_2da_##T(read_only image2d_array_t image, float x, float y, float z, uint s) \
{ return pc_2da_##T(image, pc_nearest(x, W, s), pc_nearest(y, H, s), pc_layer(z, L), s); } \
static inline V pc_nearest_3d_##T(read_only image3d_t image, float x, float y, float z, uint s) \
{ return pc_3d_##T(image, pc_nearest(x, W, s), pc_nearest(y, H, s), pc_nearest(z, D, s), s); } \
V pc_sample_d1_i32_##T(read_only image1d_t image, int x, uint s) \
{ return pc_1d_##T(image, pc_address(x, W, s), s); } \
V pc_sample_d1_array_i32_##T(read_only image1d_array_t image, int x, int z, uint s) \
{ return pc_1da_##T(image, pc_address(x, W, s), clamp(z, 0, L - 1), s); } \
V pc_sample_d2_i32_##T(read_only image2d_t image, int x, int y, uint s) \
{ return pc_2d_##T(image, pc_address(x, W, s), pc_address(y, H, s), s); } \
V pc_sample_d2_array_i32_##T(read_only image2d_array_t image, int x, int y, int z, uint s) \
{ return pc_2da_##T(image, pc_address(x, W, s), pc_address(y, H, s), clamp(z, 0, L - 1), s); } \
V pc_sample_d3_i32_##T(read_only image3d_t image, int x, int y, int z, uint s) \
{ return pc_3d_##T(image, pc_address(x, W, s), pc_address(y, H, s), pc_address(z, D, s), s); }
NEAREST(f, float4)
NEAREST(u, uint4)

// Integer formats are not filtered.
uint4 pc_sample_d1_f32_u(read_only image1d_t image, float x, uint s) { return pc_nearest_1d_u(image, x, s); }
uint4 pc_sample_d1_array_f32_u(read_only image1d_array_t image, float x, float z, uint s) { return pc_nearest_1da_u(image, x, z, s); }
uint4 pc_sample_d2_f32_u(read_only image2d_t image, float x, float y, uint s) { return pc_nearest_2d_u(image, x, y, s); }
uint4 pc_sample_d2_array_f32_u(read_only image2d_array_t image, float x, float y, float z, uint s)
{ return pc_nearest_2da_u(image, x, y, z, s); }
uint4 pc_sample_d3_f32_u(read_only image3d_t image, float x, float y, float z, uint s) { return pc_nearest_3d_u(image, x, y, z, s); }

float4 pc_sample_d1_f32_f(read_only image1d_t image, float x, uint s)
{
    if (!(s & LINEAR)) return pc_nearest_1d_f(image, x, s);
    pc_pair p = pc_two(x, W, s);
    return (1.0f - p.a) * pc_1d_f(image, p.i0, s) + p.a * pc_1d_f(image, p.i1, s);
}
float4 pc_sample_d1_array_f32_f(read_only image1d_array_t image, float x, float z, uint s)
{
    if (!(s & LINEAR)) return pc_nearest_1da_f(image, x, z, s);
    pc_pair p = pc_two(x, W, s);
    int k = pc_layer(z, L);
    return (1.0f - p.a) * pc_1da_f(image, p.i0, k, s) + p.a * pc_1da_f(image, p.i1, k, s);
}
float4 pc_sample_d2_f32_f(read_only image2d_t image, float x, float y, uint s)
{
    if (!(s & LINEAR)) return pc_nearest_2d_f(image, x, y, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s);
    float a = p.a, b = q.a;
    return (1.0f - a) * (1.0f - b) * pc_2d_f(image, p.i0, q.i0, s) + a * (1.0f - b) * pc_2d_f(image, p.i1, q.i0, s)
        + (1.0f - a) * b * pc_2d_f(image, p.i0, q.i1, s) + a * b * pc_2d_f(image, p.i1, q.i1, s);
}
float4 pc_sample_d2_array_f32_f(read_only image2d_array_t image, float x, float y, float z, uint s)
{
    if (!(s & LINEAR)) return pc_nearest_2da_f(image, x, y, z, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s);
    int k = pc_layer(z, L);
    float a = p.a, b = q.a;
    return (1.0f - a) * (1.0f - b) * pc_2da_f(image, p.i0, q.i0, k, s) + a * (1.0f - b) * pc_2da_f(image, p.i1, q.i0, k, s)
        + (1.0f - a) * b * pc_2da_f(image, p.i0, q.i1, k, s) + a * b * pc_2da_f(image, p.i1, q.i1, k, s);
}
float4 pc_sample_d3_f32_f(read_only image3d_t image, float x, float y, float z, uint s)
{
    if (!(s & LINEAR)) return pc_nearest_3d_f(image, x, y, z, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s), r = pc_two(z, D, s);
    float a = p.a, b = q.a, c = r.a;
    return (1.0f - a) * (1.0f - b) * (1.0f - c) * pc_3d_f(image, p.i0, q.i0, r.i0, s)
        + a * (1.0f - b) * (1.0f - c) * pc_3d_f(image, p.i1, q.i0, r.i0, s)
        + (1.0f - a) * b * (1.0f - c) * pc_3d_f(image, p.i0, q.i1, r.i0, s)
        + a * b * (1.0f - c) * pc_3d_f(image, p.i1, q.i1, r.i0, s)
        + (1.0f - a) * (1.0f - b) * c * pc_3d_f(image, p.i0, q.i0, r.i1, s)
        + a * (1.0f - b) * c * pc_3d_f(image, p.i1, q.i0, r.i1, s)
        + (1.0f - a) * b * c * pc_3d_f(image, p.i0, q.i1, r.i1, s)
        + a * b * c * pc_3d_f(image, p.i1, q.i1, r.i1, s);
}
