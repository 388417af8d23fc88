//! Instructions on values: arithmetic, comparisons, conversions, vectors and aggregates.

use super::func::{Emitter, FuncReader, Vals};
use super::read::Instr;
use super::types::SpirvTypeKind;
use crate::error::Result;
use crate::front::expand::numbers::{self, BitFieldOp, FloatClass};
use crate::ir::{
    BinOp, CastOp, FastMath, FloatCc, I1, I32, I64, IntCc, Op as IrOp, Scalar, Space, Type, UnOp, Value,
};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// Two-operand instructions that map to one operation.
fn binary(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::IAdd => BinOp::Iadd,
        Op::ISub => BinOp::Isub,
        Op::IMul => BinOp::Imul,
        Op::UDiv => BinOp::Udiv,
        Op::SDiv => BinOp::Sdiv,
        Op::UMod => BinOp::Urem,
        Op::SRem => BinOp::Srem,
        Op::BitwiseAnd | Op::LogicalAnd => BinOp::And,
        Op::BitwiseOr | Op::LogicalOr => BinOp::Or,
        Op::BitwiseXor | Op::LogicalNotEqual => BinOp::Xor,
        Op::ShiftLeftLogical => BinOp::Shl,
        Op::ShiftRightLogical => BinOp::Lshr,
        Op::ShiftRightArithmetic => BinOp::Ashr,
        Op::FAdd => BinOp::Fadd,
        Op::FSub => BinOp::Fsub,
        Op::FMul => BinOp::Fmul,
        Op::FDiv => BinOp::Fdiv,
        Op::FRem => BinOp::Frem,
        _ => return None,
    })
}

fn int_compare(op: Op) -> Option<IntCc> {
    Some(match op {
        Op::IEqual => IntCc::Eq,
        Op::INotEqual => IntCc::Ne,
        Op::ULessThan => IntCc::Ult,
        Op::ULessThanEqual => IntCc::Ule,
        Op::UGreaterThan => IntCc::Ugt,
        Op::UGreaterThanEqual => IntCc::Uge,
        Op::SLessThan => IntCc::Slt,
        Op::SLessThanEqual => IntCc::Sle,
        Op::SGreaterThan => IntCc::Sgt,
        Op::SGreaterThanEqual => IntCc::Sge,
        _ => return None,
    })
}

fn float_compare(op: Op) -> Option<FloatCc> {
    Some(match op {
        Op::FOrdEqual => FloatCc::Oeq,
        Op::FOrdNotEqual | Op::LessOrGreater => FloatCc::One,
        Op::FOrdLessThan => FloatCc::Olt,
        Op::FOrdLessThanEqual => FloatCc::Ole,
        Op::FOrdGreaterThan => FloatCc::Ogt,
        Op::FOrdGreaterThanEqual => FloatCc::Oge,
        Op::Ordered => FloatCc::Ord,
        Op::FUnordEqual => FloatCc::Ueq,
        Op::FUnordNotEqual => FloatCc::Une,
        Op::FUnordLessThan => FloatCc::Ult,
        Op::FUnordLessThanEqual => FloatCc::Ule,
        Op::FUnordGreaterThan => FloatCc::Ugt,
        Op::FUnordGreaterThanEqual => FloatCc::Uge,
        Op::Unordered => FloatCc::Uno,
        _ => return None,
    })
}

