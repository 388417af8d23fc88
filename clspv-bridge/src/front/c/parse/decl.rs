//! Declarations: of the unit, and in functions.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::ast::{FuncId, VarId};
use crate::front::c::declaration::{Declarator, Specifiers, StorageClass};
use crate::front::c::sema::declare::Declared;
use crate::front::c::sema::functions::DeclaredFunction;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::token::TokenKind as T;
use crate::front::c::types::{ERROR, QualTy, TypeKind};

impl Parser<'_> {
    /// Parses the declarations of the unit.
    pub(super) fn translation_unit(&mut self) {
        while self.kind() != T::End {
            let before = self.mark();
            self.external_declaration();
            if self.mark() == before {
                // A token that begins nothing has been reported.
                self.next();
            }
            if self.sema.session.diagnostics.is_full() {
                self.give_up();
            }
        }
    }

    fn external_declaration(&mut self) {
        let loc = self.loc();
        match (self.kind(), self.keyword()) {
            (T::Semicolon, _) => {
                self.next();
            }
            (_, Some(K::StaticAssert)) => self.static_assert(),
            (_, Some(K::Asm)) => {
                self.sema.error(loc, "inline assembly is not supported in OpenCL");
                self.skip_declaration();
            }
            (T::Identifier, Some(_)) if !self.starts_declaration() => {
                self.error_expected(loc, "identifier or '('");
                self.skip_declaration();
            }
            (T::Identifier, _) => {
                self.declaration(true);
            }
            (T::LBracket, _) if self.at_bracket_attributes() => {
                self.declaration(true);
            }
            (T::RBrace, _) => {
                self.sema.error(loc, "extraneous closing brace ('}')");
                self.next();
            }
            _ => {
                self.error_expected(loc, "identifier or '('");
                self.skip_declaration();
            }
        }
    }

    /// Skips what remains of a declaration: to its semicolon, or past the braces of a definition.
    fn skip_declaration(&mut self) {
        loop {
            match self.kind() {
                T::End | T::RBrace => return,
                T::Semicolon => {
                    self.next();
                    return;
                }
                T::LBrace => {
                    let open = self.loc();
                    self.skip_brackets();
                    if self.kind() == T::End && self.previous_kind() != T::RBrace {
                        self.expect_close(T::RBrace, open);
                    }
                    return;
                }
                T::LParen | T::LBracket => self.skip_brackets(),
                _ => {
                    self.next();
                }
            }
        }
    }

    /// Parses a declaration in a function; returns its variables.
    pub(super) fn local_declaration(&mut self) -> Vec<VarId> {
        if self.keyword() == Some(K::StaticAssert) {
            self.static_assert();
            return Vec::new();
        }
        self.declaration(false)
    }

    fn declaration(&mut self, may_define: bool) -> Vec<VarId> {
        let mut vars = Vec::new();
        let start = self.loc();
        let specifiers = self.specifiers();
        if specifiers.is_ended {
            return vars;
        }
        if self.accept(T::Semicolon) {
            self.check_empty(&specifiers);
            return vars;
        }
        let mut is_first = true;
        loop {
            let mut declarator = self.declarator(&specifiers);
            let Some(name) = declarator.name else {
                if declarator.ty.ty != ERROR || !self.sema.session.diagnostics.has_errors() {
                    self.error_expected(declarator.loc, "identifier or '('");
                } else if self.loc() == start {
                    self.error_expected(start, "declaration");
                }
                self.skip_declaration();
                return vars;
            };
            if self.keyword() == Some(K::Asm) {
                declarator.attributes.label = self.asm_label();
            }
            self.attributes_into(&mut declarator.attributes);
            declarator.attributes.merge(&specifiers.attributes);
            let is_function = matches!(self.sema.types.resolved(declarator.ty.ty), TypeKind::Function(_));
            if is_function && specifiers.storage != Some(StorageClass::Typedef) {
                let is_body = self.kind() == T::LBrace;
                if is_body && is_first && may_define {
                    self.function_definition(name, declarator, &specifiers);
                    return vars;
                }
                if is_body {
                    let loc = self.loc();
                    self.sema.error(loc, "function definition is not allowed here");
                    self.skip_declaration();
                    return vars;
                }
                self.declare_function(name, &mut declarator, &specifiers, false);
                if !self.ends_function(may_define && is_first, declarator.loc) {
                    return vars;
                }
            } else {
                vars.extend(self.init_declarator(name, &declarator, &specifiers));
            }
            is_first = false;
            if !self.accept(T::Comma) {
                break;
            }
        }
        // What follows an erroneous initializer is likely a part of it.
        let is_broken = vars.last().is_some_and(|var| self.sema.has_erroneous_value(*var));
        if is_broken && self.kind() != T::Semicolon && !self.peek().at_line_start {
            self.end_broken_declaration();
            return vars;
        }
        let what = if may_define { "';' after top level declarator" } else { "';' at end of declaration" };
        if !self.expect(T::Semicolon, what) && !self.peek().at_line_start {
            self.end_broken_declaration();
        }
        vars
    }

    /// Skips what remains of a declaration; in the head of a loop not beyond it.
    fn end_broken_declaration(&mut self) {
        if self.in_loop_head {
            self.skip_to(&[T::RParen]);
            self.accept(T::Semicolon);
        } else {
            self.skip_declaration();
        }
    }

    /// Checks that a function's declaration ends after its parameters. Returns whether parsing continues.
    fn ends_function(&mut self, may_define: bool, name: Loc) -> bool {
        let token = self.peek();
        if matches!(token.kind, T::Semicolon | T::Comma | T::End) || token.at_line_start {
            return true;
        }
        if token.kind == T::Eq {
            self.sema.error(name, "illegal initializer (only variables can be initialized)");
        } else if may_define {
            self.error_expected(token.loc, "function body after function declarator");
        } else {
            return true;
        }
        self.skip_declaration();
        false
    }

    /// Parses `asm("name")` after a declarator, which names the symbol.
    fn asm_label(&mut self) -> Option<Symbol> {
        self.next();
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after 'asm'") {
            return None;
        }
        if self.kind() != T::Str {
            self.error_expected(self.loc(), "string literal in 'asm'");
            self.skip_to(&[T::RParen]);
        }
        let label = self.message();
        self.expect_close(T::RParen, open);
        (!label.is_empty()).then(|| self.sema.session.symbols.intern(&label))
    }

    /// A declaration without declarators.
    fn check_empty(&mut self, specifiers: &Specifiers) {
        if specifiers.ty.ty == ERROR {
            return;
        }
        if specifiers.is_kernel {
            let text = "attribute 'kernel' is ignored: only functions are kernels";
            self.sema.warning("ignored-attributes", specifiers.loc, text);
        }
        let is_useful = specifiers.has_tag && self.has_name_or_constants(specifiers.ty);
        let text = match specifiers.storage {
            Some(StorageClass::Typedef) => "typedef requires a name".to_owned(),
            _ if !is_useful => "declaration does not declare anything".to_owned(),
            Some(storage) => format!("'{}' ignored on this declaration", storage.name()),
            None => return,
        };
        self.sema.warning("missing-declarations", specifiers.loc, text);
    }

    /// Whether a record or enumeration can be used later: it has a tag, or constants.
    fn has_name_or_constants(&self, ty: QualTy) -> bool {
        match self.sema.types.resolved(ty.ty) {
            TypeKind::Record(id) => {
                self.sema.types.records.get(id.0 as usize).is_some_and(|r| r.tag.is_some())
            }
            _ => true,
        }
    }

    /// Declares a typedef name or variable, with its initializer.
    fn init_declarator(
        &mut self,
        name: Symbol,
        declarator: &Declarator,
        specifiers: &Specifiers,
    ) -> Option<VarId> {
        let loc = declarator.loc;
        if specifiers.storage == Some(StorageClass::Typedef) {
            self.sema.declare_typedef(name, declarator.ty, loc);
            if self.kind() == T::Eq {
                self.sema.error(loc, "illegal initializer (only variables can be initialized)");
                self.skip_to(&[T::Comma]);
            }
            return None;
        }
        if specifiers.is_inline {
            self.sema.error(specifiers.loc, "'inline' can only appear on functions");
        }
        if specifiers.is_kernel {
            self.sema.error(specifiers.loc, "'kernel' attribute only applies to functions");
        }
        self.sema.check_variable_attribute(declarator.attributes.limited);
        if specifiers.is_deduced {
            return self.deduced(name, declarator, specifiers);
        }
        let declared = Declared {
            name,
            ty: declarator.ty,
            class: specifiers.storage,
            attributes: &declarator.attributes,
            loc,
        };
        let var = self.sema.declare_variable(&declared);
        if self.accept(T::Eq) {
            let ty = self.sema.var(var).map_or(QualTy::plain(ERROR), |var| var.ty);
            let (init, ty) = self.initializer_for(ty, loc);
            self.sema.set_initializer(var, init, ty, loc);
        } else {
            self.sema.finish_variable(var, loc);
        }
        Some(var)
    }

    /// `__auto_type name = value;`
    fn deduced(&mut self, name: Symbol, declarator: &Declarator, specifiers: &Specifiers) -> Option<VarId> {
        if !self.expect(T::Eq, "an initializer") {
            return None;
        }
        let value = self.assignment_expression();
        let value = self.sema.value(value);
        let ty = QualTy { ty: self.sema.ty(value).ty, quals: declarator.ty.quals };
        let declared = Declared {
            name,
            ty,
            class: specifiers.storage,
            attributes: &declarator.attributes,
            loc: declarator.loc,
        };
        let var = self.sema.declare_variable(&declared);
        let ty = self.sema.var(var).map_or(ty, |var| var.ty);
        self.sema.set_initializer(var, value, ty, declarator.loc);
        Some(var)
    }

    fn declare_function(
        &mut self,
        name: Symbol,
        declarator: &mut Declarator,
        specifiers: &Specifiers,
        is_definition: bool,
    ) -> FuncId {
        let declared = DeclaredFunction {
            name,
            ty: declarator.ty.ty,
            params: std::mem::take(&mut declarator.params),
            specifiers,
            attributes: &declarator.attributes,
            is_definition,
            loc: declarator.loc,
        };
        self.sema.declare_function(declared)
    }

    fn function_definition(&mut self, name: Symbol, mut declarator: Declarator, specifiers: &Specifiers) {
        let loc = declarator.loc;
        let params = declarator.params.clone();
        let id = self.declare_function(name, &mut declarator, specifiers, true);
        self.sema.scopes.enter();
        self.sema.enter_function(id, loc);
        self.bind_parameters(&params);
        // Parameters and the outermost variables share a scope.
        let body = self.compound_body();
        let end = self.previous_loc();
        self.sema.leave_function(id, body, end);
        self.sema.scopes.leave();
    }

    /// `_Static_assert(condition, "text");`
    pub(super) fn static_assert(&mut self) {
        self.next();
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after '_Static_assert'") {
            return self.skip_declaration();
        }
        let at = self.loc();
        let cond = self.constant_expression();
        let text = if self.accept(T::Comma) { self.message() } else { String::new() };
        self.expect_close(T::RParen, open);
        match self.sema.constant_truth(cond) {
            Some(true) => {}
            Some(false) => self.static_assert_failed(at, &text),
            None if self.sema.is_error(cond) => {}
            None => self.sema.error(at, "static assertion expression is not an integral constant expression"),
        }
        self.expect(T::Semicolon, "';' after '_Static_assert'");
    }

    fn static_assert_failed(&mut self, loc: Loc, text: &str) {
        let separator = if text.is_empty() { "" } else { ": " };
        self.sema.error(loc, format!("static assertion failed{separator}{text}"));
    }

    /// The text of adjacent string literals, as written.
    fn message(&mut self) -> String {
        let mut text = String::new();
        while self.kind() == T::Str {
            let token = self.next();
            text.push_str(self.sema.text(token.symbol).trim_matches('"'));
        }
        text
    }
}
