//! Values of a vectorised function: one scalar for all work-items of a vector, a scalar that grows from lane
//! to lane, or a vector. An OpenCL vector is a list of those.

use super::state::{Operand, OperandKind, part_type};
use super::vectorizer::Vectorizer;
use crate::analysis::uniformity::Uniformity;
use crate::ir::*;
use smallvec::SmallVec;

impl Vectorizer<'_> {
    /// Type of a part: a vector over the work-items if `varying`.
    pub(super) fn part(&self, ty: Type, varying: bool) -> Type {
        if varying { part_type(ty).of_lanes(self.width) } else { part_type(ty) }
    }

    /// The vector whose lanes are all this scalar.
    pub(super) fn splat(&mut self, x: Value) -> Value {
        let ty = self.out.ty(x).of_lanes(self.width);
        if let Some(constant) = self.out.as_const(x) {
            let constant = match constant {
                Const::Undef(_) => Const::Undef(ty),
                Const::Bits(_, bits) => {
                    let bit = bits.first().copied().unwrap_or(0);
                    Const::Bits(ty, SmallVec::from_elem(bit, self.width as usize))
                }
            };
            return self.out.constant(constant);
        }
        if let Some(known) = self.splats.get(&(x, self.block)) {
            return *known;
        }
        let all = self.value(Op::Splat, &[x], ty);
        self.splats.insert((x, self.block), all);
        all
    }

    /// A constant in all lanes of an integer type.
    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.out.bits(ty, bits)
    }

    /// The multiples of a step by the lane's number.
    pub(super) fn steps(&mut self, ty: Type, step: i64) -> Value {
        let mask = ty.scalar().map_or(u64::MAX, Scalar::mask);
        let lanes = (0..i64::from(self.width)).map(|i| step.wrapping_mul(i) as u64 & mask).collect();
        let ty = ty.of_lanes(self.width);
        self.out.constant(Const::Bits(ty, lanes))
    }

    /// The parts as vectors.
    pub(super) fn vectors(&mut self, v: &Operand) -> Vec<Value> {
        match &v.kind {
            OperandKind::Varying => v.parts.clone(),
            OperandKind::Uniform => v.parts.iter().map(|p| self.splat(*p)).collect(),
            OperandKind::Affine { guard: Some((_, vector)), .. } => vec![*vector],
            OperandKind::Affine { step, guard: None } => {
                let base = v.parts[0];
                let ty = self.out.ty(base);
                if ty.space().is_some() {
                    let steps = self.steps(I64, *step);
                    return vec![self.ptr_add(base, steps)];
                }
                let all = self.splat(base);
                let steps = self.steps(ty, *step);
                vec![self.bin(BinOp::Iadd, all, steps)]
            }
        }
    }

    /// The operand of a single lane type as a vector.
    pub(super) fn vector(&mut self, v: &Operand) -> Value {
        self.vectors(v)[0]
    }

    /// The parts in the form of a parameter's uniformity, so that all edges to it agree.
    pub(super) fn in_form(&mut self, v: &Operand, uniformity: Uniformity) -> Vec<Value> {
        match uniformity {
            // An affine value that was saved as a vector.
            Uniformity::Affine(_) if v.kind == OperandKind::Varying => vec![self.extract(v.parts[0], 0)],
            Uniformity::Varying => self.vectors(v),
            _ => v.parts.clone(),
        }
    }
}
