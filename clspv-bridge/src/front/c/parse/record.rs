//! `struct`, `union` and `enum` specifiers.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::declaration::Attributes;
use crate::front::c::sema::record::{EnumBuilder, FieldSpec, RecordBuilder};
use crate::front::c::token::TokenKind as T;
use crate::front::c::types::{ERROR, EnumId, RecordId, Ty, TypeKind};

impl Parser<'_> {
    /// Parses `struct` or `union` with a tag, members, or both.
    pub(super) fn record_specifier(&mut self) -> Ty {
        let start = self.loc();
        let is_union = self.keyword() == Some(K::Union);
        self.next();
        let mut attributes = self.attributes();
        let tag = self.identifier();
        let loc = self.loc();
        if tag.is_some() {
            self.next();
            self.attributes_into(&mut attributes);
        }
        if self.kind() != T::LBrace {
            let Some(tag) = tag else {
                self.error_expected(loc, "identifier or '{'");
                return ERROR;
            };
            // `struct s;` declares a new type in this scope, other uses refer to one that exists.
            let is_declaration = self.kind() == T::Semicolon;
            return self.sema.record_reference(tag, is_union, is_declaration, loc);
        }
        let id = self.sema.new_record_definition(tag, is_union, if tag.is_some() { loc } else { start });
        self.nested(|p| p.record_body(id, attributes));
        self.sema.types.intern(TypeKind::Record(id))
    }

    fn record_body(&mut self, id: RecordId, mut attributes: Attributes) {
        let open = self.next().loc;
        let mut builder = RecordBuilder::new(id);
        while !matches!(self.kind(), T::RBrace | T::End) {
            if self.accept(T::Semicolon) {
                continue;
            }
            if self.keyword() == Some(K::StaticAssert) {
                self.static_assert();
                continue;
            }
            self.members(&mut builder);
        }
        self.expect_close(T::RBrace, open);
        self.attributes_into(&mut attributes);
        self.sema.finish_record(builder, attributes.is_packed, attributes.align);
    }

    /// Parses the members of one declaration.
    fn members(&mut self, builder: &mut RecordBuilder) {
        if !self.starts_type_name() && self.keyword() != Some(K::Extension) && self.identifier().is_none() {
            let loc = self.loc();
            self.error_expected(loc, "member name or ';' after declaration specifiers");
            self.next();
            self.skip_to(&[T::Semicolon]);
            self.accept(T::Semicolon);
            return;
        }
        if !self.starts_type_name() && self.identifier().is_some_and(|name| !self.looks_like_type(name)) {
            let loc = self.loc();
            self.sema.error(loc, "type name requires a specifier or qualifier");
        }
        let specifiers = self.specifiers();
        if specifiers.storage.is_some() {
            self.sema.error(specifiers.loc, "type name does not allow storage class to be specified");
        }
        if self.kind() == T::Semicolon {
            self.next();
            let spec = FieldSpec {
                name: None,
                ty: specifiers.ty,
                bits: None,
                align: specifiers.attributes.align,
                is_packed: false,
                loc: specifiers.loc,
            };
            self.sema.add_anonymous(builder, spec);
            return;
        }
        loop {
            let mut spec = FieldSpec {
                name: None,
                ty: specifiers.ty,
                bits: None,
                align: specifiers.attributes.align,
                is_packed: specifiers.attributes.is_packed,
                loc: self.loc(),
            };
            if self.kind() != T::Colon {
                let declarator = self.declarator(&specifiers);
                spec.name = declarator.name;
                spec.loc = declarator.loc;
                spec.ty = declarator.ty;
                spec.align = spec.align.max(declarator.attributes.align);
                spec.is_packed |= declarator.attributes.is_packed;
            }
            if self.accept(T::Colon) {
                let loc = self.loc();
                let width = self.constant_expression();
                if !self.sema.has_bit_fields {
                    let at = if spec.name.is_some() { spec.loc } else { specifiers.loc };
                    self.sema.error(at, "bit-fields are not supported in OpenCL");
                }
                spec.bits = Some(self.sema.bit_width(width, loc));
            }
            let attributes = self.attributes();
            spec.align = spec.align.max(attributes.align);
            spec.is_packed |= attributes.is_packed;
            if spec.name.is_none() && spec.bits.is_none() {
                self.error_expected(spec.loc, "member name or ';' after declaration specifiers");
                self.skip_to(&[T::Semicolon]);
                break;
            }
            self.sema.add_field(builder, spec);
            if !self.accept(T::Comma) {
                break;
            }
        }
        if !self.expect(T::Semicolon, "';' at end of declaration list") {
            self.skip_to(&[T::Semicolon]);
            self.accept(T::Semicolon);
        }
    }

    /// Parses `enum` with a tag, constants, or both.
    pub(super) fn enum_specifier(&mut self) -> Ty {
        self.next();
        self.attributes();
        let tag = self.identifier();
        let loc = self.loc();
        if tag.is_some() {
            self.next();
            self.attributes();
        }
        if self.kind() != T::LBrace {
            let Some(tag) = tag else {
                self.error_expected(loc, "identifier or '{'");
                return ERROR;
            };
            return self.sema.enum_reference(tag, loc);
        }
        let id = self.sema.new_enum_definition(tag, loc);
        self.enum_body(id);
        self.sema.types.intern(TypeKind::Enum(id))
    }

    fn enum_body(&mut self, id: EnumId) {
        let open = self.next().loc;
        let mut builder = EnumBuilder::new(id);
        while let Some(name) = self.identifier() {
            let loc = self.next().loc;
            self.attributes();
            let value = if self.accept(T::Eq) {
                let at = self.loc();
                let expr = self.constant_expression();
                let value = self.sema.constant_int(expr);
                if value.is_none() {
                    self.sema.report_not_constant(expr, at);
                }
                value
            } else {
                None
            };
            self.sema.add_enumerator(&mut builder, name, value, loc);
            if !self.accept(T::Comma) {
                break;
            }
        }
        if builder.is_empty() {
            let loc = self.loc();
            self.error_expected(loc, "identifier");
        }
        self.expect_close(T::RBrace, open);
        self.attributes();
        self.sema.finish_enum(builder);
    }
}
