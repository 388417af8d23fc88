//! Constant evaluation: integer constant expressions, and initializers of static storage.
//!
//! Expressions have been converted, so an operation's operands have one type. Values of `const` variables
//! with constant initializers count as constants, as in clang.

use super::Sema;
use super::literal::round_to;
use crate::front::c::ast::*;
use crate::front::c::source::Loc;
use crate::front::c::types::*;

/// Value of an integer constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Sign- or zero-extended from the type.
    pub bits: u64,
    pub arith: Arith,
}

impl Constant {
    /// The mathematical value.
    pub fn signed(self) -> i128 {
        if self.arith.is_signed() { i128::from(self.bits as i64) } else { i128::from(self.bits) }
    }

    /// A value truncated to a type.
    pub fn wrapped(bits: u64, arith: Arith) -> Constant {
        Constant { bits: wrap(bits, arith), arith }
    }
}

/// Truncates to an integer type and extends again.
pub fn wrap(bits: u64, arith: Arith) -> u64 {
    match arith {
        Arith::Bool => u64::from(bits != 0),
        Arith::Char => bits as i8 as u64,
        Arith::UChar => u64::from(bits as u8),
        Arith::Short => bits as i16 as u64,
        Arith::UShort => u64::from(bits as u16),
        Arith::Int => bits as i32 as u64,
        Arith::UInt => u64::from(bits as u32),
        _ => bits,
    }
}

/// Value of an arithmetic constant expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Int(Constant),
    Float(f64),
}

impl Value {
    fn is_true(self) -> bool {
        match self {
            Value::Int(value) => value.bits != 0,
            Value::Float(value) => value != 0.0,
        }
    }

    fn bool(value: bool) -> Value {
        Value::Int(Constant { bits: u64::from(value), arith: Arith::Int })
    }
}

/// Depth of an expression that is evaluated.
const MAX_DEPTH: u32 = 1000;

