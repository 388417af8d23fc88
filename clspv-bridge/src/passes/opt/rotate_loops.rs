//! Loop rotation: the condition at the start of a loop moves to its end, and a copy of it before the loop.
//!
//! An iteration then takes one branch. Drivers that execute lanes under masks update the mask once in an
//! iteration instead of twice. Only small headers are copied, and only ones that compute and read: barriers
//! stay at one place. Headers whose results the body uses stay, too, as each would become a parameter of the
//! loop; but if the body is small and only computes, it is executed before the condition instead.

use crate::analysis::{Cfg, DomTree, Loop, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

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
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    let mut changed = merge_conditions(func);
    while let Some(plan) = next_loop(func, &mut seen) {
        rotate(func, &plan);
        changed = true;
    }
    changed | merge_bodies(func)
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
    let term = func.terminator(block).filter(|t| matches!(func.insts[*t].op, Op::BrIf))?;
    let [yes, no] = &func.insts[term].targets[..] else { return None };
    match (forest.contains(l, yes.block), forest.contains(l, no.block)) {
        (true, false) => Some((yes.clone(), no.clone(), false)),
        (false, true) => Some((no.clone(), yes.clone(), true)),
        _ => None,
    }
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
    /// Blocks behind the edge to the exit.
    outside: FxHashSet<Block>,
}

/// The next loop, inner loops first.
fn next_loop(func: &Function, seen: &mut FxHashSet<Block>) -> Option<Plan> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut inner_first = (0..forest.loops().len()).rev();
    inner_first.find_map(|l| {
        if !seen.insert(forest.loops()[l].header) {
            return None;
        }
        plan(func, &cfg, &dom, &forest, l)
    })
}

fn plan(func: &Function, cfg: &Cfg, dom: &DomTree, forest: &LoopForest, l: usize) -> Option<Plan> {
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
    let results = insts.iter().flat_map(|i| &func.insts[*i].results);
    let own: FxHashSet<Value> = func.blocks[*header].params.iter().chain(results).copied().collect();
    let only = cfg.preds(exit.block) == [*header];
    let is_outside = |b: Block| only && dom.dominates(exit.block, b);
    let of_header = |v: &Value| own.contains(v);
    let mut in_body: Vec<Value> = body.args.iter().copied().filter(of_header).collect();
    let mut after: Vec<Value> = exit.args.iter().copied().filter(of_header).collect();
    let mut outside = FxHashSet::default();
    for &b in func.layout.iter().filter(|b| **b != *header && cfg.is_reachable(**b)) {
        let mut used = operands(func, b).filter(of_header).peekable();
        if used.peek().is_none() {
            continue;
        }
        if is_outside(b) {
            outside.insert(b);
            after.extend(used);
        } else if dom.dominates(body.block, b) {
            in_body.extend(used);
        } else {
            // Reached by both edges.
            return None;
        }
    }
    let unique = |mut values: Vec<Value>| {
        let mut seen = FxHashSet::default();
        values.retain(|v| seen.insert(*v));
        values
    };
    let (in_body, after) = (unique(in_body), unique(after));
    // Further values of each iteration would cost more than the branch.
    if in_body.iter().any(|v| !func.blocks[*header].params.contains(v)) {
        return None;
    }
    // Values of opaque types cannot be parameters.
    if in_body.iter().chain(&after).any(|v| matches!(func.ty(*v), Type::Opaque(_))) {
        return None;
    }
    Some(Plan {
        header: *header,
        latches: latches.clone(),
        body: (body, in_body),
        exit: (exit, after),
        outside,
    })
}

fn operands(func: &Function, block: Block) -> impl Iterator<Item = Value> + '_ {
    func.blocks[block].insts.iter().flat_map(|i| func.insts[*i].operands().copied())
}

fn rotate(func: &mut Function, plan: &Plan) {
    let header = plan.header;
    let (start, in_body) = landing(func, &plan.body);
    let (end, after) = landing(func, &plan.exit);
    func.blocks[start].unroll = func.blocks[header].unroll;
    for b in func.layout.clone() {
        let renamed = if plan.outside.contains(&b) { &after } else { &in_body };
        if b != header {
            func.replace_uses_in(b, renamed);
        }
    }
    let before = copy_header(func, plan, start, end);
    let again = copy_header(func, plan, start, end);
    for b in func.layout.clone() {
        let to = if plan.latches.contains(&b) { again } else { before };
        let Some(term) = func.terminator(b).filter(|_| b != header) else { continue };
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
