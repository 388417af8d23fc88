//! Loop rotation: the condition at the start of a loop moves to its end, and a copy of it before the loop.
//!
//! An iteration then takes one branch. Drivers that execute lanes under masks update the mask once in an
//! iteration instead of twice. Only small headers are copied, and only ones that compute and read: barriers
//! stay at one place. Headers whose results the body uses stay, too, as each would become a parameter of the
//! loop; but if the body is small and only computes, it is executed before the condition instead.

use crate::analysis::{Cfg, CrossUses, DomTree, Loop, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::FxHashMap;

/// Most instructions of a header that is copied, its branch included.
const MAX_HEADER_INSTS: usize = 16;

/// The pass `rotate_loops`, for drivers that execute lanes under masks. Graphics processors gain nothing, and
/// in native code Cranelift allocates registers of rotated loops worse; LLVM rotates loops itself.
pub struct RotateLoops;

impl Pass for RotateLoops {
    fn name(&self) -> &'static str {
        "rotate_loops"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.vulkan().is_some_and(|vulkan| vulkan.masked_loop_exits)
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= rotate_loops(func);
        }
        Ok(changed)
    }
}

/// Rotates the loops of a function that can be; true if there was any.
fn rotate_loops(func: &mut Function) -> bool {
    // Headers stay headers, or go: each loop is examined once.
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut changed = merge_conditions(func);
    while let Round { rotated: true, postponed } = rotate_round(func, &mut seen) {
        changed = true;
        if !postponed {
            break;
        }
    }
    changed | merge_bodies(func)
}

/// Result of the rotations under one computation of the analyses.
struct Round {
    rotated: bool,
    /// Whether loops are left whose surroundings other rotations have changed.
    postponed: bool,
}

/// Rotates loops, inner loops first, of which no block has been changed by another one's rotation.
fn rotate_round(func: &mut Function, seen: &mut EntitySet<Block>) -> Round {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let uses = CrossUses::new(func);
    let mut round = Round { rotated: false, postponed: false };
    let mut changed: EntitySet<Block> = EntitySet::new();
    let mut has_changed_block = vec![false; forest.loops().len()];
    for l in (0..forest.loops().len()).rev() {
        let header = forest.loops()[l].header;
        if seen.contains(header) {
            continue;
        }
        if has_changed_block[l] || changed.contains(header) {
            round.postponed = true;
            continue;
        }
        match plan(func, &cfg, &dom, &forest, l, &uses) {
            Some(plan) if plan.users().any(|b| changed.contains(b)) => round.postponed = true,
            Some(plan) => {
                rotate(func, &cfg, &plan);
                for b in [header, plan.body.0.block, plan.exit.0.block] {
                    changed.insert(b);
                    forest.around(b).for_each(|l| has_changed_block[l] = true);
                }
                round.rotated = true;
                seen.insert(header);
            }
            None => {
                seen.insert(header);
            }
        }
    }
    round
}

/// Merges headers with the blocks behind them that leave the loop to the same block: `a && b` becomes one
/// condition if `b` is computed from few values alone. True if there was any.
fn merge_conditions(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut changed = false;
    for (l, Loop { header, .. }) in forest.loops().iter().enumerate() {
        while let Some(second) = second_condition(func, &cfg, &forest, l) {
            merge_condition(func, *header, &second);
            changed = true;
        }
    }
    changed
}

/// A block that follows a header, and for both branches whether they continue the loop if their condition is
/// false.
struct SecondCondition {
    block: Block,
    negated: [bool; 2],
    inside: BlockCall,
    exit: BlockCall,
}

fn second_condition(func: &Function, cfg: &Cfg, forest: &LoopForest, l: usize) -> Option<SecondCondition> {
    let header = forest.loops()[l].header;
    let (block, exit, first_negated) = continuation(func, forest, l, header)?;
    let (inside, other, second_negated) = continuation(func, forest, l, block.block)?;
    (exit == other && can_merge(func, cfg, header, &block)).then_some(SecondCondition {
        block: block.block,
        negated: [first_negated, second_negated],
        inside,
        exit,
    })
}

