//! Initializers: an expression, or braces with designators.

use super::Parser;
use crate::front::c::ast::ExprId;
use crate::front::c::sema::initializer::{Braced, Designator, Item, Written};
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind as T;
use crate::front::c::types::QualTy;

impl Parser<'_> {
    /// Parses an initializer of an object of this type. Returns it converted, and the type with the length
    /// that it gives to an array. An expression that does not fit is reported at `at`, the object's name.
    pub fn initializer_for(&mut self, ty: QualTy, at: Loc) -> (ExprId, QualTy) {
        let written = self.initializer();
        self.sema.initialize(ty, &written, at)
    }

    /// Parses an initializer before its type is applied.
    pub(super) fn initializer(&mut self) -> Written {
        let loc = self.loc();
        let written = self.nested(|p| {
            if p.kind() == T::LBrace {
                Written::Braced(p.braced())
            } else {
                Written::Expr(p.assignment_expression())
            }
        });
        written.unwrap_or_else(|| Written::Expr(self.sema.error_expr(loc)))
    }

    fn braced(&mut self) -> Braced {
        let open = self.next().loc;
        let mut items = Vec::new();
        while !matches!(self.kind(), T::RBrace | T::End) {
            let loc = self.loc();
            let designators = self.designators();
            let is_missing = matches!(self.kind(), T::Comma | T::RBrace)
                && self.previous_kind() == T::RBracket
                && designators.is_empty();
            let value =
                if is_missing { Written::Expr(self.sema.error_expr(loc)) } else { self.initializer() };
            items.push(Item { designators, value, loc });
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect_close(T::RBrace, open);
        Braced { items, loc: open }
    }

    /// Parses `.name`, `[index]`, `[first ... last]` and `=`, or the old form `name:`.
    fn designators(&mut self) -> Vec<Designator> {
        let mut designators = Vec::new();
        if let Some(name) = self.identifier()
            && self.peek_at(1).kind == T::Colon
        {
            let loc = self.next().loc;
            self.next();
            designators.push(Designator::Field(name, loc));
            return designators;
        }
        loop {
            let loc = self.loc();
            match self.kind() {
                T::Dot => {
                    self.next();
                    let Some(name) = self.identifier() else {
                        let loc = self.loc();
                        self.error_expected(loc, "a field designator, such as '.field = 4'");
                        break;
                    };
                    let loc = self.next().loc;
                    designators.push(Designator::Field(name, loc));
                }
                T::LBracket => {
                    self.next();
                    let at = self.loc();
                    let first = self.designator_index();
                    let last = if self.accept(T::Ellipsis) { self.designator_index() } else { first };
                    self.expect_close(T::RBracket, loc);
                    designators.push(Designator::Index { first, last, loc: at });
                }
                _ => break,
            }
        }
        if !designators.is_empty() && !self.accept(T::Eq) {
            let loc = self.loc();
            self.error_expected(loc, "'=' or another designator");
            self.skip_to(&[T::Comma, T::RBrace]);
            return Vec::new();
        }
        designators
    }

    /// Parses an index; `None` after an error.
    fn designator_index(&mut self) -> Option<u64> {
        let loc = self.loc();
        let expr = self.constant_expression();
        let value = self.sema.constant_int(expr);
        if let Some(value) = value
            && value.signed() < 0
        {
            self.sema.error(loc, format!("array designator value '{}' is negative", value.signed()));
            return None;
        }
        if value.is_none() {
            self.sema.report_not_constant(expr, loc);
        }
        value.map(|value| value.bits)
    }
}
