//! Declarators: pointers, arrays, functions and blocks around a name.
//!
//! A declarator is read outermost first into a stack of [`Chunk`]s, which are then applied to the type of the
//! specifiers from the last to the first.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::{Storage, VarId};
use crate::front::c::declaration::{Attributes, Chunk, Declarator, Specifiers, StorageClass};
use crate::front::c::sema::scope::Binding;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind as T;
use crate::front::c::types::*;

impl Parser<'_> {
    /// Parses a declarator, with or without a name.
    pub fn declarator(&mut self, specifiers: &Specifiers) -> Declarator {
        let start = self.chunks.len();
        let mut declarator = Declarator {
            name: None,
            loc: self.loc(),
            ty: specifiers.ty,
            params: Vec::new(),
            attributes: Attributes::default(),
        };
        self.nested(|p| p.declarator_chunks(&mut declarator));
        let mut ty = specifiers.ty;
        while self.chunks.len() > start {
            let Some(chunk) = self.chunks.pop() else { break };
            ty = match chunk {
                Chunk::Pointer(quals, loc) => self.sema.pointer_type(ty, quals, loc),
                Chunk::Block(quals, loc) => self.sema.block_type(ty, quals, loc),
                Chunk::Array(len, quals, loc) => {
                    // The qualifiers in brackets are for parameters alone, whose type becomes a pointer.
                    declarator.attributes.pointer_quals = quals;
                    self.sema.array_type(ty, len, loc)
                }
                Chunk::Function { params, is_variadic } => {
                    let is_block = matches!(self.chunks.last(), Some(Chunk::Block(..)));
                    if !is_block || self.chunks.len() <= start {
                        self.sema.check_result_space(ty, declarator.loc);
                    }
                    let function = self.sema.function_type(ty, &params, is_variadic, declarator.loc);
                    declarator.params = params;
                    function
                }
            };
        }
        let attributes = &mut declarator.attributes;
        let (lanes, bytes) = (attributes.lanes.take(), attributes.vector_bytes.take());
        ty = self.sema.vector_type(ty, lanes, bytes);
        if let Some(space) = attributes.space.take() {
            let mut quals = ty.quals;
            self.set_space(&mut quals, space, declarator.loc);
            ty.quals = quals;
        }
        declarator.ty = ty;
        declarator
    }

    /// Reads a declarator into the stack of chunks.
    fn declarator_chunks(&mut self, declarator: &mut Declarator) {
        self.attributes_into(&mut declarator.attributes);
        let loc = self.loc();
        match self.kind() {
            T::Star | T::Caret => {
                let is_block = self.next().kind == T::Caret;
                let quals = self.pointer_qualifiers(declarator);
                self.nested(|p| p.declarator_chunks(declarator));
                let chunk = if is_block { Chunk::Block(quals, loc) } else { Chunk::Pointer(quals, loc) };
                self.chunks.push(chunk);
                return;
            }
            T::LParen if self.is_grouping() => {
                self.next();
                self.nested(|p| p.declarator_chunks(declarator));
                self.expect_close(T::RParen, loc);
            }
            _ => {
                declarator.loc = loc;
                if let Some(name) = self.identifier() {
                    self.next();
                    declarator.name = Some(name);
                    self.attributes_into(&mut declarator.attributes);
                }
            }
        }
        self.declarator_suffixes(declarator);
    }

    /// Whether the parenthesis at the cursor groups a declarator, and does not begin parameters.
    fn is_grouping(&self) -> bool {
        let next = self.peek_at(1);
        match next.kind {
            T::Star | T::Caret | T::LParen => true,
            T::LBracket => self.peek_at(2).kind != T::LBracket,
            T::Identifier => self.keyword_of(next) == Some(K::Attribute) || !self.starts_type_at(1),
            _ => false,
        }
    }

    fn pointer_qualifiers(&mut self, declarator: &mut Declarator) -> Quals {
        let mut quals = Quals::default();
        loop {
            if self.at_attributes() {
                self.attributes_into(&mut declarator.attributes);
                if let Some(space) = declarator.attributes.space.take() {
                    let loc = self.loc();
                    self.set_space(&mut quals, space, loc);
                }
                continue;
            }
            let Some(keyword) = self.keyword() else { return quals };
            let loc = self.loc();
            if !self.qualifier(keyword, loc, &mut quals) {
                return quals;
            }
            self.next();
        }
    }

    fn declarator_suffixes(&mut self, declarator: &mut Declarator) {
        let mut count = 0;
        loop {
            let loc = self.loc();
            match self.kind() {
                T::LBracket if !self.at_bracket_attributes() => self.array_suffix(),
                T::LParen => {
                    self.next();
                    let (params, is_variadic) = self.parameters(loc);
                    self.chunks.push(Chunk::Function { params, is_variadic });
                }
                _ if self.at_attributes() => self.attributes_into(&mut declarator.attributes),
                _ => return,
            }
            count += 1;
            if count > super::MAX_DEPTH {
                self.sema.error(loc, "nesting too deep");
                self.give_up();
                return;
            }
        }
    }

    /// Whether an attribute begins at the cursor.
    pub(super) fn at_attributes(&self) -> bool {
        self.keyword() == Some(K::Attribute) || self.at_bracket_attributes()
    }

    /// `[...]` after a name.
    fn array_suffix(&mut self) {
        let open = self.next().loc;
        let mut quals = Quals::default();
        while let Some(keyword) = self.keyword() {
            let loc = self.loc();
            if keyword != K::Static && !self.qualifier(keyword, loc, &mut quals) {
                break;
            }
            self.next();
        }
        let len =
            if self.kind() == T::RBracket || self.kind() == T::Star && self.peek_at(1).kind == T::RBracket {
                self.accept(T::Star);
                None
            } else {
                let loc = self.loc();
                let expr = self.nested(|p| p.assignment_expression());
                Some(expr.and_then(|expr| self.sema.array_length(expr, loc)).unwrap_or(1))
            };
        self.expect_close(T::RBracket, open);
        self.chunks.push(Chunk::Array(len, quals, open));
    }

    /// Parses parameters after the opening parenthesis, which is at `open`.
    fn parameters(&mut self, open: Loc) -> (Vec<VarId>, bool) {
        let mut params = Vec::new();
        let mut is_variadic = false;
        let is_void = self.keyword() == Some(K::Void) && self.peek_at(1).kind == T::RParen;
        if is_void {
            self.next();
        }
        self.sema.scopes.enter();
        while !matches!(self.kind(), T::RParen | T::End) {
            if self.accept(T::Ellipsis) {
                is_variadic = true;
                break;
            }
            if let Some(param) = self.parameter() {
                params.push(param);
            } else {
                self.skip_to(&[T::Comma, T::RParen]);
            }
            if self.kind() == T::Eq {
                let loc = self.loc();
                self.sema.error(loc, "C does not support default arguments");
                self.skip_to(&[T::Comma, T::RParen]);
            }
            if !self.accept(T::Comma) {
                break;
            }
            if self.kind() == T::RParen {
                let loc = self.loc();
                self.error_expected(loc, "parameter declarator");
            }
        }
        self.sema.scopes.leave();
        self.expect_close(T::RParen, open);
        (params, is_variadic)
    }

    /// Parses one parameter and binds its name.
    fn parameter(&mut self) -> Option<VarId> {
        if !self.starts_type_name() && self.identifier().is_none() {
            let loc = self.loc();
            self.error_expected(loc, "parameter declarator");
            return None;
        }
        let specifiers = self.specifiers();
        match specifiers.storage {
            None | Some(StorageClass::Register) => {}
            Some(_) => {
                self.sema.error(specifiers.loc, "invalid storage class specifier in function declarator");
            }
        }
        if specifiers.is_kernel {
            self.sema.error(specifiers.loc, "'kernel' attribute only applies to functions");
        }
        if specifiers.is_inline {
            self.sema.error(specifiers.loc, "'inline' can only appear on functions");
        }
        let declarator = self.declarator(&specifiers);
        self.sema.check_variable_attribute(declarator.attributes.limited);
        let quals = declarator.attributes.pointer_quals;
        let ty = self.sema.parameter_type(declarator.ty, quals, declarator.loc);
        let var = self.sema.new_var(declarator.name, ty, Storage::Param, declarator.loc);
        self.sema.param_begins.insert(var, specifiers.loc);
        if let Some(name) = declarator.name {
            if self.sema.scopes.entry_here(name).is_some() {
                let text = format!("redefinition of parameter '{}'", self.sema.text(name));
                self.sema.error(declarator.loc, text);
            }
            self.sema.scopes.bind(name, Binding::Var(var), declarator.loc);
        }
        Some(var)
    }

    /// Parses the parameters of a block literal; the cursor is at the parenthesis. Their names are bound in
    /// the current scope.
    pub fn block_parameters(&mut self) -> (Vec<VarId>, bool) {
        let open = self.next().loc;
        let (params, is_variadic) = self.parameters(open);
        self.bind_parameters(&params);
        (params, is_variadic)
    }

    /// Binds the names of parameters in the current scope.
    pub(super) fn bind_parameters(&mut self, params: &[VarId]) {
        for param in params {
            let named = self.sema.var(*param).and_then(|var| Some((var.name?, var.loc)));
            if let Some((name, loc)) = named {
                self.sema.scopes.bind(name, Binding::Var(*param), loc);
            }
        }
    }
}
