//! Full unrolling of small loops with a constant trip count.
//!
//! Unrolled loops have constant indices, so that private arrays become values and conditions on the counter
//! disappear. The loop is copied once for each time that its back edge may be taken; the exit conditions stay
//! and are folded by the passes that follow.
//!
//! Loops that index a private array may grow more than others: an array in memory costs far more than its
//! loop's code. They may grow still more for a device whose registers can hold the array, if all indices are
//! loop counters. Loops around others are only unrolled for such an array, or if they have a single
//! iteration. Loops that the program asks to unroll may grow more than most of these.

use crate::analysis::trip_count::backedge_taken_count;
use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most iterations of a loop.
const MAX_ITERATIONS: usize = 64;

/// Most iterations of a short loop.
const MAX_SHORT_ITERATIONS: usize = 10;

/// Most instructions that the copies of a short loop have together: conditions and indices fold.
const MAX_SHORT_INSTS: usize = 600;

/// Most instructions that the copies of a longer loop have together.
const MAX_LOOP_INSTS: usize = 200;

/// Likewise, for loops that index a private array.
const MAX_PRIVATE_INSTS: usize = 2_400;

/// Likewise, if the array is small and no index will be left that is not constant.
const MAX_REGISTERS_INSTS: usize = 6_000;

/// Most bytes of such an array.
const MAX_REGISTERS_BYTES: u32 = 256;

/// Most iterations, and most instructions of all copies, of a loop that the program asks to unroll.
const MAX_HINTED_ITERATIONS: usize = 256;
const MAX_HINTED_INSTS: usize = 4_000;

/// Most instructions that a function may grow to.
pub(super) const MAX_FUNCTION_INSTS: usize = 40_000;

/// The pass `unroll`.
pub struct Unroll;

impl Pass for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let many_registers = cx.target.vulkan().is_some();
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            changed |= unroll(func, many_registers);
        }
        Ok(changed)
    }
}

/// Unrolls the loops of a function, inner ones first; true if there was any.
fn unroll(func: &mut Function, many_registers: bool) -> bool {
    let mut changed = false;
    // Headers of loops that were examined: an outer loop is examined again once its inner loops are gone.
    let mut refused: FxHashSet<Block> = FxHashSet::default();
    while live_insts(func) < MAX_FUNCTION_INSTS {
        let Some(plan) = next_loop(func, many_registers, &mut refused) else { break };
        copy_loop(func, &plan);
        changed = true;
    }
    changed
}

/// Number of instructions in the layout of a function.
pub(super) fn live_insts(func: &Function) -> usize {
    func.layout.iter().map(|&b| func.blocks[b].insts.len()).sum()
}

/// A loop to unroll.
struct Plan {
    header: Block,
    /// Blocks of the loop in layout order.
    blocks: Vec<Block>,
    latches: Vec<Block>,
    copies: u32,
    /// Blocks outside that the loop branches to, with the values of the loop that are used behind each.
    exits: Vec<(Block, Vec<Value>)>,
}

/// A loop that can be unrolled and is small enough, inner loops first.
fn next_loop(func: &Function, many_registers: bool, refused: &mut FxHashSet<Block>) -> Option<Plan> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    for (l, it) in forest.loops().iter().enumerate().rev() {
        if refused.contains(&it.header) {
            continue;
        }
        let blocks: Vec<Block> =
            func.layout.iter().copied().filter(|&b| cfg.is_reachable(b) && forest.contains(l, b)).collect();
        let insts = private_insts(func, &cfg, it.header, &blocks, many_registers);
        let plan = plan(func, &cfg, &dom, &forest, l, blocks, insts);
        match plan {
            Some(plan) => return Some(plan),
            None => refused.insert(it.header),
        };
    }
    None
}