impl Sema<'_> {
    /// Value of an integer constant expression; `None` if it is none.
    pub fn constant_int(&self, expr: ExprId) -> Option<Constant> {
        match self.evaluate(expr, MAX_DEPTH)? {
            Value::Int(value) => Some(value),
            Value::Float(_) => None,
        }
    }

    /// Reports an expression that is not an integer constant expression.
    pub fn report_not_constant(&mut self, expr: ExprId, loc: Loc) {
        if self.is_error(expr) {
            return;
        }
        let is_integer = self.arith_of(self.ty(expr)).is_none_or(Arith::is_int);
        let text = if is_integer {
            "expression is not an integer constant expression".to_owned()
        } else {
            format!("integer constant expression must have integer type, not {}", self.quoted_of(expr))
        };
        self.error(loc, text);
        self.underline_expr(expr);
    }

    /// Whether an arithmetic constant expression is true; `None` if it is none.
    pub fn constant_truth(&self, expr: ExprId) -> Option<bool> {
        self.evaluate(expr, MAX_DEPTH).map(Value::is_true)
    }

    fn arith_of(&self, ty: QualTy) -> Option<Arith> {
        match self.types.resolved(ty.ty) {
            TypeKind::Arith(arith) => Some(*arith),
            TypeKind::Enum(id) => self.types.enums.get(id.0 as usize).map(|data| data.underlying),
            _ => None,
        }
    }

    fn evaluate(&self, id: ExprId, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let expr = self.expr(id);
        let arith = self.arith_of(expr.ty);
        match expr.kind {
            ExprKind::Int(bits) => Some(Value::Int(Constant { bits, arith: arith? })),
            ExprKind::Float(value) => Some(Value::Float(value)),
            ExprKind::Var(var) => self.constants.get(&var).copied().flatten(),
            ExprKind::Plus(x) => self.evaluate(x, depth),
            ExprKind::Neg(x) => match self.evaluate(x, depth)? {
                Value::Int(value) => Some(int(value.bits.wrapping_neg(), arith?)),
                Value::Float(value) => Some(Value::Float(-value)),
            },
            ExprKind::BitNot(x) => match self.evaluate(x, depth)? {
                Value::Int(value) => Some(int(!value.bits, arith?)),
                Value::Float(_) => None,
            },
            ExprKind::Not(x) if arith.is_some() => Some(Value::bool(!self.evaluate(x, depth)?.is_true())),
            ExprKind::Binary(op, x, y) => {
                let (x, y) = (self.evaluate(x, depth)?, self.evaluate(y, depth)?);
                binary(op, x, y, arith?)
            }
            ExprKind::Compare(op, x, y) if arith.is_some() => {
                let (x, y) = (self.evaluate(x, depth)?, self.evaluate(y, depth)?);
                compare(op, x, y).map(Value::bool)
            }
            ExprKind::LogicalAnd(x, y) => {
                let is_true = self.evaluate(x, depth)?.is_true() && self.evaluate(y, depth)?.is_true();
                Some(Value::bool(is_true))
            }
            ExprKind::LogicalOr(x, y) => {
                let is_true = self.evaluate(x, depth)?.is_true() || self.evaluate(y, depth)?.is_true();
                Some(Value::bool(is_true))
            }
            ExprKind::Conditional(cond, x, y) => {
                let chosen = if self.evaluate(cond, depth)?.is_true() { x } else { y };
                self.evaluate(chosen, depth)
            }
            ExprKind::Comma(x, y) if self.is_constant(x, depth) => self.evaluate(y, depth),
            ExprKind::Cast(CastKind::Load, x) => self.evaluate(x, depth),
            ExprKind::Cast(CastKind::Arith, x) => convert(self.evaluate(x, depth)?, arith?),
            _ => None,
        }
    }

    /// Records the value of a `const` variable whose initializer is a constant expression.
    pub(super) fn note_constant(&mut self, id: VarId) {
        let Some(var) = self.var(id) else { return };
        let Some(init) = var.init else { return };
        let canonical = self.types.canonical(var.ty);
        let is_constant = canonical.quals.is_const || canonical.quals.space == AddressSpace::Constant;
        if !is_constant || canonical.quals.is_volatile || !self.is_constant_initializer(init) {
            return;
        }
        let arith = self.arith_of(canonical);
        let value = arith.and_then(|arith| convert(self.evaluate(init, MAX_DEPTH)?, arith));
        self.constants.insert(id, value);
    }

    /// Replaces constant variables in the initializer of an object of static storage by their values, and
    /// operations that choose what is evaluated by what they choose.
    pub(super) fn fold_constants(&mut self, id: ExprId) {
        self.fold(id, MAX_DEPTH);
    }

    fn fold(&mut self, id: ExprId, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self.expr(id).kind {
            ExprKind::Cast(CastKind::Load, x) => {
                let ExprKind::Var(var) = self.expr(x).kind else { return };
                let kind = match self.constants.get(&var) {
                    Some(Some(Value::Int(value))) => ExprKind::Int(value.bits),
                    Some(Some(Value::Float(value))) => ExprKind::Float(*value),
                    Some(None) => match self.var(var).and_then(|var| var.init) {
                        Some(init) if self.is_literal(init) => self.expr(init).kind.clone(),
                        _ => return,
                    },
                    None => return,
                };
                self.replace(id, kind);
            }
            ExprKind::Cast(_, x)
            | ExprKind::Plus(x)
            | ExprKind::Neg(x)
            | ExprKind::BitNot(x)
            | ExprKind::Not(x)
            | ExprKind::Swizzle { base: x, .. } => self.fold(x, depth),
            ExprKind::LogicalAnd(x, y) | ExprKind::LogicalOr(x, y) => {
                self.fold(x, depth);
                self.fold(y, depth);
                if let Some(Value::Int(value)) = self.evaluate(id, depth) {
                    self.replace(id, ExprKind::Int(value.bits));
                }
            }
            ExprKind::Binary(_, x, y)
            | ExprKind::Compare(_, x, y)
            | ExprKind::VectorLogical { x, y, .. }
            | ExprKind::Comma(x, y)
            | ExprKind::PointerAdd(x, y)
            | ExprKind::PointerSub(x, y) => {
                self.fold(x, depth);
                self.fold(y, depth);
            }
            ExprKind::Conditional(c, x, y) => {
                for part in [c, x, y] {
                    self.fold(part, depth);
                }
                if let Some(truth) = self.constant_truth(c) {
                    let chosen = self.expr(if truth { x } else { y }).kind.clone();
                    self.replace(id, chosen);
                }
            }
            ExprKind::VectorSelect(c, x, y) => {
                for part in [c, x, y] {
                    self.fold(part, depth);
                }
            }
            ExprKind::VectorLiteral(list) => {
                for index in 0..list.len {
                    let part = self.unit.lists.get((list.start + index) as usize).copied();
                    part.into_iter().for_each(|part| self.fold(part, depth));
                }
            }
            ExprKind::Init(init) => {
                let item = |sema: &Self, index: usize| {
                    sema.unit.inits.get(init.0 as usize)?.items.get(index).map(|(_, item)| *item)
                };
                let mut index = 0;
                while let Some(part) = item(self, index) {
                    self.fold(part, depth);
                    index += 1;
                }
            }
            _ => {}
        }
        self.fold_control(id);
    }

    /// Replaces a constant expression that would be lowered to control flow by its value.
    fn fold_control(&mut self, id: ExprId) {
        let has_control = matches!(
            self.expr(id).kind,
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::Conditional(..)
        );
        let value = if has_control { self.evaluate(id, MAX_DEPTH) } else { None };
        let kind = match value {
            Some(Value::Int(value)) => ExprKind::Int(value.bits),
            Some(Value::Float(value)) => ExprKind::Float(value),
            None => return,
        };
        if let Some(expr) = self.unit.exprs.get_mut(id.0 as usize) {
            expr.kind = kind;
        }
    }

    /// Gives an expression another form of the same type.
    fn replace(&mut self, id: ExprId, kind: ExprKind) {
        if let Some(expr) = self.unit.exprs.get_mut(id.0 as usize) {
            expr.kind = kind;
        }
    }

    /// Whether an expression is a vector or aggregate of numbers.
    fn is_literal(&self, id: ExprId) -> bool {
        let is_number =
            |part: &ExprId| matches!(self.expr(*part).kind, ExprKind::Int(_) | ExprKind::Float(_));
        match &self.expr(id).kind {
            ExprKind::VectorLiteral(list) => self.unit.list(*list).iter().all(is_number),
            ExprKind::Init(init) => {
                let list = self.unit.inits.get(init.0 as usize);
                list.is_some_and(|list| list.items.iter().all(|(_, item)| is_number(item)))
            }
            _ => false,
        }
    }

    /// Whether an expression can initialise an object of static storage.
    pub fn is_constant_initializer(&self, expr: ExprId) -> bool {
        self.is_constant(expr, MAX_DEPTH)
    }

    fn is_constant(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let all = |list: ExprList| self.unit.list(list).iter().all(|part| self.is_constant(*part, depth));
        match &self.expr(id).kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Block(_)
            | ExprKind::Func(_) => true,
            ExprKind::Cast(CastKind::Load, x) => self.is_constant_object(*x, depth),
            ExprKind::Cast(CastKind::Decay, x) => self.is_static_address(*x, depth),
            ExprKind::AddrOf(x) => self.is_static_address(*x, depth),
            ExprKind::Cast(_, x)
            | ExprKind::Plus(x)
            | ExprKind::Neg(x)
            | ExprKind::BitNot(x)
            | ExprKind::Not(x) => self.is_constant(*x, depth),
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, x, y) if self.divides_by_zero(*x, *y) => false,
            ExprKind::Binary(_, x, y)
            | ExprKind::Compare(_, x, y)
            | ExprKind::VectorLogical { x, y, .. }
            | ExprKind::PointerAdd(x, y)
            | ExprKind::PointerSub(x, y)
            | ExprKind::Comma(x, y)
            | ExprKind::PointerDiff(x, y) => self.is_constant(*x, depth) && self.is_constant(*y, depth),
            // What is not evaluated need not be constant.
            ExprKind::LogicalAnd(x, y) => match self.constant_truth(*x) {
                Some(false) => true,
                _ => self.is_constant(*x, depth) && self.is_constant(*y, depth),
            },
            ExprKind::LogicalOr(x, y) => match self.constant_truth(*x) {
                Some(true) => true,
                _ => self.is_constant(*x, depth) && self.is_constant(*y, depth),
            },
            ExprKind::Conditional(c, x, y) => match self.constant_truth(*c) {
                Some(truth) => self.is_constant(if truth { *x } else { *y }, depth),
                None => [c, x, y].into_iter().all(|part| self.is_constant(*part, depth)),
            },
            ExprKind::VectorSelect(c, x, y) => {
                [c, x, y].into_iter().all(|part| self.is_constant(*part, depth))
            }
            ExprKind::VectorLiteral(list) => all(*list),
            ExprKind::Swizzle { base, .. } => self.is_constant(*base, depth),
            ExprKind::Member { base, .. } => self.is_constant(*base, depth),
            ExprKind::Str(_) => true,
            ExprKind::CompoundLiteral(var) => {
                self.var(*var).and_then(|var| var.init).is_none_or(|init| self.is_constant(init, depth))
            }
            ExprKind::Init(init) => {
                let list = self.unit.inits.get(init.0 as usize);
                list.is_none_or(|list| list.items.iter().all(|(_, item)| self.is_constant(*item, depth)))
            }
            _ => false,
        }
    }

    /// Whether an integer is divided by a constant zero.
    fn divides_by_zero(&self, x: ExprId, y: ExprId) -> bool {
        let is_int = self.arith_of(self.ty(x)).is_some_and(Arith::is_int);
        is_int && self.constant_int(y).is_some_and(|value| value.bits == 0)
    }

    /// Whether the value of an lvalue is known: that of a constant variable, or a string.
    fn is_constant_object(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &self.expr(id).kind {
            ExprKind::Var(var) => self.constants.contains_key(var),
            ExprKind::CompoundLiteral(_) | ExprKind::Init(_) => self.is_constant(id, depth),
            ExprKind::Swizzle { base, .. } | ExprKind::Member { base, .. } => {
                self.is_constant_object(*base, depth)
            }
            _ => false,
        }
    }

    /// Whether an lvalue has a constant address: an object of static storage or a part of one.
    fn is_static_address(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &self.expr(id).kind {
            ExprKind::Error | ExprKind::Str(_) => true,
            ExprKind::Var(var) | ExprKind::CompoundLiteral(var) => {
                self.var(*var).is_some_and(|var| matches!(var.storage, Storage::Static | Storage::Extern))
            }
            ExprKind::Deref(x) => self.is_constant(*x, depth),
            ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => {
                self.is_static_address(*base, depth)
            }
            ExprKind::Lane { base, index } => {
                self.is_static_address(*base, depth) && self.is_constant(*index, depth)
            }
            _ => false,
        }
    }
}

