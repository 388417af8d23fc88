//! Atomics and calls of the runtime: one active work-item after the other, in the order of lanes.

use super::state::Operand;
use super::vectorizer::{Request, Vectorizer};
use crate::error::{CompileError, Result};
use crate::ir::*;

/// Vendor of the processors on which addresses stay in vectors: a histogram on Emerald Rapids is 1.5 times as
/// fast as with addresses in memory.
pub(super) const INTEL: &str = "GenuineIntel";

/// The plain access that an atomic one becomes. It is volatile: other vectors of the group change the memory
/// between two barriers, so that each may load another value from one address.
fn plain(ty: Type) -> Access {
    Access { volatile: true, ..Access::aligned(ty.access_bytes().unwrap_or(4)) }
}

/// Most operands of an atomic.
const MOST_WORDS: usize = 3;

/// Number of slots for lanes of atomics that a function may use. Instrumented code has none: its accesses of
/// slots are checked.
pub(super) fn lane_slots(r: &Request<'_>) -> usize {
    let is_atomic = |op: &Op| {
        matches!(
            op,
            Op::AtomicRmw { .. } | Op::AtomicCas { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. }
        )
    };
    let has_slots = !r.instrumented && r.func.data_in_order().any(|data| is_atomic(&data.op));
    if has_slots { MOST_WORDS } else { 0 }
}

fn is_local(ty: Type) -> bool {
    ty == Type::Ptr(Space::Local)
}

/// An operand of which each lane is used by itself.
enum Lanes {
    Uniform(Value),
    Vector(Value),
    Memory(LanesInMemory),
}

/// Lanes in memory from an address on: offsets from a base, addresses, or numbers.
#[derive(Clone, Copy)]
struct LanesInMemory {
    at: Value,
    word: Type,
    base: Option<Value>,
    /// Type of the operand's lanes.
    ty: Type,
}

/// The number of a lane.
#[derive(Clone, Copy)]
enum Lane {
    Number(u8),
    Value(Value),
}

