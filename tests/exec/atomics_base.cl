// The functions of the first extensions for atomic operations, in global and local memory.
//! options: -cl-std=CL1.0
//! require: cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics
//! global: 256
//! local: 64
//! arg 0: i32[16] = i == 2 ? 1000 : i == 4 ? 1000000 : i == 6 ? -1 : 0
//! expect 0: i == 0 ? 32640 : i == 1 ? 256 : i == 2 ? 744 : i == 3 ? 255 : i == 4 ? -100 : i == 5 ? 255 : i == 6 ? -256 : i == 7 ? 0 : i == 8 ? 256 : i == 9 ? 4 * 2016 : i == 10 ? 4 * 63 : i == 11 ? 4 * 63 : 0
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable
__kernel void test(__global int *a)
{
    __local int l[4];
    int i = get_global_id(0), k = get_local_id(0);
    if (k == 0) l[0] = l[1] = l[2] = l[3] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(a + 0, i);
    atom_inc(a + 1);
    atom_dec(a + 2);
    atom_max(a + 3, i);
    atom_min(a + 4, i - 100);
    atom_or(a + 5, i);
    atom_and(a + 6, ~i);
    atom_xor(a + 7, i);
    atom_xor(a + 7, i);
    int old, seen = 0;
    do {
        old = seen;
        seen = atom_cmpxchg(a + 8, old, old + 1);
    } while (seen != old);
    atom_add(l + 0, k);
    atom_max(l + 1, k);
    atom_or(l + 2, k);
    atom_xchg(l + 3, 5);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k == 0) {
        atom_add(a + 9, l[0]);
        atom_add(a + 10, l[1]);
        atom_add(a + 11, l[2]);
        atom_sub(a + 12, l[3] - 5);
    }
}
