//! test cl
// expect: OpControlBarrier %uint_2 %uint_2 %uint_328
// A barrier without flags orders local and global memory, as on other drivers.

kernel void k(global int *out, local int *scratch) {
    size_t i = get_local_id(0);
    scratch[i] = out[i];
    barrier(0);
    out[i] = scratch[i ^ 1];
}
