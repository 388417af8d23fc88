//! test cl
// target: workgroup_layout
// Rows of a tile are read by vectors of four, and written by one element or by pairs.
// expect: OpCapability WorkgroupMemoryExplicitLayoutKHR
// expect: Aliased

kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void tiles(global const float *in, global float *out, global double *sums) {
    local float tile[4][16];
    local double pairs[16];
    const int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * 16 + x];
    if (y == 0) {
        pairs[x] = in[x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int i = 0; i < 16; i++) {
        sum = fma(sum, 0.5f, tile[y][i]);
    }
    sums[get_global_id(1) * 16 + x] = pairs[2] - pairs[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[y][(x & 7) * 2] = sum;
    tile[y][(x & 7) * 2 + 1] = sum + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * 16 + x] = tile[3 - y][x];
}
