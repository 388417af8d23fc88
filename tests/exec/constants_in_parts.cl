//! options: -cl-std=CL3.0
//! global: 64
//! local: 64
//! arg 0: i32[64] = i - 32
//! arg 1: i32[64] = 0
//! expect 1: 1 + 2 + (arg0 < 0 ? 4 : 0) + (arg0 > -5 ? 8 : 0)
// Constants of 64 bits that local memory holds as four values of 16, and constant lanes beside a converted one.
#ifdef cl_khr_fp64
typedef double number;
#else
typedef long number;
#endif
typedef struct {
    number n;
    short s[3];
    long l;
} Record;
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    local Record records[64];
    records[l] = (Record){ 1, { (short)l }, ~3L };
    barrier(CLK_LOCAL_MEM_FENCE);
    Record other = records[63 - l];
    int result = (other.n == 1) + 2 * (other.l == -4) + other.s[1];
    long2 x = (long2)(0, 39), y = (long2)(39, 0);
    x.x = a[i];
    y.y = a[i];
    result -= 4 * (int)(x < 0).x + 8 * (int)(y > (long2)(40, -5)).y;
    r[i] = result;
}
