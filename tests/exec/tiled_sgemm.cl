//! kernel: sgemm
//! options: -DTILE=16 -DWORK=4
//! global: 16 4
//! local: 16 4
//! arg 0: f32[256] = i % 17 == 0
//! arg 1: f32[256] = i * 0.5
//! arg 2: f32[256] = 0
//! arg 3: u32 = 16
//! arg 4: local 1024
//! arg 5: local 1024
//! expect 2: arg1
// the identity times b; clang leaves the 64-bit local id as an operand of a 32-bit mask in this kernel
// C = A * B for n x n row-major matrices, n a multiple of TILE: each work-item computes WORK rows of a column, tiles of
// both matrices pass through local memory.
__kernel __attribute__((reqd_work_group_size(TILE, TILE / WORK, 1)))
void sgemm(__global const float *a, __global const float *b, __global float *c, uint n,
           __local float *tile_a, __local float *tile_b)
{
    uint col = get_local_id(0), row = get_local_id(1);
    uint x = get_group_id(0) * TILE + col, y = get_group_id(1) * TILE + row;
    float sum[WORK];
    for (uint w = 0; w < WORK; w++)
        sum[w] = 0.0f;
    for (uint t = 0; t < n; t += TILE) {
        for (uint w = 0; w < WORK; w++) {
            uint r = row + w * (TILE / WORK);
            tile_a[r * TILE + col] = a[(y + w * (TILE / WORK)) * n + t + col];
            tile_b[r * TILE + col] = b[(t + r) * n + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++) {
            float v = tile_b[k * TILE + col];
            for (uint w = 0; w < WORK; w++)
                sum[w] += tile_a[(row + w * (TILE / WORK)) * TILE + k] * v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint w = 0; w < WORK; w++)
        c[(y + w * (TILE / WORK)) * n + x] = sum[w];
}
