//! Unrolling of small loops whose trip count depends on data: one branch for several iterations.
//!
//! ```text
//! for (;;) {                       for (;;) {
//!     if (A(s)) break;       ->        t = B(s); u = B(t);
//!     s = B(s);                        if (A(s) | A(t)) { s = A(s) ? s : t; break; }
//! }                                    s = u;
//!                                  }
//! ```
//!
//! Further iterations are executed speculatively, and the bodies before their conditions: only loops that
//! compute cheap values and nothing else are unrolled. Loops that count to a constant are left to the
//! drivers, which unroll them by their own rules.
//!
//! A test whether a counter has reached a limit is made once for all iterations, with the counter after them.
//! If its trip count is a constant and a multiple of the number of iterations, it stays in the first of them.
//!
//! The transformation is the one of Schlansker, Kathail and Anik: Height Reduction of Control Recurrences for
//! ILP Processors (MICRO 27, 1994).

use crate::analysis::trip_count::{Counters, passed};
use crate::analysis::{Cfg, CrossUses, DomTree, Loop, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations for each branch.
const ITERATIONS: usize = 2;

/// Iterations for each branch of short loops that test counters once for all of them.
const MORE_ITERATIONS: usize = 4;

/// Most instructions of the iterations for a branch, their own branches not counted.
const MAX_INSTS: usize = 48;

/// Most iterations of a counter that are examined.
const MAX_TRIPS: u64 = 4096;

/// Most operations between a value and a counter that it is computed from.
const DEPTH: u32 = 8;

/// The pass `unroll_while`, for graphics processors. Drivers that execute lanes under masks pay for values
/// that are computed in vain, and native code is vectorized by then.
pub struct UnrollWhile;

impl Pass for UnrollWhile {
    fn name(&self) -> &'static str {
        "unroll_while"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.vulkan().is_some_and(|vulkan| !vulkan.masked_loop_exits)
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            let mut selected: FxHashMap<Value, Value> = FxHashMap::default();
            // Loops are sorted so that a loop is unrolled before those that use its values.
            for mut plan in plans(func) {
                plan.rename(&selected);
                selected.extend(unroll(func, &plan));
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// A loop to unroll: a header that tests, or the same and a block behind it.
struct Plan {
    header: Block,
    body: Option<Block>,
    exit: BlockCall,
    /// Arguments of the back edge.
    next: Vec<Value>,
    condition: Value,
    /// The condition's value that leaves the loop.
    leaves: bool,
    /// Iterations for each branch.
    iterations: usize,
    /// The tests that make up the condition and are made in each iteration, or in the first one (`never`).
    tests: Vec<Value>,
    /// Tests that leave in no iteration but the first.
    never: Vec<Value>,
    /// Tests that are made once for all iterations.
    bounds: Vec<Bound>,
    /// Values of the loop that are used outside, and the blocks that use them.
    used: Vec<(Value, Vec<Block>)>,
}

impl Plan {
    /// Replaces values that other loops have computed.
    fn rename(&mut self, renamed: &FxHashMap<Value, Value>) {
        let values = self.exit.args.iter_mut().chain(&mut self.next).chain([&mut self.condition]);
        let bounds = self.bounds.iter_mut().flat_map(|bound| [&mut bound.next, &mut bound.limit]);
        for v in values.chain(&mut self.tests).chain(&mut self.never).chain(bounds) {
            *v = renamed.get(v).copied().unwrap_or(*v);
        }
    }
}

/// A test whether a counter that grows in steps of 1 is below a limit.
struct Bound {
    /// The counter, and that of the next iteration.
    counter: Value,
    next: Value,
    limit: Value,
    /// They are compared as signed numbers, and the counter starts at 0 or above; otherwise as unsigned ones,
    /// and it starts at 0.
    signed: bool,
}

impl Bound {
    /// The test for all iterations: whether the limit is reached before or in the last one, or (if the plan's
    /// condition stays in the loop for true) whether it is not.
    fn test(&self, b: &mut Builder<'_>, plan: &Plan, last: &Renamed) -> Value {
        let ty = b.ty(self.limit);
        let constant = |b: &mut Builder<'_>, bits| b.func.bits(ty, bits);
        let cc = |reached: IntCc| if plan.leaves { reached } else { reached.inverse() };
        if !self.signed {
            // The counter does not exceed the limit.
            let (left, most) = (b.isub(self.limit, self.counter), constant(b, plan.iterations as u64));
            return b.icmp(cc(IntCc::Ult), left, most);
        }
        // The next counter exceeds the limit. As unsigned numbers neither wraps around; negative limits are
        // reached at once, as 0 is.
        let (zero, one) = (constant(b, 0), constant(b, 1));
        let least = b.bin(BinOp::Smax, self.limit, zero);
        let end = b.iadd(least, one);
        b.icmp(cc(IntCc::Uge), in_iteration(last, self.next), end)
    }
}

/// The loops of a function that are unrolled. None of them contains another loop.
fn plans(func: &Function) -> Vec<Plan> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let mut uses = None;
    (0..forest.loops().len())
        .filter_map(|l| {
            let shape = Shape::new(func, &cfg, &forest, l)?;
            Some(shape.plan(&cfg, &forest, l, uses.get_or_insert_with(|| CrossUses::new(func))))
        })
        .collect()
}

/// A loop that computes cheap values and leaves at one place.
struct Shape<'a> {
    func: &'a Function,
    header: Block,
    body: Option<Block>,
    exit: &'a BlockCall,
    next: &'a [Value],
    condition: Value,
    leaves: bool,
    /// The header's parameters and the results of all instructions.
    defined: FxHashSet<Value>,
    /// Number of instructions without branches.
    count: usize,
}

impl<'a> Shape<'a> {
    /// `None` for other loops, and for those that only count to a constant.
    fn new(func: &'a Function, cfg: &Cfg, forest: &LoopForest, l: usize) -> Option<Shape<'a>> {
        let at = &forest.loops()[l];
        let header = at.header;
        let hint = func.blocks[header].unroll;
        if func.entry() == Some(header) || hint == Some(UnrollHint::Never) {
            return None;
        }
        let branch = forest.exit_branch(func, l, header)?;
        let (inside, exit, leaves) = (branch.inside, branch.exit, branch.leaves_for_true);
        let (body, again) = match inside.block == header {
            true => (None, inside),
            false => (Some(inside.block), only_jump(func, cfg, inside, header)?),
        };
        if at.latches[..] != [body.unwrap_or(header)] {
            return None;
        }
        let insts = || [Some(header), body].into_iter().flatten().flat_map(|b| &func.blocks[b].insts);
        let count = insts().filter(|i| !func.insts[**i].op.is_terminator()).count();
        let cheap = |i: &Inst| func.insts[*i].op.is_terminator() || is_cheap(&func.insts[*i].op);
        if count * ITERATIONS > MAX_INSTS || !insts().all(cheap) {
            return None;
        }
        let results = insts().flat_map(|i| &func.insts[*i].results);
        let defined: FxHashSet<Value> = func.blocks[header].params.iter().chain(results).copied().collect();
        // Values of opaque types cannot be selected.
        if defined.iter().any(|v| matches!(func.ty(*v), Type::Opaque(_))) {
            return None;
        }
        let condition = func.insts[branch.inst].args[0];
        let shape = Shape { func, header, body, exit, next: &again.args, condition, leaves, defined, count };
        let is_unknown = |test: &Value| {
            let bound = || shape.bound(cfg, at, *test).filter(|bound| func.as_const(bound.limit).is_none());
            !shape.is_counted(*test, DEPTH) || bound().is_some()
        };
        shape.tests().iter().any(is_unknown).then_some(shape)
    }

    /// The tests that each leave the loop alone: operands of `or` if the loop is left for true, else of
    /// `and`.
    fn tests(&self) -> Vec<Value> {
        let joins = Op::Bin(if self.leaves { BinOp::Or } else { BinOp::And });
        let (mut tests, mut pending) = (Vec::new(), vec![self.condition]);
        while let Some(v) = pending.pop() {
            match self.func.def_inst(v).map(|i| &self.func.insts[i]) {
                Some(data) if data.op == joins && self.defined.contains(&v) => pending.extend(&data.args),
                _ => tests.push(v),
            }
        }
        tests
    }

    /// Whether a value follows from counters and from values that the loop does not change.
    fn is_counted(&self, v: Value, depth: u32) -> bool {
        if !self.defined.contains(&v) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        match self.func.def_inst(v).map(|i| &self.func.insts[i]) {
            Some(data) => {
                let counts = matches!(
                    data.op,
                    Op::Bin(BinOp::Iadd | BinOp::Isub | BinOp::Imul | BinOp::Shl) | Op::Cast(_) | Op::Icmp(_)
                );
                counts && data.args.iter().all(|a| self.is_counted(*a, depth - 1))
            }
            None => self.is_counter(v),
        }
    }

    /// Whether a parameter of the header grows or shrinks by the same number in each iteration.
    fn is_counter(&self, param: Value) -> bool {
        let n = self.func.blocks[self.header].params.iter().position(|p| *p == param);
        let next = n.and_then(|n| self.func.def_inst(self.next[n])).map(|i| &self.func.insts[i]);
        next.is_some_and(|data| match (&data.op, &data.args[..]) {
            (Op::Bin(BinOp::Iadd), [a, b]) if *b == param => !self.defined.contains(a),
            (Op::Bin(BinOp::Iadd | BinOp::Isub), [a, b]) => *a == param && !self.defined.contains(b),
            _ => false,
        })
    }

    /// The bound that a test is of.
    fn bound(&self, cfg: &Cfg, at: &Loop, test: Value) -> Option<Bound> {
        let func = self.func;
        let data = func.def_inst(test).map(|i| &func.insts[i]).filter(|_| self.defined.contains(&test))?;
        let (Op::Icmp(cc), [a, b]) = (&data.op, &data.args[..]) else { return None };
        let params = &func.blocks[self.header].params;
        let position = |v: &Value| params.iter().position(|p| p == v);
        let (n, limit, cc) = match (position(a), position(b)) {
            (Some(n), None) => (n, *b, *cc),
            (None, Some(n)) => (n, *a, cc.swapped()),
            _ => return None,
        };
        let ty = func.ty(limit);
        let next = func.def_inst(self.next[n]).map(|i| &func.insts[i])?;
        let steps = next.op == Op::Bin(BinOp::Iadd)
            && next.args[0] == params[n]
            && func.as_bits(next.args[1]) == Some(1)
            && matches!(ty, I32 | I64);
        if !steps || self.defined.contains(&limit) {
            return None;
        }
        let start = passed(func, cfg, at, n, false).and_then(|start| func.as_bits(start))?;
        let is_positive = |bits: u64| fold::signed(ty.scalar().map_or(32, Scalar::bits), bits) >= 0;
        let signed = match if self.leaves { cc.inverse() } else { cc } {
            IntCc::Slt if is_positive(start) => true,
            IntCc::Ult if is_positive(start) && func.as_bits(limit).is_some_and(is_positive) => true,
            IntCc::Ult if start == 0 => false,
            _ => return None,
        };
        Some(Bound { counter: params[n], next: self.next[n], limit, signed })
    }

    fn plan(&self, cfg: &Cfg, forest: &LoopForest, l: usize, uses: &CrossUses) -> Plan {
        let at = &forest.loops()[l];
        let counters = Counters::new(self.func, cfg, at);
        let first_exit = |test: Value| counters.first_exit(self.func, &[(test, self.leaves)], MAX_TRIPS);
        let multiple = |test: Value, n: usize| first_exit(test).is_some_and(|taken| taken % n as u64 == 0);
        let once = |test: Value, n: usize| multiple(test, n) || self.bound(cfg, at, test).is_some();
        let mut tests = self.tests();
        let mut counted = tests.iter().filter(|test| self.is_counted(**test, DEPTH)).peekable();
        let takes_more = self.count * MORE_ITERATIONS <= MAX_INSTS
            && counted.peek().is_some()
            && counted.all(|test| once(*test, MORE_ITERATIONS));
        let iterations = if takes_more { MORE_ITERATIONS } else { ITERATIONS };
        let never: Vec<Value> = tests.iter().copied().filter(|test| multiple(*test, iterations)).collect();
        let mut bounds = Vec::new();
        tests.retain(|test| {
            let bound = self.bound(cfg, at, *test).filter(|_| !never.contains(test));
            let is_made = bound.is_none();
            bounds.extend(bound);
            is_made
        });
        Plan {
            header: self.header,
            body: self.body,
            exit: self.exit.clone(),
            next: self.next.to_vec(),
            condition: self.condition,
            leaves: self.leaves,
            iterations,
            tests,
            never,
            bounds,
            used: self.used_outside(uses, |b| cfg.is_reachable(b) && !forest.contains(l, b)),
        }
    }

    /// The loop's values that blocks outside use, with these blocks.
    fn used_outside(&self, uses: &CrossUses, outside: impl Fn(Block) -> bool) -> Vec<(Value, Vec<Block>)> {
        let blocks = |v: Value| uses.of(v).iter().copied().filter(|b| outside(*b)).collect::<Vec<Block>>();
        let mut used: Vec<_> = self.defined.iter().map(|v| (*v, blocks(*v))).collect();
        used.retain(|(_, blocks)| !blocks.is_empty());
        used.sort_unstable();
        used
    }
}

/// The edge back to the header of a block that is only reached by `edge` and ends with this jump.
fn only_jump<'a>(func: &'a Function, cfg: &Cfg, edge: &BlockCall, header: Block) -> Option<&'a BlockCall> {
    let [again] = func.successors(edge.block) else { return None };
    let only = edge.args.is_empty() && cfg.preds(edge.block) == [header] && again.block == header;
    only.then_some(again)
}

