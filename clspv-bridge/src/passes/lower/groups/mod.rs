//! Sub-group operations in terms of operations of the device.
//!
//! Kernels whose sub-groups have another size than the device's are rewritten for its sub-groups first
//! ([`resize`]); [`lanes`] has what depends on how the ones lie in the others.
//!
//! `size` is the number of work-items of a full sub-group; with one, the operations vanish. Otherwise votes,
//! ballots and shuffles are the device's (it has them, or there are no sub-groups); reductions, scans,
//! clusters and types that it lacks are made from them. Only shuffles, ballots, votes, elections,
//! first-broadcasts and reductions on scalars that the device has remain; `BallotCount`s, masks and the like
//! become arithmetic.
//!
//! A scan of the active work-items uses pointer jumping. Each work-item knows the nearest active one before
//! it (from the ballot). In step k it combines its value with that of the one it points to, and then points
//! to the target of that one. The order of operands is kept, no control flow is added, and inactive
//! work-items are never read.

mod lanes;
pub(crate) mod resize;

use crate::error::Result;
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::group::identity;
use crate::ir::*;
use crate::passes::lower::state::Kernel;
use crate::passes::{Pass, PassContext};
use crate::target::Target;
use lanes::Lanes;

const SUB: Scope = Scope::SubGroup;
const MASK: Type = Type::Vector(Scalar::I32, 4);

/// The pass `lower_groups`: sub-group operations that the target lacks.
pub struct LowerGroups;

impl Pass for LowerGroups {
    fn name(&self) -> &'static str {
        "lower_groups"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let size = cx.lowering()?.abi.sub_group_size;
        Ok(run(Kernel::of(module)?.func, cx.target, size))
    }
}

/// Replaces every sub-group operation; true if anything changed.
pub fn run(func: &mut Function, target: &Target, size: u32) -> bool {
    rewrite_insts(func, |b, inst| {
        let data = &b.func.insts[inst];
        if !matches!(data.op, Op::Group { .. } | Op::Barrier { .. }) {
            return Rewrite::Keep;
        }
        let data = data.clone();
        match data.op {
            Op::Group { scope: SUB, op } => {
                let lanes = Lanes::Device;
                Rewrite::Replace(Groups { b, target, size: size.max(1), lanes }.lower(op, &data.args))
            }
            Op::Barrier { exec: SUB, memory, order, spaces } if size <= 1 => {
                b.inst(Op::Fence { scope: memory, order, spaces }, &[], &[]);
                Rewrite::Remove
            }
            _ => Rewrite::Keep,
        }
    })
}

struct Groups<'b, 'f, 't> {
    b: &'b mut Builder<'f>,
    target: &'t Target,
    /// Work-items of a full sub-group.
    size: u32,
    lanes: Lanes,
}

