// Sub-groups before OpenCL C 2.0: cl_khr_subgroups and the extensions that need it
#define __PC_OV __attribute__((overloadable, convergent))
#define __PC_Q __attribute__((overloadable, const))
uint __PC_Q get_sub_group_size(void);
uint __PC_Q get_max_sub_group_size(void);
uint __PC_Q get_num_sub_groups(void);
uint __PC_Q get_sub_group_id(void);
uint __PC_Q get_sub_group_local_id(void);
void __PC_OV sub_group_barrier(uint);
int __PC_OV sub_group_all(int);
int __PC_OV sub_group_any(int);
int __PC_OV sub_group_elect(void);
int __PC_OV sub_group_non_uniform_all(int);
int __PC_OV sub_group_non_uniform_any(int);
uint4 __PC_OV sub_group_ballot(int);
int __PC_OV sub_group_inverse_ballot(uint4);
int __PC_OV sub_group_ballot_bit_extract(uint4, uint);
uint __PC_OV sub_group_ballot_bit_count(uint4);
uint __PC_OV sub_group_ballot_inclusive_scan(uint4);
uint __PC_OV sub_group_ballot_exclusive_scan(uint4);
uint __PC_OV sub_group_ballot_find_lsb(uint4);
uint __PC_OV sub_group_ballot_find_msb(uint4);
uint4 __PC_OV get_sub_group_eq_mask(void);
uint4 __PC_OV get_sub_group_ge_mask(void);
uint4 __PC_OV get_sub_group_gt_mask(void);
uint4 __PC_OV get_sub_group_le_mask(void);
uint4 __PC_OV get_sub_group_lt_mask(void);
#define __PC_ARITHMETIC(T, kind, op) \
    T __PC_OV sub_group_##kind##reduce_##op(T); \
    T __PC_OV sub_group_##kind##scan_exclusive_##op(T); \
    T __PC_OV sub_group_##kind##scan_inclusive_##op(T);
#define __PC_FULL(T) __PC_ARITHMETIC(T, , add) __PC_ARITHMETIC(T, , min) __PC_ARITHMETIC(T, , max)
#define __PC_PART(T, op) \
    __PC_ARITHMETIC(T, non_uniform_, op) \
    T __PC_OV sub_group_clustered_reduce_##op(T, uint);
#define __PC_NUMBER(T) \
    __PC_FULL(T) __PC_PART(T, add) __PC_PART(T, min) __PC_PART(T, max) __PC_PART(T, mul) \
    __PC_VALUE(T) \
    int __PC_OV sub_group_non_uniform_all_equal(T); \
    T __PC_OV sub_group_shuffle(T, uint); \
    T __PC_OV sub_group_shuffle_xor(T, uint); \
    T __PC_OV sub_group_shuffle_up(T, uint); \
    T __PC_OV sub_group_shuffle_down(T, uint); \
    T __PC_OV sub_group_rotate(T, int); \
    T __PC_OV sub_group_clustered_rotate(T, int, uint);
#define __PC_VALUE(T) \
    T __PC_OV sub_group_broadcast(T, uint); \
    T __PC_OV sub_group_non_uniform_broadcast(T, uint); \
    T __PC_OV sub_group_broadcast_first(T);
#define __PC_VECTORS(T) __PC_VALUE(T##2) __PC_VALUE(T##3) __PC_VALUE(T##4) __PC_VALUE(T##8) __PC_VALUE(T##16)
#define __PC_INT(T) __PC_NUMBER(T) __PC_VECTORS(T) __PC_PART(T, and) __PC_PART(T, or) __PC_PART(T, xor)
__PC_INT(char) __PC_INT(uchar) __PC_INT(short) __PC_INT(ushort)
__PC_INT(int) __PC_INT(uint) __PC_INT(long) __PC_INT(ulong)
__PC_NUMBER(float) __PC_VECTORS(float)
__PC_PART(int, logical_and) __PC_PART(int, logical_or) __PC_PART(int, logical_xor)
#ifdef cl_khr_fp64
__PC_NUMBER(double) __PC_VECTORS(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__PC_NUMBER(half) __PC_VECTORS(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#undef __PC_OV
#undef __PC_Q
#undef __PC_ARITHMETIC
#undef __PC_FULL
#undef __PC_PART
#undef __PC_NUMBER
#undef __PC_VALUE
#undef __PC_VECTORS
#undef __PC_INT
