//! Jump threading of repeated conditions: a branch whose condition was tested on every way to it.
//!
//! ```text
//! if (c) x = A; else x = B;        if (c) { x = A; y = C; }
//! if (c) y = C; else y = D;   ->   else   { x = B; y = D; }
//! ```
//!
//! The block between the two tests is copied, one copy for each outcome, and each copy is entered by those
//! predecessors that know the outcome. Chains of such tests remain of functions that choose an operation by
//! an argument, once calls of them with equal arguments are inlined.
//!
//! Values of a copied block that are used elsewhere go through stack slots, which are promoted again: so they
//! become parameters where the copies meet.

use crate::analysis::{Cfg, CrossUses, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::opt::mem2reg;
use crate::passes::opt::simplify_cfg::merge_chains;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most instructions of a copied block, its branch not counted.
const MAX_INSTS: usize = 8;
/// Most blocks between a branch and the test that decides it, in the dominator tree.
const MAX_STEPS: usize = 32;
/// Most rounds: each threads one condition of a chain of tests like `if (n == 0) ... else if (n == 1) ...`.
const MAX_ROUNDS: usize = 8;

/// The pass `thread_branches`.
pub struct ThreadBranches;

impl Pass for ThreadBranches {
    fn name(&self) -> &'static str {
        "thread_branches"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= thread_all(func);
        }
        Ok(changed)
    }
}

/// Threads the branches of a function; true if there were any.
fn thread_all(func: &mut Function) -> bool {
    let own: FxHashSet<Slot> = func.slots.keys().collect();
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let (plans, uses) = plans(func);
        // Edges that leave a copy instead of the original.
        let mut moved: FxHashMap<(Block, Block), Block> = FxHashMap::default();
        for plan in &plans {
            let behind = func.successors(plan.block)[1].block;
            let copy = thread(func, plan, &uses, &moved);
            moved.insert((plan.block, behind), copy);
        }
        if plans.is_empty() {
            break;
        }
        changed = true;
        mem2reg::promote(func, &own);
        // The next test of a chain goes into the block that copies lead to.
        merge_chains(func, &Cfg::new(func));
    }
    changed
}

/// A block to copy.
struct Plan {
    block: Block,
    /// The predecessors for which its condition is false.
    unless: Vec<Block>,
}

