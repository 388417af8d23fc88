//! Values of a vectorised kernel that may differ between the vectors of a group.
//!
//! A forward data-flow analysis over the control-flow graph. Besides data, branches carry differences: where
//! vectors take different ways, parameters of the blocks in which the ways meet may differ, and so may values
//! that leave a loop which vectors leave after different numbers of iterations. Vectors meet at group
//! barriers, so that no difference of control passes one.

use super::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// The values that may differ between vectors.
pub fn varying_values(func: &Function) -> EntitySet<Value> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let synced: FxHashSet<Block> =
        func.layout.iter().copied().filter(|b| sync_position(func, *b).is_some()).collect();
    let mut varying = EntitySet::new();
    let mut handled: FxHashSet<Block> = FxHashSet::default();
    loop {
        let mut changed = false;
        for &b in cfg.rpo() {
            for &i in &func.blocks[b].insts {
                let data = &func.insts[i];
                if is_varying(data, &varying) {
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
                for join in joins(func, &cfg, &synced, b) {
                    func.blocks[join].params.iter().for_each(|p| changed |= varying.insert(*p));
                }
                for v in leaving_values(func, &forest, b) {
                    changed |= varying.insert(v);
                }
            }
        }
        if !changed {
            return varying;
        }
    }
}

/// Whether the operation's results may differ, given the operands that do.
fn is_varying(data: &InstData, varying: &EntitySet<Value>) -> bool {
    use WorkItemQuery as Q;
    let any = |args: &[Value]| args.iter().any(|a| varying.contains(*a));
    match &data.op {
        Op::WorkItem { query, .. } => matches!(query, Q::LocalId | Q::SubGroupId),
        Op::Group { scope: Scope::WorkGroup, .. } => false,
        Op::SlotAddr(_)
        | Op::AtomicRmw { .. }
        | Op::AtomicCas { .. }
        | Op::AtomicLoad { .. }
        | Op::Clock(_)
        | Op::Runtime(_)
        | Op::Check(CheckOp::Address { .. }) => true,
        // The mask matters only if the other operands differ.
        Op::Call(_) => any(data.args.get(1..).unwrap_or_default()),
        Op::Check(CheckOp::Load { .. }) => any(data.args.get(..1).unwrap_or_default()),
        _ => any(&data.args),
    }
}

/// The blocks in which different ways from a branch meet. Each block on the ways is labelled with what all
/// ways to it come from: a successor of the branch, or the last meeting point.
fn joins(func: &Function, cfg: &Cfg, synced: &FxHashSet<Block>, branch: Block) -> Vec<Block> {
    let mut labels: FxHashMap<Block, Block> = FxHashMap::default();
    let mut found = Vec::new();
    let mut work: Vec<(u32, Block, Block)> = Vec::new();
    let push = |work: &mut Vec<(u32, Block, Block)>, to: Block, label: Block| {
        work.push((cfg.number(to).unwrap_or(0), to, label));
    };
    func.successors(branch).iter().for_each(|t| push(&mut work, t.block, t.block));
    // In reverse postorder, so that most labels are final when they are passed on.
    while let Some(at) = (0..work.len()).min_by_key(|i| work[*i].0) {
        let (_, block, label) = work.swap_remove(at);
        let label = match labels.get(&block) {
            Some(known) if *known == label || *known == block => continue,
            Some(_) => {
                found.push(block);
                block
            }
            None => label,
        };
        labels.insert(block, label);
        if !synced.contains(&block) {
            func.successors(block).iter().for_each(|t| push(&mut work, t.block, label));
        }
    }
    found
}

/// Values that are defined in a loop which the branch leaves, and used after it.
fn leaving_values(func: &Function, forest: &LoopForest, branch: Block) -> Vec<Value> {
    let mut found = Vec::new();
    for index in 0..forest.loops().len() {
        let inside: FxHashSet<Block> =
            func.layout.iter().copied().filter(|b| forest.contains(index, *b)).collect();
        let leaves =
            inside.contains(&branch) && func.successors(branch).iter().any(|t| !inside.contains(&t.block));
        if !leaves {
            continue;
        }
        let mut defined: FxHashSet<Value> = FxHashSet::default();
        for b in &inside {
            defined.extend(&func.blocks[*b].params);
            defined.extend(func.blocks[*b].insts.iter().flat_map(|i| &func.insts[*i].results));
        }
        for b in func.layout.iter().filter(|b| !inside.contains(b)) {
            for i in &func.blocks[*b].insts {
                let data = &func.insts[*i];
                let args = data.args.iter().chain(data.targets.iter().flat_map(|t| &t.args));
                found.extend(args.filter(|a| defined.contains(a)));
            }
        }
        for b in &inside {
            for t in func.successors(*b).iter().filter(|t| !inside.contains(&t.block)) {
                found.extend(&func.blocks[t.block].params);
            }
        }
    }
    found
}
