//! Work-item functions (OpenCL C, section 6.15.1) and clocks (cl_khr_kernel_clock).

use super::super::row::{BuiltinExpansion, Domain, Row};
use crate::ir::{Scope, WorkItemQuery as Q};

/// Rows of this section.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let none = Domain::None;
    for (name, query, since) in [
        ("get_global_id", Q::GlobalId, 100),
        ("get_local_id", Q::LocalId, 100),
        ("get_group_id", Q::GroupId, 100),
        ("get_global_size", Q::GlobalSize, 100),
        ("get_local_size", Q::LocalSize, 100),
        ("get_enqueued_local_size", Q::EnqueuedLocalSize, 200),
        ("get_num_groups", Q::NumGroups, 100),
        ("get_global_offset", Q::GlobalOffset, 100),
    ] {
        rows.push(Row::new(name, "size_t uint", none, BuiltinExpansion::WorkItem(query)).since(since));
    }
    rows.push(Row::new("get_work_dim", "uint", none, BuiltinExpansion::WorkItem(Q::WorkDim)));
    for (name, query) in
        [("get_global_linear_id", Q::GlobalLinearId), ("get_local_linear_id", Q::LocalLinearId)]
    {
        rows.push(Row::new(name, "size_t", none, BuiltinExpansion::WorkItem(query)).since(200));
    }
    for (name, query) in [
        ("get_sub_group_size", Q::SubGroupSize),
        ("get_max_sub_group_size", Q::SubGroupMaxSize),
        ("get_num_sub_groups", Q::NumSubGroups),
        ("get_enqueued_num_sub_groups", Q::EnqueuedNumSubGroups),
        ("get_sub_group_id", Q::SubGroupId),
        ("get_sub_group_local_id", Q::SubGroupLocalId),
    ] {
        rows.push(
            Row::new(name, "uint", none, BuiltinExpansion::WorkItem(query)).one_of(super::groups::SUB_GROUPS),
        );
    }
    const CLOCKS: [(&str, &str, Scope, &[&str]); 3] = [
        (
            "clock_read_device",
            "clock_read_hilo_device",
            Scope::Device,
            &["cl_khr_kernel_clock", "__opencl_c_kernel_clock_scope_device"],
        ),
        (
            "clock_read_work_group",
            "clock_read_hilo_work_group",
            Scope::WorkGroup,
            &["cl_khr_kernel_clock", "__opencl_c_kernel_clock_scope_work_group"],
        ),
        (
            "clock_read_sub_group",
            "clock_read_hilo_sub_group",
            Scope::SubGroup,
            &["cl_khr_kernel_clock", "__opencl_c_kernel_clock_scope_sub_group"],
        ),
    ];
    for (name, hilo, scope, needs) in CLOCKS {
        rows.push(
            Row::new(name, "ulong", none, BuiltinExpansion::Clock { scope, hilo: false }).one_of(needs),
        );
        rows.push(Row::new(hilo, "uint2", none, BuiltinExpansion::Clock { scope, hilo: true }).one_of(needs));
    }
    rows
}
