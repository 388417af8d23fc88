//! Values and blocks that depend on the results of some instructions.
//!
//! A forward data-flow analysis over the control-flow graph. Besides data, branches carry dependence: where
//! the condition depends, so do the parameters of the blocks in which the ways from the branch meet, and
//! values that leave a loop which it leaves.

use super::{Cfg, DomTree, LoopForest};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The values and blocks that depend on some results.
pub struct Dependents {
    pub values: EntitySet<Value>,
    /// The blocks on the ways from branches that depend, before all ways have met.
    pub blocks: FxHashSet<Block>,
}

impl Dependents {
    /// Analyses a function. `depends` tells whether an instruction's results depend, given the values that
    /// do. No dependence of control passes the blocks in `synced`.
    pub fn of(
        func: &Function,
        synced: &FxHashSet<Block>,
        depends: impl Fn(&InstData, &EntitySet<Value>) -> bool,
    ) -> Dependents {
        let cfg = Cfg::new(func);
        let forest = LoopForest::new(&cfg, &DomTree::new(&cfg));
        let uses = Uses::new(func, &forest);
        let mut values = EntitySet::new();
        let mut handled: FxHashSet<Block> = FxHashSet::default();
        let mut blocks: FxHashSet<Block> = FxHashSet::default();
        loop {
            let mut changed = false;
            for &b in cfg.rpo() {
                changed |= pass_on(func, b, &mut values, &depends);
                if synced.contains(&b) || !branch_depends(func, b, &values) || !handled.insert(b) {
                    continue;
                }
                let ways = Ways::from(func, &cfg, synced, b);
                blocks.extend(ways.blocks);
                let met = ways.joins.iter().flat_map(|join| func.blocks[*join].params.iter().copied());
                for v in met.chain(leaving_values(func, &forest, &uses, b)) {
                    changed |= values.insert(v);
                }
            }
            if !changed {
                return Dependents { values, blocks };
            }
        }
    }
}

/// Adds the values that depend on others by the instructions of a block. Returns whether there are new ones.
fn pass_on(
    func: &Function,
    block: Block,
    values: &mut EntitySet<Value>,
    depends: &impl Fn(&InstData, &EntitySet<Value>) -> bool,
) -> bool {
    let mut changed = false;
    for &i in &func.blocks[block].insts {
        let data = &func.insts[i];
        if depends(data, values) {
            data.results.iter().for_each(|r| changed |= values.insert(*r));
        }
        for t in &data.targets {
            for (p, a) in func.blocks[t.block].params.iter().zip(&t.args) {
                if values.contains(*a) {
                    changed |= values.insert(*p);
                }
            }
        }
    }
    changed
}

/// Whether the branch at the end of a block goes different ways by one of the values.
pub fn branch_depends(func: &Function, block: Block, values: &EntitySet<Value>) -> bool {
    let on = func.terminator(block).and_then(|t| func.insts[t].args.first());
    func.successors(block).len() > 1 && on.is_some_and(|on| values.contains(*on))
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
            forest.around(block).for_each(|index| loops[index].push(block));
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
    for index in forest.around(branch).filter(|index| leaves(*index, branch).next().is_some()) {
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
