//! How the work-items of a kernel's sub-groups lie in those of the device, and the operations that depend
//! on it: votes, ballots, moves and reductions.

use super::{Groups, MASK};
use crate::ir::*;

/// The sub-groups of a kernel on a device.
#[derive(Clone, Copy)]
pub(super) enum Lanes {
    /// They are the device's.
    Device,
    /// Several lie in each of the device's, which has this many work-items.
    Clusters(u32),
    /// Each consists of several of the device's, which have `device` work-items. Values pass through
    /// `scratch`, local memory with a word for each work-item, between barriers of the work-group.
    Several { device: u32, scratch: Global },
}

impl Groups<'_, '_, '_> {
    /// Number of the work-item in its sub-group.
    pub(super) fn id(&mut self) -> Value {
        let lane = self.query(WorkItemQuery::SubGroupLocalId);
        match self.lanes {
            Lanes::Device => lane,
            Lanes::Clusters(_) => {
                let inside = self.i32(self.size - 1);
                self.b.and(lane, inside)
            }
            Lanes::Several { device, .. } => {
                let group = self.query(WorkItemQuery::SubGroupId);
                let (inside, size) = (self.i32(self.size / device - 1), self.i32(device));
                let group = self.b.and(group, inside);
                let first = self.b.imul(group, size);
                self.b.iadd(first, lane)
            }
        }
    }

    /// Number of the sub-group in the work-group.
    pub(super) fn group_id(&mut self) -> Value {
        let group = self.query(WorkItemQuery::SubGroupId);
        match self.lanes {
            Lanes::Device => group,
            Lanes::Clusters(device) => {
                let lane = self.query(WorkItemQuery::SubGroupLocalId);
                let (each, size) = (self.i32(device / self.size), self.i32(self.size));
                let first = self.b.imul(group, each);
                let cluster = self.b.bin(BinOp::Udiv, lane, size);
                self.b.iadd(first, cluster)
            }
            Lanes::Several { device, .. } => {
                let each = self.i32(self.size / device);
                self.b.bin(BinOp::Udiv, group, each)
            }
        }
    }

    /// In clusters, the device's number of the sub-group's first work-item.
    fn base(&mut self) -> Value {
        let (lane, outside) = (self.query(WorkItemQuery::SubGroupLocalId), self.i32(!(self.size - 1)));
        self.b.and(lane, outside)
    }

    pub(super) fn all(&mut self, x: Value) -> Value {
        if let Lanes::Device = self.lanes {
            return self.native(GroupOp::All, &[x], I1);
        }
        let not = self.b.not(x);
        let any = self.any(not);
        self.b.not(any)
    }

    pub(super) fn any(&mut self, x: Value) -> Value {
        if let Lanes::Device = self.lanes {
            return self.native(GroupOp::Any, &[x], I1);
        }
        let words = self.ballot_words(x);
        let set = words[1..].iter().fold(words[0], |set, word| self.b.or(set, *word));
        let zero = self.i32(0);
        self.b.icmp(IntCc::Ne, set, zero)
    }

    pub(super) fn elect(&mut self) -> Value {
        if let Lanes::Device = self.lanes {
            return self.native(GroupOp::Elect, &[], I1);
        }
        let (first, id) = (self.first(), self.id());
        self.b.icmp(IntCc::Eq, first, id)
    }

    /// The first active work-item.
    fn first(&mut self) -> Value {
        if let Lanes::Several { .. } = self.lanes {
            // Where values pass through local memory all work-items are active.
            return self.i32(0);
        }
        let yes = self.b.func.bits(I1, 1);
        let active = self.ballot_words(yes);
        self.end_of_words(&active, false)
    }

    pub(super) fn ballot(&mut self, x: Value) -> Value {
        if let Lanes::Device = self.lanes {
            return self.native(GroupOp::Ballot, &[x], MASK);
        }
        let mut words = self.ballot_words(x);
        let zero = self.i32(0);
        words.resize(4, zero);
        self.b.vec_build(&words)
    }

    /// The words of a ballot that have bits of work-items.
    pub(super) fn ballot_words(&mut self, x: Value) -> Vec<Value> {
        let mask = self.native(GroupOp::Ballot, &[x], MASK);
        match self.lanes {
            Lanes::Device => self.mask_words(mask),
            Lanes::Clusters(device) => self.cluster_words(mask, device),
            Lanes::Several { device, .. } => self.joined_words(mask, device),
        }
    }

    /// The words of the own cluster in a ballot of the device.
    fn cluster_words(&mut self, mask: Value, device: u32) -> Vec<Value> {
        let base = self.base();
        let words = u32::from(self.words());
        // Word `i` of each cluster, in the order of clusters that begin at a word.
        let mut own: Vec<Value> = (0..words).map(|i| self.b.extract(mask, i as u8)).collect();
        for from in (words..device.div_ceil(32)).step_by(words as usize) {
            let start = self.i32(32 * from);
            let further = self.b.icmp(IntCc::Uge, base, start);
            for (i, word) in (from..).zip(&mut own) {
                let other = self.b.extract(mask, i as u8);
                *word = self.b.select(further, other, *word);
            }
        }
        if self.size < 32 {
            let (shifted, inside) = (self.b.lshr(own[0], base), self.i32((1 << self.size) - 1));
            own[0] = self.b.and(shifted, inside);
        }
        own
    }

    /// The words of ballots of all the device's sub-groups that belong to this one.
    fn joined_words(&mut self, mask: Value, device: u32) -> Vec<Value> {
        let firsts: Vec<u32> = (0..self.size).step_by(device as usize).collect();
        let lanes: Vec<Value> = firsts.iter().map(|lane| self.i32(*lane)).collect();
        let count = self.members();
        let zero = self.i32(0);
        let mut words = vec![zero; usize::from(self.words())];
        for i in 0..device.div_ceil(32) {
            let word = self.b.extract(mask, i as u8);
            for ((&first, &lane), part) in firsts.iter().zip(&lanes).zip(self.gather(word, &lanes)) {
                let is_there = self.b.icmp(IntCc::Ult, lane, count);
                let part = self.b.select(is_there, part, zero);
                let by = self.i32(first % 32);
                let part = self.b.shl(part, by);
                let to = &mut words[(first / 32 + i) as usize];
                *to = self.b.or(*to, part);
            }
        }
        words
    }

    /// Number of work-items of the sub-group, which may be smaller than a full one.
    pub(super) fn members(&mut self) -> Value {
        let (items, group, size) =
            (self.items(WorkItemQuery::LocalSize), self.group_id(), self.i32(self.size));
        let before = self.b.imul(group, size);
        let rest = self.b.isub(items, before);
        self.b.bin(BinOp::Umin, rest, size)
    }

    /// Whether values of this type are moved as they are.
    pub(super) fn is_native(&self, ty: Type) -> bool {
        match (self.lanes, ty) {
            (Lanes::Clusters(_), _) => true,
            (Lanes::Several { .. }, _) => ty.lanes() == 1,
            (_, Type::Scalar(Scalar::I32 | Scalar::F32 | Scalar::F64)) => true,
            (_, Type::Scalar(Scalar::I1) | Type::Vector(..)) => false,
            (_, Type::Scalar(Scalar::I8)) if !self.target.int8 => false,
            (_, Type::Scalar(Scalar::I16)) if !self.target.int16 => false,
            _ => self.target.subgroup_ops.extended_types,
        }
    }

    /// Whether shuffles relative to the work-item's own number need no computation of the other's.
    pub(super) fn has_relative(&self, op: GroupOp) -> bool {
        match self.lanes {
            Lanes::Device if op == GroupOp::ShuffleXor => self.target.subgroup_ops.shuffle,
            Lanes::Device => self.target.subgroup_ops.shuffle_relative,
            // A value from outside of the sub-group is undefined (cl_khr_subgroup_shuffle_relative).
            Lanes::Clusters(_) => true,
            Lanes::Several { .. } => false,
        }
    }

    /// A shuffle, or a broadcast of the first work-item's value without `lane`, of a native type.
    pub(super) fn move_lane(&mut self, op: GroupOp, x: Value, lane: Option<Value>) -> Value {
        let ty = self.b.ty(x);
        match (self.lanes, op) {
            (Lanes::Clusters(_), GroupOp::Shuffle | GroupOp::BroadcastFirst) => {
                let lane = lane.unwrap_or_else(|| self.first());
                let base = self.base();
                let lane = self.b.iadd(base, lane);
                self.native(GroupOp::Shuffle, &[x, lane], ty)
            }
            (Lanes::Several { .. }, _) => {
                let lane = lane.unwrap_or_else(|| self.first());
                self.gather(x, &[lane])[0]
            }
            _ => {
                let args: Vec<Value> = std::iter::once(x).chain(lane).collect();
                self.native(op, &args, ty)
            }
        }
    }

    /// A reduction or scan by operations of the device; `None` if it lacks them.
    pub(super) fn combine_on_device(
        &mut self,
        x: Value,
        scan: Scan,
        op: BinOp,
        cluster: u32,
    ) -> Option<Value> {
        let ty = self.b.ty(x);
        match self.lanes {
            Lanes::Device => {
                let ops = self.target.subgroup_ops;
                let has = ops.arithmetic && (cluster == 0 || ops.clustered) && self.is_native(ty);
                has.then(|| self.native(GroupOp::Combine { scan, op, cluster }, &[x], ty))
            }
            Lanes::Clusters(_) if scan == Scan::Reduce => {
                let cluster = if cluster == 0 { self.size } else { cluster };
                Some(self.native(GroupOp::Combine { scan, op, cluster }, &[x], ty))
            }
            Lanes::Clusters(_) => None,
            Lanes::Several { device, .. } => Some(self.combine_several(x, scan, op, cluster, device)),
        }
    }

    /// A reduction or scan over several of the device's sub-groups: first in each, then over their results.
    fn combine_several(&mut self, x: Value, scan: Scan, op: BinOp, cluster: u32, device: u32) -> Value {
        let ty = self.b.ty(x);
        if (1..=device).contains(&cluster) {
            let cluster = if cluster == device { 0 } else { cluster };
            return self.native(GroupOp::Combine { scan, op, cluster }, &[x], ty);
        }
        let total = self.native(GroupOp::Combine { scan: Scan::Reduce, op, cluster: 0 }, &[x], ty);
        let (id, reach) = (self.id(), if cluster == 0 { self.size } else { cluster });
        let outside = self.i32(!(reach - 1));
        let start = self.b.and(id, outside);
        let lanes: Vec<Value> = (0..reach)
            .step_by(device as usize)
            .map(|at| {
                let at = self.i32(at);
                self.b.iadd(start, at)
            })
            .collect();
        let totals = self.gather(total, &lanes);
        // A reduction takes those that exist, a scan those before the own one.
        let size = self.i32(device);
        let end = match scan {
            Scan::Reduce => self.members(),
            _ => {
                let own = self.b.bin(BinOp::Udiv, id, size);
                self.b.imul(own, size)
            }
        };
        let mut sum = totals[0];
        for (&lane, &total) in lanes.iter().zip(&totals).skip(1) {
            let counts = self.b.icmp(IntCc::Ult, lane, end);
            let more = self.b.bin(op, sum, total);
            sum = self.b.select(counts, more, sum);
        }
        if scan == Scan::Reduce {
            return sum;
        }
        let own = self.native(GroupOp::Combine { scan, op, cluster: 0 }, &[x], ty);
        let joined = self.b.bin(op, sum, own);
        let is_first = self.b.icmp(IntCc::Ult, id, size);
        self.b.select(is_first, own, joined)
    }

    /// The values of other work-items of the sub-group, through local memory.
    fn gather(&mut self, x: Value, lanes: &[Value]) -> Vec<Value> {
        let ty = self.b.ty(x);
        let bits = |scalar: Scalar| Type::Scalar(scalar.to_int());
        match ty.scalar() {
            Some(scalar) if scalar.is_float() => {
                let x = self.b.bitcast(x, bits(scalar));
                let values = self.gather(x, lanes);
                values.into_iter().map(|v| self.b.bitcast(v, ty)).collect()
            }
            Some(Scalar::I64) => {
                let pair = self.b.bitcast(x, Type::Vector(Scalar::I32, 2));
                let halves: Vec<Vec<Value>> = (0..2)
                    .map(|i| {
                        let half = self.b.extract(pair, i);
                        self.gather(half, lanes)
                    })
                    .collect();
                let pairs = halves[0].iter().zip(&halves[1]);
                pairs
                    .map(|(low, high)| {
                        let pair = self.b.vec_build(&[*low, *high]);
                        self.b.bitcast(pair, ty)
                    })
                    .collect()
            }
            Some(Scalar::I32) => self.gather_words(x, lanes),
            _ => {
                let x = self.b.cast(CastOp::Zext, x, I32);
                let values = self.gather_words(x, lanes);
                values.into_iter().map(|v| self.b.cast(CastOp::Trunc, v, ty)).collect()
            }
        }
    }

    fn gather_words(&mut self, x: Value, lanes: &[Value]) -> Vec<Value> {
        let Lanes::Several { scratch, .. } = self.lanes else { return vec![x; lanes.len()] };
        let (group, size) = (self.group_id(), self.i32(self.size));
        let first = self.b.imul(group, size);
        let id = self.id();
        let plain = Access::aligned(4);
        let own = self.word_at(scratch, first, id);
        self.b.store(x, own, plain);
        self.wait();
        let values = lanes
            .iter()
            .map(|lane| {
                let inside = self.i32(self.size - 1);
                let lane = self.b.and(*lane, inside);
                let from = self.word_at(scratch, first, lane);
                self.b.load(I32, from, plain)
            })
            .collect();
        // The memory is written again by the next operation.
        self.wait();
        values
    }

    /// The address of a work-item's word.
    fn word_at(&mut self, scratch: Global, first: Value, lane: Value) -> Value {
        let start = self.b.value(Op::GlobalAddr(scratch), &[], Type::Ptr(Space::Local));
        let at = self.b.iadd(first, lane);
        let two = self.i32(2);
        let bytes = self.b.shl(at, two);
        let bytes = self.b.cast(CastOp::Zext, bytes, I64);
        self.b.ptr_add(start, bytes)
    }

    /// A barrier of the work-group.
    fn wait(&mut self) {
        let spaces = FenceSpaces { local: true, ..FenceSpaces::default() };
        self.b.inst(Op::barrier(Scope::WorkGroup, Scope::WorkGroup, spaces), &[], &[]);
    }
}
