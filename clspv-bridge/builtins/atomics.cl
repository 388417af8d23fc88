// Atomic functions of OpenCL C 1.x and fences (sections 6.15.12 and 6.15.9) under the mangled names in which clang leaves
// them as imports. The __spirv_ names are SPIR-V instructions.
#include "common.h"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define PC_OV __attribute__((overloadable))
#define PC_DEVICE 1
#define PC_RELAXED 0

#define PC_SPIRV(T, U, AS) \
    T PC_OV __spirv_AtomicSMin(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicSMax(volatile AS T *p, int scope, int sem, T v); \
    U PC_OV __spirv_AtomicUMin(volatile AS U *p, int scope, int sem, U v); \
    U PC_OV __spirv_AtomicUMax(volatile AS U *p, int scope, int sem, U v);
#define PC_SPIRV_BOTH(T, AS) \
    T PC_OV __spirv_AtomicIAdd(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicISub(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicAnd(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicOr(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicXor(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicExchange(volatile AS T *p, int scope, int sem, T v); \
    T PC_OV __spirv_AtomicCompareExchange(volatile AS T *p, int scope, int same, int other, T value, T expected);
PC_SPIRV(int, uint, __global) PC_SPIRV(int, uint, __local) PC_SPIRV(long, ulong, __global) PC_SPIRV(long, ulong, __local)
PC_SPIRV_BOTH(int, __global) PC_SPIRV_BOTH(int, __local) PC_SPIRV_BOTH(uint, __global) PC_SPIRV_BOTH(uint, __local)
PC_SPIRV_BOTH(long, __global) PC_SPIRV_BOTH(long, __local) PC_SPIRV_BOTH(ulong, __global) PC_SPIRV_BOTH(ulong, __local)
float PC_OV __spirv_AtomicExchange(volatile __global float *p, int scope, int sem, float v);
float PC_OV __spirv_AtomicExchange(volatile __local float *p, int scope, int sem, float v);
void PC_OV __spirv_MemoryBarrier(int scope, int sem);

// One function: type, C name for us, mangled name, operation. L is the length of the name in the mangling.
#define PC_RMW(T, AS, fn, mangled, op) \
    T fn(volatile AS T *p, T v) __asm__(mangled); \
    T fn(volatile AS T *p, T v) { return op(p, PC_DEVICE, PC_RELAXED, v); }
#define PC_STEP(T, AS, fn, mangled, op) \
    T fn(volatile AS T *p) __asm__(mangled); \
    T fn(volatile AS T *p) { return op(p, PC_DEVICE, PC_RELAXED, (T)1); }
#define PC_CAS(T, AS, fn, mangled) \
    T fn(volatile AS T *p, T c, T v) __asm__(mangled); \
    T fn(volatile AS T *p, T c, T v) { return __spirv_AtomicCompareExchange(p, PC_DEVICE, PC_RELAXED, PC_RELAXED, v, c); }

// All functions of one prefix ("atomic", 6+1 letters, or "atom", 4+1) for one type.
#define PC_FAMILY(T, t, AS, as, n, pre, l3, l4, l7, min_op, max_op) \
    PC_RMW(T, AS, pc_##pre##_add_##n, "_Z" l3 #pre "_addPU3" as "V" t t, __spirv_AtomicIAdd) \
    PC_RMW(T, AS, pc_##pre##_sub_##n, "_Z" l3 #pre "_subPU3" as "V" t t, __spirv_AtomicISub) \
    PC_RMW(T, AS, pc_##pre##_min_##n, "_Z" l3 #pre "_minPU3" as "V" t t, min_op) \
    PC_RMW(T, AS, pc_##pre##_max_##n, "_Z" l3 #pre "_maxPU3" as "V" t t, max_op) \
    PC_RMW(T, AS, pc_##pre##_and_##n, "_Z" l3 #pre "_andPU3" as "V" t t, __spirv_AtomicAnd) \
    PC_RMW(T, AS, pc_##pre##_or_##n, "_Z" l4 #pre "_orPU3" as "V" t t, __spirv_AtomicOr) \
    PC_RMW(T, AS, pc_##pre##_xor_##n, "_Z" l3 #pre "_xorPU3" as "V" t t, __spirv_AtomicXor) \
    PC_RMW(T, AS, pc_##pre##_xchg_##n, "_Z" PC_NEXT_##pre #pre "_xchgPU3" as "V" t t, __spirv_AtomicExchange) \
    PC_STEP(T, AS, pc_##pre##_inc_##n, "_Z" l3 #pre "_incPU3" as "V" t, __spirv_AtomicIAdd) \
    PC_STEP(T, AS, pc_##pre##_dec_##n, "_Z" l3 #pre "_decPU3" as "V" t, __spirv_AtomicISub) \
    PC_CAS(T, AS, pc_##pre##_cmpxchg_##n, "_Z" l7 #pre "_cmpxchgPU3" as "V" t t t)
#define PC_NEXT_atomic "11"
#define PC_NEXT_atom "9"
#define PC_ATOMIC(T, t, AS, as, n, min_op, max_op) PC_FAMILY(T, t, AS, as, n, atomic, "10", "9", "14", min_op, max_op)
#define PC_ATOM(T, t, AS, as, n, min_op, max_op) PC_FAMILY(T, t, AS, as, n, atom, "8", "7", "12", min_op, max_op)

PC_ATOMIC(int, "i", __global, "AS1", gi, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOMIC(uint, "j", __global, "AS1", gu, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_ATOMIC(int, "i", __local, "AS3", li, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOMIC(uint, "j", __local, "AS3", lu, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_ATOM(int, "i", __global, "AS1", gi, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOM(uint, "j", __global, "AS1", gu, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_ATOM(int, "i", __local, "AS3", li, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOM(uint, "j", __local, "AS3", lu, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_ATOM(long, "l", __global, "AS1", gl, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOM(ulong, "m", __global, "AS1", gm, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_ATOM(long, "l", __local, "AS3", ll, __spirv_AtomicSMin, __spirv_AtomicSMax)
PC_ATOM(ulong, "m", __local, "AS3", lm, __spirv_AtomicUMin, __spirv_AtomicUMax)
PC_RMW(float, __global, pc_atomic_xchg_gf, "_Z11atomic_xchgPU3AS1Vff", __spirv_AtomicExchange)
PC_RMW(float, __local, pc_atomic_xchg_lf, "_Z11atomic_xchgPU3AS3Vff", __spirv_AtomicExchange)

// The semantics operand must be a constant in every call.
#define PC_FENCE(fn, mangled, sem) \
    void fn(uint f) __asm__(mangled); \
    void fn(uint f) \
    { \
        switch (f & 3u) { \
        case 1: __spirv_MemoryBarrier(2, sem | 0x100); break; \
        case 2: __spirv_MemoryBarrier(2, sem | 0x200); break; \
        case 3: __spirv_MemoryBarrier(2, sem | 0x300); break; \
        } \
    }
PC_FENCE(pc_mem_fence, "_Z9mem_fencej", 8)
PC_FENCE(pc_read_mem_fence, "_Z14read_mem_fencej", 2)
PC_FENCE(pc_write_mem_fence, "_Z15write_mem_fencej", 4)
