//! Arithmetic, bitwise and shift operators, and the usual arithmetic conversions with the widening of scalars
//! to vectors (OpenCL C, sections 6.3.1 to 6.3.10 and 6.4).

use super::Sema;
use super::class::Class;
use crate::front::c::ast::{BinaryOp, CastKind, ExprId, ExprKind};
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind;
use crate::front::c::types::{self, Arith, QualTy, Ty};

/// Why two operands have no common type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// One of them has an error that is reported.
    Error,
    /// Neither scalars nor vectors.
    Operands,
    /// Vectors of different types.
    Vectors,
    /// A scalar that is wider than the lanes, or floating beside integer lanes.
    Rank,
}

/// Rank of a scalar type among those of its kind.
fn order(arith: Arith) -> u32 {
    match arith {
        Arith::Bool => 0,
        Arith::Char | Arith::UChar => 1,
        Arith::Short | Arith::UShort => 2,
        Arith::Int | Arith::UInt => 3,
        Arith::Long | Arith::ULong => 4,
        Arith::Half => 5,
        Arith::Float => 6,
        Arith::Double => 7,
    }
}

/// Type of an operand after integer promotion.
pub fn promoted(arith: Arith) -> Arith {
    if arith.is_int() && arith.bytes() < 4 { Arith::Int } else { arith }
}

/// Common type of two scalars (C99, section 6.3.1.8).
pub fn usual(a: Arith, b: Arith) -> Arith {
    common(promoted(a), promoted(b))
}

/// Common type of two scalars, without the integer promotions.
pub fn common(a: Arith, b: Arith) -> Arith {
    if order(a) != order(b) {
        return if order(a) > order(b) { a } else { b };
    }
    if a.is_int() && !a.is_signed() { a } else { b }
}

/// Whether a scalar operand may be widened to lanes of a type.
fn fits_lanes(scalar: Arith, lanes: Arith) -> bool {
    if lanes.is_float() {
        return scalar.is_int() || order(scalar) <= order(lanes);
    }
    scalar.is_int()
        && (order(scalar) < order(lanes)
            || order(scalar) == order(lanes) && (scalar == lanes || scalar.is_signed()))
}

/// The operation of an operator or of its assignment form.
pub fn binary_op(token: TokenKind) -> Option<BinaryOp> {
    Some(match token {
        TokenKind::Plus | TokenKind::PlusEq => BinaryOp::Add,
        TokenKind::Minus | TokenKind::MinusEq => BinaryOp::Sub,
        TokenKind::Star | TokenKind::StarEq => BinaryOp::Mul,
        TokenKind::Slash | TokenKind::SlashEq => BinaryOp::Div,
        TokenKind::Percent | TokenKind::PercentEq => BinaryOp::Rem,
        TokenKind::Shl | TokenKind::ShlEq => BinaryOp::Shl,
        TokenKind::Shr | TokenKind::ShrEq => BinaryOp::Shr,
        TokenKind::Amp | TokenKind::AmpEq => BinaryOp::And,
        TokenKind::Pipe | TokenKind::PipeEq => BinaryOp::Or,
        TokenKind::Caret | TokenKind::CaretEq => BinaryOp::Xor,
        _ => return None,
    })
}

/// Whether an operation takes integers only.
fn needs_ints(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
}

