//! Casts, prefix operators, and primary expressions.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::{ExprId, ExprKind, Storage};
use crate::front::c::sema::class::Class;
use crate::front::c::sema::derive::BLOCKS_DISABLED;
use crate::front::c::sema::primary::Query;
use crate::front::c::source::Loc;
use crate::front::c::token::{Token, TokenKind as T};
use crate::front::c::types::{self, AddressSpace, QualTy, TypeKind};

impl Parser<'_> {
    /// Parses casts, prefix operators and what binds stronger.
    pub(super) fn cast_expression(&mut self) -> ExprId {
        let token = self.peek();
        let is_prefix = matches!(
            token.kind,
            T::PlusPlus | T::MinusMinus | T::Amp | T::Star | T::Plus | T::Minus | T::Tilde | T::Not
        );
        let is_cast = token.kind == T::LParen && self.starts_type_at(1);
        let is_word = self.keyword() == Some(K::Extension);
        if !is_prefix && !is_cast && !is_word {
            return self.unary_word();
        }
        let parse = |p: &mut Self| match () {
            () if is_cast => p.cast_or_literal(),
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

    /// Parses a cast, a vector literal, or a compound literal; the cursor is at the parenthesis.
    fn cast_or_literal(&mut self) -> ExprId {
        let open = self.next().loc;
        let ty = self.type_name();
        self.expect_close(T::RParen, open);
        if self.kind() == T::LBrace {
            let literal = self.compound_literal(ty, open);
            return self.postfix_operators(literal);
        }
        let is_vector = matches!(self.sema.class(ty.ty), Class::Vector(..));
        if is_vector
            && self.kind() == T::LParen
            && !self.starts_type_at(1)
            && self.peek_at(1).kind != T::LBrace
        {
            // Postfix operators apply to the literal and not to its parentheses.
            let parts_at = self.loc();
            let Some(parts) = self.arguments() else {
                return self.sema.error_expr(parts_at);
            };
            let close = self.previous_loc();
            let literal = match parts.as_slice() {
                [] => {
                    self.sema.error(close, "expected expression");
                    self.sema.error_expr(parts_at)
                }
                [one] => self.sema.vector_of_one(ty, *one, open),
                several => self.sema.vector_literal(ty, several, open, (parts_at, close)),
            };
            self.sema.set_range(literal, open, close);
            return self.postfix_operators(literal);
        }
        let operand = self.cast_expression();
        self.sema.cast(ty, operand, open)
    }

    /// `(type){...}`: an object with the lifetime of the enclosing block, or of the program.
    fn compound_literal(&mut self, ty: QualTy, open: Loc) -> ExprId {
        let is_file = self.sema.body().is_none();
        let (storage, space) = match ty.quals.space {
            AddressSpace::Default if is_file => (Storage::Static, AddressSpace::Constant),
            AddressSpace::Default => (Storage::Auto, AddressSpace::Private),
            AddressSpace::Private => (Storage::Auto, AddressSpace::Private),
            space => (Storage::Static, space),
        };
        // An array takes its length from the initializer.
        let is_flexible = matches!(self.sema.types.resolved(ty.ty), TypeKind::Array(_, None));
        let mut ty = ty;
        if !is_flexible && !self.sema.is_complete(ty.ty) && self.sema.class(ty.ty) != Class::Error {
            let shown = self.sema.quoted(ty);
            self.sema.error(open, format!("variable has incomplete type {shown}"));
            ty = QualTy::plain(types::ERROR);
        }
        let (init, ty) = self.initializer_for(ty, open);
        let ty = ty.in_space(space);
        let var = self.sema.new_var(None, ty, storage, open);
        if let Some(var) = self.sema.var_mut(var) {
            var.init = Some(init);
        }
        if storage == Storage::Static {
            self.sema.unit.statics.push(var);
        }
        let last = self.previous_loc();
        let literal = self.sema.new_expr(ExprKind::CompoundLiteral(var), ty, true, open);
        self.sema.set_range(literal, open, last);
        literal
    }

    /// Parses operators that are words, or a postfix expression.
    fn unary_word(&mut self) -> ExprId {
        match self.keyword() {
            Some(K::Sizeof) => self.type_query(Query::Size),
            Some(K::Alignof) => self.type_query(Query::Align),
            Some(K::VecStep) => self.type_query(Query::VecStep),
            Some(K::Offsetof) => self.offset_of(),
            _ => self.postfix_expression(),
        }
    }

    /// Parses `sizeof`, `_Alignof` and `vec_step` of a type or expression.
    fn type_query(&mut self, query: Query) -> ExprId {
        let word = self.next();
        let is_type = self.kind() == T::LParen && self.starts_type_at(1);
        let (ty, operand) = if is_type {
            let open = self.next().loc;
            let ty = self.type_name();
            self.expect_close(T::RParen, open);
            if self.kind() == T::LBrace {
                let literal = self.compound_literal(ty, open);
                let e = self.postfix_operators(literal);
                (self.sema.ty(e), Some(e))
            } else {
                (ty, None)
            }
        } else {
            self.sema.unevaluated += 1;
            let operand = self.nested(Parser::cast_operand);
            self.sema.unevaluated -= 1;
            match operand {
                Some(e) => (self.sema.ty(e), Some(e)),
                None => return self.sema.error_expr(word.loc),
            }
        };
        let result = self.sema.type_query(query, ty, operand, word.loc);
        let last = self.previous_loc();
        self.sema.set_range(result, word.loc, last);
        result
    }

    /// Operand of `sizeof`: a unary expression, which a cast is not.
    fn cast_operand(&mut self) -> ExprId {
        let is_prefix = self.kind() != T::LParen;
        if is_prefix { self.cast_expression() } else { self.postfix_expression() }
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
            T::Caret => match self.nested(Parser::block_literal) {
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
            Some(K::Generic11) => match self.nested(Parser::generic_selection) {
                Some(e) => e,
                None => self.sema.error_expr(token.loc),
            },
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

    /// Parses an expression in parentheses, or a statement expression.
    fn parenthesized(&mut self) -> ExprId {
        let open = self.next().loc;
        let result = if self.kind() == T::LBrace {
            let is_file = self.sema.body().is_none();
            if is_file {
                self.sema.error(open, "statement expression not allowed at file scope");
            }
            let body = self.compound_statement();
            if is_file {
                self.expect_close(T::RParen, open);
                return self.sema.error_expr(open);
            }
            self.sema.statement_expression(body, open)
        } else {
            self.expression()
        };
        let close = self.loc();
        if self.expect_close(T::RParen, open) {
            self.sema.set_range(result, open, close);
        }
        result
    }

    /// Parses `^(int x) { ... }`.
    fn block_literal(&mut self) -> ExprId {
        let caret = self.next().loc;
        if !self.sema.language.has_blocks() {
            self.sema.error(caret, BLOCKS_DISABLED);
        }
        let first_var = self.sema.unit.vars.len() as u32;
        self.sema.scopes.enter();
        let (params, result) = match self.kind() {
            T::LBrace => (Vec::new(), None),
            T::LParen => {
                let (params, is_variadic) = self.block_parameters();
                if is_variadic {
                    self.sema.refuse_variadic_block(caret);
                }
                (params, None)
            }
            _ => {
                let specifiers = self.specifiers();
                let declarator = self.declarator(&specifiers);
                self.bind_parameters(&declarator.params);
                let result = self.sema.result_of(declarator.ty);
                (declarator.params, Some(result))
            }
        };
        self.sema.enter_block(first_var, result);
        let body = self.compound_statement();
        let block = self.sema.leave_block(params, body, caret);
        self.sema.scopes.leave();
        let last = self.previous_loc();
        self.sema.set_range(block, caret, last);
        block
    }
}
