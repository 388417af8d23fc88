//! Postfix operators: calls, subscripts, member access, `++` and `--`.

use super::Parser;
use crate::front::c::ast::ExprId;
use crate::front::c::sema::call::Callee;
use crate::front::c::symbol::Symbol;
use crate::front::c::token::TokenKind as T;

impl Parser<'_> {
    /// Parses a primary expression with its postfix operators.
    pub(super) fn postfix_expression(&mut self) -> ExprId {
        let base = match self.called_name() {
            Some(name) => self.named_call(name),
            None => self.primary_expression(),
        };
        self.postfix_operators(base)
    }

    /// The identifier at the cursor if it is called, perhaps in parentheses, which keep macros away.
    fn called_name(&mut self) -> Option<Symbol> {
        if let Some(name) = self.identifier() {
            return (self.peek_at(1).kind == T::LParen).then_some(name);
        }
        let is_wrapped = self.kind() == T::LParen
            && self.peek_at(1).kind == T::Identifier
            && self.peek_at(2).kind == T::RParen
            && self.peek_at(3).kind == T::LParen;
        let name = self.peek_at(1);
        if !is_wrapped || self.keyword_of(name).is_some() || self.starts_type_at(1) {
            return None;
        }
        self.next();
        Some(name.symbol)
    }

    /// Parses a call; the cursor is at the function's name.
    fn named_call(&mut self, name: Symbol) -> ExprId {
        let loc = self.next().loc;
        // The parenthesis around a name.
        self.accept(T::RParen);
        if let Some(special) = self.special_call(name, loc) {
            return special;
        }
        let open = self.loc();
        let args = self.arguments();
        let close = self.previous_loc();
        match args {
            Some(args) => self.sema.call_name(Callee { name, loc, open, close }, &args),
            None => self.sema.error_expr(loc),
        }
    }

    /// Parses arguments in parentheses; `None` if the closing one is missing, which is reported.
    pub(super) fn arguments(&mut self) -> Option<Vec<ExprId>> {
        let open = self.next().loc;
        let mut args = Vec::new();
        if self.kind() != T::RParen {
            loop {
                args.push(self.assignment_expression());
                if !self.accept(T::Comma) {
                    break;
                }
            }
        }
        self.expect_close(T::RParen, open).then_some(args)
    }

    /// Parses the postfix operators of an expression.
    pub(super) fn postfix_operators(&mut self, base: ExprId) -> ExprId {
        let mut base = base;
        loop {
            let operator = self.peek();
            base = match operator.kind {
                T::LBracket => {
                    self.next();
                    let index = self.expression();
                    let close = self.loc();
                    if !self.expect_close(T::RBracket, operator.loc) {
                        return self.sema.error_expr(operator.loc);
                    }
                    self.sema.subscript(base, index, operator.loc, close)
                }
                T::LParen => {
                    let Some(args) = self.arguments() else {
                        return self.sema.error_expr(operator.loc);
                    };
                    let close = self.previous_loc();
                    self.sema.call_value(base, &args, operator.loc, close)
                }
                T::Dot | T::Arrow => {
                    self.next();
                    let at = self.peek();
                    // Keywords are no names of members, but a component may be spelled like a macro's number.
                    if at.kind != T::Identifier {
                        self.error_expected(at.loc, "identifier");
                        return self.sema.error_expr(at.loc);
                    }
                    self.next();
                    self.sema.member(base, at.symbol, operator.kind == T::Arrow, operator.loc, at.loc)
                }
                T::PlusPlus | T::MinusMinus => {
                    self.next();
                    let by = if operator.kind == T::PlusPlus { 1 } else { -1 };
                    self.sema.increment(base, by, false, operator.loc)
                }
                _ => return base,
            };
        }
    }
}