impl FuncReader<'_, '_, '_> {
    /// Reads an instruction on values; returns false if it is unknown.
    pub fn value_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        if let Some(op) = binary(inst.op) {
            let ty = self.result_type(inst)?;
            let (mut x, mut y) = (self.arg(2, inst)?, self.arg(3, inst)?);
            // clang drops the truncation of an operand whose high bits a mask clears: the low bits are what
            // is meant
            if matches!(op, BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Iadd | BinOp::Isub | BinOp::Imul) {
                x = self.truncated(x, ty);
                y = self.truncated(y, ty);
            }
            let float = matches!(op, BinOp::Fadd | BinOp::Fsub | BinOp::Fmul | BinOp::Fdiv | BinOp::Frem);
            if ty.scalar().is_none() || float != ty.is_float() || self.f.ty(x) != ty {
                return Err(inst.bad("operands of the wrong type"));
            }
            if matches!(op, BinOp::Shl | BinOp::Lshr | BinOp::Ashr) {
                y = self.resize(y, ty, false, inst)?;
            }
            if self.f.ty(y) != ty {
                return Err(inst.bad("operands of different types"));
            }
            let fast = self.fast(inst);
            let v = self.emit(IrOp::Bin(op), &[x, y], ty, fast);
            self.define(inst, v)?;
            return Ok(true);
        }
        if let Some(cc) = int_compare(inst.op) {
            let (x, y) = (self.arg(2, inst)?, self.arg(3, inst)?);
            let ty = self.f.ty(x);
            if ty.is_float() || matches!(ty, Type::Opaque(_)) || self.f.ty(y) != ty {
                return Err(inst.bad("operands of the wrong type"));
            }
            let v = self.b().icmp(cc, x, y);
            self.define(inst, v)?;
            return Ok(true);
        }
        if let Some(cc) = float_compare(inst.op) {
            let (x, y) = (self.float_arg(2, inst)?, self.float_arg(3, inst)?);
            if self.f.ty(x) != self.f.ty(y) {
                return Err(inst.bad("operands of different types"));
            }
            let lanes = self.f.ty(x).lanes();
            let fast = self.fast(inst);
            let v = self.emit(IrOp::Fcmp(cc), &[x, y], Type::vector(Scalar::I1, lanes), fast);
            self.define(inst, v)?;
            return Ok(true);
        }
        if self.convert_op(inst)? || self.composite_op(inst)? || self.other_op(inst)? {
            return Ok(true);
        }
        Ok(false)
    }

    /// The fast-math flags that decorate the result.
    pub fn fast(&self, inst: &Instr<'_>) -> FastMath {
        let fast = inst.ops.get(1).map(|id| self.r.meta.of(*id).fast).unwrap_or_default();
        FastMath { contract: fast.contract || self.r.meta.contracts(), ..fast }
    }

    /// The low bits of an integer that is wider than `ty`; other values are returned as they are.
    fn truncated(&mut self, v: Value, ty: Type) -> Value {
        let from = self.f.ty(v);
        match (from.scalar(), ty.scalar()) {
            (Some(a), Some(b))
                if a.is_int()
                    && b.is_int()
                    && from.lanes() == ty.lanes()
                    && a.bits() > b.bits()
                    && b.bits() > 1 =>
            {
                self.b().cast(CastOp::Trunc, v, ty)
            }
            _ => v,
        }
    }

    /// An integer in the width of `like`, with as many lanes.
    pub(super) fn resize(&mut self, v: Value, like: Type, signed: bool, inst: &Instr<'_>) -> Result<Value> {
        let (from, to) = (self.f.ty(v), like);
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
            return Err(inst.bad("operand is not an integer"));
        };
        if !a.is_int() || !b.is_int() || from.lanes() != to.lanes() {
            return Err(inst.bad("operand of the wrong type"));
        }
        Ok(match a.bits().cmp(&b.bits()) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.b().cast(CastOp::Trunc, v, to),
            std::cmp::Ordering::Less if signed => self.b().cast(CastOp::Sext, v, to),
            std::cmp::Ordering::Less => self.b().cast(CastOp::Zext, v, to),
        })
    }

    fn convert_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::ConvertFToU | Op::ConvertFToS => self.convert_number(inst, true, false)?,
            Op::ConvertSToF | Op::ConvertUToF => self.convert_number(inst, false, true)?,
            Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS => {
                self.convert_number(inst, false, false)?;
            }
            Op::FConvert => self.convert_number(inst, true, true)?,
            Op::Bitcast => return self.bitcast(inst),
            Op::QuantizeToF16 => {
                let x = self.float_arg(2, inst)?;
                let ty = self.f.ty(x);
                let mut b = self.b();
                let h = b.cast(CastOp::FpConv, x, ty.with_scalar(Scalar::F16));
                let v = b.cast(CastOp::FpConv, h, ty);
                self.define(inst, v)?;
            }
            _ => return self.convert_pointer(inst),
        }
        Ok(true)
    }

    /// Conversions of pointers, and queries of their address spaces.
    fn convert_pointer(&mut self, inst: &Instr<'_>) -> Result<bool> {
        let v = match inst.op {
            Op::ConvertPtrToU => {
                let p = self.ptr_arg(2, inst)?;
                let ty = self.result_type(inst)?;
                let v = self.b().cast(CastOp::PtrToInt, p, I64);
                self.resize(v, ty, false, inst)?
            }
            Op::ConvertUToPtr => {
                let x = self.int_arg(2, inst)?;
                let ty = self.result_type(inst)?;
                let x = self.resize(x, I64, false, inst)?;
                self.b().cast(CastOp::IntToPtr, x, ty)
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let p = self.ptr_arg(2, inst)?;
                let Some(space) = self.result_type(inst)?.space() else {
                    return Err(inst.bad("result is not a pointer"));
                };
                self.in_space(p, space)
            }
            Op::GenericCastToPtrExplicit => {
                let p = self.ptr_arg(2, inst)?;
                let space = self.result_type(inst)?.space();
                let Some(space) = space.filter(|s| !matches!(s, Space::Generic | Space::Constant)) else {
                    return Err(inst.bad("result is not a pointer to private, local or global memory"));
                };
                self.cast_if_inside(p, space)
            }
            Op::GenericPtrMemSemantics => {
                let p = self.ptr_arg(2, inst)?;
                if self.result_type(inst)? != I32 {
                    return Err(inst.bad("result is not a 32-bit integer"));
                }
                // WorkgroupMemory or CrossWorkgroupMemory.
                self.by_space(p, 0x100, 0x200)
            }
            _ => return Ok(false),
        };
        self.define(inst, v)?;
        Ok(true)
    }

    /// Conversions between numbers.
    fn convert_number(&mut self, inst: &Instr<'_>, from_float: bool, to_float: bool) -> Result<()> {
        let x = self.arg(2, inst)?;
        let (from, to) = (self.f.ty(x), self.result_type(inst)?);
        if from.is_float() != from_float
            || to.is_float() != to_float
            || from.lanes() != to.lanes()
            || from.scalar().is_none()
            || to.scalar().is_none()
        {
            return Err(inst.bad("conversion between the wrong types"));
        }
        let deco = self.r.meta.of(inst.word(1)?);
        let (mut rounding, mut saturate) = (deco.rounding, deco.saturated);
        let (from_signed, to_signed) = match inst.op {
            Op::ConvertFToU => (true, false),
            Op::ConvertUToF => (false, true),
            Op::UConvert => (false, false),
            Op::SatConvertSToU => (true, false),
            Op::SatConvertUToS => (false, true),
            _ => (true, true),
        };
        match inst.op {
            Op::SatConvertSToU | Op::SatConvertUToS => saturate = true,
            // By default, float to integer rounds toward zero and everything else to nearest even.
            Op::ConvertFToU | Op::ConvertFToS if rounding == Some(crate::ir::Rounding::Rtz) => {
                rounding = None
            }
            Op::ConvertSToF | Op::ConvertUToF | Op::FConvert => {
                saturate = false;
                if rounding == Some(crate::ir::Rounding::Rte) {
                    rounding = None;
                }
            }
            Op::UConvert | Op::SConvert => rounding = None,
            _ => {}
        }
        let bits = |t: Type| t.scalar().map_or(0, |s| s.bits());
        let same_width = bits(from) == bits(to);
        let v = if saturate || rounding.is_some() {
            if from == to && from_signed == to_signed {
                x
            } else {
                let op = IrOp::Convert { from_signed, to_signed, rounding, saturate };
                self.b().value(op, &[x], to)
            }
        } else {
            match inst.op {
                Op::UConvert | Op::SConvert => self.resize(x, to, inst.op == Op::SConvert, inst)?,
                Op::FConvert if same_width => x,
                Op::FConvert => self.b().cast(CastOp::FpConv, x, to),
                Op::ConvertFToS => self.b().cast(CastOp::FpToS, x, to),
                Op::ConvertFToU => self.b().cast(CastOp::FpToU, x, to),
                Op::ConvertSToF => self.b().cast(CastOp::SToFp, x, to),
                _ => self.b().cast(CastOp::UToFp, x, to),
            }
        };
        self.define(inst, v)
    }

    fn bitcast(&mut self, inst: &Instr<'_>) -> Result<bool> {
        let id = inst.word(2)?;
        if let Some(&(builtin, _, component)) = self.builtin_ptrs.get(&id) {
            let (_, pointee) = self.r.types.pointer(inst.word(0)?, inst)?;
            self.builtin_ptrs.insert(inst.word(1)?, (builtin, pointee, component));
            return Ok(true);
        }
        let x = self.arg(2, inst)?;
        let to = self.result_type(inst)?;
        let from = self.f.ty(x);
        if (from, to) == (Type::Ptr(Space::Private), Type::Ptr(Space::Private)) {
            let (_, pointee) = self.r.types.pointer(inst.word(0)?, inst)?;
            self.grow_slot(x, self.r.types.get(pointee).map_or(0, |t| t.size));
        }
        let v = match (from, to) {
            (a, b) if a == b => x,
            (Type::Ptr(_), Type::Ptr(space)) => self.in_space(x, space),
            (Type::Ptr(_), _) => {
                let wide = self.b().cast(CastOp::PtrToInt, x, I64);
                if to.access_bytes() != Some(8) {
                    return Err(inst.bad("bitcast between different sizes"));
                }
                self.b().bitcast(wide, to)
            }
            (_, Type::Ptr(_)) => {
                if from.access_bytes() != Some(8) {
                    return Err(inst.bad("bitcast between different sizes"));
                }
                let mut b = self.b();
                let wide = b.bitcast(x, I64);
                b.cast(CastOp::IntToPtr, wide, to)
            }
            _ => {
                let i1 = |t: Type| t.scalar() == Some(Scalar::I1);
                if from.access_bytes() != to.access_bytes()
                    || to.access_bytes().is_none()
                    || i1(from)
                    || i1(to)
                {
                    return Err(inst.bad("bitcast between different sizes"));
                }
                self.b().bitcast(x, to)
            }
        };
        self.define(inst, v)?;
        Ok(true)
    }

    /// Follows literal indices into a type: type id, first leaf, and the lane if the last index is into a
    /// vector.
    fn walk(&self, ty: u32, indices: &[u32], inst: &Instr<'_>) -> Result<(u32, usize, Option<u8>)> {
        let (mut ty, mut leaf) = (ty, 0usize);
        for (n, index) in indices.iter().enumerate() {
            if let SpirvTypeKind::Plain(Type::Vector(_, lanes)) = self.r.types.need(ty, inst)?.kind {
                if n + 1 != indices.len() || *index >= lanes as u32 {
                    return Err(inst.bad("index out of range"));
                }
                return Ok((ty, leaf, Some(*index as u8)));
            }
            if matches!(self.r.types.need(ty, inst)?.kind, SpirvTypeKind::Plain(Type::Scalar(_)))
                && *index == 0
            {
                continue;
            }
            let (member, _, first) = self.r.types.member(ty, *index as u64, inst)?;
            leaf = leaf.saturating_add(first);
            ty = member;
        }
        Ok((ty, leaf, None))
    }

    fn composite_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::CompositeConstruct => {
                let ty = inst.word(0)?;
                let mut vals = Vals::new();
                for id in inst.rest(2) {
                    vals.extend(self.leaves(*id, inst)?);
                }
                if let SpirvTypeKind::Plain(vector) = self.r.types.need(ty, inst)?.kind {
                    let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
                    for v in vals {
                        for lane in 0..self.f.ty(v).lanes() {
                            lanes.push(self.b().extract(v, lane as u8));
                        }
                    }
                    let uniform = lanes.iter().all(|l| self.f.ty(*l) == vector.lane());
                    if lanes.len() != vector.lanes() as usize || !uniform {
                        return Err(inst.bad("wrong constituents"));
                    }
                    let v = self.b().vec_build(&lanes);
                    vals = smallvec![v];
                }
                self.define_all(inst, vals)?;
            }
            Op::CompositeExtract => {
                let (ty, vals) = self.typed(inst.word(2)?, inst)?;
                let (member, leaf, lane) = self.walk(ty, inst.rest(3), inst)?;
                let count = self.r.types.need(member, inst)?.leaves;
                let Some(part) = vals.get(leaf..leaf.saturating_add(count)) else {
                    return Err(inst.bad("index out of range"));
                };
                let part: Vals = match lane {
                    Some(lane) => smallvec![self.b().extract(part[0], lane)],
                    None => part.into(),
                };
                self.define_all(inst, part)?;
            }
            Op::CompositeInsert => {
                let object = self.leaves(inst.word(2)?, inst)?;
                let (ty, mut vals) = self.typed(inst.word(3)?, inst)?;
                let (member, leaf, lane) = self.walk(ty, inst.rest(4), inst)?;
                let count = self.r.types.need(member, inst)?.leaves;
                let Some(part) = vals.get_mut(leaf..leaf.saturating_add(count)) else {
                    return Err(inst.bad("index out of range"));
                };
                match lane {
                    Some(lane) => {
                        let old = part[0];
                        if object.len() != 1 || self.f.ty(object[0]) != self.f.ty(old).lane() {
                            return Err(inst.bad("inserted value of another type"));
                        }
                        part[0] = self.b().insert(old, lane, object[0]);
                    }
                    None if object.len() == count => part.copy_from_slice(&object),
                    None => return Err(inst.bad("inserted value of another type")),
                }
                self.define_all(inst, vals)?;
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
                let id = inst.word(2)?;
                if let Some(b) = self.builtin_ptrs.get(&id).copied() {
                    self.builtin_ptrs.insert(inst.word(1)?, b);
                    return Ok(true);
                }
                let vals = self.leaves(id, inst)?;
                self.define_all(inst, vals)?;
            }
            Op::VectorExtractDynamic => {
                let (v, index) = (self.arg(2, inst)?, self.int_arg(3, inst)?);
                let index = self.resize(index, I32, false, inst)?;
                let ty = self.f.ty(v);
                if ty.lanes() == 1 {
                    self.define(inst, v)?;
                } else {
                    let mut x = self.b().value(IrOp::ExtractDyn, &[v, index], ty.lane());
                    if let Some(other) = self.builtin_vectors.get(&v).copied() {
                        let mut b = self.b();
                        let three = b.i32(3);
                        let is_dimension = b.icmp(IntCc::Ult, index, three);
                        let other = if ty.lane() == I64 { b.i64(other) } else { b.i32(other as i32) };
                        x = b.select(is_dimension, x, other);
                    }
                    self.define(inst, x)?;
                }
            }
            Op::VectorInsertDynamic => {
                let (v, x, index) = (self.arg(2, inst)?, self.arg(3, inst)?, self.int_arg(4, inst)?);
                let index = self.resize(index, I32, false, inst)?;
                let ty = self.f.ty(v);
                if self.f.ty(x) != ty.lane() {
                    return Err(inst.bad("inserted value of another type"));
                }
                let v = if ty.lanes() == 1 { x } else { self.b().value(IrOp::InsertDyn, &[v, x, index], ty) };
                self.define(inst, v)?;
            }
            Op::VectorShuffle => {
                let (a, b) = (self.arg(2, inst)?, self.arg(3, inst)?);
                let v = self.shuffle(a, b, inst.rest(4), inst)?;
                self.define(inst, v)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lanes of two vectors (of possibly different lengths) in the given order.
    fn shuffle(&mut self, a: Value, b: Value, lanes: &[u32], inst: &Instr<'_>) -> Result<Value> {
        let (na, nb) = (self.f.ty(a).lanes(), self.f.ty(b).lanes());
        let lane_type = self.f.ty(a).lane();
        let (Some(lane), Some(other)) = (self.f.ty(a).scalar(), self.f.ty(b).scalar()) else {
            return Err(inst.bad("operands of different types"));
        };
        // clang passes an undefined vector of integers to shuffles of half vectors.
        let b = if other != lane && other.bits() == lane.bits() {
            self.b().bitcast(b, Type::vector(lane, nb))
        } else {
            b
        };
        if self.f.ty(b).lane() != lane_type {
            return Err(inst.bad("operands of different types"));
        }
        if lanes.iter().any(|l| *l != u32::MAX && *l >= na + nb) {
            return Err(inst.bad("index out of range"));
        }
        let result = Type::vector(lane, lanes.len() as u32);
        if na == nb && na > 1 && lanes.len() > 1 && lanes.len() <= 16 {
            let lanes = lanes.iter().map(|l| if *l == u32::MAX { u8::MAX } else { *l as u8 }).collect();
            return Ok(self.b().value(IrOp::Shuffle(lanes), &[a, b], result));
        }
        let mut parts = Vec::with_capacity(lanes.len());
        for l in lanes {
            parts.push(match *l {
                u32::MAX => self.f.undef(lane_type),
                l if l < na => self.b().extract(a, l as u8),
                l => self.b().extract(b, (l - na) as u8),
            });
        }
        if parts.is_empty() || parts.len() > 16 {
            return Err(inst.bad("wrong number of lanes"));
        }
        Ok(self.b().vec_build(&parts))
    }

    fn other_op(&mut self, inst: &Instr<'_>) -> Result<bool> {
        match inst.op {
            Op::FNegate => {
                let x = self.float_arg(2, inst)?;
                let (ty, fast) = (self.f.ty(x), self.fast(inst));
                let v = self.emit(IrOp::Un(UnOp::Fneg), &[x], ty, fast);
                self.define(inst, v)?;
            }
            Op::SNegate => {
                let x = self.int_arg(2, inst)?;
                let zero = self.f.bits(self.f.ty(x), 0);
                let v = self.b().isub(zero, x);
                self.define(inst, v)?;
            }
            Op::Not | Op::LogicalNot => {
                let x = self.int_arg(2, inst)?;
                let v = self.b().not(x);
                self.define(inst, v)?;
            }
            Op::LogicalEqual => {
                let (x, y) = (self.int_arg(2, inst)?, self.int_arg(3, inst)?);
                if self.f.ty(x) != self.f.ty(y) {
                    return Err(inst.bad("operands of different types"));
                }
                let mut b = self.b();
                let v = b.bin(BinOp::Xor, x, y);
                let v = b.not(v);
                self.define(inst, v)?;
            }
            Op::BitReverse => {
                let x = self.int_arg(2, inst)?;
                let v = self.b().un(UnOp::Bitrev, x);
                self.define(inst, v)?;
            }
            Op::BitCount => {
                let x = self.int_arg(2, inst)?;
                let ty = self.result_type(inst)?;
                let v = self.b().un(UnOp::Popcnt, x);
                let v = self.resize(v, ty, false, inst)?;
                self.define(inst, v)?;
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field(inst)?,
            Op::Select => self.select(inst)?,
            Op::FMod | Op::SMod => self.floored_modulo(inst)?,
            Op::VectorTimesScalar => {
                let (v, s) = (self.float_arg(2, inst)?, self.float_arg(3, inst)?);
                let ty = self.f.ty(v);
                if self.f.ty(s) != ty.lane() {
                    return Err(inst.bad("operands of different types"));
                }
                let fast = self.fast(inst);
                let s = self.splat(s, ty);
                let v = self.emit(IrOp::Bin(BinOp::Fmul), &[v, s], ty, fast);
                self.define(inst, v)?;
            }
            Op::Dot => self.dot(inst)?,
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(inst)?;
            }
            Op::Any | Op::All => self.any_or_all(inst)?,
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => self.classify(inst)?,
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(inst)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A choice between values of any type.
    fn select(&mut self, inst: &Instr<'_>) -> Result<()> {
        let cond = self.int_arg(2, inst)?;
        let (a, b) = (self.leaves(inst.word(3)?, inst)?, self.leaves(inst.word(4)?, inst)?);
        let cond_type = self.f.ty(cond);
        if cond_type.scalar() != Some(Scalar::I1) || a.len() != b.len() {
            return Err(inst.bad("operands of the wrong type"));
        }
        let mut vals = Vals::new();
        for (a, b) in a.into_iter().zip(b) {
            let lanes_agree = cond_type == I1 || cond_type.lanes() == self.f.ty(a).lanes();
            if self.f.ty(a) != self.f.ty(b) || !lanes_agree {
                return Err(inst.bad("operands of different types"));
            }
            vals.push(self.b().select(cond, a, b));
        }
        self.define_all(inst, vals)
    }

    /// The remainder with the sign of the divisor.
    fn floored_modulo(&mut self, inst: &Instr<'_>) -> Result<()> {
        let float = inst.op == Op::FMod;
        let x = if float { self.float_arg(2, inst)? } else { self.int_arg(2, inst)? };
        let y = self.arg(3, inst)?;
        let ty = self.f.ty(x);
        if self.f.ty(y) != ty {
            return Err(inst.bad("operands of different types"));
        }
        let int = ty.with_scalar(ty.scalar().map_or(Scalar::I32, Scalar::to_int));
        let zero = self.f.bits(ty, 0);
        let int_zero = self.f.bits(int, 0);
        let mut b = self.b();
        let r = b.bin(if float { BinOp::Frem } else { BinOp::Srem }, x, y);
        let nonzero = if float { b.fcmp(FloatCc::Une, r, zero) } else { b.icmp(IntCc::Ne, r, zero) };
        let (ri, yi) = (b.bitcast(r, int), b.bitcast(y, int));
        let signs = b.bin(BinOp::Xor, ri, yi);
        let differ = b.icmp(IntCc::Slt, signs, int_zero);
        let fix = b.and(nonzero, differ);
        let sum = b.bin(if float { BinOp::Fadd } else { BinOp::Iadd }, r, y);
        let v = b.select(fix, sum, r);
        self.define(inst, v)
    }

    /// Whether any lane, or all lanes, are true.
    fn any_or_all(&mut self, inst: &Instr<'_>) -> Result<()> {
        let x = self.int_arg(2, inst)?;
        let ty = self.f.ty(x);
        // On integers (invalid, but a known producer writes it) it means the sign bits.
        let cond = if ty.scalar() == Some(Scalar::I1) {
            x
        } else {
            let zero = self.f.bits(ty, 0);
            self.b().icmp(IntCc::Slt, x, zero)
        };
        let v = match (inst.op, ty.lanes()) {
            (_, 1) => cond,
            (Op::Any, _) => self.b().value(IrOp::Any, &[cond], I1),
            _ => self.b().value(IrOp::All, &[cond], I1),
        };
        self.define(inst, v)
    }

    /// Results of double width: the low word, and the carry, borrow or high word.
    fn extended_arithmetic(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (x, y) = (self.int_arg(2, inst)?, self.int_arg(3, inst)?);
        let ty = self.f.ty(x);
        if self.f.ty(y) != ty {
            return Err(inst.bad("operands of different types"));
        }
        let mut b = self.b();
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let s = b.iadd(x, y);
                let c = b.icmp(IntCc::Ult, s, x);
                (s, b.cast(CastOp::Zext, c, ty))
            }
            Op::ISubBorrow => {
                let c = b.icmp(IntCc::Ult, x, y);
                (b.isub(x, y), b.cast(CastOp::Zext, c, ty))
            }
            Op::UMulExtended => (b.imul(x, y), b.bin(BinOp::UmulHi, x, y)),
            _ => (b.imul(x, y), b.bin(BinOp::SmulHi, x, y)),
        };
        self.define_all(inst, smallvec![low, high])
    }

    /// A scalar in every lane of `ty`.
    pub fn splat(&mut self, s: Value, ty: Type) -> Value {
        if ty.lanes() == 1 || self.f.ty(s) == ty { s } else { self.b().value(IrOp::Splat, &[s], ty) }
    }

    fn dot(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (x, y) = (self.float_arg(2, inst)?, self.float_arg(3, inst)?);
        let ty = self.f.ty(x);
        if self.f.ty(y) != ty {
            return Err(inst.bad("operands of different types"));
        }
        let fast = self.fast(inst);
        let v = numbers::dot(&mut Emitter { reader: self, fast }, x, y);
        self.define(inst, v)
    }

    fn integer_dot(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (x, y) = (self.int_arg(2, inst)?, self.int_arg(3, inst)?);
        let to = self.result_type(inst)?;
        let (sx, sy) = match inst.op {
            Op::SDot | Op::SDotAccSat => (true, true),
            Op::UDot | Op::UDotAccSat => (false, false),
            _ => (true, false),
        };
        let saturating = matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        if self.f.ty(x) != self.f.ty(y) || to.lanes() != 1 || !to.is_int() {
            return Err(inst.bad("operands of different types"));
        }
        let mut sum = numbers::integer_dot(&mut Emitter::new(self), x, y, [sx, sy], to);
        if saturating {
            let acc = self.int_arg(4, inst)?;
            if self.f.ty(acc) != to {
                return Err(inst.bad("accumulator of another type"));
            }
            sum = numbers::add_saturated(&mut Emitter::new(self), sum, acc, inst.op != Op::UDotAccSat);
        }
        self.define(inst, sum)
    }

    /// OpIsNan and similar, by tests of the bits, which no floating-point mode affects.
    fn classify(&mut self, inst: &Instr<'_>) -> Result<()> {
        let x = self.float_arg(2, inst)?;
        let ty = self.f.ty(x);
        if ty.scalar().is_none() {
            return Err(inst.bad("operand is not a number"));
        }
        let class = match inst.op {
            Op::IsNan => FloatClass::Nan,
            Op::IsInf => FloatClass::Inf,
            Op::IsFinite => FloatClass::Finite,
            Op::IsNormal => FloatClass::Normal,
            _ => FloatClass::Negative,
        };
        let v = numbers::classify(&mut Emitter::new(self), class, x);
        self.define(inst, v)
    }

    fn bit_field(&mut self, inst: &Instr<'_>) -> Result<()> {
        let insert = inst.op == Op::BitFieldInsert;
        let base = self.int_arg(2, inst)?;
        let ty = self.f.ty(base);
        let at = 3 + insert as usize;
        let mut counts = [base; 2];
        for (i, c) in counts.iter_mut().enumerate() {
            let v = self.int_arg(at + i, inst)?;
            let v = self.resize(v, ty.lane(), false, inst)?;
            *c = self.splat(v, ty);
        }
        let [offset, count] = counts;
        let field = if insert { self.int_arg(3, inst)? } else { base };
        if self.f.ty(field) != ty {
            return Err(inst.bad("operands of different types"));
        }
        let op = match inst.op {
            Op::BitFieldInsert => BitFieldOp::Insert(field),
            Op::BitFieldSExtract => BitFieldOp::ExtractSigned,
            _ => BitFieldOp::ExtractUnsigned,
        };
        let v = numbers::bit_field(&mut Emitter::new(self), op, base, offset, count);
        self.define(inst, v)
    }
}
