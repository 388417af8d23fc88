//! global: 8
//! arg 0: i32[8] = i + 0
//! arg 1: i32[8] = i + 1
//! arg 2: i32[8] = i + 2
//! arg 3: i32[8] = i + 3
//! arg 4: i32[8] = i + 4
//! arg 5: i32[8] = i + 5
//! arg 6: i32[8] = i + 6
//! arg 7: i32[8] = i + 7
//! arg 8: i32[8] = i + 8
//! arg 9: i32[8] = i + 9
//! arg 10: i32[8] = i + 10
//! arg 11: i32[8] = i + 11
//! arg 12: i32[8] = i + 12
//! arg 13: i32[8] = i + 13
//! arg 14: i32[8] = i + 14
//! arg 15: i32[8] = i + 15
//! arg 16: i32[8] = i + 16
//! arg 17: i32[8] = i + 17
//! arg 18: i32[8] = i + 18
//! arg 19: i32[8] = i + 19
//! arg 20: i32[8] = i + 20
//! arg 21: i32[8] = i + 21
//! arg 22: i32[8] = i + 22
//! arg 23: i32[8] = i + 23
//! arg 24: i32[8] = 0
//! expect 24: 24 * i + 276
__kernel void test(__global const int *a0, __global const int *a1, __global const int *a2, __global const int *a3, __global const int *a4, __global const int *a5, __global const int *a6, __global const int *a7, __global const int *a8, __global const int *a9, __global const int *a10, __global const int *a11, __global const int *a12, __global const int *a13, __global const int *a14, __global const int *a15, __global const int *a16, __global const int *a17, __global const int *a18, __global const int *a19, __global const int *a20, __global const int *a21, __global const int *a22, __global const int *a23, __global int *r)
{
    size_t i = get_global_id(0);
    r[i] = a0[i] + a1[i] + a2[i] + a3[i] + a4[i] + a5[i] + a6[i] + a7[i] + a8[i] + a9[i] + a10[i] + a11[i] + a12[i] + a13[i] + a14[i] + a15[i] + a16[i] + a17[i] + a18[i] + a19[i] + a20[i] + a21[i] + a22[i] + a23[i];
}
