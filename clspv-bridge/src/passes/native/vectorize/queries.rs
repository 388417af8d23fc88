//! Work-item queries.

use super::state::{Operand, OperandKind};
use super::vectorizer::Vectorizer;
use crate::ir::*;

impl Vectorizer<'_> {
    pub(super) fn query(&mut self, query: WorkItemQuery, dim: u8, ty: Type) -> Operand {
        use WorkItemQuery as Q;
        let d = usize::from(dim);
        let is32 = matches!(query, Q::WorkDim | Q::SubGroupLocalId);
        let operand = match query {
            Q::GlobalId | Q::LocalId | Q::GroupId | Q::GlobalOffset if d > 2 => self.number(0),
            Q::GlobalSize | Q::LocalSize | Q::EnqueuedLocalSize | Q::NumGroups if d > 2 => self.number(1),
            Q::LocalId => self.local_id(d),
            Q::GlobalId => {
                let id = self.local_id(d);
                let first = self.first_id(d);
                self.plus(&id, first)
            }
            Q::LocalSize => Operand::uniform(self.local_size(d)),
            Q::GroupId | Q::GlobalSize | Q::EnqueuedLocalSize | Q::NumGroups | Q::GlobalOffset => {
                Operand::uniform(self.value(Op::WorkItem { query, dim }, &[], I64))
            }
            Q::WorkDim => Operand::uniform(self.value(Op::WorkItem { query, dim }, &[], I32)),
            Q::LocalLinearId => self.local_linear(),
            Q::GlobalLinearId => self.global_linear(),
            Q::SubGroupLocalId => Operand::affine(self.out.i32(0), 1),
            Q::SubGroupId => {
                let number = self.value(Op::WorkItem { query, dim: 0 }, &[], I32);
                return Operand::uniform(number);
            }
            Q::SubGroupMaxSize => {
                let all = self.items(Q::EnqueuedLocalSize);
                let width = self.out.i64(i64::from(self.width));
                Operand::uniform(self.bin(BinOp::Umin, all, width))
            }
            Q::SubGroupSize => {
                let (total, base) = (self.total(), self.base());
                let rest = self.bin(BinOp::Isub, total, base);
                let width = self.out.i64(i64::from(self.width));
                Operand::uniform(self.bin(BinOp::Umin, rest, width))
            }
            Q::NumSubGroups | Q::EnqueuedNumSubGroups => {
                let all =
                    if query == Q::NumSubGroups { self.total() } else { self.items(Q::EnqueuedLocalSize) };
                let more = self.out.i64(i64::from(self.width) - 1);
                let up = self.bin(BinOp::Iadd, all, more);
                let width = self.out.i64(i64::from(self.width));
                Operand::uniform(self.bin(BinOp::Udiv, up, width))
            }
        };
        if ty != I32 || is32 {
            return operand;
        }
        let ty = self.part(I32, operand.kind == OperandKind::Varying);
        let part = self.cast(CastOp::Trunc, operand.parts[0], ty);
        Operand { kind: operand.kind, parts: vec![part] }
    }

    fn number(&mut self, n: i64) -> Operand {
        Operand::uniform(self.out.i64(n))
    }

    /// Product of the sizes in all dimensions.
    fn items(&mut self, query: WorkItemQuery) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dim| self.value(Op::WorkItem { query, dim }, &[], I64));
        let plane = self.bin(BinOp::Imul, x, y);
        self.bin(BinOp::Imul, plane, z)
    }

    /// Adds a uniform value to a 64-bit one.
    fn plus(&mut self, x: &Operand, y: Value) -> Operand {
        let y = if x.kind == OperandKind::Varying { self.splat(y) } else { y };
        Operand { kind: x.kind.clone(), parts: vec![self.bin(BinOp::Iadd, x.parts[0], y)] }
    }

    /// x * scale + y in 64 bits.
    fn scaled_plus(&mut self, x: &Operand, scale: Value, y: &Operand) -> Operand {
        if x.is_uniform() && y.kind != OperandKind::Varying {
            let p = self.bin(BinOp::Imul, x.parts[0], scale);
            return self.plus(y, p);
        }
        let (x, y) = (self.vector(x), self.vector(y));
        let scale = self.splat(scale);
        let p = self.bin(BinOp::Imul, x, scale);
        Operand::varying(vec![self.bin(BinOp::Iadd, p, y)])
    }

    fn global_linear(&mut self) -> Operand {
        let mut sum: Option<Operand> = None;
        for (d, dim) in [(2, 2u8), (1, 1), (0, 0)] {
            let id = self.local_id(d);
            let query = |query| Op::WorkItem { query, dim };
            let offset = self.value(query(WorkItemQuery::GlobalOffset), &[], I64);
            let first = self.first_id(d);
            let first = self.bin(BinOp::Isub, first, offset);
            let id = self.plus(&id, first);
            sum = Some(match sum {
                None => id,
                Some(s) => {
                    let size = self.value(query(WorkItemQuery::GlobalSize), &[], I64);
                    self.scaled_plus(&s, size, &id)
                }
            });
        }
        sum.unwrap_or_else(|| self.number(0))
    }

    fn local_linear(&mut self) -> Operand {
        let base = self.base();
        if self.r.shape.linear {
            return Operand::affine(base, 1);
        }
        let (y, z) = (self.row(1), self.row(2));
        let (rows, columns) = (self.local_size(1), self.local_size(0));
        let plane = self.bin(BinOp::Imul, z, rows);
        let line = self.bin(BinOp::Iadd, plane, y);
        let row = self.bin(BinOp::Imul, line, columns);
        Operand::affine(self.bin(BinOp::Iadd, row, base), 1)
    }

    /// The vector's id in dimension 1 or 2.
    fn row(&mut self, d: usize) -> Value {
        let row = if d == 1 { self.own.y } else { self.own.z };
        row.unwrap_or_else(|| self.out.i64(0))
    }

    fn local_id(&mut self, d: usize) -> Operand {
        let base = self.base();
        if !self.r.shape.linear {
            return if d == 0 { Operand::affine(base, 1) } else { Operand::uniform(self.row(d)) };
        }
        // In 32 bits, because division is faster.
        let base = self.cast(CastOp::Trunc, base, I32);
        let mut at = self.vector(&Operand::affine(base, 1));
        let size = |v: &mut Self, d| {
            let size = v.local_size(d);
            let size = v.cast(CastOp::Trunc, size, I32);
            v.splat(size)
        };
        for lower in 0..d {
            let size = size(self, lower);
            at = self.bin(BinOp::Udiv, at, size);
        }
        if d < 2 {
            let size = size(self, d);
            at = self.bin(BinOp::Urem, at, size);
        }
        let wide = self.part(I64, true);
        Operand::varying(vec![self.cast(CastOp::Zext, at, wide)])
    }
}
