//! test cl
// All kinds of images, reads with and without samplers, writes, queries.
// expect: OpEntryPoint
// expect: OpImageFetch
constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

float4 through_a_function(read_only image2d_t i, sampler_t s, float2 at) { return read_imagef(i, s, at); }

kernel void sampled(global float4 *o, sampler_t s, read_only image1d_t d1, read_only image1d_array_t d1a, read_only image2d_t d2,
                    read_only image2d_array_t d2a, read_only image3d_t d3, read_only image2d_depth_t z,
                    read_only image2d_array_depth_t za) {
    const sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    float x = get_global_id(0) * 0.25f;
    o[0] = read_imagef(d1, s, x) + read_imagef(d1a, mirrored, (float2)(x, 1)) + read_imagef(d1a, clamped, (int2)((int)x, 1));
    o[1] = through_a_function(d2, s, (float2)(x, 2)) + through_a_function(d2, mirrored, (float2)(x, 2));
    o[2] = read_imagef(d2a, s, (float4)(x, 2, 1, 0)) + read_imagef(d2a, clamped, (int4)(1, 2, 3, 0));
    o[3] = read_imagef(d3, s, (float4)(x, 2, 1, 0)) + read_imagef(d3, clamped, (int4)(1, 2, 3, 0));
    o[4] = read_imagef(z, s, (float2)(x, 2)) + read_imagef(za, clamped, (int4)(1, 2, 3, 0));
}

kernel void integers(global int4 *o, sampler_t s, read_only image2d_t i, read_only image3d_t u, read_only image1d_buffer_t b,
                     write_only image2d_t wi, write_only image2d_array_t wu, write_only image1d_buffer_t wb) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    o[0] = read_imagei(i, s, at) + read_imagei(i, at) + as_int4(read_imageui(u, s, (float4)(1, 2, 3, 0)));
    o[1] = read_imagei(b, at.x);
    write_imagei(wi, at, o[2]);
    write_imageui(wu, (int4)(at, 0, 0), as_uint4(o[3]));
    write_imageui(wb, at.x, as_uint4(o[3]));
}

kernel void floats(global float4 *o, write_only image1d_t d1, write_only image1d_array_t d1a, write_only image2d_t d2,
                   write_only image2d_array_t d2a, write_only image3d_t d3, write_only image2d_depth_t z,
                   read_write image2d_t both) {
    int4 at = (int4)(get_global_id(0), 1, 2, 0);
    write_imagef(d1, at.x, o[0]);
    write_imagef(d1a, at.xy, o[0]);
    write_imagef(d2, at.xy, o[0]);
    write_imagef(d2a, at, o[0]);
    write_imagef(d3, at, o[0]);
    write_imagef(z, at.xy, o[0].x);
    write_imagef(both, at.xy, read_imagef(both, at.yx));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    o[1] = read_imagef(both, at.xy);
}

kernel void queries(global int *o, read_only image2d_array_t i, write_only image3d_t w, read_only image1d_buffer_t b) {
    o[0] = get_image_width(i) + get_image_height(i) + (int)get_image_array_size(i);
    o[1] = get_image_depth(w) + get_image_dim(w).z + get_image_width(b);
    o[2] = get_image_channel_order(i) == CLK_RGBA && get_image_channel_data_type(i) == CLK_UNORM_INT8;
}
