// Shuffles and rotations of every type.
//! options: -cl-std=CL3.0
//! global: 64
//! local: 64
//! arg 0: u32[64] = 0
//! expect 0: 2047
//! require: cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_khr_fp64
// Every work-item takes part in every operation: what an inactive one would have given is undefined.
#define CHECK(T) \
    ({ T x = (T)(lane * 3 + 1); \
       sub_group_shuffle(x, size - 1 - lane) == (T)((size - 1 - lane) * 3 + 1) \
       & sub_group_shuffle_xor(x, size / 2) == (T)((lane ^ (size / 2)) * 3 + 1) \
       & (lane < 1 | sub_group_shuffle_up(x, size > 1) == (T)((lane - (size > 1)) * 3 + 1)) \
       & (lane + 2 >= size | sub_group_shuffle_down(x, 2) == (T)((lane + 2) * 3 + 1)) \
       & sub_group_rotate(x, 3) == (T)((lane + 3) % size * 3 + 1) \
       & sub_group_rotate(x, -1) == (T)((lane + size - 1) % size * 3 + 1) \
       & (size < 4 | sub_group_clustered_rotate(x, 1, 4) == (T)((lane & ~3u | lane + 1 & 3u) * 3 + 1)) \
       & sub_group_broadcast(x, size / 2) == (T)(size / 2 * 3 + 1); })
kernel void test(global uint *ok)
{
    uint lane = get_sub_group_local_id(), size = get_sub_group_size(), good = 0;
    good |= CHECK(char) << 0 | CHECK(uchar) << 1 | CHECK(short) << 2 | CHECK(ushort) << 3 | CHECK(int) << 4 | CHECK(uint) << 5;
    good |= CHECK(long) << 6 | CHECK(ulong) << 7 | CHECK(float) << 8 | CHECK(double) << 9;
    uint4 v = (uint4)(lane, lane + 1, lane + 2, lane + 3);
    good |= all(sub_group_broadcast(v, size - 1) == (uint4)(size - 1, size, size + 1, size + 2)) << 10;
    ok[get_global_id(0)] = good;
}