/// Whether a block can become part of the header, the only block that it is reached from: it is small and
/// only computes.
fn can_merge(func: &Function, cfg: &Cfg, header: Block, call: &BlockCall) -> bool {
    let insts = &func.blocks[call.block].insts;
    let is_pure = |i: &Inst| func.insts[*i].op.is_pure() || func.insts[*i].op.is_terminator();
    call.block != header
        && call.args.is_empty()
        && cfg.preds(call.block) == [header]
        && func.blocks[header].insts.len() + insts.len() <= MAX_HEADER_INSTS
        && insts.iter().all(is_pure)
}

/// The targets of a block's branch, inside the loop and outside, and whether the former is for false.
fn continuation(
    func: &Function,
    forest: &LoopForest,
    l: usize,
    block: Block,
) -> Option<(BlockCall, BlockCall, bool)> {
    let branch = forest.exit_branch(func, l, block)?;
    Some((branch.inside.clone(), branch.exit.clone(), branch.leaves_for_true))
}

fn merge_condition(func: &mut Function, header: Block, second: &SecondCondition) {
    let mut insts = std::mem::take(&mut func.blocks[second.block].insts);
    func.layout.retain(|b| *b != second.block);
    let terms = [func.blocks[header].insts.pop(), insts.pop()];
    func.blocks[header].insts.extend(insts);
    let mut b = Builder::new(func, header);
    let conds = [0, 1].map(|n| {
        let cond = terms[n].and_then(|t| b.func.insts[t].args.first().copied());
        cond.map(|cond| if second.negated[n] { b.not(cond) } else { cond })
    });
    let both = match conds {
        [Some(first), Some(second)] => b.and(first, second),
        [first, second] => first.or(second).unwrap_or_else(|| b.func.bits(I1, 1)),
    };
    b.brif(both, second.inside.clone(), second.exit.clone());
}

/// Executes the bodies of loops of two blocks before the headers' conditions, if they only compute values.
/// True if there was any.
fn merge_bodies(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut changed = false;
    for (l, Loop { header, .. }) in forest.loops().iter().enumerate() {
        let Some((body, exit, negated)) = continuation(func, &forest, l, *header) else { continue };
        let [again] = func.successors(body.block) else { continue };
        if again.block == *header && can_merge(func, &cfg, *header, &body) {
            let (block, inside) = (body.block, again.clone());
            merge_condition(
                func,
                *header,
                &SecondCondition { block, negated: [negated, false], inside, exit },
            );
            changed = true;
        }
    }
    changed
}

/// A loop to rotate.
struct Plan {
    header: Block,
    latches: Vec<Block>,
    /// The header's target inside the loop, and the values of the header that are used behind that edge.
    body: (BlockCall, Vec<Value>),
    /// The header's target outside, and the values that are used behind that edge.
    exit: (BlockCall, Vec<Value>),
    /// Blocks that use values of the header, behind the edge into the loop.
    inside: Vec<Block>,
    /// Blocks that use values of the header, behind the edge to the exit.
    outside: Vec<Block>,
}

impl Plan {
    /// Blocks outside the loop's header that the plan depends on.
    fn users(&self) -> impl Iterator<Item = Block> + '_ {
        self.inside.iter().chain(&self.outside).copied().chain([self.exit.0.block])
    }
}

