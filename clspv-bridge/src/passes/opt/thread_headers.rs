//! Jump threading of loop headers: conditions that differ between the first iteration and all others.
//!
//! ```text
//! for (i = 0; i < 64; i++) {       i = 0;
//!     if (i > 0) A;          ->    for (;;) { B; i++; if (i >= 64) break; A; }
//!     B;
//! }
//! ```
//!
//! The loop is entered at `B`, which becomes its header. Only the tests on the way there are copied, so that
//! barriers stay at one place. Nothing happens unless the first iteration passes all tests with constants.

use crate::analysis::bounds::Bounds;
use crate::analysis::trip_count::{passed, value_of};
use crate::analysis::{Cfg, DomTree, Loop, LoopForest};
use crate::error::Result;
use crate::ir::fold::{int_compare, signed};
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most blocks that the first iteration passes, and most instructions of each.
const MAX_PATH: usize = 4;
const MAX_INSTS: usize = 16;
/// Most operations between a condition and the parameters of the header.
const DEPTH: u32 = 8;

/// The pass `thread_headers`.
pub struct ThreadHeaders;

impl Pass for ThreadHeaders {
    fn name(&self) -> &'static str {
        "thread_headers"
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            // New headers are not examined again.
            let mut seen: FxHashSet<Block> = FxHashSet::default();
            while let Some(plan) = next_loop(func, &mut seen) {
                let header = thread(func, &plan);
                seen.insert(header);
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// A loop whose first iteration takes another way than the others.
struct Plan {
    /// From the header to the block whose condition differs.
    path: Vec<Block>,
    /// Edges of that block: in the first iteration, which leads to the new header, and in all others.
    first: BlockCall,
    repeated: BlockCall,
    /// Predecessors of the header outside of the loop.
    entries: Vec<Block>,
    /// Predecessors of the new header on the way from the old one.
    joining: Vec<Block>,
    /// Values of the path that are used behind the new header, and the blocks that are only reached through
    /// it.
    passed: Vec<Value>,
    behind: FxHashSet<Block>,
}

/// The next loop, inner loops first.
fn next_loop(func: &Function, seen: &mut FxHashSet<Block>) -> Option<Plan> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let loops = forest.loops();
    let bounds = Bounds::new(func, &cfg, &dom);
    let mut inner_first = (0..loops.len()).rev().filter(|l| seen.insert(loops[*l].header));
    inner_first.find_map(|l| {
        let tests = Tests::new(func, &cfg, &bounds, &loops[l])?;
        let (path, first, repeated) = tests.differing(&forest, l)?;
        plan(func, &cfg, &dom, &loops[l], (path, first, repeated))
    })
}

/// Conditions of a loop in its first iteration and in the others.
struct Tests<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    bounds: &'a Bounds<'a>,
    header: Block,
    /// Parameters of the header that are constants in the first iteration, and in all others.
    first: FxHashMap<Value, Const>,
    repeated: FxHashMap<Value, Const>,
    /// Intervals of the parameters in all other iterations, as unsigned and as signed numbers.
    intervals: FxHashMap<Value, Interval>,
}

/// Values of a counter, both ends included. A kind of number in which it may wrap has none.
struct Interval {
    unsigned: Option<(u64, u64)>,
    signed: Option<(i64, i64)>,
}

