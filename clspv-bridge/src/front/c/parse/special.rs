//! Expressions of the compiler's own that take types as arguments: `__builtin_offsetof`, `__builtin_astype`,
//! `__builtin_choose_expr` and their like, and `_Generic`.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::{CastKind, ExprId};
use crate::front::c::sema::class::Class;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::token::TokenKind as T;
use crate::front::c::types::{self, QualTy};

impl Parser<'_> {
    /// Parses the arguments of a function that takes types or does not evaluate all arguments; the cursor is
    /// at the parenthesis. `None` for all other functions.
    pub(super) fn special_call(&mut self, name: Symbol, loc: Loc) -> Option<ExprId> {
        let parse = match self.sema.text(name) {
            "__builtin_astype" => Parser::as_type,
            "__builtin_convertvector" => Parser::convert_vector,
            "__builtin_choose_expr" => Parser::choose_expression,
            "__builtin_types_compatible_p" => Parser::types_compatible,
            _ => return None,
        };
        let open = self.next().loc;
        let result = parse(self, loc);
        let close = self.loc();
        self.expect_close(T::RParen, open);
        self.sema.set_range(result, loc, close);
        Some(result)
    }

    /// `value, type`
    fn value_and_type(&mut self) -> Option<(ExprId, QualTy)> {
        let value = self.assignment_expression();
        self.expect(T::Comma, "','").then(|| (value, self.type_name()))
    }

    fn as_type(&mut self, loc: Loc) -> ExprId {
        match self.value_and_type() {
            Some((value, ty)) => {
                let to = self.sema.unqualified(ty);
                self.sema.reinterpret(to, value, loc)
            }
            None => self.sema.error_expr(loc),
        }
    }

    fn convert_vector(&mut self, loc: Loc) -> ExprId {
        let Some((value, ty)) = self.value_and_type() else {
            return self.sema.error_expr(loc);
        };
        let (v, to) = (self.sema.value(value), self.sema.unqualified(ty));
        match (self.sema.class_of(v), self.sema.class(to)) {
            (Class::Vector(_, n), Class::Vector(_, m)) if n == m => {
                self.sema.cast_node(CastKind::Vector, v, to)
            }
            (Class::Error, _) => v,
            _ => {
                let text = "arguments to '__builtin_convertvector' must have the same number of elements";
                self.sema.error(loc, text);
                self.sema.error_expr(loc)
            }
        }
    }

    fn choose_expression(&mut self, loc: Loc) -> ExprId {
        let condition = self.assignment_expression();
        let mut arms = Vec::new();
        while arms.len() < 2 && self.expect(T::Comma, "','") {
            arms.push(self.assignment_expression());
        }
        let v = self.sema.value(condition);
        match (self.sema.constant_truth(v), arms.as_slice()) {
            (Some(true), [then, _]) => *then,
            (Some(false), [_, otherwise]) => *otherwise,
            (None, [_, _]) => {
                let text = "'__builtin_choose_expr' requires a constant expression";
                self.sema.error_at(condition, text);
                self.sema.error_expr(loc)
            }
            _ => self.sema.error_expr(loc),
        }
    }

    fn types_compatible(&mut self, loc: Loc) -> ExprId {
        let first = self.type_name();
        if !self.expect(T::Comma, "','") {
            return self.sema.error_expr(loc);
        }
        let second = self.type_name();
        let is_same = self.sema.is_same(first.ty, second.ty);
        self.sema.new_int(u64::from(is_same), types::INT, loc)
    }

    /// `__builtin_offsetof(type, member.member[index])`
    pub(super) fn offset_of(&mut self) -> ExprId {
        let loc = self.next().loc;
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after '__builtin_offsetof'") {
            return self.sema.error_expr(loc);
        }
        let mut ty = self.type_name();
        let mut offset = 0u64;
        let mut is_valid = self.expect(T::Comma, "','");
        let mut is_first = true;
        while is_valid && self.kind() != T::RParen {
            let step = if self.kind() == T::LBracket && !is_first {
                self.offset_element(ty)
            } else if is_first || self.accept(T::Dot) {
                self.offset_field(ty)
            } else {
                break;
            };
            is_first = false;
            match step {
                Some((more, inner)) => {
                    offset = offset.wrapping_add(more);
                    ty = inner;
                }
                None => is_valid = false,
            }
        }
        if !is_valid {
            self.skip_to(&[T::RParen]);
        }
        self.expect_close(T::RParen, open);
        if is_valid { self.sema.new_int(offset, types::ULONG, loc) } else { self.sema.error_expr(loc) }
    }

    fn offset_element(&mut self, ty: QualTy) -> Option<(u64, QualTy)> {
        let open = self.next().loc;
        let index = self.constant_expression();
        self.expect_close(T::RBracket, open);
        let v = self.sema.value(index);
        let (Class::Array(of), Some(index)) = (self.sema.class(ty.ty), self.sema.constant_int(v)) else {
            self.sema.error(open, "offsetof requires an array and a constant index");
            return None;
        };
        let size = self.sema.size_of(of.ty).unwrap_or(0);
        Some((index.bits.wrapping_mul(size), of))
    }

    fn offset_field(&mut self, ty: QualTy) -> Option<(u64, QualTy)> {
        let at = self.peek();
        let Class::Record(id) = self.sema.class(ty.ty) else {
            let shown = self.sema.quoted(ty);
            self.sema
                .error(at.loc, format!("offsetof requires struct, union, or class type, {shown} invalid"));
            return None;
        };
        if at.kind != T::Identifier {
            self.error_expected(at.loc, "identifier");
            return None;
        }
        self.next();
        let found = self.sema.field_offset(id, at.symbol);
        if found.is_none() {
            let (name, shown) = (self.sema.text(at.symbol).to_owned(), self.sema.quoted(ty));
            self.sema.error(at.loc, format!("no member named '{name}' in {shown}"));
        }
        found
    }

    /// `_Generic(value, type: expression, default: expression)`
    pub(super) fn generic_selection(&mut self) -> ExprId {
        let loc = self.next().loc;
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after '_Generic'") {
            return self.sema.error_expr(loc);
        }
        self.sema.unevaluated += 1;
        let control = self.assignment_expression();
        let v = self.sema.value(control);
        self.sema.unevaluated -= 1;
        let wanted = self.sema.ty(v);
        let (mut chosen, mut default) = (None, None);
        while self.accept(T::Comma) {
            let ty = if self.accept_keyword(K::Default) { None } else { Some(self.type_name()) };
            if !self.expect(T::Colon, "':'") {
                break;
            }
            let e = self.assignment_expression();
            match ty {
                None => default = Some(e),
                Some(ty) if self.sema.is_same(ty.ty, wanted.ty) => chosen = Some(e),
                Some(_) => {}
            }
        }
        self.expect_close(T::RParen, open);
        if let Some(e) = chosen.or(default) {
            return e;
        }
        if !self.sema.is_error(v) {
            let shown = self.sema.quoted(wanted);
            let text = format!(
                "controlling expression type {shown} not compatible with any generic association type"
            );
            self.sema.error_at(control, text);
        }
        self.sema.error_expr(loc)
    }
}