fn plan(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    forest: &LoopForest,
    l: usize,
    blocks: Vec<Block>,
    private_insts: Option<usize>,
) -> Option<Plan> {
    let it = &forest.loops()[l];
    let insts: usize = blocks.iter().map(|&b| func.blocks[b].insts.len()).sum();
    // The entry block has no predecessors, so a copy of it could not be entered.
    if func.entry() == Some(it.header) {
        return None;
    }
    // Values of opaque types cannot be parameters.
    let has_opaque = |v: &Value| matches!(func.ty(*v), Type::Opaque(_));
    let has_inner = forest.loops().iter().any(|other| other.parent == Some(l));
    // A loop that executes its body once is unrolled whatever its size: the copy folds to the exit test.
    // Mesa 22.3 removes such a loop around another one itself, and then computes wrong values for lanes that
    // left the inner loop early (see `lcssa`).
    let iterations = match private_insts {
        Some(most) => (most / insts.max(1)).min(MAX_ITERATIONS),
        None if has_inner => 1,
        None => {
            let short = (MAX_SHORT_INSTS / insts.max(1)).min(MAX_SHORT_ITERATIONS);
            short.max((MAX_LOOP_INSTS / insts.max(1)).min(MAX_ITERATIONS))
        }
    };
    let hinted = match func.blocks[it.header].unroll {
        Some(UnrollHint::Never) => return None,
        Some(UnrollHint::Full) => MAX_HINTED_ITERATIONS,
        Some(UnrollHint::By(factor)) => MAX_HINTED_ITERATIONS.min(factor as usize),
        None => 1,
    };
    let iterations = iterations.max(hinted.min(MAX_HINTED_INSTS / insts.max(1))).max(1) as u32;
    // The last test of a loop that tests first begins no iteration.
    let tests_first = func.successors(it.header).iter().any(|call| !forest.contains(l, call.block));
    let limit = iterations + u32::from(tests_first);
    let copies = u32::try_from(backedge_taken_count(func, cfg, dom, forest, l, limit)?).ok()?;
    let inside: FxHashSet<Block> = blocks.iter().copied().collect();
    let mut exits: Vec<(Block, Vec<Value>)> = Vec::new();
    for call in blocks.iter().flat_map(|&b| func.successors(b)) {
        if !inside.contains(&call.block) && !exits.iter().any(|(e, _)| *e == call.block) {
            exits.push((call.block, Vec::new()));
        }
    }
    let only = exits.len() == 1;
    for (value, user) in escaping(func, &blocks, &inside, cfg) {
        let own = |e: Block| cfg.preds(e).iter().all(|p| inside.contains(p));
        let exit = exits.iter_mut().find(|(e, _)| only || own(*e) && dom.dominates(*e, user))?;
        if has_opaque(&value) {
            return None;
        }
        if !exit.1.contains(&value) {
            exit.1.push(value);
        }
    }
    Some(Plan { header: it.header, blocks, latches: it.latches.clone(), copies, exits })
}

/// Most instructions that the copies of a loop may have because it indexes private arrays; `None` if it
/// indexes none.
fn private_insts(
    func: &Function,
    cfg: &Cfg,
    header: Block,
    blocks: &[Block],
    many_registers: bool,
) -> Option<usize> {
    let indexed = indexed_slots(func, header, blocks);
    if indexed.is_empty() {
        return None;
    }
    let small = indexed.iter().all(|&slot| func.slots[slot].size <= MAX_REGISTERS_BYTES);
    let in_registers = many_registers && small && are_counted(func, cfg, &indexed);
    Some(if in_registers { MAX_REGISTERS_INSTS } else { MAX_PRIVATE_INSTS })
}

/// The stack slots that the loop accesses at an offset that depends on the loop's own parameters.
fn indexed_slots(func: &Function, header: Block, blocks: &[Block]) -> FxHashSet<Slot> {
    let mut indexed = FxHashSet::default();
    if func.slots.is_empty() {
        return indexed;
    }
    let mut varying: FxHashSet<Value> = func.blocks[header].params.iter().copied().collect();
    for &i in blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
        let data = &func.insts[i];
        if !data.args.iter().any(|a| varying.contains(a)) {
            continue;
        }
        if data.op == Op::PtrAdd {
            indexed.extend(func.slot_of(data.args[0]));
        }
        varying.extend(data.results.iter().copied());
    }
    indexed
}

