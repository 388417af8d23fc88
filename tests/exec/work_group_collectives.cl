// Work-group collectives of all types in a loop, in work-groups of two dimensions.
//! options: -cl-std=CL3.0
//! require: __opencl_c_work_group_collective_functions cl_khr_fp64
//! global: 21 9
//! local: 7 9
//! arg 0: i32[189] = (i * 7919) % 1000 - 500
//! arg 1: u32[189] = 0
//! expect 1: 4095
kernel void test(global const int *in, global uint *ok)
{
    local int x[63];
    size_t at = get_global_linear_id();
    uint linear = get_local_linear_id();
    uint good = 0xfff;
    for (int round = 0; round < 4; ++round) {
        int v = in[(at + 31 * round) % 189];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[linear] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0, low = INT_MAX, high = INT_MIN, before = 0, low_before = INT_MAX, high_before = INT_MIN;
        for (uint i = 0; i < 63; ++i) {
            if (i == linear) before = sum, low_before = low, high_before = high;
            sum += x[i], low = min(low, x[i]), high = max(high, x[i]);
        }
        uint now = 0;
        now |= (work_group_reduce_add(v) == sum && work_group_reduce_min(v) == low && work_group_reduce_max(v) == high) << 0;
        now |= (work_group_scan_inclusive_add(v) == before + v && work_group_scan_exclusive_add(v) == before) << 1;
        now |= (work_group_scan_inclusive_min(v) == min(low_before, v) && work_group_scan_exclusive_max(v) == high_before) << 2;
        ulong wide = work_group_scan_exclusive_add((ulong)(v + 500) << 32);
        now |= (wide == (ulong)(before + 500 * linear) << 32) << 3;
        now |= (work_group_scan_inclusive_max((long)v << 33) == (long)max(high_before, v) << 33) << 4;
        now |= (work_group_reduce_add((float)v) == (float)sum && work_group_scan_exclusive_min((float)v) == (linear ? (float)low_before : INFINITY)) << 5;
        now |= (work_group_all(v <= high) && !work_group_all(v < high)) << 6;
        now |= (work_group_any(v == low) && !work_group_any(v < low)) << 7;
        now |= (work_group_broadcast(v, 5, 3 + round) == x[5 + 7 * (3 + round)]) << 8;
        now |= (work_group_broadcast((double)v, 6, 8) == (double)x[62]) << 9;
        now |= (work_group_reduce_max((uint)v) == work_group_reduce_max((uint)(v < 0 ? v : low)) || low >= 0) << 10;
        now |= (work_group_scan_inclusive_add((double)v) == (double)(before + v)) << 11;
        good &= now;
    }
    ok[at] = good;
}
