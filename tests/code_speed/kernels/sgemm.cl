// C = A * B for n x n row-major matrices, n a multiple of 64: a work-group of 16 x 16 computes 64 x 64 elements, a work-item
// 4 x 4 of them; tiles of 64 x 16 of both matrices pass through local memory.
#define TILE 64
#define DEPTH 16
#define WORK 4
#define SIDE (TILE / WORK)

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void sgemm(uint n, __global const float *restrict a, __global const float *restrict b, __global float *restrict c)
{
    __local float tile_a[DEPTH][TILE + 1], tile_b[DEPTH][TILE];
    uint lx = get_local_id(0), ly = get_local_id(1), l = ly * SIDE + lx;
    uint col = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[WORK][WORK];
    for (uint i = 0; i < WORK; i++)
        for (uint j = 0; j < WORK; j++)
            sum[i][j] = 0.0f;
    for (uint t = 0; t < n; t += DEPTH) {
        for (uint w = 0; w < WORK; w++) {
            uint e = l + w * SIDE * SIDE;
            tile_a[e % DEPTH][e / DEPTH] = a[(row + e / DEPTH) * n + t + e % DEPTH];
            tile_b[e / TILE][e % TILE] = b[(t + e / TILE) * n + col + e % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < DEPTH; k++) {
            float x[WORK], y[WORK];
            for (uint i = 0; i < WORK; i++) {
                x[i] = tile_a[k][ly + i * SIDE];
                y[i] = tile_b[k][lx + i * SIDE];
            }
            for (uint i = 0; i < WORK; i++)
                for (uint j = 0; j < WORK; j++)
                    sum[i][j] += x[i] * y[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < WORK; i++)
        for (uint j = 0; j < WORK; j++)
            c[(row + ly + i * SIDE) * n + col + lx + j * SIDE] = sum[i][j];
}