/// Whether all offsets into the slots are computed from constants alone, as loop counters are.
fn are_counted(func: &Function, cfg: &Cfg, slots: &FxHashSet<Slot>) -> bool {
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let offsets = func.data_in_order().filter(|data| data.op == Op::PtrAdd);
    let mut open: Vec<Value> = offsets
        .filter(|data| func.slot_of(data.args[0]).is_some_and(|slot| slots.contains(&slot)))
        .map(|data| data.args[1])
        .collect();
    while let Some(value) = open.pop() {
        if func.as_const(value).is_some() || !seen.insert(value) {
            continue;
        }
        match func.values[value].def {
            ValueDef::Result(inst, _) => match &func.insts[inst] {
                data @ InstData { op: Op::Bin(_) | Op::Cast(_), .. } => open.extend(&data.args),
                _ => return false,
            },
            ValueDef::Param(block, n) => {
                let calls = cfg.preds(block).iter().flat_map(|&pred| func.successors(pred));
                let before = open.len();
                open.extend(calls.filter(|c| c.block == block).filter_map(|c| c.args.get(n as usize)));
                // Parameters of the function.
                if open.len() == before {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// Values of the loop that are used outside, with the block of each use.
fn escaping(func: &Function, blocks: &[Block], inside: &FxHashSet<Block>, cfg: &Cfg) -> Vec<(Value, Block)> {
    let mut defined: FxHashSet<Value> = FxHashSet::default();
    for &b in blocks {
        defined.extend(func.blocks[b].params.iter().copied());
        defined.extend(func.blocks[b].insts.iter().flat_map(|&i| func.insts[i].results.iter().copied()));
    }
    let mut found = Vec::new();
    for &b in func.layout.iter().filter(|b| !inside.contains(b) && cfg.is_reachable(**b)) {
        for &i in &func.blocks[b].insts {
            let data = &func.insts[i];
            let uses = data.operands();
            found.extend(uses.filter(|v| defined.contains(v)).map(|v| (*v, b)));
        }
    }
    found
}

/// Copies the loop, after its values have been made parameters of blocks behind its exits.
fn copy_loop(func: &mut Function, plan: &Plan) {
    close_exits(func, plan);
    let end =
        func.layout.iter().position(|b| plan.blocks.last() == Some(b)).map_or(func.layout.len(), |p| p + 1);
    let mut layout = Vec::new();
    let original: FxHashMap<Block, Block> = plan.blocks.iter().map(|b| (*b, *b)).collect();
    // All copies are made of the loop as it is, so its back edges are led on at the end.
    let mut iterations = vec![original];
    for _ in 0..plan.copies {
        iterations.push(copy_once(func, plan, &mut layout));
    }
    for pair in iterations.windows(2) {
        redirect(func, plan, &pair[0], pair[1][&plan.header]);
    }
    // The last copy leaves before its back edge.
    let never = func.new_block_detached();
    for &param in &func.blocks[plan.header].params.clone() {
        let ty = func.ty(param);
        func.add_param(never, ty);
    }
    let unreachable = func.make_terminator(Op::Unreachable, &[], &[]);
    func.blocks[never].insts.push(unreachable);
    layout.push(never);
    if let Some(last) = iterations.last() {
        redirect(func, plan, last, never);
    }
    func.layout.splice(end..end, layout);
}

/// Makes a block behind each exit whose parameters are the exit's arguments and the loop's values that are
/// used there.
fn close_exits(func: &mut Function, plan: &Plan) {
    for (exit, values) in &plan.exits {
        let between = func.new_block_detached();
        let at = func.layout.iter().position(|b| b == exit).unwrap_or(func.layout.len());
        func.layout.insert(at, between);
        let passed: Vec<Type> = func.blocks[*exit].params.iter().map(|p| func.ty(*p)).collect();
        let passed: Vec<Value> = passed.into_iter().map(|ty| func.add_param(between, ty)).collect();
        let renamed: FxHashMap<Value, Value> = values
            .iter()
            .map(|v| {
                let ty = func.ty(*v);
                (*v, func.add_param(between, ty))
            })
            .collect();
        rename_outside(func, plan, *exit, &renamed);
        let jump = func.make_terminator(Op::Jump, &[], &[BlockCall::new(*exit, &passed)]);
        func.blocks[between].insts.push(jump);
        for &b in &plan.blocks {
            let Some(t) = func.terminator(b) else { continue };
            for call in func.insts[t].targets.iter_mut().filter(|c| c.block == *exit) {
                call.block = between;
                call.args.extend(values.iter().copied());
            }
        }
    }
    // A value need not dominate every exit edge it is now passed along.
    crate::passes::structure::ssa_repair::repair(func);
}

/// Replaces values of the loop where they are used behind an exit.
fn rename_outside(func: &mut Function, plan: &Plan, exit: Block, renamed: &FxHashMap<Value, Value>) {
    if renamed.is_empty() {
        return;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let only = plan.exits.len() == 1;
    let inside: FxHashSet<Block> = plan.blocks.iter().copied().collect();
    for b in func.layout.clone() {
        if inside.contains(&b) || !cfg.is_reachable(b) || !(only || dom.dominates(exit, b)) {
            continue;
        }
        func.replace_uses_in(b, renamed);
    }
}

/// One copy of the loop's blocks, whose back edges still lead to the original header.
fn copy_once(func: &mut Function, plan: &Plan, layout: &mut Vec<Block>) -> FxHashMap<Block, Block> {
    let mut blocks = FxHashMap::default();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    for &b in &plan.blocks {
        let new = func.new_block_detached();
        if b != plan.header {
            func.blocks[new].unroll = func.blocks[b].unroll;
        }
        layout.push(new);
        blocks.insert(b, new);
        edit::copy_contents(func, b, new, &mut values);
    }
    // Operands last: a use may stand before its definition in layout order.
    for &new in blocks.values() {
        for inst in func.blocks[new].insts.clone() {
            for call in &mut func.insts[inst].targets {
                if call.block != plan.header
                    && let Some(to) = blocks.get(&call.block)
                {
                    call.block = *to;
                }
            }
        }
        func.replace_uses_in(new, &values);
    }
    blocks
}

/// Leads the back edges of a copy to another header.
fn redirect(func: &mut Function, plan: &Plan, copy: &FxHashMap<Block, Block>, header: Block) {
    for latch in &plan.latches {
        let Some(t) = copy.get(latch).and_then(|b| func.terminator(*b)) else { continue };
        for call in func.insts[t].targets.iter_mut().filter(|c| c.block == plan.header) {
            call.block = header;
        }
    }
}
