//! How a value differs between the work-items that are computed together.
//!
//! A forward analysis over the tree that starts with "the same in all" and goes up until nothing changes. It decides at the
//! same time which joins of control flow need masks: a join is *direct* if all edges to it are taken by all work-items that
//! are still active where they are taken.

use super::tree::{Loop, Node, Select, Seq, Test};
use crate::ir::group::Scan;
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// The shape of a value, in the order from the best known to the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The same in all work-items of the group.
    Group,
    /// The same in the work-items of a vector.
    Vector,
    /// It grows by this much from one work-item of the vector to the next (integers modulo their width).
    Affine(i64),
    Varying,
}

impl Shape {
    /// Whether one scalar serves all work-items of a vector.
    pub fn is_uniform(self) -> bool {
        matches!(self, Shape::Group | Shape::Vector)
    }
    /// The shape of what is one or the other.
    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (a, b) if a == b => a,
            (Shape::Group, Shape::Vector) | (Shape::Vector, Shape::Group) => Shape::Vector,
            _ => Shape::Varying,
        }
    }
    /// That of a plain function of both.
    fn mix(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Group, Shape::Group) => Shape::Group,
            (a, b) if a.is_uniform() && b.is_uniform() => Shape::Vector,
            _ => Shape::Varying,
        }
    }
}

/// Steps that large are no use, and their multiples could overflow.
const MAX_STRIDE: i64 = 1 << 16;

/// What the analysis found.
pub struct Shapes {
    /// `None` until something is known.
    values: Vec<Option<Shape>>,
    /// Merge and continue blocks that are reached under masks.
    pub masked: HashSet<Block>,
    /// Affine values that may wrap around within a vector.
    bent: HashSet<Value>,
    /// Bytes between the work-items' copies of each private variable.
    pub slot_stride: HashMap<Slot, i64>,
    /// Lanes are consecutive local linear ids.
    linear: bool,
    /// Functions give each work-item a result of its own.
    calls_vary: bool,
}

