//! Sub-group operations: a sub-group is a vector.

use super::state::Operand;
use super::vectorizer::Vectorizer;
use crate::error::{CompileError, Result};
use crate::ir::group::identity;
use crate::ir::*;

/// Bits of a value for inactive lanes that changes no result. For exclusive scans it is the operator's
/// identity, which they return; for others -0.0 and NaN, which also keep the sign of zero and a lone NaN.
fn neutral(op: BinOp, scan: Scan, ty: Type) -> u64 {
    let bits = ty.scalar().map_or(32, Scalar::bits);
    match op {
        BinOp::Fadd if scan != Scan::Exclusive => 1 << (bits - 1),
        BinOp::Fmin | BinOp::Fmax if scan != Scan::Exclusive => match bits {
            16 => 0x7e00,
            32 => 0x7fc0_0000,
            _ => 0x7ff8_0000_0000_0000,
        },
        _ => identity(op, bits).unwrap_or(0),
    }
}

impl Vectorizer<'_> {
    /// A bit for each active lane.
    pub(super) fn active_bits(&mut self) -> Value {
        match self.active() {
            Some(mask) => self.value(Op::Lanes(LaneOp::MaskBits), &[mask], I32),
            None => self.out.bits(I32, u64::MAX >> (64 - self.width)),
        }
    }

    /// Index of the first active lane.
    fn first(&mut self) -> Value {
        let bits = self.active_bits();
        self.value(Op::Un(UnOp::Ctz), &[bits], I32)
    }

    /// The elements of vectors in the first active lane.
    pub(super) fn of_first(&mut self, vectors: &[Value]) -> Vec<Value> {
        let at = self.first();
        vectors.iter().map(|v| self.extract_dyn(*v, at)).collect()
    }

    /// The active work-items among those of a mask.
    fn active_of(&mut self, x: Value) -> Value {
        match self.active() {
            None => x,
            Some(mask) => self.bin(BinOp::And, x, mask),
        }
    }

    fn truth(&mut self, v: Value) -> Result<Value> {
        let x = self.get(v)?;
        Ok(self.vector(&x))
    }

    pub(super) fn group(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Result<Operand> {
        match op {
            GroupOp::Any => {
                let x = self.truth(args[0])?;
                let x = self.active_of(x);
                Ok(Operand::uniform(self.any(x)))
            }
            GroupOp::All => {
                let x = self.truth(args[0])?;
                let not = self.not(x);
                let not = self.active_of(not);
                let any = self.any(not);
                Ok(Operand::uniform(self.not(any)))
            }
            GroupOp::Elect => {
                let first = self.first();
                let first = self.splat(first);
                let ids = self.steps(I32, 1);
                Ok(Operand::varying(vec![self.icmp(IntCc::Eq, first, ids)]))
            }
            GroupOp::Ballot => {
                let x = self.truth(args[0])?;
                let x = self.active_of(x);
                let word = self.value(Op::Lanes(LaneOp::MaskBits), &[x], I32);
                let zero = self.out.i32(0);
                Ok(Operand::uniform_parts(vec![word, zero, zero, zero]))
            }
            GroupOp::BroadcastFirst => {
                let x = self.get(args[0])?;
                if x.is_uniform() {
                    return Ok(x);
                }
                let vectors = self.vectors(&x);
                Ok(Operand::uniform_parts(self.of_first(&vectors)))
            }
            GroupOp::Broadcast | GroupOp::Shuffle => {
                let index = self.get(args[1])?;
                self.shuffle(args[0], index)
            }
            GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                let index = self.get(args[1])?;
                let index = self.vector(&index);
                let op = match op {
                    GroupOp::ShuffleXor => BinOp::Xor,
                    GroupOp::ShuffleUp => BinOp::Isub,
                    _ => BinOp::Iadd,
                };
                let own = self.steps(I32, 1);
                let index = self.bin(op, own, index);
                self.shuffle(args[0], Operand::varying(vec![index]))
            }
            GroupOp::Combine { scan, op, cluster } => self.combine(args[0], scan, op, cluster),
            _ => Err(CompileError::internal(format!("{op:?} was not lowered for {ty}"))),
        }
    }

    /// Reductions and scans: inactive lanes take a value that changes no result.
    fn combine(&mut self, x: Value, scan: Scan, op: BinOp, cluster: u32) -> Result<Operand> {
        let x = self.get(x)?;
        let mut sum = self.vector(&x);
        let ty = self.out.ty(sum);
        if let Some(mask) = self.active() {
            let neutral = self.constant(ty, neutral(op, scan, ty));
            sum = self.value(Op::Select, &[mask, sum, neutral], ty);
        }
        if scan == Scan::Reduce && cluster == 0 {
            let mut lanes: Vec<Value> = (0..self.width as u8).map(|i| self.extract(sum, i)).collect();
            while lanes.len() > 1 {
                lanes = lanes.chunks_exact(2).map(|two| self.bin(op, two[0], two[1])).collect();
            }
            return Ok(Operand::uniform(lanes[0]));
        }
        // Scans have no clusters.
        let length = if cluster == 0 { self.width } else { cluster };
        for step in (0..length.trailing_zeros()).map(|i| 1 << i) {
            sum = if scan == Scan::Reduce {
                let other = self.permuted(sum, |lane| lane ^ step);
                self.bin(op, sum, other)
            } else {
                let (earlier, has) = self.earlier(sum, step);
                let joined = self.bin(op, earlier, sum);
                self.value(Op::Select, &[has, joined, sum], ty)
            };
        }
        if scan == Scan::Exclusive {
            let (earlier, has) = self.earlier(sum, 1);
            let none = self.constant(ty, neutral(op, scan, ty));
            sum = self.value(Op::Select, &[has, earlier, none], ty);
        }
        Ok(Operand::varying(vec![sum]))
    }

    /// The elements of the lanes `step` before each, and a mask of the lanes that have such a lane.
    fn earlier(&mut self, v: Value, step: u8) -> (Value, Value) {
        let moved = self.permuted(v, |lane| lane.checked_sub(step).unwrap_or(lane));
        let ty = Type::vector(Scalar::I1, self.out.ty(v).lanes());
        let mask = (0..self.width as u8).map(|lane| u64::from(lane >= step)).collect();
        (moved, self.out.constant(Const::Bits(ty, mask)))
    }

    /// A vector whose lane `i` is lane `from(i)` of another.
    fn permuted(&mut self, v: Value, from: impl Fn(u8) -> u8) -> Value {
        let ty = self.out.ty(v);
        let lanes: Vec<Value> = (0..self.width as u8).map(|i| self.extract(v, from(i))).collect();
        self.value(Op::VecBuild, &lanes, ty)
    }

    fn shuffle(&mut self, x: Value, index: Operand) -> Result<Operand> {
        let x = self.get(x)?;
        if x.is_uniform() {
            return Ok(x);
        }
        let vectors = self.vectors(&x);
        let last = u64::from(self.width) - 1;
        if index.is_uniform() {
            let mask = self.out.bits(I32, last);
            let at = self.bin(BinOp::And, index.parts[0], mask);
            return Ok(Operand::uniform_parts(vectors.iter().map(|v| self.extract_dyn(*v, at)).collect()));
        }
        let index = self.vector(&index);
        let ty = self.out.ty(index);
        let mask = self.constant(ty, last);
        let index = self.bin(BinOp::And, index, mask);
        let mut parts = Vec::new();
        for v in &vectors {
            let ty = self.out.ty(*v);
            let mut moved = self.out.undef(ty);
            for i in 0..self.width as u8 {
                let at = self.extract(index, i);
                let one = self.extract_dyn(*v, at);
                moved = self.value(Op::Insert(i), &[moved, one], ty);
            }
            parts.push(moved);
        }
        Ok(Operand::varying(parts))
    }
}