impl Vectorizer<'_> {
    /// A slot for the lanes of an operand of an atomic, if the function has such slots.
    fn lane_slot(&mut self, number: usize) -> Option<Slot> {
        let slot = self.lane_slots.get(number).copied();
        self.used_lane_slots = self.used_lane_slots.max(slot.map_or(0, |_| number + 1));
        slot
    }

    /// The lanes of an operand: in the slot with this number, if there is one.
    fn split(&mut self, operand: &Operand, v: Value, slot: Option<usize>) -> Lanes {
        if operand.is_uniform() {
            return Lanes::Uniform(v);
        }
        match slot.and_then(|number| self.lane_slot(number)) {
            Some(slot) => self.lanes_in_memory(v, slot),
            None => Lanes::Vector(v),
        }
    }

    /// Stores a vector to a slot, from which its lanes are loaded one by one. Two cases need this.
    ///
    /// Without a mask, addresses in local memory: AMD's processors (Zen 4) execute the atomic of a lane
    /// before the addresses of the previous ones are known, and again if the addresses turn out to be equal.
    /// With lanes that are extracted from a vector register this may take ten times as long.
    ///
    /// With a mask, all operands: for an extraction with a variable index LLVM and Cranelift store the whole
    /// vector in each iteration. That made a histogram three times as slow on Emerald Rapids.
    fn lanes_in_memory(&mut self, v: Value, slot: Slot) -> Lanes {
        let ty = self.out.ty(v).lane();
        let (base, words, word) = match (ty, self.based(v)) {
            // Offsets in local memory have at most 32 bits.
            (Type::Ptr(Space::Local), Some((base, offsets))) => {
                (Some(base), self.cast(CastOp::Trunc, offsets, I32.of_lanes(self.width)), I32)
            }
            (Type::Ptr(_), Some((base, offsets))) => (Some(base), offsets, I64),
            (Type::Ptr(_), None) => (None, self.cast(CastOp::PtrToInt, v, I64.of_lanes(self.width)), I64),
            _ => (None, v, ty),
        };
        let at = self.value(Op::SlotAddr(slot), &[], Type::Ptr(Space::Private));
        self.inst(Op::Lanes(LaneOp::Store(plain(word))), &[words, at], &[]);
        Lanes::Memory(LanesInMemory { at, word, base, ty })
    }

    fn lane(&mut self, lanes: &Lanes, lane: Lane) -> Value {
        match (lanes, lane) {
            (Lanes::Uniform(v), _) => *v,
            (Lanes::Vector(v), Lane::Number(lane)) => self.extract(*v, lane),
            (Lanes::Vector(v), Lane::Value(lane)) => self.extract_dyn(*v, lane),
            (Lanes::Memory(lanes), _) => self.loaded_lane(*lanes, lane),
        }
    }

    fn loaded_lane(&mut self, lanes: LanesInMemory, lane: Lane) -> Value {
        let at = self.lane_address(lanes.at, lanes.word, lane);
        let word = self.value(Op::Load(plain(lanes.word)), &[at], lanes.word);
        match lanes.base {
            Some(base) if lanes.word == I64 => self.ptr_add(base, word),
            Some(base) => {
                let offset = self.cast(CastOp::Sext, word, I64);
                self.ptr_add(base, offset)
            }
            None if lanes.ty == lanes.word => word,
            None => self.cast(CastOp::IntToPtr, word, lanes.ty),
        }
    }

    /// The address of a lane's word.
    fn lane_address(&mut self, first: Value, word: Type, lane: Lane) -> Value {
        let bytes = i64::from(word.access_bytes().unwrap_or(8));
        let offset = match lane {
            Lane::Number(lane) => self.out.i64(bytes * i64::from(lane)),
            Lane::Value(lane) => {
                let (lane, bytes) = (self.cast(CastOp::Zext, lane, I64), self.out.i64(bytes));
                self.bin(BinOp::Imul, lane, bytes)
            }
        };
        self.ptr_add(first, offset)
    }

    /// Runs `f` for each active lane: without a mask in straight code, else in a loop over the lanes. It
    /// receives the operands of a lane, and returns the lane's result, of type `ty`, if there is one.
    fn each_lane(
        &mut self,
        operands: &[Operand],
        ty: Option<Type>,
        f: impl Fn(&mut Self, &[Value]) -> Result<Option<Value>>,
    ) -> Result<Option<Operand>> {
        let values: Vec<Value> =
            operands.iter().map(|o| if o.is_uniform() { o.parts[0] } else { self.vector(o) }).collect();
        match self.active() {
            None => self.every_lane(operands, &values, ty, f),
            Some(_) => self.each_active_lane(operands, &values, ty, f),
        }
    }

    fn every_lane(
        &mut self,
        operands: &[Operand],
        values: &[Value],
        ty: Option<Type>,
        f: impl Fn(&mut Self, &[Value]) -> Result<Option<Value>>,
    ) -> Result<Option<Operand>> {
        let mut split = Vec::new();
        for (operand, &v) in operands.iter().zip(values) {
            let by_memory = self.r.addresses_in_memory && is_local(self.out.ty(v).lane());
            split.push(self.split(operand, v, by_memory.then_some(0)));
        }
        let mut all: Option<Value> = None;
        for lane in 0..self.width as u8 {
            let args: Vec<Value> = split.iter().map(|lanes| self.lane(lanes, Lane::Number(lane))).collect();
            if let (Some(result), Some(ty)) = (f(self, &args)?, ty) {
                let vector = self.part(ty, true);
                let before = all.unwrap_or_else(|| self.out.bits(vector, 0));
                all = Some(self.value(Op::Insert(lane), &[before, result], vector));
            }
        }
        Ok(all.map(|all| Operand::varying(vec![all])))
    }

    fn each_active_lane(
        &mut self,
        operands: &[Operand],
        values: &[Value],
        ty: Option<Type>,
        f: impl Fn(&mut Self, &[Value]) -> Result<Option<Value>>,
    ) -> Result<Option<Operand>> {
        let mut split = Vec::new();
        for (number, (operand, &v)) in operands.iter().zip(values).enumerate() {
            let has_bytes = self.out.ty(v).lane() != I1;
            split.push(self.split(operand, v, has_bytes.then_some(number)));
        }
        let bits = self.active_bits();
        let (body, done) = (self.new_block(), self.new_block());
        let mut first = vec![bits];
        let vector = ty.map(|ty| self.part(ty, true));
        let left = self.out.add_param(body, I32);
        let got = vector.map(|ty| self.out.add_param(body, ty));
        if let Some(ty) = vector {
            first.push(self.out.bits(ty, 0));
        }
        self.terminate(Op::Jump, &[], &[BlockCall::new(body, &first)]);
        self.start(body);
        let lane = self.value(Op::Un(UnOp::Ctz), &[left], I32);
        let args: Vec<Value> = split.iter().map(|lanes| self.lane(lanes, Lane::Value(lane))).collect();
        let result = f(self, &args)?;
        let one = self.out.i32(1);
        let less = self.bin(BinOp::Isub, left, one);
        let rest = self.bin(BinOp::And, left, less);
        let mut next = vec![rest];
        let (mut results, mut end) = (None, vec![]);
        if let (Some(got), Some(result), Some(ty)) = (got, result, vector) {
            let all = self.value(Op::InsertDyn, &[got, result, lane], ty);
            next.push(all);
            end.push(all);
            results = Some(Operand::varying(vec![self.out.add_param(done, ty)]));
        }
        let zero = self.out.i32(0);
        let more = self.icmp(IntCc::Ne, rest, zero);
        let targets = [BlockCall::new(body, &next), BlockCall::new(done, &end)];
        self.terminate(Op::BrIf, &[more], &targets);
        self.start(done);
        Ok(results)
    }

    pub(super) fn atomic(&mut self, data: &InstData, ty: Type) -> Result<Option<Operand>> {
        let mut operands = Vec::new();
        for a in &data.args {
            operands.push(self.get(*a)?);
        }
        let result = (!data.results.is_empty()).then_some(ty);
        let at = data.op.address_arg().unwrap_or(0);
        // The work-items of a group run on one thread, and other groups have local memory of their own.
        let alone = is_local(self.func.ty(data.args[at]));
        self.each_lane(&operands, result, |v, args| match &data.op {
            Op::AtomicRmw { op, .. } if alone => {
                let access = plain(ty);
                let old = v.value(Op::Load(access), &[args[0]], ty);
                let new = v.modified(*op, old, args[1]);
                v.inst(Op::Store(access), &[new, args[0]], &[]);
                Ok(Some(old))
            }
            Op::AtomicCas { .. } => Ok(Some(v.compare_and_swap(&data.op, args, ty, alone))),
            Op::AtomicRmw { .. } | Op::AtomicLoad { .. } => Ok(Some(v.value(data.op.clone(), args, ty))),
            Op::AtomicStore { .. } => {
                v.inst(data.op.clone(), args, &[]);
                Ok(None)
            }
            _ => Err(CompileError::internal("no atomic operation")),
        })
    }

    fn compare_and_swap(&mut self, op: &Op, args: &[Value], ty: Type, alone: bool) -> Value {
        // Floating-point numbers are compared by their bits.
        let int = match ty {
            Type::Scalar(s) => Type::Scalar(s.to_int()),
            other => other,
        };
        let cast = |v: &mut Self, x, to| if int == ty { x } else { v.cast(CastOp::Bitcast, x, to) };
        let (x, y) = (cast(self, args[1], int), cast(self, args[2], int));
        let old = if alone {
            let access = plain(ty);
            let old = self.value(Op::Load(access), &[args[0]], int);
            let same = self.icmp(IntCc::Eq, old, x);
            let new = self.value(Op::Select, &[same, y, old], int);
            self.inst(Op::Store(access), &[new, args[0]], &[]);
            old
        } else {
            self.value(op.clone(), &[args[0], x, y], int)
        };
        cast(self, old, ty)
    }

    /// The value that a read-modify-write stores.
    fn modified(&mut self, op: RmwOp, old: Value, by: Value) -> Value {
        let op = match op {
            RmwOp::Xchg => return by,
            RmwOp::Add => BinOp::Iadd,
            RmwOp::Sub => BinOp::Isub,
            RmwOp::And => BinOp::And,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            RmwOp::Umin => BinOp::Umin,
            RmwOp::Umax => BinOp::Umax,
            RmwOp::Smin => BinOp::Smin,
            RmwOp::Smax => BinOp::Smax,
            RmwOp::Fadd => BinOp::Fadd,
            RmwOp::Fmin => BinOp::Fmin,
            RmwOp::Fmax => BinOp::Fmax,
        };
        self.bin(op, old, by)
    }

    pub(super) fn runtime_call(&mut self, data: &InstData) -> Result<Option<Operand>> {
        let mut operands = Vec::new();
        for a in &data.args {
            operands.push(self.get(*a)?);
        }
        let ty = data.results.first().map(|r| self.func.ty(*r));
        self.each_lane(&operands, ty, |v, args| match ty {
            Some(ty) => Ok(Some(v.value(data.op.clone(), args, ty))),
            None => {
                v.inst(data.op.clone(), args, &[]);
                Ok(None)
            }
        })
    }
}
