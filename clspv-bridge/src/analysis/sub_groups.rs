//! Use of sub-groups by a kernel.

use crate::ir::{Function, Op, Scope, WorkItemQuery};

/// Whether a kernel uses sub-groups: operations, queries, barriers.
pub fn uses_sub_groups(func: &Function) -> bool {
    use WorkItemQuery as Q;
    func.data_in_order().any(|data| match &data.op {
        Op::Group { .. } => true,
        Op::Barrier { exec, .. } => *exec == Scope::SubGroup,
        Op::WorkItem { query, .. } => matches!(
            query,
            Q::SubGroupSize
                | Q::SubGroupMaxSize
                | Q::NumSubGroups
                | Q::EnqueuedNumSubGroups
                | Q::SubGroupId
                | Q::SubGroupLocalId
        ),
        _ => false,
    })
}
