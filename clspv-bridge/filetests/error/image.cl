//! test cl
// error: image
// error: <stdin>:4:43: error: use of type '__read_only image2d_t'
kernel void k(global float4 *p, read_only image2d_t img) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    p[0] = read_imagef(img, s, (int2)(1, 2));
}
