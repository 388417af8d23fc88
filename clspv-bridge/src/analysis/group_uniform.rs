//! Values that may differ within a work-group: between the vectors of vectorised code, or between work-items.
//!
//! They depend, by data or by branches ([`Dependents`]), on what tells work-items apart. Vectors meet at
//! group barriers, so that no difference of control passes one.

use super::dependents::Dependents;
use crate::ir::*;
use rustc_hash::FxHashSet;

/// A barrier that orders nothing: the end of a parallel region.
pub const REGION_END: Op = Op::Barrier {
    exec: Scope::WorkGroup,
    memory: Scope::WorkItem,
    order: Ordering::Relaxed,
    spaces: FenceSpaces { local: false, global: false, image: false },
};

/// Whether the operation ends a parallel region: all vectors of the group meet there.
pub fn is_group_sync(op: &Op) -> bool {
    super::tree::is_barrier(op) || matches!(op, Op::Group { scope: Scope::WorkGroup, .. })
}

/// Position in the block of what ends a parallel region.
pub fn sync_position(func: &Function, block: Block) -> Option<usize> {
    func.blocks[block].insts.iter().position(|i| is_group_sync(&func.insts[*i].op))
}

/// Pairs of executions that values are compared for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// Vectors of native code.
    Vectors,
    /// Work-items of a group, which has several sub-groups.
    SubGroups,
    /// Work-items of a group that is one sub-group.
    WorkItems,
}

/// The values that may differ.
pub fn varying_values(func: &Function, apart: Apart) -> EntitySet<Value> {
    analyse(func, apart).values
}

/// The blocks that some of a group's work-items may execute without the others.
pub fn divergent_blocks(func: &Function, apart: Apart) -> FxHashSet<Block> {
    analyse(func, apart).blocks
}

/// The values that may differ, and the blocks on different ways.
fn analyse(func: &Function, apart: Apart) -> Dependents {
    let synced = func.layout.iter().copied().filter(|b| sync_position(func, *b).is_some()).collect();
    Dependents::of(func, &synced, |data, varying| is_varying(data, varying, apart))
}

/// Whether the operation's results may differ, given the operands that do.
fn is_varying(data: &InstData, varying: &EntitySet<Value>, apart: Apart) -> bool {
    let any = |args: &[Value]| args.iter().any(|a| varying.contains(*a));
    match &data.op {
        Op::WorkItem { query, .. } => query_varies(*query, apart),
        Op::Group { scope: Scope::WorkGroup, .. } => false,
        Op::Group { op, .. } if apart != Apart::Vectors => apart == Apart::SubGroups || !has_one_result(op),
        Op::SlotAddr(_)
        | Op::AtomicRmw { .. }
        | Op::AtomicCas { .. }
        | Op::AtomicLoad { .. }
        | Op::Clock(_)
        | Op::Runtime(_)
        | Op::Check(CheckOp::Address { .. }) => true,
        // The memory may change between the loads of two vectors.
        Op::Load(access) if access.volatile => true,
        // The mask matters only if the other operands differ.
        Op::Call(_) => any(data.args.get(1..).unwrap_or_default()),
        Op::Check(CheckOp::Load { .. }) => any(data.args.get(..1).unwrap_or_default()),
        _ => any(&data.args),
    }
}

/// Whether the result of a query may differ.
fn query_varies(query: WorkItemQuery, apart: Apart) -> bool {
    use WorkItemQuery as Q;
    match query {
        Q::LocalId => true,
        Q::SubGroupId => apart != Apart::WorkItems,
        Q::SubGroupSize => apart == Apart::SubGroups,
        Q::GlobalId | Q::GlobalLinearId | Q::LocalLinearId | Q::SubGroupLocalId => apart != Apart::Vectors,
        _ => false,
    }
}

/// Whether an operation has the same result in all work-items of a sub-group.
fn has_one_result(op: &GroupOp) -> bool {
    matches!(
        op,
        GroupOp::All
            | GroupOp::Any
            | GroupOp::AllEqual
            | GroupOp::Ballot
            | GroupOp::Broadcast
            | GroupOp::BroadcastFirst
            | GroupOp::Combine { scan: Scan::Reduce, cluster: 0, .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ways that have met stay together: a later selection that all vectors take alike has one result.
    #[test]
    fn differences_of_control_end_where_ways_meet() {
        let text = "phase inlined
            func @f(i32) {
            block0(v0: i32):
                v1 = work_item local_id 0
                v2 = trunc.i32 v1
                v3 = icmp ult v2, i32 4
                brif v3, block1, block2
            block1:
                br block3(i32 7)
            block2:
                br block3(i32 0)
            block3(v4: i32):
                v5 = icmp ult v0, i32 4
                brif v5, block4, block5
            block4:
                br block6(i32 1)
            block5:
                br block6(i32 2)
            block6(v6: i32):
                v7 = iadd v4, v6
                ret
            }";
        let module = parse::parse_module(text).unwrap();
        let func = module.functions.values().next().unwrap();
        let varying = varying_values(func, Apart::Vectors);
        let params: Vec<Value> = func.layout.iter().flat_map(|b| &func.blocks[*b].params).copied().collect();
        let varies: Vec<bool> = params.iter().map(|v| varying.contains(*v)).collect();
        assert_eq!(varies, [false, true, false]);
    }
}
