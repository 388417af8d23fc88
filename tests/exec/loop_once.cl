//! global: 16
//! local: 8
//! arg 0: i32[16] = i
//! arg 1: i32[16] = 0
//! expect 1: arg0 + 5
// A loop with one iteration around a loop that some work-items do not enter; both are followed by what the
// inner one computes.
__kernel void test(__global const int *a, __global int *r)
{
    uint g = get_global_id(0);
    ulong h = 17;
    if (a[3]) h = h * 31 + a[g];
    int once = 1;
    while (once-- > 0) {
        int n = 1;
        while (n-- > 0 && (g & 2)) h = h * 31 + g;
    }
    h = h * 31;
    ulong first = 527ul + a[g], inner = g & 2 ? first * 31 + g : first;
    ulong wanted = (inner << 5) - inner;
    r[g] = a[g] + 5 + (int)(h - wanted);
}
