//! Operators: arithmetic, comparisons, logic, pointers, and the assignments made of them.

use super::function::FunctionLowering;
use super::location::Location;
use super::module::malformed;
use super::object::ObjectRef;
use super::types::{is_signed, pointee, value_type};
use crate::error::Result;
use crate::front::c::ast::{BinaryOp, CastKind, CompareOp, ExprId, ExprKind};
use crate::front::c::layout::layout;
use crate::front::c::types::{Ty, TypeKind};
use crate::ir::{
    BinOp, BlockCall, CastOp, F32, FloatCc, I1, I32, I64, IntCc, Op, Ordering, RmwOp, Scalar, Scope, Type,
    UnOp, Value,
};

/// The operation of an operator on integers of a signedness, or on floating-point numbers.
fn operation(op: BinaryOp, is_float: bool, signed: bool) -> BinOp {
    match (op, is_float) {
        (BinaryOp::Add, true) => BinOp::Fadd,
        (BinaryOp::Sub, true) => BinOp::Fsub,
        (BinaryOp::Mul, true) => BinOp::Fmul,
        (BinaryOp::Div, true) => BinOp::Fdiv,
        (BinaryOp::Rem, true) => BinOp::Frem,
        (BinaryOp::Add, false) => BinOp::Iadd,
        (BinaryOp::Sub, false) => BinOp::Isub,
        (BinaryOp::Mul, false) => BinOp::Imul,
        (BinaryOp::Div, false) if signed => BinOp::Sdiv,
        (BinaryOp::Div, false) => BinOp::Udiv,
        (BinaryOp::Rem, false) if signed => BinOp::Srem,
        (BinaryOp::Rem, false) => BinOp::Urem,
        (BinaryOp::Shl, _) => BinOp::Shl,
        (BinaryOp::Shr, _) if signed => BinOp::Ashr,
        (BinaryOp::Shr, _) => BinOp::Lshr,
        (BinaryOp::And, _) => BinOp::And,
        (BinaryOp::Or, _) => BinOp::Or,
        (BinaryOp::Xor, _) => BinOp::Xor,
    }
}

/// The predicate of a comparison of integers or pointers.
fn int_predicate(op: CompareOp, signed: bool) -> IntCc {
    match (op, signed) {
        (CompareOp::Eq, _) => IntCc::Eq,
        (CompareOp::Ne, _) => IntCc::Ne,
        (CompareOp::Lt, true) => IntCc::Slt,
        (CompareOp::Le, true) => IntCc::Sle,
        (CompareOp::Gt, true) => IntCc::Sgt,
        (CompareOp::Ge, true) => IntCc::Sge,
        (CompareOp::Lt, false) => IntCc::Ult,
        (CompareOp::Le, false) => IntCc::Ule,
        (CompareOp::Gt, false) => IntCc::Ugt,
        (CompareOp::Ge, false) => IntCc::Uge,
    }
}

fn float_predicate(op: CompareOp) -> FloatCc {
    match op {
        CompareOp::Eq => FloatCc::Oeq,
        CompareOp::Ne => FloatCc::Une,
        CompareOp::Lt => FloatCc::Olt,
        CompareOp::Le => FloatCc::Ole,
        CompareOp::Gt => FloatCc::Ogt,
        CompareOp::Ge => FloatCc::Oge,
    }
}