impl Sema<'_> {
    /// A binary operator other than assignment and comma.
    pub fn binary(&mut self, op: TokenKind, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        let result = match self.refuse_operands(loc, x, y) {
            Some(refused) => refused,
            None => self.binary_node(op, loc, x, y),
        };
        self.set_range(result, self.begin(x), self.range(y).1);
        result
    }

    fn binary_node(&mut self, op: TokenKind, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        if matches!(op, TokenKind::AmpAmp | TokenKind::PipePipe) {
            return self.logical(op == TokenKind::AmpAmp, loc, x, y);
        }
        match (binary_op(op), super::compare::compare_op(op)) {
            (Some(op), _) => self.arithmetic(op, loc, x, y),
            (None, Some(op)) => self.compare(op, loc, x, y),
            (None, None) => self.error_expr(loc),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        let (vx, vy) = (self.value(x), self.value(y));
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, loc, (x, vx), (y, vy));
        }
        let (cx, cy) = (self.class_of(vx), self.class_of(vy));
        if matches!(cx, Class::Pointer(_)) || matches!(cy, Class::Pointer(_)) {
            return self.pointer_arithmetic(op, loc, (x, vx), (y, vy));
        }
        let is_float = |class: Class| class.element().is_some_and(Arith::is_float);
        if needs_ints(op) && (is_float(cx) || is_float(cy)) {
            return self.report_clash(Mismatch::Operands, loc, x, y);
        }
        let common = match self.common_type(vx, vy) {
            Ok(common) => common,
            Err(clash) => return self.report_clash(clash, loc, x, y),
        };
        let element = self.class(common).element();
        self.check_division(op, loc, vy, element);
        let (a, b) = (self.to_common(vx, common), self.to_common(vy, common));
        self.new_value(ExprKind::Binary(op, a, b), common, loc)
    }

    fn check_division(&mut self, op: BinaryOp, loc: Loc, divisor: ExprId, element: Option<Arith>) {
        let is_int = element.is_some_and(Arith::is_int);
        if is_int && matches!(self.expr(divisor).kind, ExprKind::Int(0)) && self.unevaluated == 0 {
            match op {
                BinaryOp::Div => self.warning("division-by-zero", loc, "division by zero is undefined"),
                BinaryOp::Rem => self.warning("division-by-zero", loc, "remainder by zero is undefined"),
                _ => return,
            }
            self.underline_expr(divisor);
        }
    }

    /// Scalar type of a value as an operand: bit-fields that fit `int` or `uint` promote to it.
    pub fn operand_arith(&self, v: ExprId, arith: Arith) -> Arith {
        match self.bit_field_width(self.loaded(v)) {
            Some(width) if arith.is_int() && (width < 32 || arith.is_signed() && width == 32) => Arith::Int,
            Some(32) if arith.is_int() => Arith::UInt,
            _ => arith,
        }
    }

    /// Promotes a scalar operand of integer type.
    pub fn promote(&mut self, v: ExprId) -> ExprId {
        let Class::Arith(arith) = self.class_of(v) else {
            return v;
        };
        let to = promoted(self.operand_arith(v, arith));
        self.scalar_cast(v, types::scalar(to))
    }

    /// Common type of two values.
    pub fn common_type(&mut self, x: ExprId, y: ExprId) -> Result<Ty, Mismatch> {
        let of = |sema: &Self, v: ExprId| match sema.class_of(v) {
            Class::Arith(arith) => Class::Arith(sema.operand_arith(v, arith)),
            other => other,
        };
        match (of(self, x), of(self, y)) {
            (Class::Error, _) | (_, Class::Error) => Err(Mismatch::Error),
            (Class::Arith(a), Class::Arith(b)) => Ok(types::scalar(usual(a, b))),
            (Class::Vector(a, n), Class::Vector(b, m)) => {
                if a == b && n == m {
                    Ok(self.unqualified(self.ty(x)))
                } else {
                    Err(Mismatch::Vectors)
                }
            }
            (Class::Vector(lanes, _), Class::Arith(scalar)) => self.widened(x, scalar, lanes),
            (Class::Arith(scalar), Class::Vector(lanes, _)) => self.widened(y, scalar, lanes),
            _ => Err(Mismatch::Operands),
        }
    }

    fn widened(&self, vector: ExprId, scalar: Arith, lanes: Arith) -> Result<Ty, Mismatch> {
        if fits_lanes(scalar, lanes) { Ok(self.unqualified(self.ty(vector))) } else { Err(Mismatch::Rank) }
    }

    /// Converts an operand to the common type.
    pub fn to_common(&mut self, v: ExprId, common: Ty) -> ExprId {
        match (self.class_of(v), self.class(common)) {
            (Class::Arith(_), Class::Vector(..)) => self.splat(v, common),
            (Class::Arith(_), _) => self.scalar_cast(v, common),
            _ => v,
        }
    }

    /// Reports operands without a common type.
    pub fn report_clash(&mut self, clash: Mismatch, loc: Loc, x: ExprId, y: ExprId) -> ExprId {
        if clash != Mismatch::Error {
            let plain = |sema: &Self, e: ExprId| sema.quoted(QualTy::plain(sema.unqualified(sema.ty(e))));
            let text = match clash {
                Mismatch::Vectors => {
                    let (a, b) = (plain(self, x), plain(self, y));
                    format!("implicit conversions between vector types ({a} and {b}) are not permitted")
                }
                Mismatch::Rank => {
                    let (v, s) = if matches!(self.class_of(x), Class::Vector(..)) { (x, y) } else { (y, x) };
                    let (a, b) = (plain(self, v), plain(self, s));
                    format!(
                        "scalar operand type has greater rank than the type of the vector element. ({a} and {b})"
                    )
                }
                _ => {
                    let (a, mut b) = (self.quoted_of(x), self.quoted_of(y));
                    if a == b {
                        // What a name stands for is explained once.
                        b.truncate(b.find("' (").map_or(b.len(), |end| end + 1));
                    }
                    format!("invalid operands to binary expression ({a} and {b})")
                }
            };
            self.error(loc, text);
            self.underline_expr(x);
            self.underline_expr(y);
        }
        self.error_expr(loc)
    }

    /// `<<` and `>>`, given each operand and its value.
    fn shift(&mut self, op: BinaryOp, loc: Loc, x: (ExprId, ExprId), y: (ExprId, ExprId)) -> ExprId {
        match self.shift_operands(loc, x, y) {
            Some((a, b)) => {
                let ty = self.unqualified(self.ty(a));
                self.new_value(ExprKind::Binary(op, a, b), ty, loc)
            }
            None => self.error_expr(loc),
        }
    }

    /// Converts the operands of a shift: scalars are promoted, a vector shifts by a vector of its own type.
    pub fn shift_operands(
        &mut self,
        loc: Loc,
        (x, vx): (ExprId, ExprId),
        (y, vy): (ExprId, ExprId),
    ) -> Option<(ExprId, ExprId)> {
        let (cx, cy) = (self.class_of(vx), self.class_of(vy));
        if cx == Class::Error || cy == Class::Error {
            return None;
        }
        let (Some(a), Some(b)) = (cx.element(), cy.element()) else {
            self.report_clash(Mismatch::Operands, loc, x, y);
            return None;
        };
        if a.is_float() || b.is_float() {
            let shown = if a.is_float() { x } else { y };
            if matches!(cx, Class::Arith(_)) && matches!(cy, Class::Arith(_)) {
                self.report_clash(Mismatch::Operands, loc, x, y);
            } else {
                let ty = self.quoted(QualTy::plain(self.unqualified(self.ty(shown))));
                self.error(loc, format!("used type {ty} where integer is required"));
                self.underline_expr(shown);
            }
            return None;
        }
        match (cx, cy) {
            (Class::Vector(_, n), Class::Vector(_, m)) if n != m => {
                let (a, b) = (self.quoted_of(vx), self.quoted_of(vy));
                let text = format!("vector operands do not have the same number of elements ({a} and {b})");
                self.error(loc, text);
                self.underline_expr(x);
                self.underline_expr(y);
                None
            }
            (Class::Vector(..), Class::Vector(..)) => {
                let ty = self.unqualified(self.ty(vx));
                let amount = if a == b { vy } else { self.cast_node(CastKind::Vector, vy, ty) };
                Some((vx, amount))
            }
            (Class::Vector(..), _) => {
                let ty = self.unqualified(self.ty(vx));
                Some((vx, self.splat(vy, ty)))
            }
            (_, Class::Vector(..)) => {
                let (a, b) = (self.quoted_of(y), self.quoted_of(x));
                let text = format!(
                    "requested shift is a vector of type {a} but the first operand is not a vector ({b})"
                );
                self.error(loc, text);
                self.underline_expr(x);
                self.underline_expr(y);
                None
            }
            _ => Some((self.promote(vx), self.promote(vy))),
        }
    }

    /// Unary `+`, `-`, `~` and `!`.
    pub fn unary(&mut self, op: TokenKind, loc: Loc, e: ExprId) -> ExprId {
        if let Some(refused) = self.refuse_operand(loc, e) {
            return refused;
        }
        let v = self.value(e);
        let class = self.class_of(v);
        if class == Class::Error {
            return v;
        }
        let result = match (op, class) {
            (TokenKind::Not, Class::Vector(element, lanes)) => {
                let ty = self.truth_vector(element, lanes);
                self.new_value(ExprKind::Not(v), ty, loc)
            }
            (TokenKind::Not, _) => match self.scalar_to_bool(v) {
                Some(condition) => self.new_value(ExprKind::Not(condition), types::INT, loc),
                None => self.report_unary(loc, e, v),
            },
            (_, Class::Arith(arith)) if op != TokenKind::Tilde || arith.is_int() => {
                let promoted = self.promote(v);
                self.unary_node(op, promoted, loc)
            }
            (_, Class::Vector(element, _)) if op != TokenKind::Tilde || element.is_int() => {
                self.unary_node(op, v, loc)
            }
            _ => self.report_unary(loc, e, v),
        };
        self.set_range(result, loc, self.range(e).1);
        result
    }

    fn unary_node(&mut self, op: TokenKind, v: ExprId, loc: Loc) -> ExprId {
        let ty = self.unqualified(self.ty(v));
        let kind = match op {
            TokenKind::Plus => ExprKind::Plus(v),
            TokenKind::Minus => ExprKind::Neg(v),
            _ => ExprKind::BitNot(v),
        };
        self.new_value(kind, ty, loc)
    }

    pub(super) fn report_unary(&mut self, loc: Loc, e: ExprId, v: ExprId) -> ExprId {
        let ty = self.quoted_of(v);
        self.error(loc, format!("invalid argument type {ty} to unary expression"));
        self.underline_expr(e);
        self.error_expr(loc)
    }

    /// Type of a comparison of vectors: signed lanes of the operands' width.
    pub fn truth_vector(&mut self, element: Arith, lanes: u8) -> Ty {
        let lane = match element.bytes() {
            1 => Arith::Char,
            2 => Arith::Short,
            4 => Arith::Int,
            _ => Arith::Long,
        };
        self.vector(lane, lanes)
    }
}
