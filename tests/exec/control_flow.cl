//! global: 200
//! arg 0: i32[200] = i
//! arg 1: i32[200] = 0
//! expect 1: i % 7 == 3 ? -1 : i % 5 == 0 ? 10 + i : i < 50 ? i * (i - 1) / 2 : i < 100 ? 50 : i % 2 == 0 ? i / 2 : 3 * i + 1
int helper(int i)
{
    if (i % 7 == 3)
        return -1;
    switch (i % 5) {
    case 0:
        return 10 + i;
    case 1:
    case 2:
        break;
    default:
        if (i < 0)
            return 0;
    }
    int s = 0;
    for (int k = 0; k < i; k++) {
        if (i >= 50) {
            if (k == 49) {
                s = 50;
                break;
            }
            continue;
        }
        s += k;
    }
    if (i >= 100)
        return i & 1 ? 3 * i + 1 : i >> 1;
    return s;
}
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    r[i] = helper(a[i]);
}