fn int(bits: u64, arith: Arith) -> Value {
    Value::Int(Constant::wrapped(bits, arith))
}

/// Conversion to a scalar type.
fn convert(value: Value, to: Arith) -> Option<Value> {
    Some(match (value, to) {
        (Value::Int(value), Arith::Float) => Value::Float(f64::from(value.signed() as f32)),
        (Value::Int(value), to) if to.is_float() => Value::Float(round_to(value.signed() as f64, to)),
        (Value::Int(value), to) => int(value.bits, to),
        (Value::Float(value), to) if to.is_float() => Value::Float(round_to(value, to)),
        (Value::Float(value), Arith::Bool) => int(u64::from(value != 0.0), Arith::Bool),
        (Value::Float(value), to) => {
            // Numbers outside of the type have no defined result.
            let whole = value.trunc();
            if !(-9.3e18..=1.9e19).contains(&whole) {
                return None;
            }
            int(whole as i128 as u64, to)
        }
    })
}

fn binary(op: BinaryOp, x: Value, y: Value, arith: Arith) -> Option<Value> {
    match (x, y) {
        (Value::Int(x), Value::Int(y)) => int_binary(op, x, y, arith).map(|bits| int(bits, arith)),
        (Value::Float(x), Value::Float(y)) => {
            let value = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                _ => return None,
            };
            Some(Value::Float(round_to(value, arith)))
        }
        _ => None,
    }
}

