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
// Coordinate of a texel to fetch, and whether the border replaces it.
#define PLACE(image, s, i, n) ((ADDRESS(s) == CLAMP) & __fetches_border(image) ? (i) : clamp(i, 0, (n) - 1))
#define OUTSIDE(image, s, in) ((ADDRESS(s) == CLAMP) & !__fetches_border(image) & !(in))

// The border is transparent black, or opaque black for orders without alpha: R, Rx, RG, RGx, RGB, RGBx, LUMINANCE, DEPTH, sRGB,
// sRGBx. (Their other texels read as opaque, and the conformance suite expects it; OpenCL C names transparent black for
// those that end in x.)
static inline uint pc_opaque(int order) { return 0x0001be15u >> (order - 0x10b0) & 1u; }
#define BORDER_f(image) ((float4)(0.0f, 0.0f, 0.0f, (float)pc_opaque(get_image_channel_order(image))))
#define BORDER_u(image) ((uint4)(0u, 0u, 0u, pc_opaque(get_image_channel_order(image))))

#define L (int)get_image_array_size(image)
#define READ_f read_imagef
#define READ_u read_imageui
#define FN_(a, b, c) FN__(a, b, c)
#define FN__(a, b, c) a##b##c

#include "image_texels.h"

// The same for one of several levels of detail.
#define LEVELED
#undef READ_f
#undef READ_u
#define READ_f __read_imagef_level
#define READ_u __read_imageui_level
#include "image_texels.h"

#define LEVELS_LINEAR 32u
#define LOD_MIN(s) ((float)((s) >> 6 & 0x1fffu) * 0x1p-8f)
#define LOD_MAX(s) ((float)(0x1fffu - ((s) >> 19)) * 0x1p-8f)

// The level that is meant, in the limits of the sampler and of the image.
static inline float pc_lod(float lod, int levels, uint s)
{
    return fmin(fmax(fmin(fmax(lod, LOD_MIN(s)), LOD_MAX(s)), 0.0f), (float)(levels - 1));
}

// Between two levels, or from the nearest one, half of the way belonging to the finer: few reads, each is much code.
#define LODS(KIND, IMAGE, PARAMS, ARGS) \
float4 pc_lod_##KIND##_f32_f(read_only IMAGE image, PARAMS, float lod, uint s) \
{ \
    float d = pc_lod(lod, get_image_num_mip_levels(image), s); \
    float f = s & LEVELS_LINEAR ? floor(d) : ceil(d - 0.5f), a = s & LEVELS_LINEAR ? d - f : 0.0f; \
    int fine = (int)f; \
    float4 v = pc_level_sample_##KIND##_f32_f(image, ARGS, fine, s); \
    if (a > 0.0f) v = (1.0f - a) * v + a * pc_level_sample_##KIND##_f32_f(image, ARGS, fine + 1, s); \
    return v; \
} \
uint4 pc_lod_##KIND##_f32_u(read_only IMAGE image, PARAMS, float lod, uint s) \
{ return pc_level_sample_##KIND##_f32_u(image, ARGS, (int)ceil(pc_lod(lod, get_image_num_mip_levels(image), s) - 0.5f), s); }
#define COMMA ,
LODS(d1, image1d_t, float x, x)
LODS(d1_array, image1d_array_t, float x COMMA float z, x COMMA z)
LODS(d2, image2d_t, float x COMMA float y, x COMMA y)
LODS(d2_array, image2d_array_t, float x COMMA float y COMMA float z, x COMMA y COMMA z)
LODS(d3, image3d_t, float x COMMA float y COMMA float z, x COMMA y COMMA z)
