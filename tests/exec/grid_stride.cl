//! global: 48
//! local: 16
//! arg 0: i32[4096] = i * 0x9e3779b9
//! arg 1: i32[12] = i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 47 : i == 3 ? 48 : i == 4 ? 49 : i * i * 33 + i
//! arg 2: i32[48] = 0
//! expect 2: 0
// Loops that read memory a number of times known only at run time, in strides of the global size, of the local
// size and of constants, up and down. Bits of the result tell which of them have a wrong sum; volatile reads
// are made one by one.
#define STEP(p, i) s = s * 5 + (p)[i]
#define BOTH(bit, loop)                                                                                        \
    {                                                                                                          \
        uint s = 0;                                                                                            \
        { __global const int *p = a; loop; }                                                                   \
        uint t = s;                                                                                            \
        s = 0;                                                                                                 \
        { volatile __global const int *p = a; loop; }                                                          \
        wrong |= (s != t) << bit;                                                                              \
    }
__kernel void test(__global const int *a, __global const int *counts, __global int *r)
{
    int g = get_global_id(0), wrong = 0;
    for (int k = 0; k < 12; k++) {
        int n = counts[k];
        BOTH(0, for (int i = g; i < n; i += get_global_size(0)) STEP(p, i))
        BOTH(1, for (size_t i = g; i < (size_t)n; i += get_global_size(0)) STEP(p, i))
        BOTH(2, for (uint i = g; i <= (uint)n && n < 4096; i += get_global_size(0)) STEP(p, i))
        BOTH(3, for (int i = g; i <= n - 1; i += get_global_size(0)) STEP(p, i))
        BOTH(4, for (int i = get_local_id(0); i < n; i += get_local_size(0)) STEP(p, i))
        BOTH(5, for (int i = g; i < n; i++) STEP(p, i))
        BOTH(6, for (int i = n - 1; i >= 0; i -= 3) STEP(p, i))
        BOTH(7, for (int i = n - 1; i > g; i -= get_global_size(0)) STEP(p, i))
        BOTH(8, for (int i = g; i < n; i += get_global_size(0)) if (i % 3 != k % 3) STEP(p, i))
        BOTH(9, for (int i = g; i < n; i += get_global_size(0)) { int v = p[i]; s = v > 7 ? s * 3 + v : s - v; })
        BOTH(10, for (int i = g; i < n / 4; i += get_global_size(0)) { STEP(p, 4 * i); STEP(p, 4 * i + 3); })
        BOTH(11, for (short i = g; i < n; i += 48) STEP(p, i))
    }
    r[g] = wrong;
}
