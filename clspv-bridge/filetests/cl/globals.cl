//! test cl
// expect: OpEntryPoint
constant int table[5] = {1, 2, 3, 5, 8};
constant float4 corners[2] = {(float4)(1, 2, 3, 4), (float4)(5)};
constant struct { char c; constant int *p; } both = {3, table + 1};
global int counter = 4;
kernel void globals(global float *out, constant float *weights, int n) {
    const int squares[4] = {0, 1, 4, 9};
    out[get_global_id(0)] = table[n % 5] + corners[n & 1].y + both.p[2] + both.c + squares[n & 3] + weights[n];
    counter = n;
}
