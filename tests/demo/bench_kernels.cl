// The kernels of bench_kernels.rs but for SHA-256, which is that of the compiler's benchmark.
__kernel void triad(__global float *a, __global const float *b, __global const float *c, float s) {
    size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }

// Images in buffers: pixels are extended and truncated, or stay bytes.
__kernel void blend(__global uchar4 *out, __global const uchar4 *a, __global const uchar4 *b, int weight) {
    size_t i = get_global_id(0);
    int4 x = convert_int4(a[i]), y = convert_int4(b[i]);
    out[i] = convert_uchar4((x * weight + y * (256 - weight)) >> 8); }
__kernel void brighten(__global uchar8 *out, __global const uchar8 *a, __global const uchar8 *b, int more) {
    size_t i = get_global_id(0); out[i] = add_sat(add_sat(a[i], b[i]), (uchar8)(more)); }

__kernel void naive(__global const float *a, __global const float *b, __global float *c, int n) {
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum; }

#define T 16
__kernel __attribute__((reqd_work_group_size(T, T, 1)))
void tiled(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float x[T][T], y[T][T];
    int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        x[ly][lx] = a[row * n + t + lx];
        y[ly][lx] = b[(t + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++) sum += x[ly][k] * y[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum; }

__kernel void mandelbrot(__global int *out, int width, float scale) {
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float cx = px * scale - 2.0f, cy = py * scale - 1.25f, x = 0, y = 0;
    while (n < 256 && x * x + y * y < 4.0f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; n++; }
    out[py * width + px] = n; }

__kernel void nbody(__global const float4 *p, __global float4 *f, int n) {
    int i = get_global_id(0);
    float4 me = p[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = o.w * r * r * r;
        fx += s * dx; fy += s * dy; fz += s * dz;
    }
    f[i] = (float4)(fx, fy, fz, 0); }

__kernel void reduction(__global const float *in, __global float *out, __local float *t, int each) {
    size_t l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n * each + l;
    float sum = 0;
    for (int k = 0; k < each; k++) sum += in[first + k * n];
    t[l] = sum;
    for (size_t d = n / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[l] += t[l + d];
    }
    if (l == 0) out[get_group_id(0)] = t[0]; }

__kernel void strided_sum(__global const uint *in, __global uint *out, int n) {
    uint sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    out[get_global_id(0)] = sum; }

__kernel void strided_sum_if(__global const uint *in, __global uint *out, int n) {
    uint sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) if (i % 4 != 1) sum += in[i];
    out[get_global_id(0)] = sum; }

__kernel void black_scholes(__global const float *s, __global float *call, float k, float r, float v) {
    int i = get_global_id(0);
    float t = 1.0f, x = s[i];
    float d1 = (log(x / k) + (r + 0.5f * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    float n1 = 0.5f * erfc(-d1 * 0.70710678f), n2 = 0.5f * erfc(-d2 * 0.70710678f);
    call[i] = x * n1 - k * exp(-r * t) * n2; }

__kernel void empty(void) {}

// Inclusive sums: of blocks of 4 numbers a work-item, of the blocks' totals by one work-group, then both together.
__kernel void scan_blocks(__global const uint4 *in, __global uint4 *out, __global uint *totals, __local uint *t) {
    uint l = get_local_id(0), n = get_local_size(0);
    uint4 v = in[get_global_id(0)];
    v.y += v.x; v.z += v.y; v.w += v.z;
    uint sum = v.w;
    t[l] = sum;
    for (uint d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint before = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += before;
        t[l] = sum;
    }
    out[get_global_id(0)] = v + (sum - v.w);
    if (l == n - 1) totals[get_group_id(0)] = sum; }

__kernel void scan_totals(__global uint *totals, uint count, __local uint *t) {
    uint l = get_local_id(0), n = get_local_size(0), carry = 0;
    for (uint first = 0; first < count; first += n) {
        uint sum = totals[first + l];
        t[l] = sum;
        for (uint d = 1; d < n; d *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint before = l >= d ? t[l - d] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += before;
            t[l] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        totals[first + l] = sum + carry;
        carry += t[n - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    } }

__kernel void scan_add(__global uint4 *out, __global const uint *totals) {
    uint g = get_group_id(0);
    if (g > 0) out[get_global_id(0)] += totals[g - 1]; }

// One step of a bitonic sort, up or down.
__kernel void bitonic(__global uint *a, uint stage, uint step, uint down) {
    uint i = get_global_id(0), low = i % step, at = 2 * (i - low) + low;
    uint x = a[at], y = a[at + step];
    uint up = ((at & stage) != 0) == (down != 0);
    uint less = min(x, y), more = max(x, y);
    a[at] = up ? less : more;
    a[at + step] = up ? more : less; }

__kernel void clear(__global uint *a) { a[get_global_id(0)] = 0; }

__kernel void histogram(__global const uint *in, __global uint *bins, uint each) {
    __local uint own[256];
    uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n * each + l;
    for (uint i = l; i < 256; i += n) own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < each; k++) atomic_inc(&own[in[first + k * n] >> 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < 256; i += n) atomic_add(&bins[i], own[i]); }

__kernel void stencil(__global const float *in, __global float *out, int width) {
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, at = y * width + x;
    out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]); }

#ifdef __IMAGE_SUPPORT__
__constant sampler_t SAMPLER = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void blur(__read_only image2d_t in, __write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++) sum += read_imagef(in, SAMPLER, at + (int2)(x, y));
    write_imagef(out, at, sum * 0.04f); }
#endif
