//! global: 512
//! arg 0: u32[1024] = i * 3
//! arg 1: u32[1024] = i * 3
//! arg 2: u32[9216] = 7
//! arg 3: u32[9] = 1 << i
//! expect 2: i % 1024 * 3
// Places that are neighbours for some distances and not for others, read and written by all work-items and by some.
kernel void test(global const uint *from, global const uint *copy, global uint *to, global const uint *steps)
{
    uint i = get_global_id(0);
    for (uint s = 0; s < 9; s++) {
        uint step = steps[s], low = i % step, at = 2 * (i - low) + low;
        global uint *out = to + 1024 * s;
        out[at] = from[at];
        if (i / 5 % 3 == s % 3)
            out[at + step] = from[at + step];
        else
            out[at + step] = copy[at + step];
    }
}
