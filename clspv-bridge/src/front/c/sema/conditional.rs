//! The conditional operator: of scalars, and by lanes of a vector (OpenCL C, section 6.3.9).

use super::Sema;
use super::arithmetic::{Mismatch, common};
use super::class::Class;
use crate::front::c::ast::{ExprId, ExprKind};
use crate::front::c::overload::{is_space_subset, spaces_overlap};
use crate::front::c::source::Loc;
use crate::front::c::types::{Arith, QualTy, Ty, VOID};

impl Sema<'_> {
    /// `condition ? x : y`; `loc` is the question mark.
    pub fn conditional(&mut self, condition: ExprId, x: ExprId, y: ExprId, loc: Loc) -> ExprId {
        let v = self.value(condition);
        let result = match self.class_of(v) {
            Class::Error => self.error_expr(loc),
            Class::Vector(element, lanes) if element.is_int() => {
                self.vector_select(condition, v, (x, y), lanes, loc)
            }
            Class::Vector(..) | Class::Arith(Arith::Half | Arith::Float | Arith::Double) => {
                let ty = self.quoted_of(v);
                self.error(loc, format!("used type {ty} where floating point type is not allowed"));
                self.underline_expr(condition);
                self.error_expr(loc)
            }
            _ => match self.scalar_to_bool(v) {
                Some(test) => match self.branches(x, y, loc) {
                    Some((a, b, ty)) => self.new_value(ExprKind::Conditional(test, a, b), ty, loc),
                    None => self.error_expr(loc),
                },
                None => self.report_condition(condition, v, loc),
            },
        };
        self.set_range(result, self.begin(condition), self.range(y).1);
        result
    }

    /// `x ?: y` (GNU).
    pub fn conditional_omitted(&mut self, x: ExprId, y: ExprId, loc: Loc) -> ExprId {
        let v = self.value(x);
        let opaque = {
            let ty = self.ty(v);
            self.new_value(ExprKind::Opaque, ty.ty, loc)
        };
        self.copy_range(opaque, x);
        let result = match self.scalar_to_bool(opaque) {
            _ if self.is_error(v) => self.error_expr(loc),
            Some(cond) => match self.branches(opaque, y, loc) {
                Some((then, otherwise, ty)) => {
                    self.new_value(ExprKind::ConditionalOmitted { x: v, cond, then, otherwise }, ty, loc)
                }
                None => self.error_expr(loc),
            },
            None => self.report_condition(x, v, loc),
        };
        self.set_range(result, self.begin(x), self.range(y).1);
        result
    }

    fn report_condition(&mut self, condition: ExprId, v: ExprId, loc: Loc) -> ExprId {
        let ty = self.quoted_of(v);
        self.error(loc, format!("used type {ty} where arithmetic or pointer type is required"));
        self.underline_expr(condition);
        self.error_expr(loc)
    }

    /// Converts both branches to their common type.
    fn branches(&mut self, x: ExprId, y: ExprId, loc: Loc) -> Option<(ExprId, ExprId, Ty)> {
        let is_void = |sema: &Self, e: ExprId| sema.class_of(e) == Class::Void;
        if is_void(self, x) || is_void(self, y) {
            let (a, b) = (self.discard(x), self.discard(y));
            return Some((a, b, VOID));
        }
        if self.refuse_branches([x, y]) {
            return None;
        }
        let (vx, vy) = (self.value(x), self.value(y));
        match (self.class_of(vx), self.class_of(vy)) {
            (Class::Error, _) | (_, Class::Error) => None,
            (Class::Pointer(a), Class::Pointer(b)) => self.pointer_branches(loc, (x, vx), (y, vy), a, b),
            (Class::Pointer(_), Class::Arith(n)) if n.is_int() => {
                self.warn_branch(loc, (vx, vy), vy);
                let ty = self.unqualified(self.ty(vx));
                Some((vx, self.cast_to_pointer(vy, ty), ty))
            }
            (Class::Arith(n), Class::Pointer(_)) if n.is_int() => {
                self.warn_branch(loc, (vx, vy), vx);
                let ty = self.unqualified(self.ty(vy));
                Some((self.cast_to_pointer(vx, ty), vy, ty))
            }
            (Class::Opaque(_) | Class::Record(_) | Class::Other, _)
                if self.is_same(self.ty(vx).ty, self.ty(vy).ty) =>
            {
                let ty = self.unqualified(self.ty(vx));
                Some((vx, vy, ty))
            }
            _ => match self.common_type(vx, vy) {
                Ok(common) => {
                    let (a, b) = (self.to_common(vx, common), self.to_common(vy, common));
                    Some((a, b, common))
                }
                Err(Mismatch::Operands) => {
                    self.report_branches("incompatible operand types", "", loc, x, y);
                    None
                }
                Err(clash) => {
                    self.report_clash(clash, loc, x, y);
                    None
                }
            },
        }
    }

    fn warn_branch(&mut self, loc: Loc, (x, y): (ExprId, ExprId), integer: ExprId) {
        if self.is_null_constant(integer) {
            return;
        }
        let (a, b) = (self.quoted_of(x), self.quoted_of(y));
        let text = format!("pointer/integer type mismatch in conditional expression ({a} and {b})");
        self.warning("conditional-type-mismatch", loc, text);
        self.underline_expr(x);
        self.underline_expr(y);
    }

    fn report_branches(&mut self, what: &str, rest: &str, loc: Loc, x: ExprId, y: ExprId) {
        let plain = |sema: &Self, e: ExprId| sema.quoted(QualTy::plain(sema.unqualified(sema.ty(e))));
        let (a, b) = (plain(self, x), plain(self, y));
        self.error(loc, format!("{what} ({a} and {b}){rest}"));
        self.underline_expr(x);
        self.underline_expr(y);
    }

    /// Common type of two pointers: qualifiers of both, the wider address space.
    fn pointer_branches(
        &mut self,
        loc: Loc,
        (x, vx): (ExprId, ExprId),
        (y, vy): (ExprId, ExprId),
        a: QualTy,
        b: QualTy,
    ) -> Option<(ExprId, ExprId, Ty)> {
        if self.is_null_constant(vx) || self.is_null_constant(vy) {
            let of = if self.is_null_constant(vx) { vy } else { vx };
            let ty = self.unqualified(self.ty(of));
            return Some((self.pointer_cast(vx, ty), self.pointer_cast(vy, ty), ty));
        }
        let (ca, cb) = (self.types.canonical(a), self.types.canonical(b));
        if !spaces_overlap(ca.quals.space, cb.quals.space) {
            let what = "conditional operator with the second and third operands of type ";
            self.report_branches(what, " which are pointers to non-overlapping address spaces", loc, x, y);
            return None;
        }
        let to = match () {
            () if ca.ty == cb.ty => a.ty,
            () if ca.ty == VOID || cb.ty == VOID => VOID,
            () => {
                let (p, q) = (self.quoted_of(vx), self.quoted_of(vy));
                let text = format!("pointer type mismatch ({p} and {q})");
                self.warning("pointer-type-mismatch", loc, text);
                VOID
            }
        };
        let mut quals = super::class::merge(ca.quals, cb.quals);
        quals.is_restrict = false;
        quals.space =
            if is_space_subset(ca.quals.space, cb.quals.space) { cb.quals.space } else { ca.quals.space };
        let ty = self.pointer_to(QualTy { ty: to, quals });
        Some((self.pointer_cast(vx, ty), self.pointer_cast(vy, ty), ty))
    }

    /// `c ? x : y` with a vector condition: lanes of both branches.
    fn vector_select(
        &mut self,
        condition: ExprId,
        v: ExprId,
        (x, y): (ExprId, ExprId),
        lanes: u8,
        loc: Loc,
    ) -> ExprId {
        let (vx, vy) = (self.value(x), self.value(y));
        let ty = match (self.class_of(vx), self.class_of(vy)) {
            (Class::Error, _) | (_, Class::Error) => return self.error_expr(loc),
            // As clang: there are no promotions, so that lanes keep the size of the operands.
            (Class::Arith(a), Class::Arith(b)) => self.vector(common(a, b), lanes),
            _ => match self.common_type(vx, vy) {
                Ok(common) => common,
                Err(Mismatch::Operands) => {
                    self.report_branches("incompatible operand types", "", loc, x, y);
                    return self.error_expr(loc);
                }
                Err(clash) => return self.report_clash(clash, loc, x, y),
            },
        };
        if !self.check_select(condition, v, ty, loc) {
            return self.error_expr(loc);
        }
        let (a, b) = (self.to_common(vx, ty), self.to_common(vy, ty));
        self.new_value(ExprKind::VectorSelect(v, a, b), ty, loc)
    }

    /// Reports a condition with other lanes than the branches.
    fn check_select(&mut self, condition: ExprId, v: ExprId, ty: Ty, loc: Loc) -> bool {
        let (Class::Vector(test, n), Class::Vector(element, m)) = (self.class_of(v), self.class(ty)) else {
            return false;
        };
        let what = match () {
            () if n != m => "the same number of elements",
            () if test.bytes() != element.bytes() => "elements of the same size",
            () => return true,
        };
        let (c, r) = (self.quoted_of(v), self.quoted(QualTy::plain(ty)));
        let text = format!("vector condition type {c} and result type {r} do not have {what}");
        self.error(loc, text);
        self.underline_expr(condition);
        false
    }

    /// `x, y`
    pub fn comma(&mut self, x: ExprId, y: ExprId, loc: Loc) -> ExprId {
        if let Some(refused) = self.refuse_operands(loc, x, y) {
            return refused;
        }
        if !self.is_error(y) {
            self.check_unused_left(x);
        }
        let (a, b) = (self.discard(x), self.value_or_void(y));
        if self.is_error(a) || self.is_error(b) {
            return self.error_expr(loc);
        }
        let ty = self.unqualified(self.ty(b));
        let result = self.new_value(ExprKind::Comma(a, b), ty, loc);
        self.set_range(result, self.begin(x), self.range(y).1);
        result
    }

    /// Value of an expression that may be `void`.
    pub fn value_or_void(&mut self, e: ExprId) -> ExprId {
        if self.class_of(e) == Class::Void { e } else { self.value(e) }
    }
}
