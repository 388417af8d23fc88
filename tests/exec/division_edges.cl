//! global: 4096
//! arg 0: i64[4096] = 0
//! expect 0: 0
// Quotients and remainders next to where they change, against those of 64-bit integers that are divided bit by bit.
ulong divided(ulong x, ulong y)
{
    ulong q = 0, r = 0;
    for (int k = 63; k >= 0; k--) {
        r = r << 1 | (x >> k & 1);
        if (r >= y) {
            r -= y;
            q |= 1ul << k;
        }
    }
    return q;
}

long divided_signed(long x, long y)
{
    long q = divided(abs(x), abs(y));
    return (x < 0) != (y < 0) ? -q : q;
}

uint edge(uint i)
{
    uint n = i & 31, power = 1u << n;
    switch (i >> 5 & 7) {
    case 0: return power;
    case 1: return power - 1;
    case 2: return power + 1;
    case 3: return 0u - power;
    case 4: return power * 3 + 1;
    case 5: return 0xffffffffu / (n + 1);
    case 6: return (i + 1) * 0x9e3779b9u;
    default: return (i + 7) * 0x85ebca6bu >> n;
    }
}

kernel void test(global long *r)
{
    uint i = get_global_id(0);
    long bad = 0;
    for (uint j = 0; j < 16; j++) {
        uint y = edge(i + j * 61), near = edge(i >> 4) * y;
        y = y ? y : 1;
        for (uint x = near - 1; x != near + 2; x++) {
            uint q = divided(x, y);
            bad += x / y != q;
            bad += x % y != x - q * y;
            int sx = x, sy = y;
            if (sx != INT_MIN || sy != -1) {
                int sq = divided_signed(sx, sy);
                bad += sx / sy != sq;
                bad += sx % sy != sx - sq * sy;
            }
            ushort hx = x >> 3, hy = (ushort)y ? y : 1, hq = divided(hx, hy);
            bad += (ushort)(hx / hy) != hq;
            short shx = hx, shy = hy;
            bad += shx / shy != divided_signed(shx, shy);
            uchar cx = x >> 5, cy = (uchar)y ? y : 1;
            bad += cx / cy != divided(cx, cy);
            bad += (char)cx % (char)cy != (char)cx - divided_signed((char)cx, (char)cy) * (char)cy;
        }
    }
    r[i] = bad;
}
