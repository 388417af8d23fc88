// A vector's work-items that do not exist read nothing: their copies of a variable were never written.
//! global: 61
//! local: 61
//! arg 0: u32[61] = i
//! expect 0: 3 * i + (i % 8 + 1)
kernel void test(global uint *x)
{
    uint table[8];
    size_t i = get_global_id(0);
    for (uint j = 0; j < 8; j++) table[j] = x[i] + j;
    x[i] = table[x[i] & 7] + table[(x[i] + 1) & 7] * 2 - 2 * ((x[i] + 1) & 7) + 1;
}
