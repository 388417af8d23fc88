// Block reads and writes, and shuffles, of bytes and of 64-bit integers.
//! options: -cl-std=CL1.2
//! require: cl_intel_subgroups_char cl_intel_subgroups_long
//! global: 64
//! local: 32
//! arg 0: u8[256] = i
//! arg 1: u8[256] = 0
//! arg 2: u64[256] = i * 4294967297
//! arg 3: u64[256] = 0
//! arg 4: u32[64] = 0
//! expect 1: i + 1
//! expect 3: i * 4294967297 + 1
//! expect 4: 63
#if !defined(cl_intel_subgroups_char) || !defined(cl_intel_subgroups_long)
#error "a macro is missing"
#endif
kernel void test(global const uchar *bytes, global uchar *bytes_out, global const ulong *longs, global ulong *longs_out, global uint *ok)
{
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size(), good = 0;
    uint first = get_group_id(0) * 32 + get_sub_group_id() * size;
    intel_sub_group_block_write_uc4(bytes_out + first * 4, intel_sub_group_block_read_uc4(bytes + first * 4) + (uchar)1);
    intel_sub_group_block_write_ul4(longs_out + first * 4, intel_sub_group_block_read_ul4(longs + first * 4) + 1UL);
    good |= (intel_sub_group_block_read_uc(bytes + first) == first + lane) << 0;
    good |= (intel_sub_group_block_read_ul2(longs + first).y == (first + size + lane) * 4294967297UL) << 1;
    uchar other = size - 1 - lane;
    good |= (intel_sub_group_shuffle((uchar)(lane * 3), (uint)other) == (uchar)(other * 3)) << 2;
    good |= (intel_sub_group_shuffle((long)lane << 40, (uint)other) == (long)other << 40) << 3;
    good |= (intel_sub_group_shuffle_up((char)-1, (char)lane, 1u) == (lane ? (char)(lane - 1) : (char)-1)) << 4;
    good |= (sub_group_reduce_add((long)lane << 33) == ((long)(size * (size - 1) / 2) << 33)) << 5;
    ok[get_global_id(0)] = good;
}
