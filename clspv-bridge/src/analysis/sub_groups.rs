//! Use of sub-groups by a kernel.

use crate::ir::{Function, Op, Scope, WorkItemQuery};

/// Whether a kernel uses sub-groups: operations, queries, barriers.
pub fn uses_sub_groups(func: &Function) -> bool {
    func.data_in_order().any(|data| match &data.op {
        Op::Group { .. } => true,
        Op::Barrier { exec, .. } => *exec == Scope::SubGroup,
        Op::WorkItem { query, .. } => is_sub_group_query(*query),
        _ => false,
    })
}

/// Whether the result of a query depends on the size of sub-groups.
pub fn is_sub_group_query(query: WorkItemQuery) -> bool {
    use WorkItemQuery as Q;
    matches!(
        query,
        Q::SubGroupSize
            | Q::SubGroupMaxSize
            | Q::NumSubGroups
            | Q::EnqueuedNumSubGroups
            | Q::SubGroupId
            | Q::SubGroupLocalId
    )
}
