//! options: -cl-std=CL3.0
//! global: 64
//! local: 16
//! arg 0: i32[64] = i * 37 - 500
//! arg 1: i32[64] = 0
//! expect 1: 0
// Irreducible control flow, loops with several exits, switches with ranges and fall-through, barriers in uniform loops,
// functions that are not to be inlined.
int irreducible(int x, int n)
{
    int s = 0, k = 0;
    if (x & 1)
        goto middle;
top:
    s += 3;
    if (s > 1000)
        goto out;
middle:
    s ^= x;
    if (++k < n)
        goto top;
    if (s & 1) {
        n--;
        if (k < 40)
            goto middle;
    }
out:
    return s + k;
}
// The same with a state instead of labels.
int states(int x, int n)
{
    int s = 0, k = 0, at = (x & 1) ? 1 : 0;
    while (at != 2) {
        if (at == 0) {
            s += 3;
            at = s > 1000 ? 2 : 1;
        } else {
            s ^= x;
            if (++k < n)
                at = 0;
            else if (s & 1) {
                n--;
                at = k < 40 ? 1 : 2;
            } else
                at = 2;
        }
    }
    return s + k;
}
int exits(int x)
{
    int found = -1;
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < 20; j++) {
            if (((i * j) ^ x) % 97 == 0) {
                found = i * 100 + j;
                goto done;
            }
            if (i + j == (x & 31))
                break;
            if (i * j == 77)
                return -7;
            if (j == (x & 7))
                continue;
            found--;
        }
        if (found < -100)
            return found;
    }
done:
    return found;
}
int exits_again(int x)
{
    int found = -1, stop = 0;
    for (int i = 0; i < 20 && !stop; i++) {
        int inner = 1;
        for (int j = 0; j < 20 && inner && !stop; j++) {
            if (((i * j) ^ x) % 97 == 0) {
                found = i * 100 + j;
                stop = 1;
            } else if (i + j == (x & 31))
                inner = 0;
            else if (i * j == 77) {
                found = -7;
                stop = 1;
            } else if (j != (x & 7))
                found--;
        }
        if (!stop && found < -100)
            stop = 1;
    }
    return found;
}
__attribute__((noinline)) int ranges(int x)
{
    int r = 0;
    switch (x) {
    case -400 ... -300: r = 1; break;
    case -299 ... 0: r = 2;
    case 5: r += 10;
    case 100 ... 163: r++; break;
    default: r = -1;
    case 900: r -= 5;
    }
    return r;
}
int ranges_again(int x)
{
    if (x >= -400 && x <= -300)
        return 1;
    if (x >= -299 && x <= 0)
        return 13;
    if (x == 5)
        return 11;
    if (x >= 100 && x <= 163)
        return 1;
    return x == 900 ? -5 : -6;
}
long wide_switch(long x)
{
    switch (x) {
    case 0x100000000L: return 1;
    case -0x100000000L: return 2;
    case 0x7fffffffffffffffL: return 3;
    default: return 4;
    }
}
__kernel void test(__global const int *a, __global int *r)
{
    size_t i = get_global_id(0), j = get_local_id(0);
    int x = a[i], bad = 0;
    bad |= irreducible(x, 7) != states(x, 7);
    bad |= (irreducible(x + 1, x & 15) != states(x + 1, x & 15)) << 1;
    bad |= (exits(x) != exits_again(x)) << 2;
    for (int k = -20; k < 20; k++)
        bad |= (ranges(x + 17 * k) != ranges_again(x + 17 * k)) << 3;
    bad |= (wide_switch((long)x << 32) != (x == 1 ? 1 : x == -1 ? 2 : 4) || wide_switch(0x7fffffffffffffffL - (x & 1)) != 3 + (x & 1)) << 4;
    // A barrier in a loop with a uniform number of rounds and an exit that is uniform, too.
    __local int turn[16];
    turn[j] = (int)j;
    for (int k = 0; k < 16; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = turn[(j + 1) % 16], first = turn[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        turn[j] = next;
        if (first < 0 && k == 20)
            break;
        if (k == 11) {
            barrier(CLK_LOCAL_MEM_FENCE);
            continue;
        }
    }
    bad |= (turn[j] != (int)j) << 5;
    int depth = 0;
    do {
        int c = 0;
        while (1) {
            if (c++ > 3)
                break;
            for (int k = 0;; k++) {
                if (k > depth)
                    break;
                if (k == 2)
                    goto next;
            }
        }
    next:
        depth++;
    } while (depth < 5 + (x & 3));
    bad |= (depth != 5 + (x & 3)) << 6;
    r[i] = bad;
}
