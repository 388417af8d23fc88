// Votes, ballots, scans and shuffles over the work-items that take one of two ways, compared with what each can work out by
// itself: work-items of the sub-group with bit `lane % 3 == 0` go one way.
//! options: -cl-std=CL3.0
//! require: cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote cl_khr_fp64
//! global: 84
//! local: 42
//! arg 0: u32[84] = 0
//! expect 0: 65535
#define TAKES(i) ((i) % 3 == 0)
kernel void test(global uint *ok)
{
    uint lane = get_sub_group_local_id(), size = get_sub_group_size(), full = get_max_sub_group_size();
    uint first = get_sub_group_id() * full;
    int v = (int)((first + lane) * 37 % 101) - 50;
    uint good = 0;
    for (int way = 0; way < 2; ++way) {
        // What the active work-items give.
        int sum = 0, low = INT_MAX, before = 0, product = 1, low_before = INT_MAX, cluster_sum = 0, cluster_max = INT_MIN;
        uint bits = 0, count = 0, lowest = 0, highest = 0, count_before = 0;
        for (uint i = 0; i < size; ++i) {
            if (TAKES(i) != (way == 0)) continue;
            int x = (int)((first + i) * 37 % 101) - 50;
            if (!bits) lowest = i;
            highest = i, bits |= 1u << i, ++count;
            if (i == lane) before = sum, low_before = low, count_before = count - 1;
            sum += x, low = min(low, x), product *= (x | 1);
            if (i / 4 == lane / 4) cluster_sum += x, cluster_max = max(cluster_max, x);
        }
        if (TAKES(lane) == (way == 0)) {
            uint now = 0;
            uint4 ballot = sub_group_ballot(1);
            now |= (ballot.x == bits && ballot.y == 0 && ballot.z == 0 && ballot.w == 0) << 0;
            now |= (sub_group_ballot_bit_count(ballot) == count && sub_group_ballot_inclusive_scan(ballot) == count_before + 1
                    && sub_group_ballot_exclusive_scan(ballot) == count_before) << 1;
            now |= (sub_group_ballot_find_lsb(ballot) == lowest && sub_group_ballot_find_msb(ballot) == highest) << 2;
            now |= (sub_group_elect() == (lane == lowest) && sub_group_inverse_ballot(ballot)
                    && sub_group_ballot_bit_extract(ballot, highest) && !sub_group_ballot_bit_extract(ballot, way ? 0 : 1)) << 3;
            now |= (sub_group_non_uniform_all(v >= low) && !sub_group_non_uniform_all(v > low)) << 4;
            now |= (sub_group_non_uniform_any(v == low) && !sub_group_non_uniform_any(v < low)) << 5;
            now |= (sub_group_non_uniform_all_equal(way) && sub_group_non_uniform_all_equal(lane) == (count == 1)) << 6;
            now |= (sub_group_non_uniform_reduce_add(v) == sum && sub_group_non_uniform_reduce_min((long)v << 32) == (long)low << 32) << 7;
            now |= (sub_group_non_uniform_scan_inclusive_add((short)v) == (short)(before + v)
                    && sub_group_non_uniform_scan_exclusive_add((float)v) == (float)before) << 8;
            now |= (sub_group_non_uniform_scan_exclusive_min((char)v) == (lane == lowest ? CHAR_MAX : (char)low_before)
                    && sub_group_non_uniform_reduce_mul(v | 1) == product) << 9;
            now |= (sub_group_clustered_reduce_add(v, 4) == cluster_sum && sub_group_clustered_reduce_max((char)v, 4) == (char)cluster_max) << 10;
            now |= (sub_group_non_uniform_broadcast((ulong)v << 8, way ? 1u : 3u % size) == (ulong)((int)((first + (way ? 1 : 3 % size)) * 37 % 101) - 50) << 8
                    || (way ? 1u : 3u % size) >= size || TAKES(way ? 1u : 3u % size) != (way == 0)) << 11;
            now |= (sub_group_broadcast_first((double)lane) == (double)lowest) << 12;
            now |= (sub_group_shuffle((uchar)v, highest) == (uchar)(int)((int)((first + highest) * 37 % 101) - 50)) << 13;
            now |= (sub_group_non_uniform_reduce_logical_xor(1) == (int)(count & 1) && sub_group_non_uniform_scan_exclusive_logical_and(lane)
                    == (lane == lowest || lowest != 0) && sub_group_non_uniform_reduce_or(1u << lane) == bits) << 14;
            uint4 lt = get_sub_group_lt_mask(), le = get_sub_group_le_mask(), eq = get_sub_group_eq_mask(), gt = get_sub_group_gt_mask(),
                  ge = get_sub_group_ge_mask();
            uint all = full == 32 ? 0xffffffff : (1u << full) - 1;
            now |= (eq.x == 1u << lane && lt.x == eq.x - 1 && le.x == (lt.x | eq.x) && gt.x == (all & ~le.x) && ge.x == (all & ~lt.x)) << 15;
            good = now;
        }
    }
    ok[get_global_id(0)] = good;
}
