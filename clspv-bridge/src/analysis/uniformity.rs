//! Uniformity analysis: how a value differs between the work-items of a vector.
//!
//! A forward data-flow analysis over the tree: all values start as uniform in the group and are raised in the
//! lattice until nothing changes. The same analysis decides which joins of control flow need masks: a join
//! needs none if all edges to it are taken by all work-items that are still active where they are taken.

use super::tree::{LatchTest, LoopNode, Node, SelectNode, Seq};
use crate::ir::group::Scan;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// The uniformity lattice, in the order from the most precise element to the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uniformity {
    /// One value for all work-items of the group.
    GroupUniform,
    /// One value for all work-items of a vector.
    Uniform,
    /// Grows by this much from one work-item of the vector to the next (integers modulo their width).
    Affine(i64),
    Varying,
}

impl Uniformity {
    /// Whether one scalar serves all work-items of a vector.
    pub(crate) fn is_uniform(self) -> bool {
        matches!(self, Uniformity::GroupUniform | Uniformity::Uniform)
    }
    /// The uniformity of a value that is one or the other (a phi).
    fn join(self, other: Uniformity) -> Uniformity {
        match (self, other) {
            (a, b) if a == b => a,
            (Uniformity::GroupUniform, Uniformity::Uniform)
            | (Uniformity::Uniform, Uniformity::GroupUniform) => Uniformity::Uniform,
            _ => Uniformity::Varying,
        }
    }
    /// The uniformity of an operation's result, if the operation has no rule of its own.
    fn mix(self, other: Uniformity) -> Uniformity {
        match (self, other) {
            (Uniformity::GroupUniform, Uniformity::GroupUniform) => Uniformity::GroupUniform,
            (a, b) if a.is_uniform() && b.is_uniform() => Uniformity::Uniform,
            _ => Uniformity::Varying,
        }
    }
}

impl fmt::Display for Uniformity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uniformity::GroupUniform => f.write_str("group uniform"),
            Uniformity::Uniform => f.write_str("uniform"),
            Uniformity::Affine(stride) => write!(f, "affine {stride}"),
            Uniformity::Varying => f.write_str("varying"),
        }
    }
}

/// Larger strides are of no use, and their multiples could overflow.
const MAX_STRIDE: i64 = 1 << 16;

/// The result of the analysis.
pub struct UniformityInfo {
    /// `None` until a definition is reached.
    values: Vec<Option<Uniformity>>,
    /// Merge and continue blocks that are reached under masks.
    pub masked: FxHashSet<Block>,
    /// Affine values that may wrap around or reach a limit within a vector.
    may_wrap: FxHashSet<Value>,
    /// Bytes between the work-items' copies of each private variable.
    pub slot_stride: FxHashMap<Slot, i64>,
    /// Whether lanes are consecutive local linear ids.
    linear: bool,
    /// Whether calls return a result for each work-item.
    calls_vary: bool,
}

impl UniformityInfo {
    /// Analyses a function whose tree is `seq`. `known` lists the parameters that are not uniform in the
    /// group. With `calls_vary`, calls return a result for each work-item.
    pub fn new(
        func: &Function,
        seq: &Seq,
        linear: bool,
        calls_vary: bool,
        known: &[(Value, Uniformity)],
    ) -> UniformityInfo {
        let slot_stride = func.slots.iter().map(|(s, d)| (s, i64::from(slot_bytes(d)))).collect();
        let (values, masked, may_wrap) =
            (vec![None; func.value_count()], FxHashSet::default(), FxHashSet::default());
        let mut s = UniformityInfo { values, masked, may_wrap, slot_stride, linear, calls_vary };
        for (v, uniformity) in known {
            s.values[v.index()] = Some(*uniformity);
        }
        loop {
            let targets = FxHashMap::default();
            let mut walk = Walk {
                func,
                s: &mut s,
                changed: false,
                targets,
                depth: Depth::default(),
                lost: false,
                header: None,
            };
            walk.seq(seq);
            if !walk.changed {
                return s;
            }
        }
    }
    /// The uniformity of a value.
    pub fn of(&self, v: Value) -> Uniformity {
        self.values.get(v.index()).copied().flatten().unwrap_or(Uniformity::GroupUniform)
    }
    /// Whether all work-items that reach a selection take one arm.
    pub(crate) fn is_uniform_select(&self, select: &SelectNode) -> bool {
        self.is_uniform_condition(select.on, select.has_barrier)
    }
    /// Whether all work-items that reach a test take one edge.
    pub(crate) fn is_uniform_test(&self, test: &LatchTest) -> bool {
        self.is_uniform_condition(test.on, test.has_barrier)
    }
    fn is_uniform_condition(&self, on: Value, has_barrier: bool) -> bool {
        let uniformity = self.of(on);
        if has_barrier { uniformity == Uniformity::GroupUniform } else { uniformity.is_uniform() }
    }
}

