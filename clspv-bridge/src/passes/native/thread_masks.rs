//! Jump threading of mask tests: an edge on which a mask is zero leads to where its test leads.
//!
//! A vectorised loop tests twice in an iteration whether any work-item stays: before the body, which is
//! skipped if none does, and at the end. Where the body is skipped, the mask of the second test is zero. Only
//! blocks that do nothing but test a mask, and jumps to them, are skipped; nothing is duplicated.

use crate::analysis::{Cfg, DomTree};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass `thread_masks`.
pub struct ThreadMasks;

impl Pass for ThreadMasks {
    fn name(&self) -> &'static str {
        "thread_masks"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_some()
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        Ok(module.functions.values_mut().fold(false, |changed, func| thread(func) | changed))
    }
}

/// An edge that skips the test of a mask.
struct Shortcut {
    branch: Inst,
    edge: usize,
    /// The skipped blocks. The last one has the test.
    skipped: Vec<Block>,
    new: BlockCall,
}

/// Threads the edges of one function; true if there were any.
fn thread(func: &mut Function) -> bool {
    let mut shortcuts: Vec<Shortcut> = Vec::new();
    for block in func.layout.iter().filter(|b| tested_mask(func, **b).is_some()) {
        shortcuts.extend((0..2).filter_map(|edge| shortcut(func, *block, edge)));
    }
    if shortcuts.is_empty() {
        return false;
    }
    let escaping = with_escaping_values(func, &shortcuts);
    shortcuts.retain(|s| s.skipped.last().is_some_and(|test| !escaping.contains(test)));
    for Shortcut { branch, edge, new, .. } in &shortcuts {
        func.insts[*branch].targets[*edge] = new.clone();
    }
    !shortcuts.is_empty()
}

/// The mask that a block's branch tests; the second edge is taken if it is zero.
fn tested_mask(func: &Function, block: Block) -> Option<Value> {
    let branch = &func.insts[func.terminator(block)?];
    let test = func.def_inst(*branch.args.first().filter(|_| branch.op == Op::BrIf)?)?;
    (func.insts[test].op == Op::Any).then(|| func.insts[test].args[0])
}

/// Whether a block's instructions are a test of a mask alone.
fn is_test(func: &Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    matches!(insts[..], [any, branch] if func.insts[any].op == Op::Any
        && func.insts[branch].op == Op::BrIf
        && func.insts[any].results[..] == func.insts[branch].args[..])
}

/// The shortcut for an edge of a block that tests a mask.
fn shortcut(func: &Function, block: Block, edge: usize) -> Option<Shortcut> {
    /// Most blocks of a path.
    const MOST: usize = 4;
    let branch = func.terminator(block)?;
    let known_zero = tested_mask(func, block).filter(|_| edge == 1);
    let mut call = func.insts[branch].targets[edge].clone();
    let (mut skipped, mut known): (Vec<Block>, FxHashMap<Value, Value>) = Default::default();
    while skipped.len() < MOST && !skipped.contains(&call.block) && call.block != block {
        let at = call.block;
        known.extend(func.blocks[at].params.iter().copied().zip(call.args.iter().copied()));
        skipped.push(at);
        let next = &func.insts[func.terminator(at)?];
        let last = is_test(func, at);
        let target = match func.blocks[at].insts[..] {
            [_] if next.op == Op::Jump => &next.targets[0],
            _ if last => &next.targets[1],
            _ => return None,
        };
        if last {
            let mask = tested_mask(func, at)?;
            let mask = known.get(&mask).copied().unwrap_or(mask);
            let is_zero = func.as_bits(mask) == Some(0) || Some(mask) == known_zero;
            // The result of the test is not a value where it is skipped.
            let uses_test = target.args.iter().any(|a| next.args.contains(a));
            if !is_zero || uses_test || target.block == next.targets[0].block {
                return None;
            }
        }
        let args = target.args.iter().map(|a| known.get(a).copied().unwrap_or(*a)).collect();
        call = BlockCall { block: target.block, args };
        if last {
            return Some(Shortcut { branch, edge, skipped, new: call });
        }
    }
    None
}

/// The tests whose paths have values that are used elsewhere than in these blocks and where the test has
/// succeeded. Shortcuts would bypass such definitions.
fn with_escaping_values(func: &Function, shortcuts: &[Shortcut]) -> FxHashSet<Block> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let mut test_of: FxHashMap<Block, Block> = FxHashMap::default();
    let mut defined: FxHashMap<Value, Block> = FxHashMap::default();
    for Shortcut { skipped, .. } in shortcuts {
        let Some(&test) = skipped.last() else { continue };
        for &block in skipped {
            test_of.insert(block, test);
            let results = func.blocks[block].insts.iter().flat_map(|i| &func.insts[*i].results);
            defined.extend(func.blocks[block].params.iter().chain(results).map(|v| (*v, test)));
        }
    }
    let success = |test: Block| func.successors(test).first().map(|target| target.block);
    let is_after = |test: Block, block: Block| {
        success(test).is_some_and(|next| cfg.preds(next) == [test] && dom.dominates(next, block))
    };
    let mut escaping = FxHashSet::default();
    for &block in &func.layout {
        for v in func.blocks[block].insts.iter().flat_map(|i| func.insts[*i].operands()) {
            let Some(&test) = defined.get(v) else { continue };
            if test_of.get(&block) != Some(&test) && !is_after(test, block) {
                escaping.insert(test);
            }
        }
    }
    escaping
}
