//! test cl
// expect: OpControlBarrier
kernel void reduce(global const float *in, global float *out, local float *scratch, local int4 *more) {
    local float tile[16][17];
    local struct { int count; short flags[3]; } shared;
    uint l = get_local_id(0), n = get_local_size(0);
    scratch[l] = in[get_global_id(0)];
    tile[l & 15][l >> 4 & 15] = scratch[l];
    more[l] = (int4)(l);
    if (l == 0) { shared.count = 0; shared.flags[1] = 3; }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = n / 2; s > 0; s >>= 1) {
        if (l < s) scratch[l] += scratch[l + s] + tile[l & 15][s & 15] + more[s].y;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    atomic_inc(&shared.count);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = scratch[0] + shared.count + shared.flags[1];
}
