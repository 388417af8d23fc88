//! test cl
// expect: OpLoopMerge
// expect: Unroll
// expect: OpLoopMerge
// expect: DontUnroll
kernel void hints(global int *p, int n) {
    int sum = 0;
    #pragma unroll 4
    for (int i = 0; i < n; i++) sum += p[i];
    __attribute__((opencl_unroll_hint(1)))
    while (sum > n) sum -= p[sum & 7];
    p[get_global_id(0)] = sum;
}
