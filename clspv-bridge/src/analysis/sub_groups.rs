//! Use of sub-groups by a kernel.

use crate::ir::{Function, Op, Scope, WorkItemQuery};

/// Whether a kernel uses sub-groups: operations, queries, barriers.
pub fn uses_sub_groups(func: &Function) -> bool {
    use WorkItemQuery as Q;
    func.layout.iter().flat_map(|b| &func.blocks[*b].insts).any(|i| match &func.insts[*i].op {
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