fn plan(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    forest: &LoopForest,
    l: usize,
    uses: &CrossUses,
) -> Option<Plan> {
    let Loop { header, latches, .. } = &forest.loops()[l];
    let insts = &func.blocks[*header].insts;
    let can_copy = |i: &Inst| {
        let op = &func.insts[*i].op;
        op.is_pure() || op.is_terminator() || matches!(op, Op::Load(_))
    };
    if func.entry() == Some(*header) || insts.len() > MAX_HEADER_INSTS || !insts.iter().all(can_copy) {
        return None;
    }
    let (body, exit, _) = continuation(func, forest, l, *header)?;
    // A loop that tests at its end, too, is rotated. One that tests again after the header would test at both
    // ends.
    let leaves = |b: &Block| func.successors(*b).iter().any(|t| !forest.contains(l, t.block));
    if body.block == *header || leaves(&body.block) || latches.iter().any(leaves) {
        return None;
    }
    let only = cfg.preds(exit.block) == [*header];
    let is_outside = |b: Block| only && dom.dominates(exit.block, b);
    let (mut in_body, mut after) = (Vec::new(), Vec::new());
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let results = insts.iter().flat_map(|i| &func.insts[*i].results);
    for &v in func.blocks[*header].params.iter().chain(results) {
        let (mut used_inside, mut used_outside) = (body.args.contains(&v), exit.args.contains(&v));
        for &b in uses.of(v).iter().filter(|b| cfg.is_reachable(**b)) {
            if is_outside(b) {
                outside.push(b);
                used_outside = true;
            } else if dom.dominates(body.block, b) {
                inside.push(b);
                used_inside = true;
            } else {
                // Reached by both edges.
                return None;
            }
        }
        in_body.extend(used_inside.then_some(v));
        after.extend(used_outside.then_some(v));
    }
    // Further values of each iteration would cost more than the branch.
    if in_body.iter().any(|v| !func.blocks[*header].params.contains(v)) {
        return None;
    }
    // Values of opaque types cannot be parameters.
    if in_body.iter().chain(&after).any(|v| matches!(func.ty(*v), Type::Opaque(_))) {
        return None;
    }
    for blocks in [&mut inside, &mut outside] {
        blocks.sort_unstable();
        blocks.dedup();
    }
    Some(Plan {
        header: *header,
        latches: latches.clone(),
        body: (body, in_body),
        exit: (exit, after),
        inside,
        outside,
    })
}

fn rotate(func: &mut Function, cfg: &Cfg, plan: &Plan) {
    let header = plan.header;
    let (start, in_body) = landing(func, &plan.body);
    let (end, after) = landing(func, &plan.exit);
    func.blocks[start].unroll = func.blocks[header].unroll;
    for &b in &plan.inside {
        func.replace_uses_in(b, &in_body);
    }
    for &b in &plan.outside {
        func.replace_uses_in(b, &after);
    }
    let before = copy_header(func, plan, start, end);
    let again = copy_header(func, plan, start, end);
    for &b in cfg.preds(header) {
        let to = if plan.latches.contains(&b) { again } else { before };
        let Some(term) = func.terminator(b) else { continue };
        for call in func.insts[term].targets.iter_mut().filter(|call| call.block == header) {
            call.block = to;
        }
    }
    // The layout's order only matters to readers: the copies are where the header was and at the loop's end.
    let at = func.layout.iter().position(|b| *b == header).unwrap_or(0);
    func.layout.splice(at..=at, [before, start]);
    let last = func.layout.iter().rposition(|b| plan.latches.contains(b)).unwrap_or(at);
    func.layout.splice(last + 1..last + 1, [again, end]);
}

/// A block on an edge from the header, whose parameters are the values of the header that are used behind
/// the edge; and the parameter of each.
fn landing(
    func: &mut Function,
    (call, values): &(BlockCall, Vec<Value>),
) -> (Block, FxHashMap<Value, Value>) {
    let block = func.new_block_detached();
    let mut renamed = FxHashMap::default();
    for v in values {
        let ty = func.ty(*v);
        renamed.insert(*v, func.add_param(block, ty));
    }
    let args: Vec<Value> = call.args.iter().map(|a| renamed.get(a).copied().unwrap_or(*a)).collect();
    let jump = func.make_terminator(Op::Jump, &[], &[BlockCall::new(call.block, &args)]);
    func.blocks[block].insts.push(jump);
    (block, renamed)
}

/// A copy of the header that branches to the landing blocks.
fn copy_header(func: &mut Function, plan: &Plan, start: Block, end: Block) -> Block {
    let header = plan.header;
    let copy = func.new_block_detached();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    for param in func.blocks[header].params.clone() {
        let ty = func.ty(param);
        values.insert(param, func.add_param(copy, ty));
    }
    for inst in func.blocks[header].insts.clone() {
        let new = func.copy_inst(inst);
        let results = func.insts[inst].results.clone();
        let data = &mut func.insts[new];
        values.extend(results.into_iter().zip(data.results.clone()));
        for call in &mut data.targets {
            *call = if *call == plan.body.0 {
                BlockCall::new(start, &plan.body.1)
            } else {
                BlockCall::new(end, &plan.exit.1)
            };
        }
        func.blocks[copy].insts.push(new);
    }
    func.replace_uses_in(copy, &values);
    copy
}
