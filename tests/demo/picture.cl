// A picture pipeline: Gaussian blur by rows and columns through a sampler, a bilateral filter over tiles in local memory,
// and a change of size by linear filtering.

constant sampler_t at_pixel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t between = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// One direction of the blur, which is all of a Gaussian needed: `step` is (1, 0) or (0, 1).
kernel void blur(read_only image2d_t in, write_only image2d_t out, constant float *weight, int2 step)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (any(p >= get_image_dim(out))) return;
    float4 sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++) sum += weight[i + RADIUS] * read_imagef(in, at_pixel, p + i * step);
    write_imagef(out, p, sum);
}

// Averages pixels that are near and of like colour: noise goes, edges stay. Work-groups are TILE by TILE.
kernel void bilateral(read_only image2d_t in, write_only image2d_t out, float near, float like)
{
    local float4 tile[TILE + 2 * REACH][TILE + 2 * REACH];
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int2 l = (int2)(get_local_id(0), get_local_id(1));
    int2 corner = p - l - REACH;
    for (int y = l.y; y < TILE + 2 * REACH; y += TILE)
        for (int x = l.x; x < TILE + 2 * REACH; x += TILE) tile[y][x] = read_imagef(in, at_pixel, corner + (int2)(x, y));
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 centre = tile[l.y + REACH][l.x + REACH];
    float4 sum = 0;
    float weights = 0;
    for (int y = -REACH; y <= REACH; y++)
        for (int x = -REACH; x <= REACH; x++) {
            float4 pixel = tile[l.y + REACH + y][l.x + REACH + x];
            float3 d = pixel.xyz - centre.xyz;
            float weight = exp(-near * (x * x + y * y) - like * dot(d, d));
            sum += weight * pixel;
            weights += weight;
        }
    if (all(p < get_image_dim(out))) write_imagef(out, p, sum / weights);
}

// Another size: each pixel from four, in coordinates from 0 to 1.
kernel void resize(read_only image2d_t in, write_only image2d_t out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (any(p >= get_image_dim(out))) return;
    write_imagef(out, p, read_imagef(in, between, (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out))));
}
