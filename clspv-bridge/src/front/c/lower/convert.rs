//! Conversions between types.

use super::function::FunctionLowering;
use super::types::{is_signed, value_type};
use crate::abi::sampler;
use crate::error::Result;
use crate::front::c::ast::{CastKind, Expr, ExprId, ExprKind};
use crate::front::c::types::Ty;
use crate::ir::{CastOp, FloatCc, I1, I64, IntCc, Op, Scalar, Space, Type, Value};

impl FunctionLowering<'_, '_> {
    /// A conversion's value; `None` for `void`.
    pub fn cast(&mut self, expr: &Expr, kind: CastKind, operand: ExprId) -> Result<Option<Value>> {
        let types = self.types();
        let from = self.expr(operand)?.ty.ty;
        let to = value_type(types, expr.ty.ty);
        match kind {
            CastKind::Void => {
                self.effects(operand)?;
                return Ok(None);
            }
            CastKind::Load => {
                let location = self.location(operand)?;
                return Ok(Some(self.get(&location)));
            }
            CastKind::Decay => return Ok(Some(self.decay(operand, to)?)),
            _ => {}
        }
        let Some(to) = to else { return self.any(operand) };
        if matches!(kind, CastKind::Arith | CastKind::PointerToBool) && to == I1 {
            return Ok(Some(self.truth(operand)?));
        }
        let value = self.value(operand)?;
        Ok(Some(match kind {
            CastKind::Splat => self.emit(Op::Splat, &[value], to),
            CastKind::Bits => self.reinterpret(value, to),
            CastKind::Pointer | CastKind::Space => self.pointer(value, to),
            CastKind::PointerToInt => {
                let number = self.emit(Op::Cast(CastOp::PtrToInt), &[value], I64);
                self.resize(number, to, false)
            }
            CastKind::IntToPointer => {
                let number = self.resize(value, I64, is_signed(types, from));
                self.emit(Op::Cast(CastOp::IntToPtr), &[number], to)
            }
            CastKind::PointerToBool => self.is_not_zero(value),
            CastKind::Null => self.zero(to),
            CastKind::Sampler => self.sampler(value, from),
            _ => self.convert(value, from, expr.ty.ty),
        }))
    }

    /// The address of an array's first element. A vector's lanes may be addressed like an array's elements.
    fn decay(&mut self, operand: ExprId, to: Option<Type>) -> Result<Value> {
        let addr = self.address(operand)?;
        Ok(match to {
            Some(to) => self.pointer(addr, to),
            None => addr,
        })
    }

    /// A pointer as a pointer of another type.
    fn pointer(&mut self, value: Value, to: Type) -> Value {
        match (self.f.ty(value), to) {
            (from, to) if from == to => value,
            (Type::Ptr(_), Type::Ptr(space)) => self.in_space(value, space),
            _ => self.reinterpret(value, to),
        }
    }

    /// A value with the same bits in another type of the same size.
    pub fn reinterpret(&mut self, value: Value, to: Type) -> Value {
        match (self.f.ty(value), to) {
            (from, to) if from == to => value,
            (Type::Ptr(_), Type::Ptr(space)) => self.in_space(value, space),
            (Type::Ptr(_), _) => {
                let number = self.emit(Op::Cast(CastOp::PtrToInt), &[value], I64);
                self.reinterpret(number, to)
            }
            (_, Type::Ptr(_)) => {
                let number = self.reinterpret(value, I64);
                self.emit(Op::Cast(CastOp::IntToPtr), &[number], to)
            }
            (from, to) if from.access_bytes() == to.access_bytes() && !from.is_bool() && !to.is_bool() => {
                self.emit(Op::Cast(CastOp::Bitcast), &[value], to)
            }
            (from, to) => self.resize_lanes(value, from, to),
        }
    }

    /// A vector of three lanes as one of four or the reverse, whose sizes in memory are the same; the fourth
    /// lane is undefined.
    fn resize_lanes(&mut self, value: Value, from: Type, to: Type) -> Value {
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else { return self.f.undef(to) };
        if a == Scalar::I1 || b == Scalar::I1 {
            return self.resize(value, to, false);
        }
        let lanes = |from: u32, to: u32| (0..to).map(|i| if i < from { i as u8 } else { u8::MAX }).collect();
        if from.lanes() == 3 {
            let four = Type::Vector(a, 4);
            let wide = self.emit(Op::Shuffle(lanes(3, 4)), &[value, value], four);
            return if four.access_bytes() == to.access_bytes() {
                self.reinterpret(wide, to)
            } else {
                self.f.undef(to)
            };
        }
        let four = Type::Vector(b, 4);
        if to.lanes() == 3 && four.access_bytes() == from.access_bytes() {
            let wide = self.reinterpret(value, four);
            return self.emit(Op::Shuffle(lanes(4, 3)), &[wide, wide], to);
        }
        self.f.undef(to)
    }

