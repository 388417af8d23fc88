// Functions of cl_intel_subgroups and a required sub-group size, in OpenCL C 1.2.
//! options: -cl-std=CL1.2
//! require: cl_intel_subgroups cl_intel_subgroups_short cl_intel_required_subgroup_size
//! global: 64
//! local: 32
//! arg 0: u32[256] = i * 5
//! arg 1: u32[256] = 0
//! arg 2: u16[64] = i
//! arg 3: u32[64] = 0
//! expect 1: i * 5 + 1
//! expect 3: 127
#if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_short) || !defined(cl_intel_required_subgroup_size)
#error "a macro is missing"
#endif
kernel void test(global const uint *in, global uint *out, global ushort *s, global uint *ok)
{
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size(), good = 0, at = get_global_id(0);
    uint first = get_group_id(0) * 32 + get_sub_group_id() * size;
    intel_sub_group_block_write4(out + first * 4, intel_sub_group_block_read4(in + first * 4) + 1);
    good |= (intel_sub_group_block_read2(in + first).y == (first + size + lane) * 5) << 0;
    ushort8 t = size > 8 ? (ushort8)0 : intel_sub_group_block_read_us8(s);
    good |= (t.s0 == lane && t.s7 == size * 7 + lane || size > 8) << 1;
    float4 v = (float4)(lane, 2 * lane, 3 * lane, 4 * lane);
    uint other = size - 1 - lane;
    good |= all(intel_sub_group_shuffle(v, other) == (float4)(other, 2 * other, 3 * other, 4 * other)) << 2;
    good |= (intel_sub_group_shuffle_xor((short)lane, (uint)0) == lane) << 3;
    int next = 1000 + (int)lane, previous = -1000 + (int)lane;
    good |= (intel_sub_group_shuffle_down((int)lane, next, 1) == (lane + 1 < size ? (int)lane + 1 : 1000)) << 4;
    good |= (intel_sub_group_shuffle_up(previous, (int)lane, 1) == (lane ? (int)lane - 1 : (int)size - 1001)) << 5;
    good |= (sub_group_reduce_add(lane) == size * (size - 1) / 2 && sub_group_any(lane == 0)) << 6;
    ok[at] = good;
}
