// Texels of an image through a sampler, as functions of image.cl: of its first level, or with LEVELED of a level that is the
// argument before the sampler.

#undef FN
#undef LEVEL
#undef LEVEL_PARAM
#undef W
#undef H
#undef D
#ifdef LEVELED
#define FN(name, T) FN_(pc_level_, name, T)
#define LEVEL , level
#define LEVEL_PARAM , int level
#define W max(get_image_width(image) >> level, 1)
#define H max(get_image_height(image) >> level, 1)
#define D max(get_image_depth(image) >> level, 1)
#else
#define FN(name, T) FN_(pc_, name, T)
#define LEVEL
#define LEVEL_PARAM
#define W get_image_width(image)
#define H get_image_height(image)
#define D get_image_depth(image)
#endif

// One texel by its coordinates i, j, k, which may be outside in CLAMP mode. Nothing branches on the texel's place, so that several
// reads are in flight at a time.
#define TEXELS(T, V) \
static inline V FN(1d_, T)(read_only image1d_t image, int i LEVEL_PARAM, uint s) \
{ \
    V v = READ_##T(image, PLACE(image, s, i, W) LEVEL), border = BORDER_##T(image); \
    return OUTSIDE(image, s, IN(i, W)) ? border : v; \
} \
static inline V FN(1da_, T)(read_only image1d_array_t image, int i, int layer LEVEL_PARAM, uint s) \
{ \
    V v = READ_##T(image, (int2)(PLACE(image, s, i, W), layer) LEVEL), border = BORDER_##T(image); \
    return OUTSIDE(image, s, IN(i, W)) ? border : v; \
} \
static inline V FN(2d_, T)(read_only image2d_t image, int i, int j LEVEL_PARAM, uint s) \
{ \
    V v = READ_##T(image, (int2)(PLACE(image, s, i, W), PLACE(image, s, j, H)) LEVEL), border = BORDER_##T(image); \
    return OUTSIDE(image, s, IN(i, W) & IN(j, H)) ? border : v; \
} \
static inline V FN(2da_, T)(read_only image2d_array_t image, int i, int j, int layer LEVEL_PARAM, uint s) \
{ \
    V v = READ_##T(image, (int4)(PLACE(image, s, i, W), PLACE(image, s, j, H), layer, 0) LEVEL), border = BORDER_##T(image); \
    return OUTSIDE(image, s, IN(i, W) & IN(j, H)) ? border : v; \
} \
static inline V FN(3d_, T)(read_only image3d_t image, int i, int j, int k LEVEL_PARAM, uint s) \
{ \
    V v = READ_##T(image, (int4)(PLACE(image, s, i, W), PLACE(image, s, j, H), PLACE(image, s, k, D), 0) LEVEL), border = BORDER_##T(image); \
    return OUTSIDE(image, s, IN(i, W) & IN(j, H) & IN(k, D)) ? border : v; \
}
TEXELS(f, float4)
TEXELS(u, uint4)

// Nearest texel, for floating-point and for integer coordinates.
#define NEAREST(T, V) \
static inline V FN(nearest_1d_, T)(read_only image1d_t image, float x LEVEL_PARAM, uint s) \
{ return FN(1d_, T)(image, pc_nearest(x, W, s) LEVEL, s); } \
static inline V FN(nearest_1da_, T)(read_only image1d_array_t image, float x, float z LEVEL_PARAM, uint s) \
{ return FN(1da_, T)(image, pc_nearest(x, W, s), pc_layer(z, L) LEVEL, s); } \
static inline V FN(nearest_2d_, T)(read_only image2d_t image, float x, float y LEVEL_PARAM, uint s) \
{ return FN(2d_, T)(image, pc_nearest(x, W, s), pc_nearest(y, H, s) LEVEL, s); } \
static inline V FN(nearest_2da_, T)(read_only image2d_array_t image, float x, float y, float z LEVEL_PARAM, uint s) \
{ return FN(2da_, T)(image, pc_nearest(x, W, s), pc_nearest(y, H, s), pc_layer(z, L) LEVEL, s); } \
static inline V FN(nearest_3d_, T)(read_only image3d_t image, float x, float y, float z LEVEL_PARAM, uint s) \
{ return FN(3d_, T)(image, pc_nearest(x, W, s), pc_nearest(y, H, s), pc_nearest(z, D, s) LEVEL, s); } \
V FN(sample_d1_i32_, T)(read_only image1d_t image, int x LEVEL_PARAM, uint s) \
{ return FN(1d_, T)(image, pc_address(x, W, s) LEVEL, s); } \
V FN(sample_d1_array_i32_, T)(read_only image1d_array_t image, int x, int z LEVEL_PARAM, uint s) \
{ return FN(1da_, T)(image, pc_address(x, W, s), clamp(z, 0, L - 1) LEVEL, s); } \
V FN(sample_d2_i32_, T)(read_only image2d_t image, int x, int y LEVEL_PARAM, uint s) \
{ return FN(2d_, T)(image, pc_address(x, W, s), pc_address(y, H, s) LEVEL, s); } \
V FN(sample_d2_array_i32_, T)(read_only image2d_array_t image, int x, int y, int z LEVEL_PARAM, uint s) \
{ return FN(2da_, T)(image, pc_address(x, W, s), pc_address(y, H, s), clamp(z, 0, L - 1) LEVEL, s); } \
V FN(sample_d3_i32_, T)(read_only image3d_t image, int x, int y, int z LEVEL_PARAM, uint s) \
{ return FN(3d_, T)(image, pc_address(x, W, s), pc_address(y, H, s), pc_address(z, D, s) LEVEL, s); }
NEAREST(f, float4)
NEAREST(u, uint4)

