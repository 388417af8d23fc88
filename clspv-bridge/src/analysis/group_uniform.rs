//! Values that may differ within a work-group: between the vectors of vectorised code, or between work-items.
//!
//! A forward data-flow analysis over the control-flow graph. Besides data, branches carry differences: where
//! they take different ways, parameters of the blocks in which the ways meet may differ, and so may values
//! that leave a loop which vectors leave after different numbers of iterations. Vectors meet at group
//! barriers, so that no difference of control passes one.

use super::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

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
    analyse(func, apart).0
}

/// The blocks that some of a group's work-items may execute without the others.
pub fn divergent_blocks(func: &Function, apart: Apart) -> FxHashSet<Block> {
    analyse(func, apart).1
}

/// The values that may differ, and the blocks on different ways.
fn analyse(func: &Function, apart: Apart) -> (EntitySet<Value>, FxHashSet<Block>) {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let synced: FxHashSet<Block> =
        func.layout.iter().copied().filter(|b| sync_position(func, *b).is_some()).collect();
    let uses = Uses::new(func, &forest);
    let mut varying = EntitySet::new();
    let mut handled: FxHashSet<Block> = FxHashSet::default();
    let mut divergent: FxHashSet<Block> = FxHashSet::default();
    loop {
        let mut changed = false;
        for &b in cfg.rpo() {
            for &i in &func.blocks[b].insts {
                let data = &func.insts[i];
                if is_varying(data, &varying, apart) {
                    data.results.iter().for_each(|r| changed |= varying.insert(*r));
                }
                for t in &data.targets {
                    for (p, a) in func.blocks[t.block].params.iter().zip(&t.args) {
                        if varying.contains(*a) {
                            changed |= varying.insert(*p);
                        }
                    }
                }
            }
            let diverges = func.successors(b).len() > 1
                && !synced.contains(&b)
                && func
                    .terminator(b)
                    .is_some_and(|t| func.insts[t].args.first().is_some_and(|on| varying.contains(*on)));
            if diverges && handled.insert(b) {
                let ways = Ways::from(func, &cfg, &synced, b);
                divergent.extend(ways.blocks);
                for join in ways.joins {
                    func.blocks[join].params.iter().for_each(|p| changed |= varying.insert(*p));
                }
                for v in leaving_values(func, &forest, &uses, b) {
                    changed |= varying.insert(v);
                }
            }
        }
        if !changed {
            return (varying, divergent);
        }
    }
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

/// The different ways from a branch.
struct Ways {
    /// The blocks in which ways meet.
    joins: Vec<Block>,
    /// The blocks on the ways, before all have met.
    blocks: Vec<Block>,
}

impl Ways {
    /// Follows the ways. Each block on them is labelled with what all ways to it come from: a successor of
    /// the branch, or the last meeting point. The walk ends where all ways lead, unless some way ends before.
    fn from(func: &Function, cfg: &Cfg, synced: &FxHashSet<Block>, branch: Block) -> Ways {
        let mut labels: FxHashMap<Block, Block> = FxHashMap::default();
        let mut found = Vec::new();
        let mut ends = false;
        // By reverse postorder, so that all ways to a block are known when it passes its label on, except
        // those by the back edges of loops.
        let mut work: BTreeSet<(u32, Block, Block)> = BTreeSet::new();
        let entry = |to: Block, label: Block| (cfg.number(to).unwrap_or(0), to, label);
        work.extend(func.successors(branch).iter().map(|t| entry(t.block, t.block)));
        while let Some((_, block, label)) = work.pop_first() {
            let mut is_join = false;
            while let Some(other) = work.first().filter(|other| other.1 == block) {
                is_join |= other.2 != label;
                work.pop_first();
            }
            // All ways lead here, and go on together.
            let is_only = work.is_empty() && !ends;
            match labels.get(&block) {
                Some(known) if *known == block || *known == label && !is_join => continue,
                Some(_) => is_join = true,
                None => is_join |= is_only && labels.is_empty(),
            }
            if is_join {
                found.push(block);
            }
            let label = if is_join { block } else { label };
            if is_only {
                break;
            }
            labels.insert(block, label);
            if synced.contains(&block) || func.successors(block).is_empty() {
                ends = true;
                continue;
            }
            work.extend(func.successors(block).iter().map(|t| entry(t.block, label)));
        }
        Ways { joins: found, blocks: labels.into_keys().collect() }
    }
}

/// For each value the blocks that use it, and for each loop its blocks.
struct Uses {
    users: FxHashMap<Value, Vec<Block>>,
    loops: Vec<Vec<Block>>,
}

impl Uses {
    fn new(func: &Function, forest: &LoopForest) -> Uses {
        let mut users: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
        let mut loops = vec![Vec::new(); forest.loops().len()];
        for &block in &func.layout {
            for i in &func.blocks[block].insts {
                let data = &func.insts[*i];
                for v in data.operands() {
                    users.entry(*v).or_default().push(block);
                }
            }
            let mut around = forest.innermost(block);
            while let Some(index) = around {
                loops[index].push(block);
                around = forest.loops()[index].parent;
            }
        }
        Uses { users, loops }
    }
}

/// Values that are defined in a loop which the branch leaves, and used after it.
fn leaving_values(func: &Function, forest: &LoopForest, uses: &Uses, branch: Block) -> Vec<Value> {
    let mut found = Vec::new();
    let leaves = |index: usize, from: Block| {
        func.successors(from).iter().filter(move |t| !forest.contains(index, t.block))
    };
    let mut around = forest.innermost(branch);
    while let Some(index) = around {
        around = forest.loops()[index].parent;
        if leaves(index, branch).next().is_none() {
            continue;
        }
        for &b in &uses.loops[index] {
            let data = &func.blocks[b];
            let defined = data.params.iter().chain(data.insts.iter().flat_map(|i| &func.insts[*i].results));
            let is_used_after = |v: &&Value| {
                uses.users.get(v).is_some_and(|users| users.iter().any(|b| !forest.contains(index, *b)))
            };
            found.extend(defined.filter(is_used_after));
            found.extend(leaves(index, b).flat_map(|t| &func.blocks[t.block].params));
        }
    }
    found
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
