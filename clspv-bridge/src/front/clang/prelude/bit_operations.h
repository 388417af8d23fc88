// cl_khr_extended_bit_ops before OpenCL C 2.0
#define __PC_OV __attribute__((overloadable, const))
#define __PC_SIZE(T, U, n) \
    T##n __PC_OV bitfield_insert(T##n, T##n, uint, uint); \
    U##n __PC_OV bitfield_insert(U##n, U##n, uint, uint); \
    T##n __PC_OV bitfield_extract_signed(T##n, uint, uint); \
    T##n __PC_OV bitfield_extract_signed(U##n, uint, uint); \
    U##n __PC_OV bitfield_extract_unsigned(T##n, uint, uint); \
    U##n __PC_OV bitfield_extract_unsigned(U##n, uint, uint); \
    T##n __PC_OV bit_reverse(T##n); \
    U##n __PC_OV bit_reverse(U##n);
#define __PC_TYPE(T, U) \
    __PC_SIZE(T, U, ) __PC_SIZE(T, U, 2) __PC_SIZE(T, U, 3) __PC_SIZE(T, U, 4) __PC_SIZE(T, U, 8) __PC_SIZE(T, U, 16)
__PC_TYPE(char, uchar) __PC_TYPE(short, ushort) __PC_TYPE(int, uint) __PC_TYPE(long, ulong)
#undef __PC_OV
#undef __PC_SIZE
#undef __PC_TYPE
