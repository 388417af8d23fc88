//! Plain accesses as scalars, whole vectors, or gathers and scatters; calls of the checking runtime.

use super::state::{Operand, OperandKind};
use super::vectorizer::Vectorizer;
use crate::error::Result;
use crate::ir::*;
use crate::native::check;

/// Longest chain of operations that is followed through an address.
const MOST_OPERATIONS: u32 = 12;
/// Bytes of a cache line.
const LINE: u32 = 64;
/// Fewest bytes of a store that may go past the caches.
const STREAM: u32 = 32;

/// Consecutive addresses: the first one. Unless they certainly are consecutive, also the condition for one
/// access, and the vector of all addresses.
struct Contiguous {
    first: Value,
    guard: Option<(Value, Value)>,
    /// The active work-items; `None` if all are, or if the condition includes that.
    mask: Option<Value>,
}

impl Vectorizer<'_> {
    /// Operands of a masked operation.
    fn masked(&self, mut args: Vec<Value>) -> Vec<Value> {
        args.extend(self.active());
        args
    }

    fn multi(&mut self, op: Op, args: &[Value], types: &[Type]) -> Vec<Value> {
        let inst = self.inst(op, args, types);
        self.out.insts[inst].results.to_vec()
    }

    pub(super) fn load(&mut self, access: &Access, address: Value, ty: Type) -> Result<Operand> {
        let p = self.get(address)?;
        let n = ty.lanes();
        let part = self.part(ty, true);
        if p.is_uniform() {
            let value = self.value(Op::Load(*access), &[p.parts[0]], ty);
            return Ok(Operand::uniform_parts(self.scalars(value)));
        }
        let bytes = ty.lane().access_bytes().unwrap_or(8);
        let Some(at) = self.contiguous(&p, address, [n, bytes], access) else {
            let (vector, mask) = (self.vector(&p), self.load_mask(address, bytes * n));
            return Ok(Operand::varying(self.gather(vector, part, [n, bytes], access, mask)));
        };
        let Some((straight, vector)) = at.guard else {
            return Ok(Operand::varying(self.load_contiguous(&at, part, n, access)));
        };
        let [yes, no, done] = [0; 3].map(|_| self.new_block());
        self.brif(straight, yes, no);
        self.start(yes);
        let parts = self.load_contiguous(&at, part, n, access);
        self.terminate(Op::Jump, &[], &[BlockCall::new(done, &parts)]);
        self.start(no);
        let mask = self.load_mask(address, bytes * n);
        let parts = self.gather(vector, part, [n, bytes], access, mask);
        self.terminate(Op::Jump, &[], &[BlockCall::new(done, &parts)]);
        self.start(done);
        Ok(Operand::varying((0..n).map(|_| self.out.add_param(done, part)).collect()))
    }

    /// Addresses of which each is that of the next `count` elements of `bytes` bytes.
    fn contiguous(
        &mut self,
        p: &Operand,
        address: Value,
        [count, bytes]: [u32; 2],
        access: &Access,
    ) -> Option<Contiguous> {
        let distance = count * bytes;
        match &p.kind {
            _ if access.volatile => None,
            OperandKind::Affine { step, guard } if *step == i64::from(distance) => {
                let (first, mask) = (p.parts[0], self.active());
                let (Some((straight, all)), Some(active)) = (*guard, self.mask_of_guard()) else {
                    return Some(Contiguous { first, guard: *guard, mask });
                };
                let whole = self.value(Op::All, &[active], I1);
                let straight = self.bin(BinOp::And, straight, whole);
                Some(Contiguous { first, guard: Some((straight, all)), mask: None })
            }
            OperandKind::Varying if self.is_computed(address, MOST_OPERATIONS) => {
                // Inactive lanes may be undefined.
                let ty = self.out.ty(p.parts[0]);
                let all = self.value(Op::Lanes(LaneOp::Freeze), &[p.parts[0]], ty);
                let first = self.extract(all, 0);
                let offsets = self.steps(I64, i64::from(distance));
                let line = self.ptr_add(first, offsets);
                let mut same = self.icmp(IntCc::Eq, all, line);
                let mut mask = self.active();
                if let Some(active) = self.mask_of_guard() {
                    same = self.bin(BinOp::And, same, active);
                    mask = None;
                }
                let straight = self.value(Op::All, &[same], I1);
                Some(Contiguous { first, guard: Some((straight, all)), mask })
            }
            _ => None,
        }
    }

    /// The mask that is part of the condition for one access. Where masked accesses are made lane by lane, a
    /// gather or a scatter is as good for some of the work-items.
    fn mask_of_guard(&self) -> Option<Value> {
        self.active().filter(|_| self.r.masked_by_lanes)
    }

    /// Whether at most `operations` operations, one after the other, compute a value from work-item ids and
    /// uniform values. Such addresses are often contiguous, unlike those loaded from memory.
    fn is_computed(&self, v: Value, operations: u32) -> bool {
        if self.r.info.of(v).is_uniform() {
            return true;
        }
        let Some(inst) = self.func.def_inst(v) else { return false };
        let data = &self.func.insts[inst];
        match &data.op {
            Op::WorkItem { .. } => true,
            op => {
                operations > 0
                    && op.is_pure()
                    && data.args.iter().all(|a| self.is_computed(*a, operations - 1))
            }
        }
    }

    fn load_contiguous(&mut self, at: &Contiguous, part: Type, n: u32, access: &Access) -> Vec<Value> {
        let args: Vec<Value> = [at.first].into_iter().chain(at.mask).collect();
        self.multi(Op::Lanes(LaneOp::Load(*access)), &args, &vec![part; n as usize])
    }

    /// The access to component `i`, and its address in every lane.
    fn component(&mut self, vector: Value, i: u32, bytes: u32, access: &Access) -> (Access, Value) {
        if i == 0 {
            return (*access, vector);
        }
        let ty = I64.of_lanes(self.width);
        let offset = self.constant(ty, u64::from(i * bytes));
        let access = Access { align: access.align.min(bytes.next_power_of_two()), ..*access };
        (access, self.ptr_add(vector, offset))
    }

    fn gather(
        &mut self,
        vector: Value,
        part: Type,
        [n, bytes]: [u32; 2],
        access: &Access,
        mask: Option<Value>,
    ) -> Vec<Value> {
        let one = |v: &mut Self, i| {
            let (access, p) = v.component(vector, i, bytes, access);
            let args: Vec<Value> = [p].into_iter().chain(mask).collect();
            v.value(Op::Lanes(LaneOp::Gather(access)), &args, part)
        };
        (0..n).map(|i| one(self, i)).collect()
    }

    pub(super) fn store(&mut self, access: &Access, value: Value, address: Value) -> Result<()> {
        // The program's hint is not used.
        let access = &Access { nontemporal: false, ..*access };
        let (v, p) = (self.get(value)?, self.get(address)?);
        let ty = self.func.ty(value);
        let (n, bytes) = (ty.lanes(), ty.lane().access_bytes().unwrap_or(8));
        if p.is_uniform() && v.is_uniform() {
            let value = match v.parts.as_slice() {
                [one] => *one,
                parts => {
                    let parts = parts.to_vec();
                    self.value(Op::VecBuild, &parts, ty)
                }
            };
            self.inst(Op::Store(*access), &[value, p.parts[0]], &[]);
            return Ok(());
        }
        let parts = self.vectors(&v);
        let mask = self.store_mask(address, bytes * n);
        match self.contiguous(&p, address, [n, bytes], access) {
            Some(at @ Contiguous { guard: None, .. }) => {
                self.store_contiguous(&at, parts, bytes, access, address);
            }
            Some(at @ Contiguous { guard: Some((straight, vector)), .. }) => {
                let [yes, no, done] = [0; 3].map(|_| self.new_block());
                self.brif(straight, yes, no);
                self.start(yes);
                self.store_contiguous(&at, parts.clone(), bytes, access, address);
                self.jump(done);
                self.start(no);
                self.scatter(vector, &parts, bytes, access, mask);
                self.jump(done);
                self.start(done);
            }
            None => {
                let vector = self.vector(&p);
                self.scatter(vector, &parts, bytes, access, mask);
            }
        }
        Ok(())
    }

    /// Whether a store to this address may go past the caches: it writes every line once.
    fn is_stream(&self, address: Value) -> bool {
        self.r.streams.is_some_and(|s| s.contains(&address)) && !self.targets.values().any(|t| t.is_header)
    }

    fn store_contiguous(
        &mut self,
        at: &Contiguous,
        mut parts: Vec<Value>,
        bytes: u32,
        access: &Access,
        address: Value,
    ) {
        let all = self.width * parts.len() as u32 * bytes;
        parts.push(at.first);
        if self.active().is_some() || all < STREAM || !self.is_stream(address) {
            parts.extend(at.mask);
            self.inst(Op::Lanes(LaneOp::Store(*access)), &parts, &[]);
            return;
        }
        // Vectors of three are aligned to less than their size.
        let line = (1 << all.trailing_zeros()).min(LINE);
        let word = self.cast(CastOp::PtrToInt, at.first, I64);
        let no_stream = self.value(Op::Context(ContextField::NoStream), &[], I64);
        let word = self.bin(BinOp::Or, word, no_stream);
        let (mask, zero) = (self.out.i64(i64::from(line) - 1), self.out.i64(0));
        let low = self.bin(BinOp::And, word, mask);
        let past = self.icmp(IntCc::Eq, low, zero);
        let [yes, no, done] = [0; 3].map(|_| self.new_block());
        self.brif(past, yes, no);
        self.start(yes);
        let stream = Access { nontemporal: true, align: line, ..*access };
        self.inst(Op::Lanes(LaneOp::Store(stream)), &parts, &[]);
        self.jump(done);
        self.start(no);
        self.inst(Op::Lanes(LaneOp::Store(*access)), &parts, &[]);
        self.jump(done);
        self.start(done);
    }

    fn scatter(&mut self, vector: Value, parts: &[Value], bytes: u32, access: &Access, mask: Option<Value>) {
        for (i, part) in (0u32..).zip(parts) {
            let (access, p) = self.component(vector, i, bytes, access);
            let args: Vec<Value> = [*part, p].into_iter().chain(mask).collect();
            self.inst(Op::Lanes(LaneOp::Scatter(access)), &args, &[]);
        }
    }

    /// Calls of the checking runtime for an access or for what orders accesses.
    pub(super) fn check(&mut self, data: &InstData, check: &CheckOp, ty: Type) -> Result<Option<Operand>> {
        let op = data.op.clone();
        match check {
            CheckOp::Load { .. } => {
                let p = self.get(data.args[0])?;
                let uniform = p.is_uniform();
                let at = if uniform { p.parts[0] } else { self.vector(&p) };
                let args = self.masked(vec![at]);
                let part = self.part(ty, !uniform);
                let parts = self.multi(op, &args, &vec![part; ty.lanes() as usize]);
                Ok(Some(if uniform { Operand::uniform_parts(parts) } else { Operand::varying(parts) }))
            }
            CheckOp::Store(_) => {
                let (v, p) = (self.get(data.args[0])?, self.get(data.args[1])?);
                let uniform = v.is_uniform() && p.is_uniform();
                let mut args = if uniform { v.parts } else { self.vectors(&v) };
                args.push(if uniform { p.parts[0] } else { self.vector(&p) });
                let args = self.masked(args);
                self.inst(op, &args, &[]);
                Ok(None)
            }
            CheckOp::Address { .. } => {
                let p = self.get(data.args[0])?;
                let at = self.vector(&p);
                let ty = self.out.ty(at);
                let args = self.masked(vec![at]);
                Ok(Some(Operand::varying(vec![self.value(op, &args, ty)])))
            }
            CheckOp::Order { what } => {
                let args = if what & check::FENCE != 0 { self.masked(vec![]) } else { vec![] };
                self.inst(op, &args, &[]);
                Ok(None)
            }
            CheckOp::Position | CheckOp::Start { .. } => Ok(None),
        }
    }
}
