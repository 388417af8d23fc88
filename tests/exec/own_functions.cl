//! global: 8
//! arg 0: u32[8] = i
//! arg 1: u32[8] = 0
//! expect 1: i * 2 + 7
// Functions of the names that extensions of later versions have.
uint bit_reverse(uint x) { return x * 2; }
int dot(int a, int b) { return a + b; }

kernel void test(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = bit_reverse(in[i]) + dot(3, 4);
}
