//! options: -cl-std=CL3.0
//! require: cl_khr_fp16
//! require: __opencl_c_program_scope_global_variables
//! global: 1
//! arg 0: f32[6] = 0
//! expect 0: i == 0 ? 1.25 : i == 1 ? 1 : i == 2 ? 2 : i == 3 ? 1.5 : i == 4 ? 2 : 1
// Halves that are the same in all work-items, in a program that writes its variables.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
global half one = 1.0h, two = 2.0h, results[6];
__kernel void test(__global float *out)
{
    half none = nan((ushort)0);
    results[0] = fmax(one, 1.25h);
    results[1] = fmin(one, two);
    results[2] = max(one, two);
    results[3] = clamp(two, one, 1.5h);
    results[4] = fmax(two, none);
    results[5] = fmin(none, one);
    for (int i = 0; i < 6; i++)
        out[i] = results[i];
}
