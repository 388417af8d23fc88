// Atomic functions of OpenCL C 1.x and fences (sections 6.15.12 and 6.15.9) under the mangled names in which clang leaves
// them as imports.
#include "common.h"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// One function: type, C name for us, mangled name, operation.
#define PC_RMW(T, AS, fn, mangled, op) \
    T fn(volatile AS T *p, T v) __asm__(mangled); \
    T fn(volatile AS T *p, T v) { return op(p, v); }
#define PC_STEP(T, AS, fn, mangled, op) \
    T fn(volatile AS T *p) __asm__(mangled); \
    T fn(volatile AS T *p) { return op(p); }
#define PC_CAS(T, AS, fn, mangled, op) \
    T fn(volatile AS T *p, T c, T v) __asm__(mangled); \
    T fn(volatile AS T *p, T c, T v) { return op(p, c, v); }

// All functions of one prefix ("atomic", 6+1 letters, or "atom", 4+1) for one type. l3, l4 and l7 are the lengths of names
// with operations of three, two and seven letters, in the mangling.
#define PC_FAMILY(T, t, AS, as, n, pre, l3, l4, l7) \
    PC_RMW(T, AS, pc_##pre##_add_##n, "_Z" l3 #pre "_addPU3" as "V" t t, pre##_add) \
    PC_RMW(T, AS, pc_##pre##_sub_##n, "_Z" l3 #pre "_subPU3" as "V" t t, pre##_sub) \
    PC_RMW(T, AS, pc_##pre##_min_##n, "_Z" l3 #pre "_minPU3" as "V" t t, pre##_min) \
    PC_RMW(T, AS, pc_##pre##_max_##n, "_Z" l3 #pre "_maxPU3" as "V" t t, pre##_max) \
    PC_RMW(T, AS, pc_##pre##_and_##n, "_Z" l3 #pre "_andPU3" as "V" t t, pre##_and) \
    PC_RMW(T, AS, pc_##pre##_or_##n, "_Z" l4 #pre "_orPU3" as "V" t t, pre##_or) \
    PC_RMW(T, AS, pc_##pre##_xor_##n, "_Z" l3 #pre "_xorPU3" as "V" t t, pre##_xor) \
    PC_RMW(T, AS, pc_##pre##_xchg_##n, "_Z" PC_NEXT_##pre #pre "_xchgPU3" as "V" t t, pre##_xchg) \
    PC_STEP(T, AS, pc_##pre##_inc_##n, "_Z" l3 #pre "_incPU3" as "V" t, pre##_inc) \
    PC_STEP(T, AS, pc_##pre##_dec_##n, "_Z" l3 #pre "_decPU3" as "V" t, pre##_dec) \
    PC_CAS(T, AS, pc_##pre##_cmpxchg_##n, "_Z" l7 #pre "_cmpxchgPU3" as "V" t t t, pre##_cmpxchg)
#define PC_NEXT_atomic "11"
#define PC_NEXT_atom "9"
#define PC_ATOMIC(T, t, AS, as, n) PC_FAMILY(T, t, AS, as, n, atomic, "10", "9", "14")
#define PC_ATOM(T, t, AS, as, n) PC_FAMILY(T, t, AS, as, n, atom, "8", "7", "12")

PC_ATOMIC(int, "i", __global, "AS1", gi)
PC_ATOMIC(uint, "j", __global, "AS1", gu)
PC_ATOMIC(int, "i", __local, "AS3", li)
PC_ATOMIC(uint, "j", __local, "AS3", lu)
PC_ATOM(int, "i", __global, "AS1", gi)
PC_ATOM(uint, "j", __global, "AS1", gu)
PC_ATOM(int, "i", __local, "AS3", li)
PC_ATOM(uint, "j", __local, "AS3", lu)
PC_ATOM(long, "l", __global, "AS1", gl)
PC_ATOM(ulong, "m", __global, "AS1", gm)
PC_ATOM(long, "l", __local, "AS3", ll)
PC_ATOM(ulong, "m", __local, "AS3", lm)
PC_RMW(float, __global, pc_atomic_xchg_gf, "_Z11atomic_xchgPU3AS1Vff", atomic_xchg)
PC_RMW(float, __local, pc_atomic_xchg_lf, "_Z11atomic_xchgPU3AS3Vff", atomic_xchg)

// The operand of a fence must be a constant in every call.
#define PC_FENCE(fn, mangled, fence) \
    void fn(uint f) __asm__(mangled); \
    void fn(uint f) \
    { \
        switch (f & 3u) { \
        case 1: fence(CLK_LOCAL_MEM_FENCE); break; \
        case 2: fence(CLK_GLOBAL_MEM_FENCE); break; \
        case 3: fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); break; \
        } \
    }
PC_FENCE(pc_mem_fence, "_Z9mem_fencej", mem_fence)
PC_FENCE(pc_read_mem_fence, "_Z14read_mem_fencej", read_mem_fence)
PC_FENCE(pc_write_mem_fence, "_Z15write_mem_fencej", write_mem_fence)
