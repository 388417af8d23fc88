//! Comparisons and logical operators (OpenCL C, sections 6.3.4 to 6.3.7).

use super::Sema;
use super::arithmetic::Mismatch;
use super::class::Class;
use crate::front::c::ast::{CompareOp, ExprId, ExprKind};
use crate::front::c::overload::spaces_overlap;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind;
use crate::front::c::types::{self, OpaqueType, QualTy, VOID};

/// The comparison of an operator.
pub fn compare_op(token: TokenKind) -> Option<CompareOp> {
    Some(match token {
        TokenKind::EqEq => CompareOp::Eq,
        TokenKind::NotEq => CompareOp::Ne,
        TokenKind::Less => CompareOp::Lt,
        TokenKind::LessEq => CompareOp::Le,
        TokenKind::Greater => CompareOp::Gt,
        TokenKind::GreaterEq => CompareOp::Ge,
        _ => return None,
    })
}

impl Sema<'_> {
    /// A comparison: `int`, or a vector of signed integers.
    pub(super) fn compare(&mut self, op: CompareOp, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        let (vx, vy) = (self.value(x), self.value(y));
        let is_equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        match (self.class_of(vx), self.class_of(vy)) {
            (Class::Error, _) | (_, Class::Error) => self.error_expr(loc),
            (Class::Pointer(_), _) | (_, Class::Pointer(_)) => {
                self.compare_pointers(op, loc, (x, vx), (y, vy))
            }
            (Class::Opaque(a), Class::Opaque(b)) if is_equality && a == b && is_comparable(a) => {
                self.new_value(ExprKind::Compare(op, vx, vy), types::INT, loc)
            }
            _ => match self.common_type(vx, vy) {
                Ok(common) => {
                    let (a, b) = (self.to_common(vx, common), self.to_common(vy, common));
                    let ty = match self.class(common) {
                        Class::Vector(element, lanes) => self.truth_vector(element, lanes),
                        _ => types::INT,
                    };
                    self.new_value(ExprKind::Compare(op, a, b), ty, loc)
                }
                Err(clash) => self.report_clash(clash, loc, x, y),
            },
        }
    }

    /// A comparison with a pointer, given each operand and its value.
    fn compare_pointers(
        &mut self,
        op: CompareOp,
        loc: Loc,
        (x, vx): (ExprId, ExprId),
        (y, vy): (ExprId, ExprId),
    ) -> ExprId {
        let operands = match (self.class_of(vx), self.class_of(vy)) {
            (Class::Pointer(a), Class::Pointer(b)) => self.compared_pointers(loc, vx, vy, a, b),
            (Class::Pointer(_), Class::Arith(n)) if n.is_int() => {
                self.warn_integer(op, loc, vx, vy, vy);
                let to = self.unqualified(self.ty(vx));
                Some((vx, self.cast_to_pointer(vy, to)))
            }
            (Class::Arith(n), Class::Pointer(_)) if n.is_int() => {
                self.warn_integer(op, loc, vx, vy, vx);
                let to = self.unqualified(self.ty(vy));
                Some((self.cast_to_pointer(vx, to), vy))
            }
            _ => {
                self.report_clash(Mismatch::Operands, loc, x, y);
                None
            }
        };
        match operands {
            Some((a, b)) => self.new_value(ExprKind::Compare(op, a, b), types::INT, loc),
            None => self.error_expr(loc),
        }
    }

    fn compared_pointers(
        &mut self,
        loc: Loc,
        x: ExprId,
        y: ExprId,
        a: QualTy,
        b: QualTy,
    ) -> Option<(ExprId, ExprId)> {
        let (ca, cb) = (self.types.canonical(a), self.types.canonical(b));
        let (p, q) = (self.quoted_of(x), self.quoted_of(y));
        if self.is_null_constant(y) {
            let to = self.unqualified(self.ty(x));
            return Some((x, self.pointer_cast(y, to)));
        }
        if self.is_null_constant(x) {
            let to = self.unqualified(self.ty(y));
            return Some((self.pointer_cast(x, to), y));
        }
        if !spaces_overlap(ca.quals.space, cb.quals.space) {
            let text = format!(
                "comparison between  ({p} and {q}) which are pointers to non-overlapping address spaces"
            );
            self.error(loc, text);
            self.underline_expr(x);
            self.underline_expr(y);
            return None;
        }
        if ca.ty != cb.ty && ca.ty != VOID && cb.ty != VOID {
            let text = format!("comparison of distinct pointer types ({p} and {q})");
            self.warning("compare-distinct-pointer-types", loc, text);
            self.underline_expr(x);
            self.underline_expr(y);
        }
        let (x, y) = self.same_space(x, y);
        let to = self.unqualified(self.ty(x));
        let y = self.pointer_cast(y, to);
        Some((x, y))
    }

    fn warn_integer(&mut self, op: CompareOp, loc: Loc, x: ExprId, y: ExprId, integer: ExprId) {
        if self.is_null_constant(integer) {
            return;
        }
        let (a, b) = (self.quoted_of(x), self.quoted_of(y));
        let (what, group) = match op {
            CompareOp::Eq | CompareOp::Ne => ("comparison", "pointer-integer-compare"),
            _ => ("ordered comparison", ""),
        };
        let text = format!("{what} between pointer and integer ({a} and {b})");
        self.warning(group, loc, text);
        self.underline_expr(x);
        self.underline_expr(y);
    }

    /// `&&` and `||`.
    pub(super) fn logical(&mut self, is_and: bool, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        let (vx, vy) = (self.value(x), self.value(y));
        let (cx, cy) = (self.class_of(vx), self.class_of(vy));
        if cx == Class::Error || cy == Class::Error {
            return self.error_expr(loc);
        }
        if matches!(cx, Class::Vector(..)) || matches!(cy, Class::Vector(..)) {
            return self.vector_logical(is_and, loc, (x, vx), (y, vy));
        }
        match (self.scalar_to_bool(vx), self.scalar_to_bool(vy)) {
            (Some(a), Some(b)) => {
                let kind = if is_and { ExprKind::LogicalAnd(a, b) } else { ExprKind::LogicalOr(a, b) };
                self.new_value(kind, types::INT, loc)
            }
            _ => self.report_clash(Mismatch::Operands, loc, x, y),
        }
    }

    fn vector_logical(
        &mut self,
        is_and: bool,
        loc: Loc,
        (x, vx): (ExprId, ExprId),
        (y, vy): (ExprId, ExprId),
    ) -> ExprId {
        let common = match self.common_type(vx, vy) {
            Ok(common) => common,
            Err(clash) => return self.report_clash(clash, loc, x, y),
        };
        let Class::Vector(element, lanes) = self.class(common) else {
            return self.report_clash(Mismatch::Operands, loc, x, y);
        };
        let (a, b) = (self.to_common(vx, common), self.to_common(vy, common));
        let ty = self.truth_vector(element, lanes);
        self.new_value(ExprKind::VectorLogical { is_and, x: a, y: b }, ty, loc)
    }
}

/// Whether handles of a type compare with `==`.
fn is_comparable(opaque: OpaqueType) -> bool {
    matches!(opaque, OpaqueType::ClkEvent | OpaqueType::Queue | OpaqueType::ReserveId)
}
