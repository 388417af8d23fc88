// Transpose of an n x n matrix, n a multiple of 32: tiles of 32 x 32 pass through local memory, a work-item moves four elements.
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(uint n, __global const float *restrict in, __global float *restrict out)
{
    __local float tile[TILE][TILE + 1];
    uint lx = get_local_id(0), ly = get_local_id(1);
    uint x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE + ly;
    for (uint k = 0; k < TILE; k += ROWS)
        tile[ly + k][lx] = in[(y + k) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + lx;
    y = get_group_id(0) * TILE + ly;
    for (uint k = 0; k < TILE; k += ROWS)
        out[(y + k) * n + x] = tile[lx][ly + k];
}