impl<'a> Tests<'a> {
    /// Evaluates the parameters of the header; `None` if the first iteration has no constants.
    fn new(func: &'a Function, cfg: &'a Cfg, bounds: &'a Bounds<'a>, at: &Loop) -> Option<Tests<'a>> {
        let (first, repeated, intervals) = Default::default();
        let mut tests = Tests { func, cfg, bounds, header: at.header, first, repeated, intervals };
        for (n, &param) in func.blocks[at.header].params.iter().enumerate() {
            let (first, next) = (passed(func, cfg, at, n, false), passed(func, cfg, at, n, true));
            if let Some(c) = next.and_then(|v| func.as_const(v)) {
                tests.repeated.insert(param, c.clone());
            }
            let Some(c) = first.and_then(|v| func.as_const(v)) else { continue };
            tests.first.insert(param, c.clone());
            if let (Some(start), Some(next)) = (func.as_bits(first?), next)
                && let Some(interval) = tests.interval(param, start, next, at)
            {
                tests.intervals.insert(param, interval);
            }
        }
        (!tests.first.is_empty()).then_some(tests)
    }

    /// Values of a parameter that starts as a constant and grows by one in each iteration.
    fn interval(&self, param: Value, start: u64, next: Value, at: &Loop) -> Option<Interval> {
        let ty = self.func.ty(param).scalar().filter(|_| self.func.ty(param).lanes() == 1)?;
        let data = &self.func.insts[self.func.def_inst(next)?];
        let step = match (&data.op, &data.args[..]) {
            (Op::Bin(BinOp::Iadd), [a, b]) if *a == param => self.func.as_bits(*b)?,
            _ => return None,
        };
        let [latch] = at.latches[..] else { return None };
        let most = ty.mask() >> 1;
        if step == 0 || step > most {
            return None;
        }
        let last = self.bounds.unsigned_max(param, latch).checked_add(step).filter(|m| *m <= ty.mask());
        let last_signed = self.bounds.signed_max(param, latch).checked_add(step as i64);
        let start_signed = signed(ty.bits(), start);
        let unsigned = last.and_then(|last| Some((start.checked_add(step)?, last)));
        let signed = last_signed
            .filter(|m| *m <= most as i64)
            .and_then(|last| Some((start_signed.checked_add(step as i64)?, last)));
        Some(Interval { unsigned, signed })
    }

    /// The path from the header to a block whose condition differs between the first iteration and all
    /// others, and the edges that they take there. Both stay in the loop.
    fn differing(&self, forest: &LoopForest, l: usize) -> Option<(Vec<Block>, BlockCall, BlockCall)> {
        let mut path = vec![self.header];
        loop {
            let block = *path.last()?;
            let insts = &self.func.blocks[block].insts;
            let is_pure =
                |i: &Inst| self.func.insts[*i].op.is_pure() || self.func.insts[*i].op.is_terminator();
            if insts.len() > MAX_INSTS || !insts.iter().all(is_pure) || self.func.entry() == Some(block) {
                return None;
            }
            let branch = &self.func.insts[self.func.terminator(block)?];
            let ([yes, no], Op::BrIf) = (&branch.targets[..], &branch.op) else { return None };
            let holds = is_true(&value_of(self.func, branch.args[0], &self.first, DEPTH)?)?;
            let (first, other) = if holds { (yes, no) } else { (no, yes) };
            if !forest.contains(l, first.block) || path.contains(&first.block) {
                return None;
            }
            if self.repeats(branch.args[0]) == Some(!holds) {
                let is_inside = forest.contains(l, other.block) && first.block != other.block;
                return is_inside.then(|| (path.clone(), first.clone(), other.clone()));
            }
            if self.cfg.preds(first.block) != [block] || !first.args.is_empty() || path.len() == MAX_PATH {
                return None;
            }
            path.push(first.block);
        }
    }

    /// The value of a condition in all iterations but the first, if it is known.
    fn repeats(&self, condition: Value) -> Option<bool> {
        if let Some(c) = value_of(self.func, condition, &self.repeated, DEPTH) {
            return is_true(&c);
        }
        let data = &self.func.insts[self.func.def_inst(condition)?];
        let (Op::Icmp(cc), [value, with]) = (&data.op, &data.args[..]) else { return None };
        let (interval, with) = (self.intervals.get(value)?, self.func.as_bits(*with)?);
        interval.compares(*cc, self.func.ty(*value).scalar()?.bits(), with)
    }
}

impl Interval {
    /// The result of a comparison of every value with a constant, if it is always the same.
    fn compares(&self, cc: IntCc, bits: u32, with: u64) -> Option<bool> {
        let is_inside = |with: u64| {
            self.unsigned.is_none_or(|(low, high)| (low..=high).contains(&with))
                && self.signed.is_none_or(|(low, high)| (low..=high).contains(&signed(bits, with)))
        };
        let ends = match cc {
            IntCc::Eq => return (!is_inside(with)).then_some(false),
            IntCc::Ne => return (!is_inside(with)).then_some(true),
            IntCc::Ult | IntCc::Ule | IntCc::Ugt | IntCc::Uge => self.unsigned?,
            IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge => {
                self.signed.map(|(low, high)| (low as u64, high as u64))?
            }
        };
        let [low, high] = [ends.0, ends.1].map(|end| int_compare(cc, bits, end, with));
        (low == high).then_some(low)
    }
}

fn is_true(c: &Const) -> Option<bool> {
    match c {
        Const::Bits(_, bits) => Some(bits[0] & 1 == 1),
        _ => None,
    }
}

/// Blocks that are reached from `from` without passing `stop`; what is behind the path's last block is
/// reached by its edge `repeated` alone. The last is not followed through.
fn reached(func: &Function, from: Block, stop: Block, through: Option<(Block, Block)>) -> FxHashSet<Block> {
    let mut blocks = FxHashSet::default();
    let mut open = vec![from];
    while let Some(b) = open.pop() {
        if b == stop || !blocks.insert(b) {
            continue;
        }
        match through {
            Some((last, next)) if last == b => open.push(next),
            _ => open.extend(func.successors(b).iter().map(|t| t.block)),
        }
    }
    blocks
}

