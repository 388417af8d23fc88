// cl_intel_subgroups and its companions for chars, shorts and longs.
#define __PC_OV __attribute__((overloadable, convergent))
#define __PC_SHUFFLE(T) \
    T __PC_OV intel_sub_group_shuffle(T, uint); \
    T __PC_OV intel_sub_group_shuffle_xor(T, uint); \
    T __PC_OV intel_sub_group_shuffle_down(T, T, uint); \
    T __PC_OV intel_sub_group_shuffle_up(T, T, uint);
#define __PC_SHUFFLES(T) \
    __PC_SHUFFLE(T) __PC_SHUFFLE(T##2) __PC_SHUFFLE(T##3) __PC_SHUFFLE(T##4) __PC_SHUFFLE(T##8) __PC_SHUFFLE(T##16)
__PC_SHUFFLES(int) __PC_SHUFFLES(uint) __PC_SHUFFLES(float) __PC_SHUFFLES(char) __PC_SHUFFLES(uchar) __PC_SHUFFLES(short) __PC_SHUFFLES(ushort)
__PC_SHUFFLE(long) __PC_SHUFFLE(ulong)
#ifdef cl_khr_fp64
__PC_SHUFFLE(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__PC_SHUFFLE(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#define __PC_BLOCK(suffix, n, T, U) \
    T __PC_OV intel_sub_group_block_read##suffix##n(const __global U *); \
    void __PC_OV intel_sub_group_block_write##suffix##n(__global U *, T);
#define __PC_BLOCKS(suffix, U) \
    __PC_BLOCK(suffix, , U, U) __PC_BLOCK(suffix, 2, U##2, U) __PC_BLOCK(suffix, 4, U##4, U) __PC_BLOCK(suffix, 8, U##8, U)
__PC_BLOCKS(, uint) __PC_BLOCKS(_ui, uint) __PC_BLOCKS(_us, ushort) __PC_BLOCKS(_uc, uchar) __PC_BLOCKS(_ul, ulong)
__PC_BLOCK(_us, 16, ushort16, ushort) __PC_BLOCK(_uc, 16, uchar16, uchar)
#define __PC_SCANS(T) \
    T __PC_OV sub_group_broadcast(T, uint); \
    T __PC_OV sub_group_reduce_add(T); \
    T __PC_OV sub_group_reduce_min(T); \
    T __PC_OV sub_group_reduce_max(T); \
    T __PC_OV sub_group_scan_exclusive_add(T); \
    T __PC_OV sub_group_scan_exclusive_min(T); \
    T __PC_OV sub_group_scan_exclusive_max(T); \
    T __PC_OV sub_group_scan_inclusive_add(T); \
    T __PC_OV sub_group_scan_inclusive_min(T); \
    T __PC_OV sub_group_scan_inclusive_max(T);
#ifndef cl_khr_subgroup_extended_types
// A declaration hides those that clang has of other types.
__PC_SCANS(short) __PC_SCANS(ushort) __PC_SCANS(char) __PC_SCANS(uchar) __PC_SCANS(int) __PC_SCANS(uint) __PC_SCANS(long) __PC_SCANS(ulong)
__PC_SCANS(float)
#ifdef cl_khr_fp64
__PC_SCANS(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__PC_SCANS(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#endif
#undef __PC_OV
#undef __PC_SHUFFLE
#undef __PC_SHUFFLES
#undef __PC_BLOCK
#undef __PC_BLOCKS
#undef __PC_SCANS
