//! Unrolling of loops that read memory a number of times known only at run time: the reads of several
//! iterations are under way at once.
//!
//! ```text
//!                                      while (i < n && n - i > 3 * s) {
//! while (i < n) {                          x += a[i];         x += a[i + s];
//!     x += a[i];                ->         x += a[i + 2 * s]; x += a[i + 3 * s];
//!     i += s;                              i += 4 * s;
//! }                                    }
//!                                      while (i < n) { x += a[i]; i += s; }
//! ```
//!
//! Otherwise work-items wait for one read after the other. Reductions (sums, products, extremes) are launched
//! with so few of them that others do not fill the time. In grid-stride loops the stride is the global size.
//!
//! The number of iterations is that of the comparison in exact arithmetic. Strides that are not positive, or
//! so large that a multiple may wrap, take the last loop only.

use super::unroll::{MAX_FUNCTION_INSTS, live_insts};
use crate::analysis::{Cfg, DomTree, ExitBranch, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most components that the instructions of a loop compute, its branches not counted.
const MAX_COMPONENTS: u32 = 64;

/// Most instructions that all copies of a loop have together, in loops of up to 16 iterations.
const MAX_COPIED_INSTS: usize = 192;
const MAX_FACTOR: u32 = 16;

/// Most bytes that these iterations read: they take registers until they are used.
const MAX_READ_BYTES: u32 = 256;

/// Iterations of a second loop for what the first one leaves. Drivers themselves unroll a loop with a
/// constant stride by so much.
const SECOND_FACTOR: u32 = 4;

/// The pass `unroll_reads`, for graphics processors.
pub struct UnrollReads;

impl Pass for UnrollReads {
    fn name(&self) -> &'static str {
        "unroll_reads"
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.vulkan().is_some_and(|vulkan| !vulkan.masked_loop_exits)
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.entry().is_some()) {
            for plan in plans(func) {
                unroll(func, &plan);
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// A loop to unroll: a header that tests, and blocks behind it without other exits and loops.
struct Plan {
    header: Block,
    /// The edge from the header into the body, and the blocks of the body in layout order.
    inside: BlockCall,
    body: Vec<Block>,
    /// Arguments of the back edge, and the block that ends with it.
    next: Vec<Value>,
    latch: Block,
    /// Blocks outside that branch to the header.
    before: Vec<Block>,
    /// Place of the counter among the header's parameters.
    counter: usize,
    test: Comparison,
    /// The counter grows, or shrinks, by this in an iteration.
    stride: Stride,
    /// Iterations of the first loop.
    factor: u32,
}

/// The condition of a loop to go on.
#[derive(Clone, Copy)]
struct Comparison {
    counter: Value,
    /// `Slt`, `Sle`, `Ult` or `Ule` if the counter grows, else their opposites.
    cc: IntCc,
    bound: Value,
}

/// Amount that each iteration adds to a counter, or subtracts from it (`down`).
#[derive(Clone, Copy)]
struct Stride {
    by: Value,
    down: bool,
}

/// The loops of a function that are unrolled. None of them contains another loop.
fn plans(func: &mut Function) -> Vec<Plan> {
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let forest = LoopForest::new(&cfg, &dom);
    let most = MAX_FUNCTION_INSTS.saturating_sub(live_insts(func)) / (2 * MAX_COPIED_INSTS);
    (0..forest.loops().len()).filter_map(|l| plan(func, &cfg, &forest, l)).take(most).collect()
}

fn plan(func: &mut Function, cfg: &Cfg, forest: &LoopForest, l: usize) -> Option<Plan> {
    let at = &forest.loops()[l];
    let (header, &[latch]) = (at.header, &at.latches[..]) else { return None };
    let ExitBranch { inst, inside, leaves_for_true, .. } = forest.exit_branch(func, l, header)?;
    let (condition, inside) = (func.insts[inst].args[0], inside.clone());
    let [again] = func.successors(latch) else { return None };
    let next = again.args.to_vec();
    let in_body = |b: &Block| *b != header && forest.contains(l, *b);
    let body: Vec<Block> = func.layout.iter().copied().filter(in_body).collect();
    let is_inner = |b: &Block| forest.innermost(*b) != Some(l);
    let leaves = |b: &Block| func.successors(*b).iter().any(|call| !forest.contains(l, call.block));
    let refused = func.blocks[header].unroll == Some(UnrollHint::Never) || func.entry() == Some(header);
    if refused || latch == header || body.iter().any(|b| is_inner(b) || leaves(b)) {
        return None;
    }
    let insts = insts(func, header, &body);
    let factor = factor(func, &insts, func.blocks[header].unroll)?;
    let params = [header].into_iter().chain(body.iter().copied()).flat_map(|b| &func.blocks[b].params);
    let results = insts.iter().flat_map(|i| &func.insts[*i].results);
    let varies: FxHashSet<Value> = params.chain(results).copied().collect();
    let test = comparison(func, header, condition, leaves_for_true)?;
    let counter = func.blocks[header].params.iter().position(|p| *p == test.counter)?;
    let stride = stride(func, test.counter, *next.get(counter)?)?;
    let grows = matches!(test.cc, IntCc::Slt | IntCc::Sle | IntCc::Ult | IntCc::Ule);
    if grows == stride.down || varies.contains(&stride.by) || varies.contains(&test.bound) {
        return None;
    }
    let before = cfg.preds(header).iter().copied().filter(|pred| *pred != latch).collect();
    Some(Plan { header, inside, body, next, latch, before, counter, test, stride, factor })
}

/// How many iterations of a loop with these instructions are executed at once; `None` if only one. The
/// instructions read memory that work-items share, and have no side effects.
fn factor(func: &Function, insts: &[Inst], hint: Option<UnrollHint>) -> Option<u32> {
    let is_shared = |v: &Value| {
        matches!(func.ty(*v).space(), Some(Space::Global | Space::Constant | Space::Local | Space::Generic))
    };
    let (mut components, mut bytes) = (0, 0);
    for data in insts.iter().map(|i| &func.insts[*i]) {
        if data.op.has_side_effects() {
            return None;
        }
        components += data.results.first().map_or(1, |v| func.ty(*v).lanes());
        if matches!(data.op, Op::Load(_)) && data.args.iter().any(is_shared) {
            bytes += func.ty(data.results[0]).access_bytes().unwrap_or(MAX_READ_BYTES);
        }
    }
    if components > MAX_COMPONENTS || bytes == 0 {
        return None;
    }
    let by_insts = ((MAX_COPIED_INSTS / insts.len()) as u32).clamp(SECOND_FACTOR, MAX_FACTOR);
    let most = by_insts.min(MAX_READ_BYTES / bytes);
    let factor = match hint {
        Some(UnrollHint::By(by)) => by.min(most),
        _ => most,
    };
    (factor > 1).then(|| 1 << factor.ilog2())
}

/// The instructions of a loop but its branches.
fn insts(func: &Function, header: Block, body: &[Block]) -> Vec<Inst> {
    let blocks = [header].into_iter().chain(body.iter().copied());
    let insts = blocks.flat_map(|b| &func.blocks[b].insts).copied();
    insts.filter(|i| !func.insts[*i].op.is_terminator()).collect()
}

/// The comparison of a parameter of the header under which a loop goes on, from the condition that leaves it
/// (`leaves`) or stays.
fn comparison(func: &Function, header: Block, condition: Value, leaves: bool) -> Option<Comparison> {
    let data = &func.insts[func.def_inst(condition)?];
    let (Op::Icmp(cc), [x, y]) = (&data.op, &data.args[..]) else { return None };
    let cc = if leaves { cc.inverse() } else { *cc };
    let (counter, cc, bound) = match func.blocks[header].params.contains(x) {
        true => (*x, cc, *y),
        false => (*y, cc.swapped(), *x),
    };
    (!matches!(cc, IntCc::Eq | IntCc::Ne)).then_some(Comparison { counter, cc, bound })
}

/// The stride of a counter from its next value.
fn stride(func: &mut Function, counter: Value, next: Value) -> Option<Stride> {
    let data = &func.insts[func.def_inst(next)?];
    let (by, down) = match (&data.op, &data.args[..]) {
        (Op::Bin(BinOp::Iadd), [a, b]) if *a == counter => (*b, false),
        (Op::Bin(BinOp::Iadd), [a, b]) if *b == counter => (*a, false),
        (Op::Bin(BinOp::Isub), [a, b]) if *a == counter => (*b, true),
        _ => return None,
    };
    let ty = func.ty(by);
    let bits = ty.scalar().map_or(32, Scalar::bits);
    Some(match func.as_bits(by).map(|by| fold::signed(bits, by)).filter(|by| *by < 0) {
        Some(negative) => Stride { by: func.bits(ty, negative.unsigned_abs()), down: !down },
        None => Stride { by, down },
    })
}

/// Puts loops of several iterations before a loop.
fn unroll(func: &mut Function, plan: &Plan) {
    let (preheader, params) = copy_of_header(func, plan);
    let mut first = plan.header;
    if plan.factor > SECOND_FACTOR && func.as_const(plan.stride.by).is_none() {
        first = add_loop(func, plan, SECOND_FACTOR, preheader, first);
    }
    first = add_loop(func, plan, plan.factor, preheader, first);
    let at = func.layout.iter().position(|b| *b == first).unwrap_or(0);
    func.layout.insert(at, preheader);
    Builder::new(func, preheader).jump(first, &params);
    for &block in &plan.before {
        let Some(branch) = func.terminator(block) else { continue };
        for call in func.insts[branch].targets.iter_mut().filter(|call| call.block == plan.header) {
            call.block = preheader;
        }
    }
}

/// An empty block with parameters like the header's.
fn copy_of_header(func: &mut Function, plan: &Plan) -> (Block, Vec<Value>) {
    let block = func.new_block_detached();
    let params = func.blocks[plan.header].params.clone();
    let types: Vec<Type> = params.iter().map(|p| func.ty(*p)).collect();
    (block, types.into_iter().map(|ty| func.add_param(block, ty)).collect())
}

/// Makes a loop of several iterations that goes on to another one, `rest`. Returns its header.
fn add_loop(func: &mut Function, plan: &Plan, factor: u32, preheader: Block, rest: Block) -> Block {
    let (main, of_main) = copy_of_header(func, plan);
    let copies = func.new_block_detached();
    let mut layout = vec![main, copies];
    let ahead = way_to_last(func, plan, factor, preheader);
    let (counter, Comparison { cc, bound, .. }) = (of_main[plan.counter], plan.test);
    let (more, less) = if plan.stride.down { (counter, bound) } else { (bound, counter) };
    let mut b = Builder::new(func, main);
    let one = b.icmp(cc, counter, bound);
    let left = b.isub(more, less);
    let far = b.icmp(IntCc::Ugt, left, ahead);
    let all = b.and(one, far);
    b.brif(all, BlockCall::new(copies, &[]), BlockCall::new(rest, &of_main));
    let (mut last, mut values) = (copies, of_main);
    for _ in 0..factor {
        (last, values) = copy_iteration(func, plan, last, values, &mut layout);
    }
    Builder::new(func, last).jump(main, &values);
    let at = func.layout.iter().position(|b| *b == rest).unwrap_or(0);
    func.layout.splice(at..at, layout);
    main
}

/// Computes in the preheader what the distance to the bound must exceed in the first of several iterations:
/// all strides to the last one, or the greatest number if these may wrap.
fn way_to_last(func: &mut Function, plan: &Plan, factor: u32, preheader: Block) -> Value {
    let (by, ty) = (plan.stride.by, func.ty(plan.stride.by));
    let bits = ty.scalar().map_or(32, Scalar::bits);
    let most = 1 << (bits - 1).saturating_sub(factor.ilog2());
    let [one, last, most, never] = [1, u64::from(factor) - 1, most, u64::MAX].map(|n| func.bits(ty, n));
    let mut b = Builder::new(func, preheader);
    let less = b.isub(by, one);
    let fits = b.icmp(IntCc::Ult, less, most);
    let mut ahead = b.imul(by, last);
    if matches!(plan.test.cc, IntCc::Sle | IntCc::Ule | IntCc::Sge | IntCc::Uge) {
        ahead = b.isub(ahead, one);
    }
    b.select(fits, ahead, never)
}

/// Appends a copy of an iteration to a block, with `values` of the header's parameters. Returns the block
/// that ends the iteration, still without a branch, and the values for the next one.
fn copy_iteration(
    func: &mut Function,
    plan: &Plan,
    to: Block,
    values: Vec<Value>,
    layout: &mut Vec<Block>,
) -> (Block, Vec<Value>) {
    let params = func.blocks[plan.header].params.iter().copied();
    let mut renamed: FxHashMap<Value, Value> = params.zip(values).collect();
    for inst in insts(func, plan.header, &[]) {
        let copy = func.copy_inst(inst);
        for arg in &mut func.insts[copy].args {
            *arg = renamed.get(arg).copied().unwrap_or(*arg);
        }
        let results = func.insts[inst].results.iter().zip(&func.insts[copy].results);
        renamed.extend(results.map(|(old, new)| (*old, *new)));
        func.blocks[to].insts.push(copy);
    }
    let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
    for &b in &plan.body {
        let new = func.new_block_detached();
        layout.push(new);
        blocks.insert(b, new);
        edit::copy_contents(func, b, new, &mut renamed);
    }
    func.blocks[blocks[&plan.latch]].insts.pop();
    // Operands last: a use may stand before its definition in layout order.
    for &new in blocks.values() {
        func.replace_uses_in(new, &renamed);
        for inst in func.blocks[new].insts.clone() {
            for call in &mut func.insts[inst].targets {
                call.block = blocks[&call.block];
            }
        }
    }
    let of_copy = |v: &Value| renamed.get(v).copied().unwrap_or(*v);
    let (entry, args) =
        (blocks[&plan.inside.block], plan.inside.args.iter().map(of_copy).collect::<Vec<_>>());
    Builder::new(func, to).jump(entry, &args);
    (blocks[&plan.latch], plan.next.iter().map(of_copy).collect())
}