/// Bytes of one work-item's copy of a private variable.
pub(crate) fn slot_bytes(slot: &SlotData) -> u32 {
    slot.size.max(1).next_multiple_of(slot.align.max(1))
}

/// Number of enclosing selections: `divergent` counts those in which work-items of a vector diverge, `uneven`
/// those in which vectors do.
#[derive(Clone, Copy, Default)]
struct Depth {
    divergent: u32,
    uneven: u32,
}

struct Walk<'a> {
    func: &'a Function,
    s: &'a mut UniformityInfo,
    changed: bool,
    /// Depth at the blocks that edges may go to, and whether `lost` before them matters.
    targets: FxHashMap<Block, (Depth, bool)>,
    depth: Depth,
    /// Whether work-items have left the innermost loop's iteration without the others.
    lost: bool,
    /// The header of the loop whose latch is visited.
    header: Option<Block>,
}

impl Walk<'_> {
    fn raise(&mut self, v: Value, uniformity: Uniformity) {
        let old = self.s.values[v.index()];
        let new = Some(old.map_or(uniformity, |o| o.join(uniformity)));
        if new != old {
            self.s.values[v.index()] = new;
            self.changed = true;
        }
    }
    fn mask(&mut self, block: Block) {
        self.changed |= self.s.masked.insert(block);
    }
    /// Joins the arguments of an edge into the block's parameters.
    fn assign(&mut self, call: &BlockCall, masked: bool, uneven: bool) {
        let params = self.func.blocks[call.block].params.clone();
        for (p, a) in params.into_iter().zip(&call.args) {
            if masked {
                self.raise(p, Uniformity::Varying);
            } else if !matches!(self.func.as_const(*a), Some(Const::Undef(_))) {
                self.raise(p, if self.s.may_wrap.contains(a) { Uniformity::Varying } else { self.s.of(*a) });
            }
            if uneven {
                self.raise(
                    p,
                    if self.s.of(p) == Uniformity::GroupUniform { Uniformity::Uniform } else { self.s.of(p) },
                );
            }
        }
    }

    fn seq(&mut self, seq: &Seq) {
        for node in &seq.nodes {
            match node {
                Node::Block(b) => {
                    for i in &self.func.blocks[*b].insts {
                        self.inst(*i);
                    }
                }
                Node::Enter(call) => self.assign(call, false, false),
                Node::Goto(call) => {
                    let (at, in_loop) = self.targets.get(&call.block).copied().unwrap_or_default();
                    if self.depth.divergent > at.divergent || in_loop && self.lost {
                        self.mask(call.block);
                    }
                    let masked = self.s.masked.contains(&call.block);
                    self.assign(call, masked, self.depth.uneven > at.uneven);
                }
                Node::Select(s) => self.select(s),
                Node::Test(t) => self.test(t),
                Node::Loop(l) => self.looped(l),
            }
        }
    }

    fn select(&mut self, s: &SelectNode) {
        let is_uniform = self.s.is_uniform_select(s);
        self.targets.insert(s.merge, (self.depth, false));
        let outside = self.depth;
        self.depth.divergent += u32::from(!is_uniform);
        self.depth.uneven += u32::from(self.s.of(s.on) != Uniformity::GroupUniform);
        let before = self.lost;
        let mut lost = before;
        for arm in &s.arms {
            self.lost = before;
            self.seq(arm);
            // An edge that leaves a divergent selection takes some work-items away.
            lost |= self.lost || !is_uniform && leaves(arm, s.merge);
        }
        self.lost = lost;
        self.depth = outside;
        self.targets.remove(&s.merge);
    }

    /// All work-items that are left in the loop reach its test.
    fn test(&mut self, t: &LatchTest) {
        for edge in &t.edges {
            let back = self.header == Some(edge.block);
            if !back && !self.s.is_uniform_test(t) {
                self.mask(edge.block);
            }
            let masked = !back && self.s.masked.contains(&edge.block);
            let uneven = !back && self.s.of(t.on) != Uniformity::GroupUniform;
            self.assign(edge, masked, uneven);
        }
    }

    fn looped(&mut self, l: &LoopNode) {
        let before = std::mem::take(&mut self.lost);
        self.targets.insert(l.merge, (self.depth, true));
        self.targets.insert(l.cont, (self.depth, true));
        self.seq(&l.body);
        self.targets.remove(&l.cont);
        self.targets.insert(l.header, (self.depth, false));
        let around = self.header.replace(l.header);
        self.seq(&l.latch);
        self.header = around;
        self.targets.remove(&l.header);
        self.targets.remove(&l.merge);
        if self.s.masked.contains(&l.merge) {
            self.mask(l.cont);
        }
        self.lost = before;
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.func.insts[inst];
        let Some(&result) = data.results.first() else { return };
        let uniformity = self.transfer(data);
        self.raise(result, uniformity);
        let bends = data.op == Op::Cast(CastOp::Zext)
            || is_limit(&data.op)
            || data.args.iter().any(|a| self.s.may_wrap.contains(a));
        if matches!(uniformity, Uniformity::Affine(_)) && bends {
            self.changed |= self.s.may_wrap.insert(result);
        }
    }

    fn bits(&self, v: Value) -> Option<i64> {
        let bits = self.func.as_bits(v)?;
        let width = self.func.ty(v).scalar()?.bits();
        Some((bits << (64 - width)) as i64 >> (64 - width))
    }

    fn transfer(&self, data: &InstData) -> Uniformity {
        use Uniformity::*;
        let of = |i: usize| data.args.get(i).map_or(GroupUniform, |a| self.s.of(*a));
        let all = data.args.iter().fold(GroupUniform, |s, a| s.mix(self.s.of(*a)));
        let ty = data.results.first().map_or(I32, |r| self.func.ty(*r));
        let scalar = ty.lanes() == 1;
        // Strides that cancel out make no uniform value: one of the affine operands may wrap around, and the
        // vectoriser may have it as a vector.
        let step = |s: i64| match s {
            s if s != 0 && s.abs() <= MAX_STRIDE => Affine(s),
            _ => Varying,
        };
        let stride = |s: Uniformity| match s {
            GroupUniform | Uniform => Some(0),
            Affine(s) => Some(s),
            Varying => None,
        };
        if all.is_uniform() {
            // Pure operations give uniform results for uniform operands; these are the exceptions.
            match &data.op {
                Op::SlotAddr(slot) => return step(self.s.slot_stride.get(slot).copied().unwrap_or(1)),
                Op::WorkItem { query, dim } => return self.query(*query, *dim),
                Op::AtomicRmw { .. }
                | Op::AtomicCas { .. }
                | Op::AtomicLoad { .. }
                | Op::Clock(_)
                | Op::Check(CheckOp::Address { .. })
                | Op::Runtime(_) => {
                    return Varying;
                }
                Op::Group { op, .. } => return self.group(op, of(1)),
                Op::Call(_) if self.s.calls_vary => return Varying,
                _ => return all,
            }
        }
        match &data.op {
            Op::Bin(BinOp::Iadd) | Op::PtrAdd if scalar => match (stride(of(0)), stride(of(1))) {
                (Some(a), Some(b)) => step(a + b),
                _ => Varying,
            },
            Op::Bin(BinOp::Isub) if scalar => match (stride(of(0)), stride(of(1))) {
                (Some(a), Some(b)) => step(a - b),
                _ => Varying,
            },
            Op::Bin(BinOp::Imul) if scalar => {
                match (stride(of(0)), self.bits(data.args[1]), stride(of(1)), self.bits(data.args[0])) {
                    (Some(a), Some(c), _, _) | (_, _, Some(a), Some(c)) => {
                        a.checked_mul(c).map_or(Varying, step)
                    }
                    _ => Varying,
                }
            }
            Op::Bin(BinOp::Shl) if scalar => match (stride(of(0)), self.func.as_bits(data.args[1])) {
                (Some(a), Some(c)) if c < 32 && ty.scalar().is_some_and(|s| c < u64::from(s.bits())) => {
                    a.checked_mul(1 << c).map_or(Varying, step)
                }
                _ => Varying,
            },
            // Affine where no work-item reaches the limit.
            op if is_limit(op) && (ty == I32 || ty == I64) => match (of(0), of(1)) {
                (Affine(s), limit) | (limit, Affine(s)) if limit.is_uniform() => Affine(s),
                _ => Varying,
            },
            Op::Cast(CastOp::Trunc) if scalar && ty != I1 => of(0),
            Op::Cast(CastOp::Sext | CastOp::Zext) if scalar && self.func.ty(data.args[0]) == I32 => of(0),
            Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) => of(0),
            Op::Group { op, .. } => self.group(op, of(1)),
            _ => Varying,
        }
    }

    fn group(&self, op: &GroupOp, second: Uniformity) -> Uniformity {
        match op {
            GroupOp::All | GroupOp::Any | GroupOp::AllEqual | GroupOp::BroadcastFirst | GroupOp::Ballot => {
                Uniformity::Uniform
            }
            GroupOp::Combine { scan: Scan::Reduce, cluster: 0, .. } => Uniformity::Uniform,
            GroupOp::Broadcast | GroupOp::Shuffle if second.is_uniform() => Uniformity::Uniform,
            _ => Uniformity::Varying,
        }
    }

    fn query(&self, query: WorkItemQuery, dim: u8) -> Uniformity {
        use WorkItemQuery as Q;
        match query {
            Q::GlobalId | Q::LocalId if dim >= 3 => Uniformity::GroupUniform,
            Q::GlobalId | Q::LocalId | Q::GlobalLinearId if self.s.linear => Uniformity::Varying,
            Q::GlobalId | Q::LocalId if dim == 0 => Uniformity::Affine(1),
            Q::GlobalId | Q::LocalId => Uniformity::Uniform,
            Q::GlobalLinearId | Q::LocalLinearId | Q::SubGroupLocalId => Uniformity::Affine(1),
            Q::SubGroupId | Q::SubGroupSize => Uniformity::Uniform,
            _ => Uniformity::GroupUniform,
        }
    }
}

/// Whether the operation limits a number to a minimum or maximum.
pub(crate) fn is_limit(op: &Op) -> bool {
    matches!(op, Op::Bin(BinOp::Smin | BinOp::Smax | BinOp::Umin | BinOp::Umax))
}

/// Whether an edge within goes elsewhere than to `merge` or to a construct within.
pub fn leaves(seq: &Seq, merge: Block) -> bool {
    fn search(seq: &Seq, inner: &mut Vec<Block>) -> bool {
        seq.nodes.iter().any(|n| match n {
            Node::Goto(call) => !inner.contains(&call.block),
            Node::Select(s) => {
                inner.push(s.merge);
                let found = s.arms.iter().any(|a| search(a, inner));
                inner.pop();
                found
            }
            // A loop is left for its own merge block only.
            _ => false,
        })
    }
    search(seq, &mut vec![merge])
}
