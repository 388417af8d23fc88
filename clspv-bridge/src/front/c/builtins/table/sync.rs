//! Synchronization functions (OpenCL C, section 6.15.8), fences (6.15.9), and hints to the optimiser
//! (cl_khr_expect_assume).

use super::super::row::{BuiltinExpansion, Domain, Row};
use crate::ir::Ordering;

/// Rows of these sections.
pub fn rows() -> Vec<Row> {
    let none = Domain::None;
    let generic: &[&str] = &["__opencl_c_generic_address_space"];
    vec![
        Row::new("barrier", "void uint", none, BuiltinExpansion::Barrier),
        Row::new("work_group_barrier", "void uint", none, BuiltinExpansion::Barrier).since(200),
        Row::new("work_group_barrier", "void uint scope", none, BuiltinExpansion::Barrier).since(200),
        Row::new("sub_group_barrier", "void uint", none, BuiltinExpansion::SubGroupBarrier)
            .one_of(super::groups::SUB_GROUPS),
        Row::new("sub_group_barrier", "void uint scope", none, BuiltinExpansion::SubGroupBarrier)
            .one_of(super::groups::SUB_GROUPS),
        Row::new("mem_fence", "void uint", none, BuiltinExpansion::MemFence(Ordering::AcqRel)),
        Row::new("read_mem_fence", "void uint", none, BuiltinExpansion::MemFence(Ordering::Acquire)),
        Row::new("write_mem_fence", "void uint", none, BuiltinExpansion::MemFence(Ordering::Release)),
        Row::new("atomic_work_item_fence", "void uint order scope", none, BuiltinExpansion::AtomicFence)
            .since(200),
        Row::new("get_fence", "uint kx*void", none, BuiltinExpansion::GetFence).since(200).one_of(generic),
        Row::new("__builtin_assume", "void bool", none, BuiltinExpansion::Assume),
        Row::new("__builtin_expect", "long long long", none, BuiltinExpansion::Expect),
    ]
}