impl FunctionLowering<'_, '_> {
    /// `x op y` in the type of `x`; the amount of a shift may have another type.
    pub fn binary(&mut self, op: BinaryOp, x: Value, mut y: Value, signed: bool) -> Result<Value> {
        let ty = self.f.ty(x);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            y = self.resize(y, ty.lane().with_lanes_of(self.f.ty(y)), false);
        }
        if self.f.ty(y).lanes() == 1 && ty.lanes() > 1 {
            y = self.emit(Op::Splat, &[y], ty);
        }
        let operation = operation(op, ty.is_float(), signed);
        let is_logic = matches!(operation, BinOp::And | BinOp::Or | BinOp::Xor);
        if self.f.ty(y) != ty || ty.scalar().is_none() || ty.is_bool() && !is_logic {
            return Err(malformed("operands of different types"));
        }
        if ty.is_float() && !crate::ir::typing::is_float_bin(operation) {
            return Err(malformed("a bitwise operator on floating-point numbers"));
        }
        Ok(self.emit(Op::Bin(operation), &[x, y], ty))
    }

    /// A chain of binary operators, which may be too long for recursion: `a + b + c ...`.
    pub fn binary_chain(&mut self, id: ExprId) -> Result<Value> {
        let mut chain = Vec::new();
        let mut at = id;
        while let ExprKind::Binary(op, x, y) = &self.expr(at)?.kind {
            chain.push((*op, *y, at));
            at = *x;
        }
        let mut value = self.value(at)?;
        for (op, y, whole) in chain.into_iter().rev() {
            let y = self.value(y)?;
            let expr = self.expr(whole)?;
            self.at(expr.loc);
            value = self.binary(op, value, y, is_signed(self.types(), expr.ty.ty))?;
        }
        Ok(value)
    }

    /// The lanes' truth values of a comparison.
    pub fn compare(&mut self, op: CompareOp, x: ExprId, y: ExprId) -> Result<Value> {
        let signed = is_signed(self.types(), self.expr(x)?.ty.ty);
        let (x, y) = (self.value(x)?, self.value(y)?);
        let (x, y) = self.common_space(x, y);
        let ty = self.f.ty(x);
        if ty != self.f.ty(y) || matches!(ty, Type::Opaque(_)) {
            return Err(malformed("a comparison of different types"));
        }
        let truth = Type::vector(Scalar::I1, ty.lanes());
        let op = match ty.is_float() {
            true => Op::Fcmp(float_predicate(op)),
            false => Op::Icmp(int_predicate(op, signed)),
        };
        Ok(self.emit(op, &[x, y], truth))
    }

    /// Truth values as a value of a type: 0 or 1, lanes of vectors 0 or -1.
    pub fn from_truth(&mut self, truth: Value, ty: Ty) -> Value {
        let Some(to) = value_type(self.types(), ty) else { return truth };
        if to.is_bool() {
            return truth;
        }
        let op = if to.lanes() > 1 { CastOp::Sext } else { CastOp::Zext };
        self.emit(Op::Cast(op), &[truth], to)
    }

    /// `-x`
    pub fn negated(&mut self, value: Value) -> Value {
        let ty = self.f.ty(value);
        if ty.is_float() {
            return self.emit(Op::Un(UnOp::Fneg), &[value], ty);
        }
        let zero = self.zero(ty);
        self.emit(Op::Bin(BinOp::Isub), &[zero, value], ty)
    }

    /// Truth value of `&&` and `||` of scalars, which evaluate the second operand only if needed.
    pub fn logical(&mut self, id: ExprId) -> Result<Value> {
        let end = self.new_block();
        let param = self.f.add_param(end, I1);
        let (yes, no) = (self.new_block(), self.new_block());
        self.condition(id, yes, no)?;
        for (block, value) in [(yes, true), (no, false)] {
            if self.has_edges(block) {
                self.start_sealed(block);
                let value = self.f.bool(value);
                self.jump(end, &[value]);
            } else {
                self.seal(block);
            }
        }
        self.start_sealed(end);
        Ok(param)
    }

    /// Branches on the truth of a scalar expression.
    pub fn condition(&mut self, id: ExprId, yes: crate::ir::Block, no: crate::ir::Block) -> Result<()> {
        self.nested(|this| this.condition_of(id, yes, no))
    }

    fn condition_of(&mut self, id: ExprId, yes: crate::ir::Block, no: crate::ir::Block) -> Result<()> {
        use crate::front::c::ast::CastKind;
        let expr = self.expr(id)?;
        self.at(expr.loc);
        match &expr.kind {
            ExprKind::Not(inner) if value_type(self.types(), expr.ty.ty).is_some_and(|t| t.lanes() == 1) => {
                return self.condition(*inner, no, yes);
            }
            ExprKind::LogicalAnd(x, y) => {
                let next = self.new_block();
                self.condition(*x, next, no)?;
                self.start_sealed(next);
                return self.condition(*y, yes, no);
            }
            ExprKind::LogicalOr(x, y) => {
                let next = self.new_block();
                self.condition(*x, yes, next)?;
                self.start_sealed(next);
                return self.condition(*y, yes, no);
            }
            ExprKind::Cast(CastKind::Arith, inner) if value_type(self.types(), expr.ty.ty) == Some(I1) => {
                return self.condition(*inner, yes, no);
            }
            _ => {}
        }
        let truth = self.truth(id)?;
        self.branch(truth, yes, no);
        Ok(())
    }

    /// `pointer + count` or `pointer - count`, in elements.
    pub fn pointer_sum(&mut self, pointer: ExprId, count: ExprId, is_sub: bool) -> Result<Value> {
        let size = self.pointee_size(self.expr(pointer)?.ty.ty);
        let at = self.value(pointer)?;
        let count = self.count(count)?;
        Ok(self.moved(at, count, size, is_sub))
    }

    /// A number of elements as an `i64`.
    fn count(&mut self, id: ExprId) -> Result<Value> {
        let expr = self.expr(id)?;
        let signed = is_signed(self.types(), expr.ty.ty);
        if let ExprKind::Cast(CastKind::Arith, inner) = expr.kind
            && signed
            && let Some(sum) = self.extended_sum(inner)?
        {
            return Ok(sum);
        }
        let count = self.value(id)?;
        Ok(self.resize(count, I64, signed))
    }

    /// `x + y` or `x - y` of type `int` as an `i64`. The sum does not overflow (C11 6.5, 5): if an operand is
    /// constant, both are extended by themselves, so that the constant can become part of an address.
    fn extended_sum(&mut self, id: ExprId) -> Result<Option<Value>> {
        let expr = self.expr(id)?;
        let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y) = expr.kind else { return Ok(None) };
        if value_type(self.types(), expr.ty.ty) != Some(I32) || !is_signed(self.types(), expr.ty.ty) {
            return Ok(None);
        }
        let (mut x, mut y) = (self.value(x)?, self.value(y)?);
        self.at(self.expr(id)?.loc);
        let separate = self.f.as_bits(x).is_some() || self.f.as_bits(y).is_some();
        if separate {
            (x, y) = (self.resize(x, I64, true), self.resize(y, I64, true));
        }
        let sum = self.binary(op, x, y, true)?;
        Ok(Some(self.resize(sum, I64, true)))
    }

    fn moved(&mut self, pointer: Value, count: Value, size: u64, is_sub: bool) -> Value {
        let count = if is_sub { self.negated(count) } else { count };
        self.element(pointer, count, size)
    }

    fn pointee_size(&self, pointer: Ty) -> u64 {
        pointee(self.types(), pointer).map_or(1, |to| layout(self.types(), to.ty).size.max(1))
    }

    /// Difference of two pointers in elements.
    pub fn pointer_difference(&mut self, x: ExprId, y: ExprId, ty: Ty) -> Result<Value> {
        let size = self.pointee_size(self.expr(x)?.ty.ty);
        let (x, y) = (self.value(x)?, self.value(y)?);
        let x = self.emit(Op::Cast(CastOp::PtrToInt), &[x], I64);
        let y = self.emit(Op::Cast(CastOp::PtrToInt), &[y], I64);
        let mut difference = self.emit(Op::Bin(BinOp::Isub), &[x, y], I64);
        if size > 1 {
            let size = self.f.bits(I64, size);
            difference = self.emit(Op::Bin(BinOp::Sdiv), &[difference, size], I64);
        }
        let to = value_type(self.types(), ty).unwrap_or(I64);
        Ok(self.resize(difference, to, true))
    }

    /// `=`
    pub fn assign(&mut self, target: ExprId, value: ExprId) -> Result<Value> {
        let value = self.value(value)?;
        let location = self.location(target)?;
        Ok(self.set(&location, value))
    }

    /// `op=`: the conversion to the type of the operation, and back.
    pub fn compound_assign(&mut self, op: BinaryOp, target: ExprId, y: ExprId, compute: Ty) -> Result<Value> {
        let y = self.value(y)?;
        let location = self.location(target)?;
        let ty = self.expr(target)?.ty.ty;
        let signed = is_signed(self.types(), compute);
        if let Location::Memory(object, value) = &location
            && object.is_atomic
        {
            let simple = match op {
                BinaryOp::Add => Some(RmwOp::Add),
                BinaryOp::Sub => Some(RmwOp::Sub),
                BinaryOp::And => Some(RmwOp::And),
                BinaryOp::Or => Some(RmwOp::Or),
                BinaryOp::Xor => Some(RmwOp::Xor),
                _ => None,
            };
            if let Some(rmw) = simple.filter(|_| value.is_int() && self.f.ty(y) == *value) {
                let old = self.atomic(rmw, *object, y);
                return self.binary(op, old, y, signed);
            }
            return self.atomic_update(*object, *value, |this, old| {
                let x = this.convert(old, ty, compute);
                let new = this.binary(op, x, y, signed)?;
                Ok(this.convert(new, compute, ty))
            });
        }
        let old = self.get(&location);
        let x = self.convert(old, ty, compute);
        let new = self.binary(op, x, y, signed)?;
        let new = self.convert(new, compute, ty);
        Ok(self.set(&location, new))
    }

    /// `+=` and `-=` of a pointer.
    pub fn pointer_assign(&mut self, target: ExprId, count: ExprId, is_sub: bool) -> Result<Value> {
        let count = self.count(count)?;
        let size = self.pointee_size(self.expr(target)?.ty.ty);
        let location = self.location(target)?;
        let old = self.get(&location);
        let new = self.moved(old, count, size, is_sub);
        Ok(self.set(&location, new))
    }

    /// `++` and `--`: the value before or after.
    pub fn increment(&mut self, target: ExprId, is_prefix: bool, by: i8) -> Result<Value> {
        let ty = self.expr(target)?.ty.ty;
        let location = self.location(target)?;
        if let Location::Memory(object, value) = &location
            && object.is_atomic
        {
            let (object, value) = (*object, *value);
            if value.is_int() && !value.is_bool() {
                let by = self.f.bits(value, i64::from(by) as u64);
                let old = self.atomic(RmwOp::Add, object, by);
                return if is_prefix {
                    Ok(self.emit(Op::Bin(BinOp::Iadd), &[old, by], value))
                } else {
                    Ok(old)
                };
            }
            let mut before = None;
            let after = self.atomic_update(object, value, |this, old| {
                before = Some(old);
                Ok(this.stepped(old, ty, by))
            })?;
            return Ok(if is_prefix { after } else { before.unwrap_or(after) });
        }
        let old = self.get(&location);
        let new = self.stepped(old, ty, by);
        let new = self.set(&location, new);
        Ok(if is_prefix { new } else { old })
    }

    /// A value plus one or minus one.
    fn stepped(&mut self, value: Value, ty: Ty, by: i8) -> Value {
        let kind = self.f.ty(value);
        match kind {
            Type::Ptr(_) => {
                let count = self.i64(i64::from(by));
                let size = self.pointee_size(ty);
                self.element(value, count, size)
            }
            // In C the sum is computed as `int`.
            kind if kind.is_bool() && by > 0 => self.f.bits(kind, 1),
            kind if kind.is_bool() => self.emit(Op::Un(UnOp::Not), &[value], kind),
            kind if kind.is_float() => {
                let one = self.f.bits(F32, u64::from(f32::from(by).to_bits()));
                let lane = match kind.lane() {
                    F32 => one,
                    lane => self.emit(Op::Cast(CastOp::FpConv), &[one], lane),
                };
                let step = if kind.lanes() > 1 { self.emit(Op::Splat, &[lane], kind) } else { lane };
                self.emit(Op::Bin(BinOp::Fadd), &[value, step], kind)
            }
            kind => {
                let step = self.f.bits(kind, i64::from(by) as u64);
                self.emit(Op::Bin(BinOp::Iadd), &[value, step], kind)
            }
        }
    }

    /// A sequentially consistent read-modify-write operation; returns the old value.
    fn atomic(&mut self, op: RmwOp, object: ObjectRef, operand: Value) -> Value {
        let access = self.access(object);
        let ty = self.f.ty(operand);
        let op = Op::AtomicRmw { op, access, scope: Scope::Device, order: Ordering::SeqCst };
        self.emit(op, &[object.addr, operand], ty)
    }

    /// Replaces an atomic object's value by a function of it, in a loop; returns the new value.
    fn atomic_update(
        &mut self,
        object: ObjectRef,
        ty: Type,
        mut update: impl FnMut(&mut Self, Value) -> Result<Value>,
    ) -> Result<Value> {
        let stored = if ty.is_bool() { Type::Scalar(Scalar::I8) } else { ty };
        let bits = stored.scalar().map_or(stored, |s| Type::Scalar(s.to_int()));
        let (head, end) = (self.new_block(), self.new_block());
        let first = self.load(object, ty);
        self.jump(head, &[first]);
        let old = self.f.add_param(head, ty);
        self.start(head);
        let new = update(self, old)?;
        let as_bits = |this: &mut Self, value: Value| match ty.is_bool() {
            true => this.resize(value, bits, false),
            false => this.reinterpret(value, bits),
        };
        let (expected, desired) = (as_bits(self, old), as_bits(self, new));
        let access = self.access(object);
        let op = Op::AtomicCas {
            access,
            scope: Scope::Device,
            success: Ordering::SeqCst,
            failure: Ordering::SeqCst,
        };
        let found = self.emit(op, &[object.addr, expected, desired], bits);
        let (x, y) = match found {
            found if bits.space().is_some() => (
                self.emit(Op::Cast(CastOp::PtrToInt), &[found], I64),
                self.emit(Op::Cast(CastOp::PtrToInt), &[expected], I64),
            ),
            found => (found, expected),
        };
        let same = self.emit(Op::Icmp(IntCc::Eq), &[x, y], I1);
        let again = match ty.is_bool() {
            true => self.is_not_zero(found),
            false => self.reinterpret(found, ty),
        };
        let block = self.suspend();
        let targets = [BlockCall::new(end, &[]), BlockCall::new(head, &[again])];
        self.terminate_block(block, Op::BrIf, &[same], &targets);
        self.seal(head);
        self.start_sealed(end);
        Ok(new)
    }

    /// Whether the type is an atomic one.
    pub fn is_atomic(&self, ty: Ty) -> bool {
        matches!(self.types().resolved(ty), TypeKind::Atomic(_))
    }
}

/// Extension of IR types.
trait WithLanes {
    /// The scalar type with as many lanes as `other`.
    fn with_lanes_of(self, other: Type) -> Type;
}

impl WithLanes for Type {
    fn with_lanes_of(self, other: Type) -> Type {
        self.scalar().map_or(self, |s| Type::vector(s, other.lanes()))
    }
}
