//! test cl
// The border is opaque only for channel orders without alpha: R, RG, RGB, LUMINANCE, DEPTH, sRGB and those
// that end in x, the bits of 0x1be15.
// expect: OpEntryPoint
// expect: 114197
kernel void border(read_only image2d_t i, global float4 *o) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    o[0] = read_imagef(i, s, (int2)(-1, 3));
}