    /// An integer in another width with as many lanes.
    pub fn resize(&mut self, value: Value, to: Type, signed: bool) -> Value {
        let from = self.f.ty(value);
        let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
        let op = match bits(from).cmp(&bits(to)) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Greater => CastOp::Trunc,
            std::cmp::Ordering::Less if signed && !from.is_bool() => CastOp::Sext,
            std::cmp::Ordering::Less => CastOp::Zext,
        };
        self.emit(Op::Cast(op), &[value], to)
    }

    /// C's conversion between arithmetic types, lane by lane for vectors.
    pub fn convert(&mut self, value: Value, from: Ty, to: Ty) -> Value {
        let types = self.types();
        let Some(target) = value_type(types, to) else { return value };
        let source = self.f.ty(value);
        if source == target {
            return value;
        }
        if source.lanes() == 1 && target.lanes() > 1 {
            let lane = self.convert_lanes(value, target.lane(), is_signed(types, from), is_signed(types, to));
            return self.emit(Op::Splat, &[lane], target);
        }
        self.convert_lanes(value, target, is_signed(types, from), is_signed(types, to))
    }

    fn convert_lanes(&mut self, value: Value, to: Type, from_signed: bool, to_signed: bool) -> Value {
        let from = self.f.ty(value);
        let op = match (from.is_float(), to.is_float()) {
            _ if from == to => return value,
            (_, false) if to.is_bool() => return self.is_not_zero(value),
            (false, false) => return self.resize(value, to, from_signed),
            (true, true) => CastOp::FpConv,
            (true, false) if to_signed => CastOp::FpToS,
            (true, false) => CastOp::FpToU,
            (false, true) if from_signed && !from.is_bool() => CastOp::SToFp,
            (false, true) => CastOp::UToFp,
        };
        if from.is_bool() && op == CastOp::UToFp {
            let number = self.resize(value, from.with_scalar(Scalar::I32), false);
            return self.emit(Op::Cast(op), &[number], to);
        }
        self.emit(Op::Cast(op), &[value], to)
    }

    /// Whether a value (each lane of a vector) differs from zero.
    pub fn is_not_zero(&mut self, value: Value) -> Value {
        let ty = self.f.ty(value);
        if ty.is_bool() {
            return value;
        }
        let truth = Type::vector(Scalar::I1, ty.lanes());
        let zero = self.zero(ty);
        match ty {
            Type::Opaque(_) => self.f.bits(truth, 1),
            ty if ty.is_float() => self.emit(Op::Fcmp(FloatCc::Une), &[value, zero], truth),
            _ => self.emit(Op::Icmp(IntCc::Ne), &[value, zero], truth),
        }
    }

    /// The bits of a sampler, from the flags of OpenCL C: normalised coordinates in bit 0, the addressing
    /// mode in bits 1 to 3, linear filter in bit 5.
    fn sampler(&mut self, value: Value, from: Ty) -> Value {
        if !self.f.ty(value).is_int() {
            return value;
        }
        let value = self.resize(value, crate::ir::I32, is_signed(self.types(), from));
        let Some(flags) = self.f.as_bits(value).and_then(|bits| u32::try_from(bits).ok()) else {
            let undefined = self.f.undef(crate::ir::I32);
            let result = Some(crate::ir::I32);
            return self.unsupported("sampler that is not constant", &[], result).unwrap_or(undefined);
        };
        let normalized = if flags & 1 != 0 { sampler::NORMALIZED } else { 0 };
        let linear = if flags & 0x20 != 0 { sampler::LINEAR } else { 0 };
        let bits = ((flags >> 1 & 7).min(sampler::MIRRORED_REPEAT)) | normalized | linear;
        self.f.bits(crate::ir::I32, u64::from(bits))
    }

    /// Whether a scalar expression differs from zero.
    pub fn truth(&mut self, id: ExprId) -> Result<Value> {
        let expr = self.expr(id)?;
        match &expr.kind {
            ExprKind::Cast(CastKind::Arith | CastKind::PointerToBool, inner)
                if value_type(self.types(), expr.ty.ty) == Some(I1) =>
            {
                return self.nested(|this| this.truth(*inner));
            }
            ExprKind::Compare(op, x, y) => return self.compare(*op, *x, *y),
            ExprKind::Not(inner) => {
                let truth = self.nested(|this| this.truth(*inner))?;
                return Ok(self.emit(Op::Un(crate::ir::UnOp::Not), &[truth], self.f.ty(truth)));
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => return self.logical(id),
            _ => {}
        }
        let value = self.value(id)?;
        Ok(self.is_not_zero(value))
    }

    /// Two pointers in one address space.
    pub fn common_space(&mut self, x: Value, y: Value) -> (Value, Value) {
        match (self.f.ty(x), self.f.ty(y)) {
            (Type::Ptr(a), Type::Ptr(b)) if a != b => {
                (self.in_space(x, Space::Generic), self.in_space(y, Space::Generic))
            }
            _ => (x, y),
        }
    }
}