/// Checks that the loop has one entry afterwards, and which values it needs.
fn plan(
    func: &Function,
    cfg: &Cfg,
    dom: &DomTree,
    at: &Loop,
    (path, first, repeated): (Vec<Block>, BlockCall, BlockCall),
) -> Option<Plan> {
    let (header, last, target) = (at.header, *path.last()?, first.block);
    // Blocks of iterations before the new header, and behind it.
    let before = reached(func, header, target, Some((last, repeated.block)));
    let behind = reached(func, target, header, None);
    if at.latches.iter().any(|b| before.contains(b) || path.contains(b)) {
        return None;
    }
    let (mut joining, mut passed) = (Vec::new(), Vec::new());
    for &pred in cfg.preds(target).iter().filter(|b| **b != last) {
        if before.contains(&pred) && !behind.contains(&pred) {
            joining.push(pred);
        } else if !dom.dominates(target, pred) {
            return None;
        }
    }
    let results = path.iter().flat_map(|b| &func.blocks[*b].insts).flat_map(|i| &func.insts[*i].results);
    let params = path.iter().flat_map(|b| &func.blocks[*b].params);
    let own: FxHashSet<Value> = params.chain(results).copied().collect();
    for &b in behind.iter().filter(|b| cfg.is_reachable(**b)) {
        let insts = func.blocks[b].insts.iter();
        let used = insts.flat_map(|i| func.insts[*i].operands().copied()).filter(|v| own.contains(v));
        for v in used {
            // Reached on both ways, or a value that cannot be a parameter.
            if before.contains(&b) || matches!(func.ty(v), Type::Opaque(_)) {
                return None;
            }
            if !passed.contains(&v) {
                passed.push(v);
            }
        }
    }
    passed.sort_unstable();
    let behind = behind.into_iter().filter(|b| !before.contains(b)).collect();
    let entries = cfg.preds(header).iter().copied().filter(|b| !at.latches.contains(b)).collect();
    Some(Plan { path, first, repeated, entries, joining, passed, behind })
}

/// Changes the loop; returns its new header.
fn thread(func: &mut Function, plan: &Plan) -> Block {
    let (header, target) = (plan.path[0], plan.first.block);
    let (landing, renamed) = landing(func, plan);
    func.blocks[landing].unroll = func.blocks[header].unroll;
    for b in func.layout.clone() {
        if plan.behind.contains(&b) {
            func.replace_uses_in(b, &renamed);
        }
    }
    for pred in &plan.joining {
        let Some(term) = func.terminator(*pred) else { continue };
        for call in func.insts[term].targets.iter_mut().filter(|call| call.block == target) {
            call.block = landing;
            call.args.extend(plan.passed.iter().copied());
        }
    }
    let start = first_iteration(func, plan, landing);
    for entry in &plan.entries {
        let Some(term) = func.terminator(*entry) else { continue };
        for call in func.insts[term].targets.iter_mut().filter(|call| call.block == header) {
            call.block = start;
        }
    }
    if let Some(&last) = plan.path.last() {
        func.blocks[last].insts.pop();
        let jump = func.make_terminator(Op::Jump, &[], std::slice::from_ref(&plan.repeated));
        func.blocks[last].insts.push(jump);
    }
    // The layout's order only matters to readers.
    let at = func.layout.iter().position(|b| *b == header).unwrap_or(0);
    func.layout.splice(at..at, [start, landing]);
    landing
}

/// The new header, which passes on the parameters of the target and the values of the path; and the
/// parameter of each of these.
fn landing(func: &mut Function, plan: &Plan) -> (Block, FxHashMap<Value, Value>) {
    let target = plan.first.block;
    let block = func.new_block_detached();
    let types: Vec<Type> = func.blocks[target].params.iter().map(|p| func.ty(*p)).collect();
    let args: Vec<Value> = types.into_iter().map(|ty| func.add_param(block, ty)).collect();
    let mut renamed = FxHashMap::default();
    for v in &plan.passed {
        let ty = func.ty(*v);
        renamed.insert(*v, func.add_param(block, ty));
    }
    let jump = func.make_terminator(Op::Jump, &[], &[BlockCall::new(target, &args)]);
    func.blocks[block].insts.push(jump);
    (block, renamed)
}

/// A copy of the path without its conditions, which leads to the new header.
fn first_iteration(func: &mut Function, plan: &Plan, landing: Block) -> Block {
    let block = func.new_block_detached();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    for param in func.blocks[plan.path[0]].params.clone() {
        let ty = func.ty(param);
        values.insert(param, func.add_param(block, ty));
    }
    for inst in plan.path.iter().flat_map(|b| func.blocks[*b].insts.clone()).collect::<Vec<_>>() {
        if func.insts[inst].op.is_terminator() {
            continue;
        }
        let new = func.copy_inst(inst);
        values.extend(func.insts[inst].results.clone().into_iter().zip(func.insts[new].results.clone()));
        func.blocks[block].insts.push(new);
    }
    let args: Vec<Value> = plan.first.args.iter().chain(&plan.passed).copied().collect();
    let jump = func.make_terminator(Op::Jump, &[], &[BlockCall::new(landing, &args)]);
    func.blocks[block].insts.push(jump);
    func.replace_uses_in(block, &values);
    block
}