/// Whether an operation takes a few cycles and may be executed where the program does not.
fn is_cheap(op: &Op) -> bool {
    match op {
        Op::Bin(op) => {
            !matches!(op, BinOp::Udiv | BinOp::Sdiv | BinOp::Urem | BinOp::Srem | BinOp::Fdiv | BinOp::Frem)
        }
        Op::Un(op) => matches!(
            op,
            UnOp::Not | UnOp::Popcnt | UnOp::Clz | UnOp::Ctz | UnOp::Bitrev | UnOp::Fneg | UnOp::Fabs
        ),
        Op::Mad | Op::Icmp(_) | Op::Fcmp(_) | Op::Select | Op::Cast(_) => true,
        Op::Extract(_) | Op::Insert(_) | Op::VecBuild | Op::Splat | Op::Shuffle(_) => true,
        _ => false,
    }
}

/// Values of an iteration, by those of the first one.
type Renamed = FxHashMap<Value, Value>;

/// A value in an iteration.
fn in_iteration(renamed: &Renamed, v: Value) -> Value {
    renamed.get(&v).copied().unwrap_or(v)
}

/// Unrolls a loop; returns for each value that is used outside the one that replaces it there.
fn unroll(func: &mut Function, plan: &Plan) -> FxHashMap<Value, Value> {
    let header = plan.header;
    let mut insts = std::mem::take(&mut func.blocks[header].insts);
    insts.pop();
    if let Some(body) = plan.body {
        insts.append(&mut func.blocks[body].insts);
        insts.pop();
        func.layout.retain(|b| *b != body);
    }
    func.blocks[header].insts.clone_from(&insts);
    let mut iterations = vec![Renamed::default()];
    for _ in 1..plan.iterations {
        iterations.push(copy_iteration(func, plan, &insts, &iterations));
    }
    let next: Vec<Value> =
        plan.next.iter().map(|v| in_iteration(&iterations[plan.iterations - 1], *v)).collect();
    let (landing, selected) = landing(func, plan, &iterations);
    let condition = condition(func, plan, &iterations);
    let (again, out) = (BlockCall::new(header, &next), BlockCall::new(landing, &[]));
    let mut b = Builder::new(func, header);
    match plan.leaves {
        true => b.brif(condition, out, again),
        false => b.brif(condition, again, out),
    };
    sink(func, header, landing);
    selected
}