fn int_binary(op: BinaryOp, x: Constant, y: Constant, arith: Arith) -> Option<u64> {
    let (a, b) = (x.bits, y.bits);
    let bits = arith.bytes() * 8;
    // The amount of a shift counts modulo the width.
    let amount = (b % u64::from(bits)) as u32;
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if arith.is_signed() => (a as i64).checked_div(b as i64)? as u64,
        BinaryOp::Rem if arith.is_signed() => (a as i64).checked_rem(b as i64)? as u64,
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::Shl => a.wrapping_shl(amount),
        BinaryOp::Shr if arith.is_signed() => (a as i64).wrapping_shr(amount) as u64,
        BinaryOp::Shr => a.wrapping_shr(amount),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    })
}

fn compare(op: CompareOp, x: Value, y: Value) -> Option<bool> {
    let ordering = match (x, y) {
        (Value::Int(x), Value::Int(y)) => Some(x.signed().cmp(&y.signed())),
        (Value::Float(x), Value::Float(y)) => x.partial_cmp(&y),
        _ => return None,
    };
    Some(match op {
        CompareOp::Eq => ordering.is_some_and(|o| o.is_eq()),
        CompareOp::Ne => ordering.is_none_or(|o| o.is_ne()),
        CompareOp::Lt => ordering.is_some_and(|o| o.is_lt()),
        CompareOp::Le => ordering.is_some_and(|o| o.is_le()),
        CompareOp::Gt => ordering.is_some_and(|o| o.is_gt()),
        CompareOp::Ge => ordering.is_some_and(|o| o.is_ge()),
    })
}
