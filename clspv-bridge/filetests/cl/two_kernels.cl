//! test cl
// expect: OpEntryPoint
// expect: OpEntryPoint
static int helper(int x) { return x * x + 1; }
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void first(global int *p) { p[get_global_id(1)] = helper(p[0]); }
kernel void second(global int *p) {
    if (get_work_dim() == 2 && get_global_offset(0) == 0 && get_num_groups(1) > get_local_size(2)) first(p);
    p[get_global_linear_id()] += helper(3) + get_enqueued_local_size(0) + get_local_linear_id();
}