/// The blocks of a function to copy, each before those that use its values.
fn plans(func: &Function) -> (Vec<Plan>, CrossUses) {
    let tests = Tests::new(func);
    if tests.blocks.is_empty() {
        return (Vec::new(), CrossUses::default());
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let headers: FxHashSet<Block> = forest.loops().iter().map(|l| l.header).collect();
    let uses = CrossUses::new(func);
    let inside = cfg.rpo().iter().filter(|block| !headers.contains(*block));
    let plans = inside.filter_map(|&block| {
        let condition = *tests.blocks.get(&block)?;
        let unless = tests.sides(func, &cfg, &dom, block, condition)?;
        can_copy(func, block, &uses).then_some(Plan { block, unless })
    });
    (plans.collect(), uses)
}

/// Whether a block may be copied: it is small and has no side effects, and its values can be stored. Its
/// condition must not use them, since a test before it would have seen those of an earlier loop iteration.
fn can_copy(func: &Function, block: Block, uses: &CrossUses) -> bool {
    let Some((&branch, before)) = func.blocks[block].insts.split_last() else { return false };
    if before.len() > MAX_INSTS || before.iter().any(|i| func.insts[*i].op.has_side_effects()) {
        return false;
    }
    let condition = [func.insts[branch].args[0]];
    let compared = comparison(func, condition[0]).map_or(&condition[..], |data| &data.args);
    let results = before.iter().flat_map(|i| &func.insts[*i].results);
    let mut defined = func.blocks[block].params.iter().chain(results);
    defined.all(|v| !compared.contains(v) && (uses.of(*v).is_empty() || can_store(func.ty(*v))))
}

/// The comparison of integers that computes a condition, if one does.
fn comparison(func: &Function, condition: Value) -> Option<&InstData> {
    func.def_inst(condition).map(|inst| &func.insts[inst]).filter(|data| matches!(data.op, Op::Icmp(_)))
}

fn can_store(ty: Type) -> bool {
    ty.access_bytes().is_some() && !ty.is_bool()
}

/// Blocks that end in a branch by a condition that others test as well, with the first of equal conditions.
struct Tests {
    blocks: FxHashMap<Block, Value>,
}

impl Tests {
    fn new(func: &Function) -> Tests {
        let mut count: FxHashMap<Value, u32> = FxHashMap::default();
        let mut blocks: FxHashMap<Block, Value> = FxHashMap::default();
        // Each way of a chain has comparisons of its own.
        let mut firsts: FxHashMap<(&Op, &[Value]), Value> = FxHashMap::default();
        for &block in &func.layout {
            let branch = func.terminator(block).map(|t| &func.insts[t]).filter(|d| d.op == Op::BrIf);
            let differs = |d: &&InstData| d.targets[0].block != d.targets[1].block;
            if let Some(data) = branch.filter(differs) {
                let condition = data.args[0];
                let first = match comparison(func, condition) {
                    Some(data) => *firsts.entry((&data.op, &data.args)).or_insert(condition),
                    None => condition,
                };
                blocks.insert(block, first);
                *count.entry(first).or_default() += 1;
            }
        }
        blocks.retain(|_, condition| count.get(condition).is_some_and(|n| *n > 1));
        Tests { blocks }
    }

    /// The predecessors for which the block's condition is false, if each of them knows it and for some it is
    /// true.
    fn sides(
        &self,
        func: &Function,
        cfg: &Cfg,
        dom: &DomTree,
        block: Block,
        condition: Value,
    ) -> Option<Vec<Block>> {
        let preds: FxHashSet<Block> = cfg.preds(block).iter().copied().collect();
        let mut unless = Vec::new();
        for &pred in &preds {
            if !self.holds(func, cfg, dom, (pred, block), condition)? {
                unless.push(pred);
            }
        }
        unless.sort();
        (!unless.is_empty() && unless.len() < preds.len()).then_some(unless)
    }

    /// The condition's value when control takes an edge, if a test has decided it.
    fn holds(
        &self,
        func: &Function,
        cfg: &Cfg,
        dom: &DomTree,
        edge: (Block, Block),
        condition: Value,
    ) -> Option<bool> {
        let (mut from, mut to) = edge;
        for _ in 0..MAX_STEPS {
            let is_only_way = (from, to) == edge || cfg.preds(to) == [from];
            if is_only_way && self.blocks.get(&from) == Some(&condition) {
                return Some(func.successors(from)[0].block == to);
            }
            to = from;
            from = dom.idom(from)?;
        }
        None
    }
}

/// Copies the block of a plan: the original is entered if the condition is true, the copy, which is returned,
/// if it is false.
fn thread(
    func: &mut Function,
    plan: &Plan,
    uses: &CrossUses,
    moved: &FxHashMap<(Block, Block), Block>,
) -> Block {
    let block = plan.block;
    store_values(func, block, uses);
    let copy = copy_block(func, block);
    for (at, side) in [(block, 0), (copy, 1)] {
        let taken = func.successors(at)[side].clone();
        let jump = func.make_terminator(Op::Jump, &[], &[taken]);
        func.blocks[at].insts.pop();
        func.blocks[at].insts.push(jump);
    }
    for &pred in &plan.unless {
        let pred = moved.get(&(pred, block)).copied().unwrap_or(pred);
        let Some(terminator) = func.terminator(pred) else { continue };
        let calls = func.insts[terminator].targets.iter_mut();
        calls.filter(|call| call.block == block).for_each(|call| call.block = copy);
    }
    copy
}

/// Stores the values of a block that other blocks use, which load them.
fn store_values(func: &mut Function, block: Block, uses: &CrossUses) {
    let results = func.blocks[block].insts.iter().flat_map(|i| &func.insts[*i].results);
    let defined: Vec<Value> = func.blocks[block].params.iter().chain(results).copied().collect();
    let terminator = func.blocks[block].insts.pop();
    for value in defined.into_iter().filter(|v| !uses.of(*v).is_empty()) {
        let ty = func.ty(value);
        let bytes = ty.access_bytes().unwrap_or(8).next_power_of_two();
        let slot = func.slots.push(SlotData { size: bytes, align: bytes });
        let mut b = Builder::new(func, block);
        let address = b.slot_addr(slot);
        b.store(value, address, Access::aligned(bytes));
        for &user in uses.of(value) {
            let insts = func.take_insts(user);
            let mut b = Builder::new(func, user);
            let address = b.slot_addr(slot);
            let loaded = b.load(ty, address, Access::aligned(bytes));
            func.blocks[user].insts.extend(insts);
            func.replace_uses_in(user, &FxHashMap::from_iter([(value, loaded)]));
        }
    }
    func.blocks[block].insts.extend(terminator);
}

/// A copy of a block behind it in the layout.
fn copy_block(func: &mut Function, block: Block) -> Block {
    let copy = edit::split_after(func, block);
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    edit::copy_contents(func, block, copy, &mut values);
    func.replace_uses_in(copy, &values);
    copy
}
