//! global: 8
//! arg 0: i32[8] = i - 3
//! arg 1: i32[8] = 0
//! expect 1: i == 3 ? 2 : i > 3 ? 5 : 9
// Division by constant zeros, whose results are infinities and NaN.
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0);
    float x = a[i], y = x / 0.0f, z = x / -0.0f;
    r[i] = isinf(y) | (isnan(y) && isnan(z)) << 1 | (y > 0 && z < 0) << 2 | (y < 0 && z > 0) << 3;
}
