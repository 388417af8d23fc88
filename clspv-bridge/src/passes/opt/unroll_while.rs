//! Unrolling of small loops whose trip count depends on data: one branch for two iterations.
//!
//! ```text
//! for (;;) {                       for (;;) {
//!     if (A(s)) break;       ->        t = B(s); u = B(t);
//!     s = B(s);                        if (A(s) | A(t)) { s = A(s) ? s : t; break; }
//! }                                    s = u;
//!                                  }
//! ```
//!
//! The second iteration is executed speculatively, and both bodies before their conditions: only loops that
//! compute cheap values and nothing else are unrolled. A test of a counter with an even trip count stays in
//! the first of the two. Loops that only count are left to the drivers, which unroll them by their own rules.
//!
//! The transformation is the one of Schlansker, Kathail and Anik: Height Reduction of Control Recurrences for
//! ILP Processors (MICRO 27, 1994).

use crate::analysis::trip_count::Counters;
use crate::analysis::{Cfg, CrossUses, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most instructions of a loop, its branches not counted.
const MAX_INSTS: usize = 24;

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
    /// Tests that never leave in the second of two iterations.
    never: Vec<Value>,
    /// Values of the loop that are used outside, and the blocks that use them.
    used: Vec<(Value, Vec<Block>)>,
}

impl Plan {
    /// Replaces values that other loops have computed.
    fn rename(&mut self, renamed: &FxHashMap<Value, Value>) {
        let values = self.exit.args.iter_mut().chain(&mut self.next).chain([&mut self.condition]);
        for v in values.chain(&mut self.never) {
            *v = renamed.get(v).copied().unwrap_or(*v);
        }
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
}

impl<'a> Shape<'a> {
    /// `None` for other loops, and for those whose conditions only test counters.
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
        let cheap = |i: &Inst| func.insts[*i].op.is_terminator() || is_cheap(&func.insts[*i].op);
        if insts().count() > MAX_INSTS + 2 || !insts().all(cheap) {
            return None;
        }
        let results = insts().flat_map(|i| &func.insts[*i].results);
        let defined: FxHashSet<Value> = func.blocks[header].params.iter().chain(results).copied().collect();
        // Values of opaque types cannot be selected.
        if defined.iter().any(|v| matches!(func.ty(*v), Type::Opaque(_))) {
            return None;
        }
        let condition = func.insts[branch.inst].args[0];
        let shape = Shape { func, header, body, exit, next: &again.args, condition, leaves, defined };
        let depends_on_data = |test: &Value| !shape.is_counted(*test, DEPTH);
        shape.tests().iter().any(depends_on_data).then_some(shape)
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

    fn plan(&self, cfg: &Cfg, forest: &LoopForest, l: usize, uses: &CrossUses) -> Plan {
        let counters = Counters::new(self.func, cfg, &forest.loops()[l]);
        let mut never = self.tests();
        never.retain(|test| {
            let taken = counters.first_exit(self.func, &[(*test, self.leaves)], MAX_TRIPS);
            taken.is_some_and(|taken| taken % 2 == 0)
        });
        let outside = |v: &Value| {
            let blocks = uses.of(*v).iter().copied();
            blocks.filter(|b| cfg.is_reachable(*b) && !forest.contains(l, *b)).collect::<Vec<Block>>()
        };
        let mut used: Vec<(Value, Vec<Block>)> = self.defined.iter().map(|v| (*v, outside(v))).collect();
        used.retain(|(_, blocks)| !blocks.is_empty());
        used.sort_unstable();
        Plan {
            header: self.header,
            body: self.body,
            exit: self.exit.clone(),
            next: self.next.to_vec(),
            condition: self.condition,
            leaves: self.leaves,
            never,
            used,
        }
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
    // Values of the second iteration, by those of the first.
    let params = func.blocks[header].params.iter().copied();
    let mut second: FxHashMap<Value, Value> = params.zip(plan.next.iter().copied()).collect();
    let stays = func.bits(I1, u64::from(!plan.leaves));
    for inst in insts {
        let copy = func.copy_inst(inst);
        for arg in &mut func.insts[copy].args {
            *arg = second.get(arg).copied().unwrap_or(*arg);
        }
        let results = func.insts[inst].results.iter().zip(&func.insts[copy].results);
        second.extend(results.map(|(v, new)| (*v, if plan.never.contains(v) { stays } else { *new })));
        func.blocks[header].insts.push(copy);
    }
    let of_second = |v: &Value| second.get(v).copied().unwrap_or(*v);
    let next: Vec<Value> = plan.next.iter().map(of_second).collect();
    let (landing, selected) = landing(func, plan, &second);
    let mut b = Builder::new(func, header);
    let conditions = [plan.condition, of_second(&plan.condition)];
    let (again, out) = (BlockCall::new(header, &next), BlockCall::new(landing, &[]));
    match plan.leaves {
        true => {
            let either = b.or(conditions[0], conditions[1]);
            b.brif(either, out, again)
        }
        false => {
            let both = b.and(conditions[0], conditions[1]);
            b.brif(both, again, out)
        }
    };
    selected
}

/// Makes a block on the edge out of the loop that selects the values of the iteration that leaves. Returns it
/// and the selected value of each.
fn landing(
    func: &mut Function,
    plan: &Plan,
    second: &FxHashMap<Value, Value>,
) -> (Block, FxHashMap<Value, Value>) {
    let block = func.new_block_detached();
    let at = func.layout.iter().position(|b| *b == plan.header).map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(at, block);
    let mut b = Builder::new(func, block);
    let mut selected: FxHashMap<Value, Value> = FxHashMap::default();
    for &v in plan.used.iter().map(|(v, _)| v).chain(&plan.exit.args) {
        let Some(&other) = second.get(&v).filter(|_| !selected.contains_key(&v)) else { continue };
        let (leaving, staying) = if plan.leaves { (v, other) } else { (other, v) };
        selected.insert(v, b.select(plan.condition, leaving, staying));
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
