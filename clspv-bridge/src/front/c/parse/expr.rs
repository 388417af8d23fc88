//! Expressions: comma, assignment, conditional and binary operators.
//!
//! Chains of operators are read in loops, so that only brackets and prefix operators deepen the recursion.

use super::Parser;
use crate::front::c::ast::ExprId;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind as T;

/// Binding strength of a binary operator, the strongest last; `None` for other tokens.
fn precedence(kind: T) -> Option<u8> {
    Some(match kind {
        T::PipePipe => 1,
        T::AmpAmp => 2,
        T::Pipe => 3,
        T::Caret => 4,
        T::Amp => 5,
        T::EqEq | T::NotEq => 6,
        T::Less | T::LessEq | T::Greater | T::GreaterEq => 7,
        T::Shl | T::Shr => 8,
        T::Plus | T::Minus => 9,
        T::Star | T::Slash | T::Percent => 10,
        _ => return None,
    })
}

/// Whether a token is `=` or a compound assignment.
fn is_assignment(kind: T) -> bool {
    matches!(
        kind,
        T::Eq
            | T::StarEq
            | T::SlashEq
            | T::PercentEq
            | T::PlusEq
            | T::MinusEq
            | T::ShlEq
            | T::ShrEq
            | T::AmpEq
            | T::CaretEq
            | T::PipeEq
    )
}

impl Parser<'_> {
    /// Parses an expression with commas.
    pub fn expression(&mut self) -> ExprId {
        let mut left = self.assignment_expression();
        while self.kind() == T::Comma {
            let loc = self.next().loc;
            let right = self.assignment_expression();
            left = self.sema.comma(left, right, loc);
        }
        left
    }

    /// Parses an assignment or what binds stronger.
    pub fn assignment_expression(&mut self) -> ExprId {
        let loc = self.loc();
        match self.nested(Parser::assignment_chain) {
            Some(e) => e,
            None => self.sema.error_expr(loc),
        }
    }

    /// Assignments bind to the right: the targets are collected before the last value is known.
    fn assignment_chain(&mut self) -> ExprId {
        let mut targets: Vec<(ExprId, T, Loc)> = Vec::new();
        let mut value = self.conditional_expression();
        while is_assignment(self.kind()) {
            let operator = self.next();
            targets.push((value, operator.kind, operator.loc));
            value = self.conditional_expression();
        }
        targets.into_iter().rev().fold(value, |v, (target, op, loc)| self.sema.assign(op, loc, target, v))
    }

    /// Parses an expression that has to be constant; the caller evaluates it.
    pub fn constant_expression(&mut self) -> ExprId {
        let loc = self.loc();
        match self.nested(Parser::conditional_expression) {
            Some(e) => e,
            None => self.sema.error_expr(loc),
        }
    }

    /// Parses `a ? b : c` and what binds stronger. A chain of conditions in the last operands is one loop.
    fn conditional_expression(&mut self) -> ExprId {
        let mut conditions: Vec<(ExprId, Option<ExprId>, Loc)> = Vec::new();
        let mut last = self.binary_expression(0);
        while self.kind() == T::Question {
            let question = self.next().loc;
            let then = if self.kind() == T::Colon { None } else { Some(self.expression()) };
            if !self.accept(T::Colon) {
                let loc = self.loc();
                self.error_expected(loc, "':'");
                self.sema.note(question, "to match this '?'");
                return self.sema.error_expr(loc);
            }
            conditions.push((last, then, question));
            last = self.binary_expression(0);
        }
        conditions.into_iter().rev().fold(last, |otherwise, (condition, then, loc)| match then {
            Some(then) => self.sema.conditional(condition, then, otherwise, loc),
            None => self.sema.conditional_omitted(condition, otherwise, loc),
        })
    }

    /// Parses binary operators that bind stronger than `weakest`.
    fn binary_expression(&mut self, weakest: u8) -> ExprId {
        let mut left = self.cast_expression();
        while let Some(strength) = precedence(self.kind()).filter(|strength| *strength > weakest) {
            let operator = self.next();
            let right = self.binary_expression(strength);
            left = self.sema.binary(operator.kind, operator.loc, left, right);
        }
        left
    }
}
