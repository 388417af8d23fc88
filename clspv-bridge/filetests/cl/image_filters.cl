//! test cl
// target: image_filters
// Texture units read through constant samplers with a linear filter, also those of a function; reads through
// an argument are fetches. Every dimension, and samplers with and without normalised coordinates.
// expect: OpEntryPoint
// expect: SpecId 8192
// expect: OpTypeSampler
// expect: OpTypeSampledImage
// expect: OpImageSampleExplicitLod
// expect: OpEntryPoint
// expect: OpImageFetch
constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

float4 through_a_function(read_only image2d_t i, sampler_t s, float2 at) { return read_imagef(i, s, at); }

kernel void sampled(global float4 *o, sampler_t s, read_only image1d_t d1, read_only image1d_array_t d1a, read_only image2d_t d2,
                    read_only image2d_array_t d2a, read_only image3d_t d3, read_only image2d_depth_t z, float x) {
    o[0] = read_imagef(d1, plain, x) + read_imagef(d1, mirrored, x);
    o[1] = read_imagef(d1a, plain, (float2)(x, 1)) + read_imagef(d1a, repeated, (float2)(x, 1));
    for (int i = 0; i < 9; i++) o[2] += through_a_function(d2, plain, (float2)(x, i)) + through_a_function(d2, s, (float2)(x, i));
    o[3] = read_imagef(d2a, bordered, (float4)(x, 2, 1, 0)) + read_imagef(d2a, mirrored, (float4)(x, 2, 1, 0));
    o[4] = read_imagef(d3, plain, (float4)(x, 2, 1, 0)) + read_imagef(d3, bordered, (float4)(x, 2, 1, 0));
    o[5] = read_imagef(z, plain, (float2)(x, 2));
}

kernel void computed(global float4 *o, sampler_t s, read_only image2d_t i) { o[0] = read_imagef(i, s, (float2)(1, 2)); }
