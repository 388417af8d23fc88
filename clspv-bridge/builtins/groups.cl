// Barriers of sub-groups (section 6.15.19) and the parts of work-group collectives (6.15.18) that go through local memory.
//
// Collectives combine within sub-groups first; sub-group 0 then combines their values. `s` is scratch memory of the
// work-group: slot 0 for results, slot 1 + i for sub-group i. Results are written between the two barriers of each function
// only, and a sub-group's slot is read behind the second only by the work-item that writes it, so that calls need no
// barrier between them.
#include "common.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Operands of the barrier must be constants in every call.
#define PC_SUB_BARRIER(scope) \
    switch (f) { \
    case 1: sub_group_barrier(CLK_LOCAL_MEM_FENCE, scope); break; \
    case 2: sub_group_barrier(CLK_GLOBAL_MEM_FENCE, scope); break; \
    case 3: sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, scope); break; \
    default: sub_group_barrier(0, scope); break; \
    }
void pc_sub_group_barrier(uint f) __asm__("_Z17sub_group_barrierj");
void pc_sub_group_barrier(uint f)
{
    f &= 3u;
    PC_SUB_BARRIER(memory_scope_sub_group)
}
void pc_sub_group_barrier_scope(uint f, memory_scope scope) __asm__("_Z17sub_group_barrierj12memory_scope");
void pc_sub_group_barrier_scope(uint f, memory_scope scope)
{
    f &= 3u;
    if (scope == memory_scope_device) {
        PC_SUB_BARRIER(memory_scope_device)
    } else if (scope == memory_scope_work_group) {
        PC_SUB_BARRIER(memory_scope_work_group)
    } else {
        PC_SUB_BARRIER(memory_scope_sub_group)
    }
}

#define PC_SLOT(T, i) (*(__local T *)(s + (i)))

// pc_wg_total: the combination of the sub-groups' values. pc_wg_prefix: that of the sub-groups before the own one.
#define PC_WG(name, T, what, op, identity) \
    T pc_wg_total_##name(__local ulong *s, T x) \
    { \
        uint n = get_num_sub_groups(), id = get_sub_group_id(), lane = get_sub_group_local_id(); \
        if (n == 1) return x; \
        if (lane == 0) PC_SLOT(T, 1 + id) = x; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (id == 0) { \
            uint size = get_sub_group_size(); \
            T sum = identity; \
            for (uint i = lane; i < n; i += size) { \
                T y = PC_SLOT(T, 1 + i); \
                sum = op(sum, y); \
            } \
            sum = sub_group_non_uniform_reduce_##what(sum); \
            if (lane == 0) PC_SLOT(T, 0) = sum; \
        } \
        barrier(CLK_LOCAL_MEM_FENCE); \
        return PC_SLOT(T, 0); \
    } \
    T pc_wg_prefix_##name(__local ulong *s, T x) \
    { \
        uint n = get_num_sub_groups(), id = get_sub_group_id(), lane = get_sub_group_local_id(); \
        if (n == 1) return identity; \
        if (lane == 0) PC_SLOT(T, 1 + id) = x; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (id == 0) { \
            uint size = get_sub_group_size(); \
            T before = identity; \
            for (uint first = 0; first < n; first += size) { \
                uint i = first + lane; \
                T y = identity; \
                if (i < n) y = PC_SLOT(T, 1 + i); \
                T sum = sub_group_non_uniform_scan_exclusive_##what(y); \
                sum = op(before, sum); \
                y = sub_group_non_uniform_reduce_##what(y); \
                before = op(before, y); \
                if (i < n) PC_SLOT(T, 1 + i) = sum; \
            } \
        } \
        barrier(CLK_LOCAL_MEM_FENCE); \
        T sum = identity; \
        if (lane == 0) sum = PC_SLOT(T, 1 + id); \
        return sub_group_broadcast(sum, 0); \
    }
#define PC_ADD(a, b) ((a) + (b))
#define PC_MUL(a, b) ((a) * (b))
#define PC_AND(a, b) ((a) & (b))
#define PC_OR(a, b) ((a) | (b))
#define PC_XOR(a, b) ((a) ^ (b))
#define PC_WG_INT(S, U, ty, smin, smax) \
    PC_WG(iadd_##ty, U, add, PC_ADD, (U)0) \
    PC_WG(imul_##ty, U, mul, PC_MUL, (U)1) \
    PC_WG(umin_##ty, U, min, min, (U)-1) \
    PC_WG(umax_##ty, U, max, max, (U)0) \
    PC_WG(smin_##ty, S, min, min, smax) \
    PC_WG(smax_##ty, S, max, max, smin) \
    PC_WG(and_##ty, U, and, PC_AND, (U)-1) \
    PC_WG(or_##ty, U, or, PC_OR, (U)0) \
    PC_WG(xor_##ty, U, xor, PC_XOR, (U)0) \
    U pc_wg_broadcast_##ty(__local ulong *s, U x, uint from) \
    { \
        ulong linear = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (linear == from) PC_SLOT(U, 0) = x; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        return PC_SLOT(U, 0); \
    }
PC_WG_INT(int, uint, i32, INT_MIN, INT_MAX)
PC_WG_INT(long, ulong, i64, LONG_MIN, LONG_MAX)
#define PC_WG_FLOAT(T, ty) \
    PC_WG(fadd_##ty, T, add, PC_ADD, (T)0) \
    PC_WG(fmul_##ty, T, mul, PC_MUL, (T)1) \
    PC_WG(fmin_##ty, T, min, fmin, (T)INFINITY) \
    PC_WG(fmax_##ty, T, max, fmax, -(T)INFINITY)
PC_WG_FLOAT(half, f16)
PC_WG_FLOAT(float, f32)
PC_WG_FLOAT(double, f64)
