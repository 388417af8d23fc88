// Kernels of the benchmark of images. Compiled with PIXEL and the like for one format: see bench_images.rs.

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define HERE ((int2)(get_global_id(0), get_global_id(1)))

kernel void read_all(read_only image2d_t in, global float4 *never)
{
    float4 t = read_imagef(in, HERE);
    if (t.x > 1e30f) never[0] = t;
}
kernel void write_all(write_only image2d_t out, float4 colour) { write_imagef(out, HERE, colour); }
kernel void copy(read_only image2d_t in, write_only image2d_t out) { write_imagef(out, HERE, read_imagef(in, HERE)); }
kernel void blur(read_only image2d_t in, write_only image2d_t out, constant float *weight, int2 step)
{
    float4 sum = 0;
    for (int i = -4; i <= 4; i++) sum += weight[i + 4] * read_imagef(in, edge, HERE + i * step);
    write_imagef(out, HERE, sum);
}

// The same blur on images that are buffers: addresses and conversions are code of the kernel.
#ifdef BYTES
#define PIXEL uint
float4 unpack(uint v) { return convert_float4(as_uchar4(v)) / 255.0f; }
uint pack(float4 v) { return as_uint(convert_uchar4_sat_rte(v * 255.0f)); }
#else
#define PIXEL float4
float4 unpack(float4 v) { return v; }
float4 pack(float4 v) { return v; }
#endif
kernel void emulated(global const PIXEL *in, global PIXEL *out, constant float *weight, int2 step, int2 size, int pitch)
{
    float4 sum = 0;
    for (int i = -4; i <= 4; i++) {
        int2 p = clamp(HERE + i * step, (int2)(0), size - 1);
        sum += weight[i + 4] * unpack(in[p.y * pitch + p.x]);
    }
    out[HERE.y * pitch + HERE.x] = pack(sum);
}
