//! options: -cl-std=CL3.0
//! require: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! global: 512
//! local: 64
//! arg 0: i64[16] = i == 2 ? 1000000000000 : i == 6 ? -1 : 0
//! arg 1: u64[8] = 0
//! expect 0: i == 0 ? 512 * 5000000000 : i == 1 ? -512 : i == 2 ? -10000000000 : i == 3 ? 501 * 10000000000 : i == 4 ? 511 * 4294967296 : i == 5 ? 512 * 4294967297 : i == 6 ? 0 : i == 7 ? 512 : i == 8 ? 8 * 64 * 4294967296 : 0
//! expect 1: i == 0 ? 18446744073709551615 : i == 1 ? 512 : 0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void test(__global long *a, __global ulong *u)
{
    __local atomic_long sum;
    __local long plain[2];
    long i = get_global_id(0);
    if (get_local_id(0) == 0) {
        atomic_init(&sum, 0);
        plain[0] = plain[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(a + 0, 5000000000L);
    atom_dec(a + 1);
    atom_min(a + 2, (i - 1) * 10000000000L);
    atom_max(a + 3, (i - 10) * 10000000000L);
    atom_or(a + 4, i << 32);
    atomic_fetch_add_explicit((__global atomic_long *)(a + 5), 4294967297L, memory_order_relaxed, memory_scope_device);
    atom_and(a + 6, i << 40);
    long old, seen = 0;
    do {
        old = seen;
        seen = atom_cmpxchg(a + 7, old, old + 1);
    } while (seen != old);
    atomic_fetch_add(&sum, 4294967296L);
    atom_xor(plain, i);
    atom_xor(plain, i);
    atom_xchg(plain + 1, 3L);
    atomic_fetch_max((__global atomic_ulong *)u, 0xffffffffffffffffUL - i);
    atom_inc(u + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atom_add(a + 8, atomic_load(&sum));
        atom_add(a + 9, plain[0]);
        atom_add(a + 9, plain[1] - 3);
    }
}