/// Appends the instructions of the iteration after the `earlier` ones to the header. Returns its values.
fn copy_iteration(func: &mut Function, plan: &Plan, insts: &[Inst], earlier: &[Renamed]) -> Renamed {
    let params = func.blocks[plan.header].params.iter().copied();
    let mut renamed: Renamed =
        params.zip(plan.next.iter().map(|v| in_iteration(&earlier[earlier.len() - 1], *v))).collect();
    let stays = func.bits(I1, u64::from(!plan.leaves));
    for &inst in insts {
        let copy = func.copy_inst(inst);
        for arg in &mut func.insts[copy].args {
            *arg = in_iteration(&renamed, *arg);
        }
        // No chain of additions, whose results would all be needed for the last one.
        let counts = |bound: &&Bound| func.insts[inst].results.contains(&bound.next);
        if let Some(bound) = plan.bounds.iter().find(counts) {
            let steps = func.bits(func.ty(bound.counter), earlier.len() as u64 + 1);
            func.insts[copy].args[..].copy_from_slice(&[bound.counter, steps]);
        }
        let results = func.insts[inst].results.iter().zip(&func.insts[copy].results);
        renamed.extend(results.map(|(v, new)| (*v, if plan.never.contains(v) { stays } else { *new })));
        func.blocks[plan.header].insts.push(copy);
    }
    renamed
}