// Integer formats are not filtered.
uint4 FN(sample_d1_f32_, u)(read_only image1d_t image, float x LEVEL_PARAM, uint s) { return FN(nearest_1d_, u)(image, x LEVEL, s); }
uint4 FN(sample_d1_array_f32_, u)(read_only image1d_array_t image, float x, float z LEVEL_PARAM, uint s) { return FN(nearest_1da_, u)(image, x, z LEVEL, s); }
uint4 FN(sample_d2_f32_, u)(read_only image2d_t image, float x, float y LEVEL_PARAM, uint s) { return FN(nearest_2d_, u)(image, x, y LEVEL, s); }
uint4 FN(sample_d2_array_f32_, u)(read_only image2d_array_t image, float x, float y, float z LEVEL_PARAM, uint s)
{ return FN(nearest_2da_, u)(image, x, y, z LEVEL, s); }
uint4 FN(sample_d3_f32_, u)(read_only image3d_t image, float x, float y, float z LEVEL_PARAM, uint s) { return FN(nearest_3d_, u)(image, x, y, z LEVEL, s); }

float4 FN(sample_d1_f32_, f)(read_only image1d_t image, float x LEVEL_PARAM, uint s)
{
    if (!(s & LINEAR)) return FN(nearest_1d_, f)(image, x LEVEL, s);
    pc_pair p = pc_two(x, W, s);
    return (1.0f - p.a) * FN(1d_, f)(image, p.i0 LEVEL, s) + p.a * FN(1d_, f)(image, p.i1 LEVEL, s);
}
float4 FN(sample_d1_array_f32_, f)(read_only image1d_array_t image, float x, float z LEVEL_PARAM, uint s)
{
    if (!(s & LINEAR)) return FN(nearest_1da_, f)(image, x, z LEVEL, s);
    pc_pair p = pc_two(x, W, s);
    int k = pc_layer(z, L);
    return (1.0f - p.a) * FN(1da_, f)(image, p.i0, k LEVEL, s) + p.a * FN(1da_, f)(image, p.i1, k LEVEL, s);
}
float4 FN(sample_d2_f32_, f)(read_only image2d_t image, float x, float y LEVEL_PARAM, uint s)
{
    if (!(s & LINEAR)) return FN(nearest_2d_, f)(image, x, y LEVEL, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s);
    float a = p.a, b = q.a;
    return (1.0f - a) * (1.0f - b) * FN(2d_, f)(image, p.i0, q.i0 LEVEL, s) + a * (1.0f - b) * FN(2d_, f)(image, p.i1, q.i0 LEVEL, s)
        + (1.0f - a) * b * FN(2d_, f)(image, p.i0, q.i1 LEVEL, s) + a * b * FN(2d_, f)(image, p.i1, q.i1 LEVEL, s);
}
float4 FN(sample_d2_array_f32_, f)(read_only image2d_array_t image, float x, float y, float z LEVEL_PARAM, uint s)
{
    if (!(s & LINEAR)) return FN(nearest_2da_, f)(image, x, y, z LEVEL, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s);
    int k = pc_layer(z, L);
    float a = p.a, b = q.a;
    return (1.0f - a) * (1.0f - b) * FN(2da_, f)(image, p.i0, q.i0, k LEVEL, s) + a * (1.0f - b) * FN(2da_, f)(image, p.i1, q.i0, k LEVEL, s)
        + (1.0f - a) * b * FN(2da_, f)(image, p.i0, q.i1, k LEVEL, s) + a * b * FN(2da_, f)(image, p.i1, q.i1, k LEVEL, s);
}
float4 FN(sample_d3_f32_, f)(read_only image3d_t image, float x, float y, float z LEVEL_PARAM, uint s)
{
    if (!(s & LINEAR)) return FN(nearest_3d_, f)(image, x, y, z LEVEL, s);
    pc_pair p = pc_two(x, W, s), q = pc_two(y, H, s), r = pc_two(z, D, s);
    float a = p.a, b = q.a, c = r.a;
    return (1.0f - a) * (1.0f - b) * (1.0f - c) * FN(3d_, f)(image, p.i0, q.i0, r.i0 LEVEL, s)
        + a * (1.0f - b) * (1.0f - c) * FN(3d_, f)(image, p.i1, q.i0, r.i0 LEVEL, s)
        + (1.0f - a) * b * (1.0f - c) * FN(3d_, f)(image, p.i0, q.i1, r.i0 LEVEL, s)
        + a * b * (1.0f - c) * FN(3d_, f)(image, p.i1, q.i1, r.i0 LEVEL, s)
        + (1.0f - a) * (1.0f - b) * c * FN(3d_, f)(image, p.i0, q.i0, r.i1 LEVEL, s)
        + a * (1.0f - b) * c * FN(3d_, f)(image, p.i1, q.i0, r.i1 LEVEL, s)
        + (1.0f - a) * b * c * FN(3d_, f)(image, p.i0, q.i1, r.i1 LEVEL, s)
        + a * b * c * FN(3d_, f)(image, p.i1, q.i1, r.i1 LEVEL, s);
}
#undef TEXELS
#undef NEAREST
