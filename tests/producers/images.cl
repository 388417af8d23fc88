// Images and samplers that unoptimised code keeps in variables.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

float4 texel(read_only image2d_t image, int2 at) { return read_imagef(image, nearest, at); }

kernel void doubled(read_only image2d_t image, write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, texel(image, at) + texel(image, at));
}
