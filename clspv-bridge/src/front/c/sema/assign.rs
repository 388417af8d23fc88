//! Assignment, compound assignment, `++` and `--` (OpenCL C, sections 6.3.3 and 6.3.17).

use super::Sema;
use super::arithmetic::{Mismatch, binary_op};
use super::class::Class;
use super::convert::Context;
use crate::front::c::ast::{BinaryOp, CastKind, ExprId, ExprKind, VarId};
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind;
use crate::front::c::types::{AddressSpace, Arith, QualTy, Ty};

impl Sema<'_> {
    /// `target op value`, where the operator is `=` or a compound assignment.
    pub fn assign(&mut self, op: TokenKind, loc: Loc, target: ExprId, value: ExprId) -> ExprId {
        let refused = self.refuse_operands(loc, target, value);
        let result = match (refused, binary_op(op)) {
            (Some(refused), _) => refused,
            _ if self.is_error(target) || self.is_error(value) => self.error_expr(loc),
            (None, None) => self.simple_assign(loc, target, value),
            (None, Some(op)) => self.compound_assign(op, loc, target, value),
        };
        self.set_range(result, self.begin(target), self.range(value).1);
        result
    }

    fn simple_assign(&mut self, loc: Loc, target: ExprId, value: ExprId) -> ExprId {
        let ty = self.ty(target);
        if !self.check_modifiable(target, loc) || self.refuse_half_store(target, loc) {
            return self.error_expr(loc);
        }
        let value = self.convert(value, ty, Context::Assign(loc));
        if self.is_error(value) {
            return self.error_expr(loc);
        }
        let result = self.value_type(ty);
        self.new_value(ExprKind::Assign { target, value }, result, loc)
    }

    /// Type of the value of an object.
    pub fn value_type(&self, ty: QualTy) -> Ty {
        match self.class(ty.ty) {
            Class::Atomic(of) => of,
            _ => self.unqualified(ty),
        }
    }

    fn compound_assign(&mut self, op: BinaryOp, loc: Loc, target: ExprId, value: ExprId) -> ExprId {
        if !self.check_modifiable(target, loc) {
            return self.error_expr(loc);
        }
        let v = self.value(value);
        // The value of the target only gives its type here: lowering reads the object itself.
        let old = self.value(target);
        let result = self.value_type(self.ty(target));
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return match self.shift_operands(loc, (target, old), (value, v)) {
                Some((a, b)) => self.compound_node(op, target, b, self.unqualified(self.ty(a)), loc),
                None => self.error_expr(loc),
            };
        }
        if matches!(self.class_of(old), Class::Pointer(_)) {
            return self.pointer_assign(op, loc, (target, old), (value, v));
        }
        let common = match self.common_type(old, v) {
            Ok(common) => common,
            Err(clash) => return self.report_clash(clash, loc, target, value),
        };
        let element = self.class(common).element();
        let needs_ints = !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if needs_ints && element.is_none_or(Arith::is_float) {
            return self.report_clash(Mismatch::Operands, loc, target, value);
        }
        // A vector does not fit the scalar that it would be assigned to.
        if let (Class::Vector(..), Class::Arith(_)) = (self.class(common), self.class(result)) {
            let (to, from) = (self.quoted_of(target), self.quoted(QualTy::plain(common)));
            self.error(loc, format!("assigning to {to} from incompatible type {from}"));
            self.underline_expr(value);
            return self.error_expr(loc);
        }
        let v = self.to_common(v, common);
        self.compound_node(op, target, v, common, loc)
    }

    fn compound_node(
        &mut self,
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        compute: Ty,
        loc: Loc,
    ) -> ExprId {
        let ty = self.value_type(self.ty(target));
        self.new_value(ExprKind::CompoundAssign { op, target, value, compute }, ty, loc)
    }

    fn pointer_assign(
        &mut self,
        op: BinaryOp,
        loc: Loc,
        (target, old): (ExprId, ExprId),
        (value, v): (ExprId, ExprId),
    ) -> ExprId {
        let is_count = self.class_of(v).is_int();
        if !is_count || !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return self.report_clash(Mismatch::Operands, loc, target, value);
        }
        if !self.check_stride(loc, old) {
            return self.error_expr(loc);
        }
        let count = self.element_count(v);
        let ty = self.value_type(self.ty(target));
        let is_sub = op == BinaryOp::Sub;
        self.new_value(ExprKind::PointerAssign { target, count, is_sub }, ty, loc)
    }

    /// `++` and `--`; `loc` is the operator.
    pub fn increment(&mut self, target: ExprId, by: i8, is_prefix: bool, loc: Loc) -> ExprId {
        let result = self.increment_node(target, by, is_prefix, loc);
        let (first, last) = self.range(target);
        let (first, last) = if is_prefix { (loc, last) } else { (first, loc) };
        self.set_range(result, first, last);
        result
    }

    fn increment_node(&mut self, target: ExprId, by: i8, is_prefix: bool, loc: Loc) -> ExprId {
        if let Some(refused) = self.refuse_operand(loc, target) {
            return refused;
        }
        let ty = self.value_type(self.ty(target));
        let word = if by > 0 { "increment" } else { "decrement" };
        let is_countable = match self.class(ty) {
            Class::Error => return target,
            Class::Arith(_) | Class::Pointer(_) => true,
            Class::Vector(element, _) => element.is_int(),
            _ => false,
        };
        if !is_countable {
            let shown = self.quoted_of(target);
            self.error(loc, format!("cannot {word} value of type {shown}"));
            self.underline_expr(target);
            return self.error_expr(loc);
        }
        if !self.check_modifiable(target, loc) {
            return self.error_expr(loc);
        }
        if matches!(self.class(ty), Class::Pointer(_)) {
            let v = self.value(target);
            if !self.check_stride(loc, v) {
                return self.error_expr(loc);
            }
        }
        self.new_value(ExprKind::Increment { target, is_prefix, by }, ty, loc)
    }

    /// Reports an expression that cannot be assigned to.
    pub fn check_modifiable(&mut self, e: ExprId, loc: Loc) -> bool {
        let (mut loc, ty) = (loc, self.ty(e));
        if self.is_error(e) {
            return false;
        }
        if matches!(self.class_of(e), Class::Atomic(_)) {
            self.refuse_atomic(e, loc);
            return false;
        }
        if matches!(self.expr(e).kind, ExprKind::Var(var) if self.is_outer_local(var)) {
            self.error(loc, "variable is not assignable (missing __block type specifier)");
            self.underline_expr(e);
            return false;
        }
        let quals = self.types.canonical(ty).quals;
        let is_read_only = quals.is_const || quals.space == AddressSpace::Constant;
        let text = match (self.expr(e).is_lvalue, &self.expr(e).kind, self.class_of(e)) {
            (false, ExprKind::Swizzle { base, .. }, _)
                if matches!(self.expr(*base).kind, ExprKind::Cast(CastKind::Load, _)) =>
            {
                "vector is not assignable (contains duplicate components)".to_owned()
            }
            (false, ExprKind::Cast(kind, _), _) if !matches!(kind, CastKind::Load | CastKind::Decay) => {
                loc = self.begin(e);
                "assignment to cast is illegal, lvalue casts are not supported".to_owned()
            }
            (false, ..) => "expression is not assignable".to_owned(),
            (true, ExprKind::Var(var), _) if is_read_only => return self.report_const(*var, e, loc),
            (true, ExprKind::Member { base, field }, _) if ty.quals.is_const => {
                match (self.const_field(*base, *field), self.const_variable(*base)) {
                    (Some(text), _) => text,
                    (None, Some((var, whole))) => return self.report_const(var, whole, loc),
                    (None, None) => "read-only variable is not assignable".to_owned(),
                }
            }
            (true, ExprKind::Swizzle { base, .. } | ExprKind::Lane { base, .. }, _) if is_read_only => {
                match self.const_variable(*base) {
                    Some((var, whole)) => return self.report_const(var, whole, loc),
                    None => "read-only variable is not assignable".to_owned(),
                }
            }
            (true, ..) if is_read_only => "read-only variable is not assignable".to_owned(),
            (true, _, Class::Array(_)) => format!("array type {} is not assignable", self.quoted(ty)),
            (true, _, Class::Function) => format!("non-object type {} is not assignable", self.quoted(ty)),
            (true, _, Class::Record(_)) if self.size_of(ty.ty).is_none() => {
                format!("incomplete type {} is not assignable", self.quoted(ty))
            }
            _ => return true,
        };
        self.error(loc, text);
        self.underline_expr(e);
        false
    }

    /// Text about an assignment to a field that is declared `const`.
    fn const_field(&self, base: ExprId, field: u32) -> Option<String> {
        let Class::Record(id) = self.class_of(base) else {
            return None;
        };
        let field = self.types.records.get(id.0 as usize)?.fields.get(field as usize)?;
        let (name, ty) = (self.text(field.name?), self.quoted(field.ty));
        let is_const = self.types.canonical(field.ty).quals.is_const;
        is_const.then(|| {
            format!("cannot assign to non-static data member '{name}' with const-qualified type {ty}")
        })
    }

    /// The `const` variable that an lvalue is a part of.
    fn const_variable(&self, e: ExprId) -> Option<(VarId, ExprId)> {
        let mut whole = e;
        for _ in 0..64 {
            match self.expr(whole).kind {
                ExprKind::Var(var) => {
                    let quals = self.types.canonical(self.ty(whole)).quals;
                    return (quals.is_const || quals.space == AddressSpace::Constant).then_some((var, whole));
                }
                ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => whole = base,
                _ => return None,
            }
        }
        None
    }

    fn report_const(&mut self, var: VarId, e: ExprId, loc: Loc) -> bool {
        let Some((Some(name), at)) = self.var(var).map(|v| (v.name, v.loc)) else {
            self.error(loc, "read-only variable is not assignable");
            return false;
        };
        if self.is_capture_of_variable(var) {
            self.error(loc, "variable is not assignable (missing __block type specifier)");
            self.underline_expr(e);
            return false;
        }
        let mut shown = self.ty(e);
        shown.quals.is_const = true;
        let (name, ty) = (self.text(name).to_owned(), self.quoted(shown));
        self.error(loc, format!("cannot assign to variable '{name}' with const-qualified type {ty}"));
        self.underline_expr(e);
        self.note(at, format!("variable '{name}' declared const here"));
        false
    }
}