impl Shapes {
    /// Analyses a function whose tree is `seq`. `known` are the shapes of parameters that are not the same in the group;
    /// `calls_vary`: functions give each work-item a result of its own.
    pub fn new(
        func: &Function,
        seq: &Seq,
        linear: bool,
        calls_vary: bool,
        known: &[(Value, Shape)],
    ) -> Shapes {
        let slot_stride = func.slots.iter().map(|(s, d)| (s, i64::from(slot_bytes(d)))).collect();
        let (values, masked, bent) = (vec![None; func.value_count()], HashSet::new(), HashSet::new());
        let mut s = Shapes { values, masked, bent, slot_stride, linear, calls_vary };
        for (v, shape) in known {
            s.values[v.index()] = Some(*shape);
        }
        loop {
            let targets = HashMap::new();
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
    /// The shape of a value.
    pub fn of(&self, v: Value) -> Shape {
        self.values.get(v.index()).copied().flatten().unwrap_or(Shape::Group)
    }
    /// Whether all work-items that reach a selection take one arm.
    pub fn is_common(&self, select: &Select) -> bool {
        self.agree(select.on, select.is_split)
    }
    /// Whether all work-items that reach a test take one edge.
    pub fn takes_one(&self, test: &Test) -> bool {
        self.agree(test.on, test.is_split)
    }
    fn agree(&self, on: Value, is_split: bool) -> bool {
        let shape = self.of(on);
        if is_split { shape == Shape::Group } else { shape.is_uniform() }
    }
}

/// Bytes of one work-item's copy of a private variable.
pub fn slot_bytes(slot: &SlotData) -> u32 {
    slot.size.max(1).next_multiple_of(slot.align.max(1))
}

/// How many selections are around: those in which work-items of a vector part, and those in which vectors part.
#[derive(Clone, Copy, Default)]
struct Depth {
    divergent: u32,
    uneven: u32,
}

struct Walk<'a> {
    func: &'a Function,
    s: &'a mut Shapes,
    changed: bool,
    /// Depth at the blocks that edges may go to; whether losses before them matter.
    targets: HashMap<Block, (Depth, bool)>,
    depth: Depth,
    /// Work-items have left the innermost loop's iteration by themselves.
    lost: bool,
    /// The loop whose latch this is.
    header: Option<Block>,
}

impl Walk<'_> {
    fn raise(&mut self, v: Value, shape: Shape) {
        let old = self.s.values[v.index()];
        let new = Some(old.map_or(shape, |o| o.join(shape)));
        if new != old {
            self.s.values[v.index()] = new;
            self.changed = true;
        }
    }
    fn mask(&mut self, block: Block) {
        self.changed |= self.s.masked.insert(block);
    }
    /// Parameters get what an edge gives them.
    fn assign(&mut self, call: &BlockCall, masked: bool, uneven: bool) {
        let params = self.func.blocks[call.block].params.clone();
        for (p, a) in params.into_iter().zip(&call.args) {
            if masked {
                self.raise(p, Shape::Varying);
            } else if !matches!(self.func.as_const(*a), Some(Const::Undef(_))) {
                self.raise(p, if self.s.bent.contains(a) { Shape::Varying } else { self.s.of(*a) });
            }
            if uneven {
                self.raise(p, if self.s.of(p) == Shape::Group { Shape::Vector } else { self.s.of(p) });
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

    fn select(&mut self, s: &Select) {
        let common = self.s.is_common(s);
        self.targets.insert(s.merge, (self.depth, false));
        let outside = self.depth;
        self.depth.divergent += u32::from(!common);
        self.depth.uneven += u32::from(self.s.of(s.on) != Shape::Group);
        let before = self.lost;
        let mut lost = before;
        for arm in &s.arms {
            self.lost = before;
            self.seq(arm);
            // An edge of a divergent selection out of it takes some work-items away.
            lost |= self.lost || !common && leaves(arm, s.merge);
        }
        self.lost = lost;
        self.depth = outside;
        self.targets.remove(&s.merge);
    }

    /// All work-items that are left in the loop come here.
    fn test(&mut self, t: &Test) {
        for edge in &t.edges {
            let back = self.header == Some(edge.block);
            if !back && !self.s.takes_one(t) {
                self.mask(edge.block);
            }
            let masked = !back && self.s.masked.contains(&edge.block);
            let uneven = !back && self.s.of(t.on) != Shape::Group;
            self.assign(edge, masked, uneven);
        }
    }

    fn looped(&mut self, l: &Loop) {
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
        let shape = self.transfer(data);
        self.raise(result, shape);
        let bends = data.op == Op::Cast(CastOp::Zext) || data.args.iter().any(|a| self.s.bent.contains(a));
        if matches!(shape, Shape::Affine(_)) && bends {
            self.changed |= self.s.bent.insert(result);
        }
    }

    fn bits(&self, v: Value) -> Option<i64> {
        let bits = self.func.as_bits(v)?;
        let width = self.func.ty(v).scalar()?.bits();
        Some((bits << (64 - width)) as i64 >> (64 - width))
    }

    fn transfer(&self, data: &InstData) -> Shape {
        use Shape::*;
        let of = |i: usize| data.args.get(i).map_or(Group, |a| self.s.of(*a));
        let all = data.args.iter().fold(Group, |s, a| s.mix(self.s.of(*a)));
        let ty = data.results.first().map_or(I32, |r| self.func.ty(*r));
        let scalar = ty.lanes() == 1;
        let step = |s: i64| match s {
            0 => Vector,
            s if s.abs() <= MAX_STRIDE => Affine(s),
            _ => Varying,
        };
        let stride = |s: Shape| match s {
            Group | Vector => Some(0),
            Affine(s) => Some(s),
            Varying => None,
        };
        if all.is_uniform() {
            // Each operation below gives the same for the same operands, but for these.
            match &data.op {
                Op::SlotAddr(slot) => return step(self.s.slot_stride.get(slot).copied().unwrap_or(1)),
                Op::WorkItem { query, dim } => return self.query(*query, *dim),
                Op::AtomicRmw { .. }
                | Op::AtomicCas { .. }
                | Op::AtomicLoad { .. }
                | Op::Clock(_)
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
            Op::Cast(CastOp::Trunc) if scalar && ty != I1 => of(0),
            Op::Cast(CastOp::Sext | CastOp::Zext) if scalar && self.func.ty(data.args[0]) == I32 => of(0),
            Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) => of(0),
            Op::Group { op, .. } => self.group(op, of(1)),
            _ => Varying,
        }
    }

    fn group(&self, op: &GroupOp, second: Shape) -> Shape {
        match op {
            GroupOp::All | GroupOp::Any | GroupOp::AllEqual | GroupOp::BroadcastFirst | GroupOp::Ballot => {
                Shape::Vector
            }
            GroupOp::Combine { scan: Scan::Reduce, cluster: 0, .. } => Shape::Vector,
            GroupOp::Broadcast | GroupOp::Shuffle if second.is_uniform() => Shape::Vector,
            _ => Shape::Varying,
        }
    }

    fn query(&self, query: WorkItemQuery, dim: u8) -> Shape {
        use WorkItemQuery as Q;
        match query {
            Q::GlobalId | Q::LocalId if dim >= 3 => Shape::Group,
            Q::GlobalId | Q::LocalId | Q::GlobalLinearId if self.s.linear => Shape::Varying,
            Q::GlobalId | Q::LocalId if dim == 0 => Shape::Affine(1),
            Q::GlobalId | Q::LocalId => Shape::Vector,
            Q::GlobalLinearId | Q::LocalLinearId | Q::SubGroupLocalId => Shape::Affine(1),
            Q::SubGroupId | Q::SubGroupSize => Shape::Vector,
            _ => Shape::Group,
        }
    }
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
            // Loops are left for their own merge block only.
            _ => false,
        })
    }
    search(seq, &mut vec![merge])
}
