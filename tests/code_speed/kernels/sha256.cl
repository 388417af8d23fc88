// First word of SHA-256's compression of one block: fourteen given words, the counter and a zero.
__constant uint K[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u
};
#define ROTR(x, n) rotate(x, 32u - n)
#define S0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define S1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define R0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define R1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define SCHEDULE(i, i1, i9, i14) w[i] += R0(w[i1]) + w[i9] + R1(w[i14]);
#define ROUND(a, b, c, d, e, f, g, h, i) \
    { \
        uint x = h + S1(e) + (g ^ (e & (f ^ g))) + K[t + i] + w[i]; \
        d += x; \
        h = x + S0(a) + ((a & b) | (c & (a | b))); \
    }

__kernel void sha256(__global const uint *restrict text, __global uint *restrict out)
{
    uint id = get_global_id(0);
    uint w[16];
    for (uint i = 0; i < 14; i++)
        w[i] = text[i];
    w[14] = id;
    w[15] = 0;
    uint a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
    uint e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;
    for (uint t = 0u; t < 64u; t += 16u) {
        if (t > 0u) {
            SCHEDULE(0, 1, 9, 14) SCHEDULE(1, 2, 10, 15) SCHEDULE(2, 3, 11, 0) SCHEDULE(3, 4, 12, 1)
            SCHEDULE(4, 5, 13, 2) SCHEDULE(5, 6, 14, 3) SCHEDULE(6, 7, 15, 4) SCHEDULE(7, 8, 0, 5)
            SCHEDULE(8, 9, 1, 6) SCHEDULE(9, 10, 2, 7) SCHEDULE(10, 11, 3, 8) SCHEDULE(11, 12, 4, 9)
            SCHEDULE(12, 13, 5, 10) SCHEDULE(13, 14, 6, 11) SCHEDULE(14, 15, 7, 12) SCHEDULE(15, 0, 8, 13)
        }
        ROUND(a, b, c, d, e, f, g, h, 0) ROUND(h, a, b, c, d, e, f, g, 1) ROUND(g, h, a, b, c, d, e, f, 2)
        ROUND(f, g, h, a, b, c, d, e, 3) ROUND(e, f, g, h, a, b, c, d, 4) ROUND(d, e, f, g, h, a, b, c, 5)
        ROUND(c, d, e, f, g, h, a, b, 6) ROUND(b, c, d, e, f, g, h, a, 7) ROUND(a, b, c, d, e, f, g, h, 8)
        ROUND(h, a, b, c, d, e, f, g, 9) ROUND(g, h, a, b, c, d, e, f, 10) ROUND(f, g, h, a, b, c, d, e, 11)
        ROUND(e, f, g, h, a, b, c, d, 12) ROUND(d, e, f, g, h, a, b, c, 13) ROUND(c, d, e, f, g, h, a, b, 14)
        ROUND(b, c, d, e, f, g, h, a, 15)
    }
    out[id] = a + 0x6a09e667u;
}
