//! Casts, prefix operators, and primary expressions.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::ExprId;
use crate::front::c::token::{Token, TokenKind as T};
use crate::front::c::types;

impl Parser<'_> {
    /// Parses casts, prefix operators and what binds stronger.
    pub(super) fn cast_expression(&mut self) -> ExprId {
        let token = self.peek();
        let is_prefix = matches!(
            token.kind,
            T::PlusPlus | T::MinusMinus | T::Amp | T::Star | T::Plus | T::Minus | T::Tilde | T::Not
        );
        let is_word = self.keyword() == Some(K::Extension);
        if !is_prefix && !is_word {
            return self.postfix_expression();
        }
        let parse = |p: &mut Self| match () {
            () if is_prefix => p.prefix_operator(),
            () => {
                p.next();
                p.cast_expression()
            }
        };
        match self.nested(parse) {
            Some(e) => e,
            None => self.sema.error_expr(token.loc),
        }
    }

    fn prefix_operator(&mut self) -> ExprId {
        let operator = self.next();
        let loc = operator.loc;
        let operand = self.cast_expression();
        match operator.kind {
            T::PlusPlus => self.sema.increment(operand, 1, true, loc),
            T::MinusMinus => self.sema.increment(operand, -1, true, loc),
            T::Amp => self.sema.address_of(loc, operand),
            T::Star => self.sema.deref(loc, operand),
            kind => self.sema.unary(kind, loc, operand),
        }
    }

    /// Parses a primary expression.
    pub(super) fn primary_expression(&mut self) -> ExprId {
        let token = self.peek();
        match token.kind {
            T::Identifier => self.word(token),
            T::Number => {
                self.next();
                self.sema.number(token)
            }
            T::Char => {
                self.next();
                self.sema.character(token)
            }
            T::Str => self.string_literal(),
            T::LParen => match self.nested(Parser::parenthesized) {
                Some(e) => e,
                None => self.sema.error_expr(token.loc),
            },
            _ => self.missing_expression(),
        }
    }

    /// Reports that an expression is missing at the cursor.
    pub(super) fn missing_expression(&mut self) -> ExprId {
        let loc = self.loc();
        self.error_expected(loc, "expression");
        self.sema.error_expr(loc)
    }

    /// Parses an identifier, or a keyword that begins an expression.
    fn word(&mut self, token: Token) -> ExprId {
        match self.keyword() {
            None => {
                self.next();
                self.sema.identifier(token.symbol, token.loc)
            }
            Some(K::True | K::False) => {
                let is_true = self.keyword() == Some(K::True);
                self.next();
                self.sema.new_int(u64::from(is_true), types::BOOL, token.loc)
            }
            Some(K::Func) => {
                self.next();
                self.sema.function_name(token.loc)
            }
            Some(_) => self.missing_expression(),
        }
    }

    fn string_literal(&mut self) -> ExprId {
        let mut tokens = vec![self.next()];
        while self.kind() == T::Str {
            tokens.push(self.next());
        }
        self.sema.string(&tokens)
    }

    /// Parses an expression in parentheses.
    fn parenthesized(&mut self) -> ExprId {
        let open = self.next().loc;
        let result = self.expression();
        let close = self.loc();
        if self.expect_close(T::RParen, open) {
            self.sema.set_range(result, open, close);
        }
        result
    }
}
