//! test cl
// target: border_fetches
// A read with CLAMP fetches the border where the image's specialisation constant allows it; other addressing
// modes need no constant.
// expect: SpecId 8192
// not: SpecId 8193
// expect: OpImageFetch
// expect: OpImageFetch
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void reads(read_only image2d_t i, read_only image2d_t j, global float4 *o, int x, int y)
{
    o[get_global_id(0)] = read_imagef(i, border, (int2)(x, y)) + read_imagef(j, edge, (int2)(x, y));
}
