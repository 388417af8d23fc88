//! Sub-group operations: a sub-group is a vector of the text.

use super::emit::Emit;
use super::operand::{Operand, OperandKind, lane_name};
use crate::error::{CompileError, Result};
use crate::ir::*;

impl Emit<'_> {
    /// Index of the first active lane.
    fn first(&mut self) -> String {
        let (w, mask) = (self.width, self.active_text());
        let bits = self.def(format!("bitcast <{w} x i1> {mask} to i{w}"));
        let at = self.def(format!("call i{w} @llvm.cttz.i{w}(i{w} {bits}, i1 true)"));
        self.def(format!("zext i{w} {at} to i64"))
    }

    /// The elements of vectors in the first active lane.
    pub(super) fn of_first(&mut self, ty: Type, vectors: &[String]) -> Vec<String> {
        let (at, vector) = (self.first(), self.ty(lane_name(ty), true));
        vectors.iter().map(|v| self.def(format!("extractelement {vector} {v}, i64 {at}"))).collect()
    }

    /// The mask of active work-items for which a condition holds.
    fn where_true(&mut self, v: Value) -> Result<String> {
        let x = self.get(v)?;
        let x = self.vectors(I1, &x)[0].clone();
        Ok(match self.active() {
            None => x,
            Some(mask) => self.def(format!("and <{} x i1> {x}, {mask}", self.width)),
        })
    }

    pub fn group(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Result<Operand> {
        let w = self.width;
        match op {
            GroupOp::Any => {
                let x = self.where_true(args[0])?;
                Ok(Operand::uniform(self.any(&x)))
            }
            GroupOp::All => {
                let x = self.get(args[0])?;
                let x = self.vectors(I1, &x)[0].clone();
                let not = self.def(format!("xor <{w} x i1> {x}, splat (i1 true)"));
                let not = match self.active() {
                    None => not,
                    Some(mask) => self.def(format!("and <{w} x i1> {not}, {mask}")),
                };
                let any = self.any(&not);
                Ok(Operand::uniform(self.def(format!("xor i1 {any}, true"))))
            }
            GroupOp::Elect => {
                let first = self.first();
                let first = self.splat("i64", &first);
                let ids = self.steps("i64", 1);
                Ok(Operand::varying(vec![self.def(format!("icmp eq <{w} x i64> {first}, {ids}"))]))
            }
            GroupOp::Ballot => {
                let x = self.where_true(args[0])?;
                let bits = self.def(format!("bitcast <{w} x i1> {x} to i{w}"));
                let word = if w == 32 { bits } else { self.def(format!("zext i{w} {bits} to i32")) };
                Ok(Operand {
                    kind: OperandKind::Uniform,
                    parts: vec![word, "0".into(), "0".into(), "0".into()],
                })
            }
            GroupOp::BroadcastFirst => {
                let x = self.get(args[0])?;
                if x.is_uniform() {
                    return Ok(x);
                }
                let vectors = self.vectors(ty, &x);
                Ok(Operand { kind: OperandKind::Uniform, parts: self.of_first(ty, &vectors) })
            }
            GroupOp::Broadcast | GroupOp::Shuffle => {
                let index = self.get(args[1])?;
                self.shuffle(args[0], index, ty)
            }
            GroupOp::ShuffleXor | GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
                let index = self.get(args[1])?;
                let index = self.vectors(I32, &index)[0].clone();
                let word = match op {
                    GroupOp::ShuffleXor => "xor",
                    GroupOp::ShuffleUp => "sub",
                    _ => "add",
                };
                let own = self.steps("i32", 1);
                let index = self.def(format!("{word} <{w} x i32> {own}, {index}"));
                self.shuffle(args[0], Operand::varying(vec![index]), ty)
            }
            _ => Err(CompileError::internal(format!("{op:?} was not lowered"))),
        }
    }

    fn shuffle(&mut self, x: Value, index: Operand, ty: Type) -> Result<Operand> {
        let (w, lane) = (self.width, lane_name(ty));
        let x = self.get(x)?;
        if x.is_uniform() {
            return Ok(x);
        }
        let vectors = self.vectors(ty, &x);
        if index.is_uniform() {
            let at = self.def(format!("and i32 {}, {}", index.parts[0], w - 1));
            let parts = vectors
                .iter()
                .map(|v| self.def(format!("extractelement <{w} x {lane}> {v}, i32 {at}")))
                .collect();
            return Ok(Operand { kind: OperandKind::Uniform, parts });
        }
        let index = self.vectors(I32, &index)[0].clone();
        let index = self.def(format!("and <{w} x i32> {index}, splat (i32 {})", w - 1));
        let mut parts = Vec::new();
        for v in &vectors {
            let mut out = "poison".to_owned();
            for i in 0..w {
                let at = self.def(format!("extractelement <{w} x i32> {index}, i64 {i}"));
                let one = self.def(format!("extractelement <{w} x {lane}> {v}, i32 {at}"));
                out = self.def(format!("insertelement <{w} x {lane}> {out}, {lane} {one}, i64 {i}"));
            }
            parts.push(out);
        }
        Ok(Operand::varying(parts))
    }
}
