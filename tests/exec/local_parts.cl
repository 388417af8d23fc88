//! global: 65536
//! local: 8
//! arg 0: u32[65536] = 0
//! expect 0: i * 257 + 120 + i % 5
// Each work-item has its own part of the local arrays, so that any line of up to 32 work-items gives the same results.
__kernel void test(__global uint *out)
{
    __local uint banks[16 * 32], rows[32][5];
    uint g = get_global_id(0), l = get_local_id(0);
#define AT(k) ((k) * 32 + (l & 31) + (l / 32) * 512)
    for (uint k = 0; k < 16; k++)
        banks[AT(k)] = g * 16 + k;
    for (uint k = 0; k < 5; k++)
        rows[l][k] = g + k;
    for (uint k = 0; k < 64; k++) {
        uint to = (k * k + g) & 15, value = banks[AT(k & 15)];
        banks[AT(k & 15)] = banks[AT(to)];
        banks[AT(to)] = value;
    }
    uint sum = 0;
    for (uint k = 0; k < 16; k++)
        sum += banks[AT(k)];
    out[g] = sum + rows[l][g % 5];
}
