//! Sub-group operations: a sub-group is a vector.

use super::state::Operand;
use super::vectorizer::Vectorizer;
use crate::error::{CompileError, Result};
use crate::ir::*;

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
            _ => Err(CompileError::internal(format!("{op:?} was not lowered for {ty}"))),
        }
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