impl Groups<'_, '_, '_> {
    /// Emits an operation of the device.
    fn native(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Value {
        self.b.value(Op::Group { scope: SUB, op }, args, ty)
    }
    fn i32(&mut self, x: u32) -> Value {
        self.b.i32(x as i32)
    }
    fn query(&mut self, query: WorkItemQuery) -> Value {
        self.b.value(Op::WorkItem { query, dim: 0 }, &[], I32)
    }

    fn lower(&mut self, op: GroupOp, args: &[Value]) -> Value {
        if self.size == 1 {
            return self.alone(op, args);
        }
        match op {
            GroupOp::All => self.all(args[0]),
            GroupOp::Any => self.any(args[0]),
            GroupOp::Elect => self.elect(),
            GroupOp::Ballot => self.ballot(args[0]),
            GroupOp::AllEqual => self.all_equal(args[0]),
            // The id is uniform, which a shuffle does not require.
            GroupOp::Broadcast | GroupOp::Shuffle => self.moved(GroupOp::Shuffle, args[0], Some(args[1])),
            GroupOp::BroadcastFirst => self.moved(op, args[0], None),
            GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                self.shuffle(op, args[0], args[1])
            }
            GroupOp::Rotate { cluster } => {
                let lane = self.rotated(args[1], cluster);
                self.moved(GroupOp::Shuffle, args[0], Some(lane))
            }
            GroupOp::InverseBallot => {
                let id = self.id();
                self.bit(args[0], id)
            }
            GroupOp::BallotBit => self.bit(args[0], args[1]),
            GroupOp::BallotCount(scan) => self.count(args[0], scan),
            GroupOp::BallotLsb | GroupOp::BallotMsb => self.end_of(args[0], op == GroupOp::BallotMsb),
            GroupOp::Mask(which) => self.lane_mask(which),
            GroupOp::Combine { scan, op, cluster } => self.combine(args[0], scan, op, cluster),
        }
    }

    /// Operation in a sub-group of one work-item.
    fn alone(&mut self, op: GroupOp, args: &[Value]) -> Value {
        let word = |this: &mut Self, low: Value| {
            let zero = this.i32(0);
            this.b.vec_build(&[low, zero, zero, zero])
        };
        let low_bit = |this: &mut Self, mask: Value| {
            let (one, low) = (this.i32(1), this.b.extract(mask, 0));
            this.b.and(low, one)
        };
        match op {
            GroupOp::AllEqual | GroupOp::Elect => self.b.func.bits(I1, 1),
            GroupOp::Ballot => {
                let low = self.b.cast(CastOp::Zext, args[0], I32);
                word(self, low)
            }
            GroupOp::InverseBallot => {
                let low = low_bit(self, args[0]);
                self.b.cast(CastOp::Trunc, low, I1)
            }
            GroupOp::BallotBit => self.bit(args[0], args[1]),
            GroupOp::BallotCount(Scan::Exclusive) | GroupOp::BallotLsb | GroupOp::BallotMsb => self.i32(0),
            GroupOp::BallotCount(_) => low_bit(self, args[0]),
            GroupOp::Mask(which) => {
                let own = matches!(which, LaneMask::Eq | LaneMask::Ge | LaneMask::Le);
                let low = self.i32(u32::from(own));
                word(self, low)
            }
            GroupOp::Combine { scan: Scan::Exclusive, op, .. } => {
                let ty = self.b.ty(args[0]);
                self.identity(op, ty)
            }
            _ => args[0],
        }
    }

    fn identity(&mut self, op: BinOp, ty: Type) -> Value {
        let bits = ty.scalar().map_or(32, Scalar::bits);
        self.b.func.bits(ty, identity(op, bits).unwrap_or(0))
    }

    /// Moves a value of any type, in pieces that the device can move.
    fn moved(&mut self, op: GroupOp, x: Value, lane: Option<Value>) -> Value {
        let ty = self.b.ty(x);
        if ty.lanes() > 1 {
            let parts: Vec<Value> = (0..ty.lanes() as u8)
                .map(|i| {
                    let part = self.b.extract(x, i);
                    self.moved(op, part, lane)
                })
                .collect();
            return self.b.vec_build(&parts);
        }
        if self.is_native(ty) {
            return self.move_lane(op, x, lane);
        }
        match ty.scalar() {
            Some(Scalar::F16) => {
                let bits = self.b.bitcast(x, I16);
                let bits = self.moved(op, bits, lane);
                self.b.bitcast(bits, ty)
            }
            Some(Scalar::I64) => {
                let pair = self.b.bitcast(x, Type::Vector(Scalar::I32, 2));
                let pair = self.moved(op, pair, lane);
                self.b.bitcast(pair, ty)
            }
            _ => {
                let wide = self.b.cast(CastOp::Zext, x, I32);
                let wide = self.moved(op, wide, lane);
                self.b.cast(CastOp::Trunc, wide, ty)
            }
        }
    }

    /// Shuffle relative to the work-item's own id.
    fn shuffle(&mut self, op: GroupOp, x: Value, by: Value) -> Value {
        if self.has_relative(op) {
            return self.moved(op, x, Some(by));
        }
        let id = self.id();
        let lane = match op {
            GroupOp::ShuffleXor => self.b.bin(BinOp::Xor, id, by),
            GroupOp::ShuffleUp => self.b.isub(id, by),
            _ => self.b.iadd(id, by),
        };
        self.moved(GroupOp::Shuffle, x, Some(lane))
    }

    /// Work-items of a group, by the query of its size.
    fn items(&mut self, size: WorkItemQuery) -> Value {
        let mut items = self.i32(1);
        for dim in 0..3 {
            let size = self.b.value(Op::WorkItem { query: size, dim }, &[], I64);
            let size = self.b.cast(CastOp::Trunc, size, I32);
            items = if dim == 0 { size } else { self.b.imul(items, size) };
        }
        items
    }

    /// Number of work-items of the work-group's largest sub-group: it may be smaller than a full one.
    fn largest(&mut self) -> Value {
        let (items, size) = (self.items(WorkItemQuery::LocalSize), self.i32(self.size));
        self.b.bin(BinOp::Umin, items, size)
    }

    /// Id `by` further on within the cluster, modulo its size.
    fn rotated(&mut self, by: Value, cluster: u32) -> Value {
        let id = self.id();
        if cluster == 0 {
            // Numbers may be negative, and the size no power of two.
            let size = self.largest();
            let by = self.b.bin(BinOp::Srem, by, size);
            let next = self.b.iadd(id, size);
            let sum = self.b.iadd(next, by);
            return self.b.bin(BinOp::Urem, sum, size);
        }
        let sum = self.b.iadd(id, by);
        let inside = self.i32(cluster - 1);
        let outside = self.b.not(inside);
        let (high, low) = (self.b.and(id, outside), self.b.and(sum, inside));
        self.b.or(high, low)
    }

    /// Bit `number` of a mask.
    fn bit(&mut self, mask: Value, number: Value) -> Value {
        let word = self.word_of(mask, number);
        let shifted = self.b.lshr(word, number);
        self.b.cast(CastOp::Trunc, shifted, I1)
    }

    /// Number of mask words that have bits of work-items.
    fn words(&self) -> u8 {
        self.size.div_ceil(32).min(4) as u8
    }

    /// The mask word that holds bit `number`.
    fn word_of(&mut self, mask: Value, number: Value) -> Value {
        let mut word = self.b.extract(mask, 0);
        for i in 1..self.words() {
            let (first, other) = (self.i32(32 * u32::from(i)), self.b.extract(mask, i));
            let further = self.b.icmp(IntCc::Uge, number, first);
            word = self.b.select(further, other, word);
        }
        word
    }

    /// Mask words of the ids below `end`.
    fn below(&mut self, end: Value) -> Vec<Value> {
        (0..self.words())
            .map(|i| {
                let base = self.i32(32 * u32::from(i));
                let (zero, one, all, width) = (self.i32(0), self.i32(1), self.i32(u32::MAX), self.i32(32));
                let bits = self.b.isub(end, base);
                let narrow = self.b.shl(one, bits);
                let narrow = self.b.isub(narrow, one);
                let full = self.b.icmp(IntCc::Sge, bits, width);
                let some = self.b.select(full, all, narrow);
                let none = self.b.icmp(IntCc::Sle, bits, zero);
                self.b.select(none, zero, some)
            })
            .collect()
    }

    fn lane_mask(&mut self, which: LaneMask) -> Value {
        let (id, one) = (self.id(), self.i32(1));
        let next = self.b.iadd(id, one);
        let mut words = match which {
            LaneMask::Lt => self.below(id),
            LaneMask::Le => self.below(next),
            _ => {
                let from = if which == LaneMask::Gt { next } else { id };
                let end = if which == LaneMask::Eq { next } else { self.largest() };
                let (low, high) = (self.below(from), self.below(end));
                let pairs: Vec<(Value, Value)> = low.into_iter().zip(high).collect();
                pairs.into_iter().map(|(low, high)| self.b.bin(BinOp::Xor, low, high)).collect()
            }
        };
        let zero = self.i32(0);
        words.resize(4, zero);
        self.b.vec_build(&words)
    }

    fn mask_words(&mut self, mask: Value) -> Vec<Value> {
        (0..self.words()).map(|i| self.b.extract(mask, i)).collect()
    }

    /// Mask words without the bits that belong to no work-item.
    fn meaningful(&mut self, mask: Value) -> Vec<Value> {
        let end = self.largest();
        let valid = self.below(end);
        let words = self.mask_words(mask);
        words.into_iter().zip(valid).map(|(word, valid)| self.b.and(word, valid)).collect()
    }

    fn count(&mut self, mask: Value, scan: Scan) -> Value {
        let mut words = self.meaningful(mask);
        if scan != Scan::Reduce {
            let (id, one) = (self.id(), self.i32(1));
            let end = if scan == Scan::Inclusive { self.b.iadd(id, one) } else { id };
            for (word, before) in self.below(end).into_iter().enumerate() {
                words[word] = self.b.and(words[word], before);
            }
        }
        let mut sum = self.b.un(UnOp::Popcnt, words[0]);
        for word in words.split_off(1) {
            let more = self.b.un(UnOp::Popcnt, word);
            sum = self.b.iadd(sum, more);
        }
        sum
    }

    /// Index of the lowest or highest set bit.
    fn end_of(&mut self, mask: Value, high: bool) -> Value {
        let words = self.meaningful(mask);
        self.end_of_words(&words, high)
    }

    fn end_of_words(&mut self, words: &[Value], high: bool) -> Value {
        let mut found = None;
        let order: Vec<(usize, Value)> = words.iter().copied().enumerate().collect();
        // Least significant end first.
        let order: Vec<(usize, Value)> = if high { order } else { order.into_iter().rev().collect() };
        for (i, word) in order {
            let base = self.i32(32 * i as u32);
            let at = if high {
                let (zeros, top) = (self.b.un(UnOp::Clz, word), self.i32(31));
                self.b.isub(top, zeros)
            } else {
                self.b.un(UnOp::Ctz, word)
            };
            let at = self.b.iadd(at, base);
            found = Some(match found {
                None => at,
                Some(other) => {
                    let zero = self.i32(0);
                    let set = self.b.icmp(IntCc::Ne, word, zero);
                    self.b.select(set, at, other)
                }
            });
        }
        found.unwrap_or_else(|| self.b.i32(0))
    }

    /// Whether all values equal that of the first active work-item.
    fn all_equal(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let mut same = None;
        for i in 0..ty.lanes() as u8 {
            let part = self.b.extract(x, i);
            let first = self.moved(GroupOp::BroadcastFirst, part, None);
            let equal = if ty.is_float() {
                self.b.fcmp(FloatCc::Oeq, part, first)
            } else {
                self.b.icmp(IntCc::Eq, part, first)
            };
            same = Some(match same {
                None => equal,
                Some(other) => self.b.and(other, equal),
            });
        }
        let same = same.unwrap_or_else(|| self.b.func.bits(I1, 1));
        self.all(same)
    }

    fn combine(&mut self, x: Value, scan: Scan, op: BinOp, cluster: u32) -> Value {
        let ty = self.b.ty(x);
        let cluster = if cluster >= self.size { 0 } else { cluster };
        if cluster == 1 {
            return x;
        }
        let narrow = matches!(ty.scalar(), Some(Scalar::I1 | Scalar::I8 | Scalar::I16));
        if narrow && !self.is_native(ty) {
            let signed = matches!(op, BinOp::Smin | BinOp::Smax);
            let wide = self.b.cast(if signed { CastOp::Sext } else { CastOp::Zext }, x, I32);
            let result = self.combine(wide, scan, op, cluster);
            if scan != Scan::Exclusive {
                return self.b.cast(CastOp::Trunc, result, ty);
            }
            // The identity of the wide type has other low bits where it is an extreme value.
            let result = self.b.cast(CastOp::Trunc, result, ty);
            return self.unless_first(result, op);
        }
        match self.combine_on_device(x, scan, op, cluster) {
            Some(result) => result,
            None => self.jumping(x, scan, op, cluster),
        }
    }

    /// The value; in the first active work-item, the operator's identity.
    fn unless_first(&mut self, x: Value, op: BinOp) -> Value {
        let ty = self.b.ty(x);
        let (none, first) = (self.identity(op, ty), self.elect());
        self.b.select(first, none, x)
    }

    /// Scan by pointer jumping, see the module's documentation.
    fn jumping(&mut self, x: Value, scan: Scan, op: BinOp, cluster: u32) -> Value {
        let ty = self.b.ty(x);
        let yes = self.b.func.bits(I1, 1);
        let mut active = self.ballot_words(yes);
        let id = self.id();
        if cluster != 0 {
            let inside = self.i32(cluster - 1);
            let outside = self.b.not(inside);
            let start = self.b.and(id, outside);
            let length = self.i32(cluster);
            let end = self.b.iadd(start, length);
            let (low, high) = (self.below(start), self.below(end));
            for (i, (low, high)) in low.into_iter().zip(high).enumerate() {
                let own = self.b.bin(BinOp::Xor, low, high);
                active[i] = self.b.and(active[i], own);
            }
        }
        let before: Vec<Value> =
            self.below(id).into_iter().enumerate().map(|(i, w)| self.b.and(active[i], w)).collect();
        let mut any = before[0];
        for &word in &before[1..] {
            any = self.b.or(any, word);
        }
        let zero = self.i32(0);
        let has = self.b.icmp(IntCc::Ne, any, zero);
        let previous = self.end_of_words(&before, true);
        // Without an active work-item before it, a work-item points to itself and is complete.
        let previous = self.b.select(has, previous, id);
        let mut sum = x;
        let (mut at, mut more) = (previous, has);
        let reach = if cluster == 0 { self.size } else { cluster };
        let steps = reach.next_power_of_two().trailing_zeros();
        for step in 0..steps {
            let earlier = self.moved(GroupOp::Shuffle, sum, Some(at));
            let joined = self.b.bin(op, earlier, sum);
            sum = self.b.select(more, joined, sum);
            if step + 1 < steps {
                // The id and the continue flag travel in one value.
                let bit = self.i32(1 << 16);
                let flag = self.b.select(more, bit, zero);
                let packed = self.b.or(at, flag);
                let packed = self.moved(GroupOp::Shuffle, packed, Some(at));
                let low = self.i32(0xffff);
                let next = self.b.and(packed, low);
                let flag = self.b.and(packed, bit);
                let flag = self.b.icmp(IntCc::Ne, flag, zero);
                at = self.b.select(more, next, at);
                more = self.b.and(more, flag);
            }
        }
        match scan {
            Scan::Inclusive => sum,
            Scan::Exclusive => {
                let earlier = self.moved(GroupOp::Shuffle, sum, Some(previous));
                let none = self.identity(op, ty);
                self.b.select(has, earlier, none)
            }
            Scan::Reduce => {
                let last = self.end_of_words(&active, true);
                self.moved(GroupOp::Shuffle, sum, Some(last))
            }
        }
    }
}

#[cfg(test)]
mod tests;