/// Computes the condition of the loop's branch: whether one of the iterations leaves, or all of them stay.
fn condition(func: &mut Function, plan: &Plan, iterations: &[Renamed]) -> Value {
    let join = if plan.leaves { BinOp::Or } else { BinOp::And };
    let mut tests = Vec::new();
    for renamed in iterations {
        let made = plan.tests.iter().map(|test| in_iteration(renamed, *test));
        tests.extend(made.filter(|test| func.as_bits(*test) != Some(u64::from(!plan.leaves))));
    }
    let mut b = Builder::new(func, plan.header);
    for bound in &plan.bounds {
        tests.push(bound.test(&mut b, plan, &iterations[plan.iterations - 1]));
    }
    let all = tests.into_iter().reduce(|x, y| b.bin(join, x, y));
    all.unwrap_or_else(|| func.bits(I1, u64::from(!plan.leaves)))
}

/// Makes a block on the edge out of the loop that selects the values of the iteration that leaves. Returns it
/// and the selected value of each.
fn landing(func: &mut Function, plan: &Plan, iterations: &[Renamed]) -> (Block, FxHashMap<Value, Value>) {
    let block = func.new_block_detached();
    let at = func.layout.iter().position(|b| *b == plan.header).map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(at, block);
    let mut b = Builder::new(func, block);
    let mut selected: FxHashMap<Value, Value> = FxHashMap::default();
    let (last, earlier) = (&iterations[plan.iterations - 1], &iterations[..plan.iterations - 1]);
    for &v in plan.used.iter().map(|(v, _)| v).chain(&plan.exit.args) {
        let Some(&other) = last.get(&v).filter(|_| !selected.contains_key(&v)) else { continue };
        let value = earlier.iter().rev().fold(other, |other, renamed| {
            let (own, condition) = (in_iteration(renamed, v), in_iteration(renamed, plan.condition));
            let (leaving, staying) = if plan.leaves { (own, other) } else { (other, own) };
            b.select(condition, leaving, staying)
        });
        selected.insert(v, value);
    }
    let args: Vec<Value> = plan.exit.args.iter().map(|a| selected.get(a).copied().unwrap_or(*a)).collect();
    b.jump(plan.exit.block, &args);
    for (v, blocks) in &plan.used {
        let renamed = FxHashMap::from_iter([(*v, selected[v])]);
        for &user in blocks {
            func.replace_uses_in(user, &renamed);
        }
    }
    (block, selected)
}

/// Moves the header's instructions to the landing that are used there alone.
fn sink(func: &mut Function, header: Block, landing: Block) {
    let mut needed: FxHashSet<Value> = FxHashSet::default();
    let (mut kept, mut sunk) = (Vec::new(), Vec::new());
    for inst in func.take_insts(header).into_iter().rev() {
        let data = &func.insts[inst];
        if data.op.is_terminator() || data.results.iter().any(|v| needed.contains(v)) {
            needed.extend(data.operands());
            kept.push(inst);
        } else {
            sunk.push(inst);
        }
    }
    func.blocks[header].insts = kept.into_iter().rev().collect();
    let after = func.take_insts(landing);
    func.blocks[landing].insts = sunk.into_iter().rev().chain(after).collect();
}
