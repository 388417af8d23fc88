//! global: 64
//! arg 0: i32[64] = i
//! arg 1: i32[64] = 0
//! expect 1: i < 3 ? 0 : (i % 3 == 0 ? 3 : i % 5 == 0 && i % 2 == 1 ? 5 : i % 2 == 0 ? 2 : i == 49 ? 7 : i)
// smallest factor search by nested loops with exits at two levels; 2 is found only when 3 is not
__kernel void test(__global const int *a, __global int *r)
{
    int n = a[get_global_id(0)], found = 0;
    if (n >= 3) {
        for (int d = n % 3 == 0 ? 3 : 2; ; d++) {
            int q = 0;
            while (1) {
                q++;
                if (q * d == n) {
                    found = d;
                    goto done;
                }
                if (q * d > n)
                    break;
            }
            if (d > n)
                break;
        }
    }
done:
    r[get_global_id(0)] = found;
}
