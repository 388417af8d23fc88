//! Declaration specifiers: storage classes, qualifiers and the type that declarators derive from.

use super::Parser;
use super::keyword::Keyword as K;
use crate::front::c::declaration::{Attributes, Specifiers, StorageClass};
use crate::front::c::sema::class::Class;
use crate::front::c::sema::scope::Binding;
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::token::{Token, TokenKind as T};
use crate::front::c::types::*;

/// Type that the specifiers read so far make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    None,
    Arith(Arith),
    /// `int`, written or not, with a length: -1 `short`, 1 `long`, 2 `long long`.
    Other(QualTy),
}

/// State of reading specifiers.
struct Reader {
    base: Base,
    is_unsigned: Option<bool>,
    length: i8,
    has_int: bool,
    is_pipe: bool,
    access: Option<(AccessMode, Loc)>,
    quals: Quals,
    specifiers: Specifiers,
}

impl Parser<'_> {
    /// Whether a declaration or type name begins at the cursor.
    pub fn starts_type_name(&self) -> bool {
        self.starts_type_at(0)
    }

    /// Whether a type name begins `ahead` tokens after the cursor.
    pub fn starts_type_at(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        if token.kind != T::Identifier {
            return false;
        }
        match self.keyword_of(token) {
            Some(keyword) => is_specifier(keyword),
            None => matches!(self.sema.lookup(token.symbol), Some(Binding::Typedef(_))),
        }
    }

    /// Whether a declaration begins at the cursor, and not a label.
    pub fn starts_declaration(&self) -> bool {
        match self.keyword() {
            Some(K::Extension) => self.starts_type_at(1),
            // Attributes may also begin a statement; the caller has read those.
            Some(keyword) => is_specifier(keyword) || keyword == K::StaticAssert,
            None if self.is_missing_qualifier(self.peek()) => true,
            None => self.starts_type_name() && self.peek_at(1).kind != T::Colon,
        }
    }

    /// Parses the specifiers at the cursor.
    pub fn specifiers(&mut self) -> Specifiers {
        let loc = self.loc();
        let mut reader = Reader {
            base: Base::None,
            is_unsigned: None,
            length: 0,
            has_int: false,
            is_pipe: false,
            access: None,
            quals: Quals::default(),
            specifiers: Specifiers {
                ty: QualTy::plain(ERROR),
                storage: None,
                is_inline: false,
                is_kernel: false,
                has_tag: false,
                is_deduced: false,
                is_ended: false,
                attributes: Attributes::default(),
                loc,
            },
        };
        while self.specifier(&mut reader) {
            if reader.specifiers.has_tag && self.lacks_semicolon() {
                let at = self.end_of_previous();
                self.error_expected(at, "';' after struct, union or enum");
                reader.specifiers.is_ended = true;
                break;
            }
        }
        let ty = self.finish_type(&mut reader);
        let mut specifiers = reader.specifiers;
        specifiers.is_kernel |= specifiers.attributes.is_kernel;
        let class = self.sema.class(ty.ty);
        if reader.quals.is_restrict && !matches!(class, Class::Pointer(_) | Class::Error) {
            let shown = self.sema.quoted(QualTy::plain(ty.ty));
            self.sema.error(loc, format!("restrict requires a pointer or reference ({shown} is invalid)"));
            reader.quals.is_restrict = false;
        }
        if let Some(space) = specifiers.attributes.space.take() {
            self.set_space(&mut reader.quals, space, loc);
        }
        specifiers.ty = self.sema.with_quals(ty, reader.quals);
        specifiers
    }

    /// Whether the definition of a record or enumeration ends without a semicolon: the next line begins with
    /// a specifier that cannot follow one.
    fn lacks_semicolon(&self) -> bool {
        let token = self.peek();
        if self.previous_kind() != T::RBrace || !token.at_line_start {
            return false;
        }
        match self.keyword_of(token) {
            Some(keyword) => {
                is_specifier(keyword)
                    && !matches!(keyword, K::Attribute | K::Const | K::Volatile | K::Restrict | K::Alignas)
                    && !matches!(keyword, K::Global | K::Local | K::Constant | K::Private | K::Generic)
            }
            // Another name may be that of a variable.
            None => self.starts_type_name() && matches!(self.peek_at(1).kind, T::Identifier | T::Star),
        }
    }

    /// Parses one specifier; returns whether there was one.
    fn specifier(&mut self, reader: &mut Reader) -> bool {
        if self.at_bracket_attributes() {
            self.attributes_into(&mut reader.specifiers.attributes);
            return true;
        }
        let token = self.peek();
        if token.kind != T::Identifier {
            return false;
        }
        let Some(keyword) = self.keyword_of(token) else { return self.type_specifier_name(reader) };
        let loc = token.loc;
        match keyword {
            K::Attribute | K::Alignas => {
                self.attributes_into(&mut reader.specifiers.attributes);
                return true;
            }
            K::Struct | K::Union | K::Enum => {
                let ty = if keyword == K::Enum { self.enum_specifier() } else { self.record_specifier() };
                reader.specifiers.has_tag = true;
                self.set_base(reader, Base::Other(QualTy::plain(ty)), loc);
                return true;
            }
            K::Typeof => {
                let ty = self.typeof_specifier();
                self.set_base(reader, Base::Other(ty), loc);
                return true;
            }
            K::AtomicType if self.peek_at(1).kind == T::LParen => {
                self.next();
                let open = self.next().loc;
                let ty = self.type_name();
                self.expect_close(T::RParen, open);
                let ty = self.sema.atomic_type(ty, loc);
                self.set_base(reader, Base::Other(QualTy::plain(ty)), loc);
                return true;
            }
            _ => {}
        }
        if !self.plain_specifier(keyword, loc, reader) {
            return false;
        }
        self.next();
        true
    }

    /// Applies a specifier of one keyword; returns false for other keywords.
    fn plain_specifier(&mut self, keyword: K, loc: Loc, reader: &mut Reader) -> bool {
        match keyword {
            K::Typedef => self.set_storage(reader, StorageClass::Typedef, loc),
            K::Extern => self.set_storage(reader, StorageClass::Extern, loc),
            K::Static => self.set_storage(reader, StorageClass::Static, loc),
            K::Auto => self.set_storage(reader, StorageClass::Auto, loc),
            K::Register => self.set_storage(reader, StorageClass::Register, loc),
            K::Inline => reader.specifiers.is_inline = true,
            K::Kernel => reader.specifiers.is_kernel = true,
            K::Noreturn | K::Extension => {}
            K::Void => self.set_base(reader, Base::Other(QualTy::plain(VOID)), loc),
            K::Bool => self.set_base(reader, Base::Arith(Arith::Bool), loc),
            K::Char => self.set_base(reader, Base::Arith(Arith::Char), loc),
            K::Float => self.set_base(reader, Base::Arith(Arith::Float), loc),
            K::Double => self.set_base(reader, Base::Arith(Arith::Double), loc),
            K::Half => self.set_base(reader, Base::Arith(Arith::Half), loc),
            K::Image(image) => {
                let ty = self.sema.types.intern(TypeKind::Image(image));
                self.set_base(reader, Base::Other(QualTy::plain(ty)), loc);
            }
            K::AutoType => {
                reader.specifiers.is_deduced = true;
                self.set_base(reader, Base::Other(QualTy::plain(ERROR)), loc);
            }
            K::Int => {
                if reader.has_int || reader.base != Base::None {
                    self.error_combination(reader, loc);
                }
                reader.has_int = true;
            }
            K::Signed | K::Unsigned => {
                let is_unsigned = keyword == K::Unsigned;
                if reader.is_unsigned.is_some_and(|before| before != is_unsigned) {
                    self.error_combination(reader, loc);
                }
                reader.is_unsigned = Some(is_unsigned);
            }
            K::Short if reader.length == 0 => reader.length = -1,
            K::Long if (0..2).contains(&reader.length) => reader.length += 1,
            K::Short | K::Long => self.error_combination(reader, loc),
            K::Complex => self.sema.error(loc, "complex numbers are not supported in OpenCL"),
            K::Pipe => reader.is_pipe = true,
            K::ReadOnly => self.set_access(reader, AccessMode::ReadOnly, loc),
            K::WriteOnly => self.set_access(reader, AccessMode::WriteOnly, loc),
            K::ReadWrite => self.set_access(reader, AccessMode::ReadWrite, loc),
            K::AtomicType => reader.specifiers.attributes.is_atomic = true,
            keyword => return self.qualifier(keyword, loc, &mut reader.quals),
        }
        true
    }

    /// Applies a qualifier that the current token is; returns false for other keywords.
    pub(super) fn qualifier(&mut self, keyword: K, loc: Loc, quals: &mut Quals) -> bool {
        let word = match keyword {
            K::Const => Some((&mut quals.is_const, "const")),
            K::Volatile => Some((&mut quals.is_volatile, "volatile")),
            K::Restrict => Some((&mut quals.is_restrict, "restrict")),
            _ => None,
        };
        if let Some((is_there, name)) = word {
            if std::mem::replace(is_there, true) {
                let text = format!("duplicate '{name}' declaration specifier");
                self.sema.warning("duplicate-decl-specifier", loc, text);
            }
            return true;
        }
        let space = match keyword {
            K::Global => AddressSpace::Global,
            K::Local => AddressSpace::Local,
            K::Constant => AddressSpace::Constant,
            K::Private => AddressSpace::Private,
            K::Generic => AddressSpace::Generic,
            _ => return false,
        };
        if space == AddressSpace::Generic && !self.sema.language.has_generic_space() {
            let version = self.sema.language.version_text();
            self.sema.error(
                loc,
                format!("OpenCL C version {version} does not support the 'generic' type qualifier"),
            );
            return true;
        }
        self.set_space(quals, space, loc);
        true
    }

    pub(super) fn set_space(&mut self, quals: &mut Quals, space: AddressSpace, loc: Loc) {
        if quals.space != AddressSpace::Default && quals.space != space {
            self.sema.error(loc, "multiple address spaces specified for type");
            return;
        }
        quals.space = space;
    }

    /// A typedef name as the type specifier, if no type has been read yet.
    fn type_specifier_name(&mut self, reader: &mut Reader) -> bool {
        let token = self.peek();
        if reader.has_type() {
            return false;
        }
        if let Some(Binding::Typedef(ty)) = self.sema.lookup(token.symbol) {
            self.next();
            reader.base = Base::Other(ty);
            return true;
        }
        let name = self.sema.text(token.symbol).to_owned();
        if self.is_missing_qualifier(token) {
            let version = self.sema.language.version_text();
            let text = format!("OpenCL C version {version} does not support the '{name}' type qualifier");
            self.sema.error(token.loc, text);
            self.next();
            return true;
        }
        if !self.looks_like_type(token.symbol) {
            return false;
        }
        self.sema.error(token.loc, format!("unknown type name '{name}'"));
        self.next();
        reader.base = Base::Other(QualTy::plain(ERROR));
        true
    }

    /// Whether an unknown name is where a type is expected: a declarator follows.
    pub(super) fn looks_like_type(&self, name: Symbol) -> bool {
        let next = self.peek_at(1);
        let follows = match self.sema.body() {
            Some(_) => next.kind == T::Star || next.kind == T::Identifier && self.keyword_of(next).is_none(),
            // Outside of functions nothing else begins with a name, except a declaration without a type.
            None => !matches!(
                next.kind,
                T::Semicolon | T::Comma | T::Eq | T::LParen | T::RParen | T::LBracket | T::LBrace | T::Colon
            ),
        };
        follows && self.sema.lookup(name).is_none()
    }

    /// Whether a token is a qualifier of later versions, before a type.
    fn is_missing_qualifier(&self, token: Token) -> bool {
        let next = self.peek_at(1);
        let precedes_type = next.kind == T::Identifier
            && match self.keyword_of(next) {
                Some(keyword) => is_specifier(keyword),
                None => matches!(self.sema.lookup(next.symbol), Some(Binding::Typedef(_))),
            };
        precedes_type
            && token.kind == T::Identifier
            && matches!(self.sema.text(token.symbol), "generic" | "__generic" | "pipe")
            && self.sema.lookup(token.symbol).is_none()
    }

    fn set_base(&mut self, reader: &mut Reader, base: Base, loc: Loc) {
        let is_long_double = base == Base::Arith(Arith::Double) && reader.length == 1;
        if is_long_double {
            self.sema.error(loc, "'long double' is a reserved type in OpenCL");
            reader.length = 0;
        }
        if reader.base != Base::None || reader.has_int {
            self.error_combination(reader, loc);
            return;
        }
        if base == Base::Arith(Arith::Double) && !self.sema.language.has_fp64() {
            let feature = if self.sema.language.is_3_0() { " and __opencl_c_fp64" } else { "" };
            self.sema.error(loc, format!("use of type 'double' requires cl_khr_fp64{feature} support"));
        }
        reader.base = base;
    }

    fn set_storage(&mut self, reader: &mut Reader, storage: StorageClass, loc: Loc) {
        let before = reader.specifiers.storage;
        if before == Some(storage) {
            let text = format!("duplicate '{}' declaration specifier", storage.name());
            self.sema.warning("duplicate-decl-specifier", loc, text);
        } else if let Some(before) = before {
            let text = format!("cannot combine with previous '{}' declaration specifier", before.name());
            self.sema.error(loc, text);
        }
        let is_for_hosts = matches!(storage, StorageClass::Auto | StorageClass::Register);
        if is_for_hosts {
            let (version, name) = (self.sema.language.version_text(), storage.name());
            let text =
                format!("OpenCL C version {version} does not support the '{name}' storage class specifier");
            self.sema.error(loc, text);
        }
        reader.specifiers.storage = before.or(Some(storage));
    }

    fn set_access(&mut self, reader: &mut Reader, access: AccessMode, loc: Loc) {
        if reader.access.is_some_and(|(before, _)| before != access) {
            self.sema.error(loc, "multiple access qualifiers");
        }
        reader.access = Some((access, loc));
    }

    fn error_combination(&mut self, reader: &Reader, loc: Loc) {
        let before = match reader.base {
            Base::Arith(arith) => Some(arith.name()),
            Base::Other(ty) if ty.ty == ERROR => return,
            Base::Other(_) => None,
            Base::None => match (reader.length, reader.is_unsigned) {
                _ if reader.has_int => Some("int"),
                (-1, _) => Some("short"),
                (1, _) => Some("long"),
                (2, _) => Some("long long"),
                (_, Some(true)) => Some("unsigned"),
                (_, Some(false)) => Some("signed"),
                _ => None,
            },
        };
        let text = match before {
            Some(before) => format!("cannot combine with previous '{before}' declaration specifier"),
            None => "cannot combine with previous declaration specifier".to_owned(),
        };
        self.sema.error(loc, text);
    }

    /// The type that the specifiers make, without the qualifiers beside it.
    fn finish_type(&mut self, reader: &mut Reader) -> QualTy {
        let loc = reader.specifiers.loc;
        let mut ty = match reader.base {
            Base::Other(ty) => {
                if reader.is_unsigned.is_some() || reader.length != 0 {
                    self.error_combination(reader, loc);
                }
                ty
            }
            Base::Arith(arith) => QualTy::plain(scalar(self.sized(arith, reader))),
            Base::None => {
                let is_written = reader.has_int || reader.is_unsigned.is_some() || reader.length != 0;
                if !is_written {
                    let text = "type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int";
                    let at = self.loc();
                    self.sema.warning("implicit-int", at, text);
                }
                let signed = match reader.length {
                    -1 => Arith::Short,
                    0 => Arith::Int,
                    _ => Arith::Long,
                };
                let is_unsigned = reader.is_unsigned == Some(true);
                QualTy::plain(scalar(if is_unsigned { signed.to_unsigned() } else { signed }))
            }
        };
        if reader.is_pipe {
            let (mut access, at) = reader.access.take().unwrap_or((AccessMode::ReadOnly, loc));
            if access == AccessMode::ReadWrite {
                self.sema.error(at, "access qualifier 'read_write' cannot be used for a pipe");
                access = AccessMode::ReadOnly;
            }
            ty = QualTy::plain(self.sema.types.intern(TypeKind::Pipe(ty.ty, access)));
        }
        if let Some((access, at)) = reader.access {
            ty = self.sema.with_access(ty, access, at);
        }
        if std::mem::take(&mut reader.specifiers.attributes.is_atomic) {
            ty = QualTy::plain(self.sema.atomic_type(ty, loc));
        }
        let attributes = &mut reader.specifiers.attributes;
        let (lanes, bytes) = (attributes.lanes.take(), attributes.vector_bytes.take());
        self.sema.vector_type(ty, lanes, bytes)
    }

    /// A scalar type with the sign that was written.
    fn sized(&mut self, arith: Arith, reader: &Reader) -> Arith {
        let loc = reader.specifiers.loc;
        match (arith, reader.is_unsigned) {
            _ if reader.length != 0 => {
                self.error_combination(reader, loc);
                arith
            }
            (arith, None) | (arith @ Arith::Char, Some(false)) => arith,
            (Arith::Char, Some(true)) => Arith::UChar,
            (arith, _) => {
                let name = arith.name();
                self.sema.error(loc, format!("'{name}' cannot be signed or unsigned"));
                arith
            }
        }
    }

    /// `typeof(type)` and `typeof(expression)`.
    fn typeof_specifier(&mut self) -> QualTy {
        self.next();
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after 'typeof'") {
            return QualTy::plain(ERROR);
        }
        let ty = if self.starts_type_name() {
            self.type_name()
        } else {
            self.sema.unevaluated += 1;
            let expr = self.expression();
            self.sema.unevaluated -= 1;
            let ty = self.sema.ty(expr);
            ty.in_space(AddressSpace::Default)
        };
        self.expect_close(T::RParen, open);
        ty
    }

    /// Parses a type name, as in casts.
    pub fn type_name(&mut self) -> QualTy {
        let specifiers = self.specifiers();
        if let Some(storage) = specifiers.storage {
            let text = format!("type name does not allow storage class '{}' to be specified", storage.name());
            self.sema.error(specifiers.loc, text);
        }
        let declarator = self.declarator(&specifiers);
        if let Some(name) = declarator.name {
            let name = self.sema.text(name).to_owned();
            self.sema.error(declarator.loc, format!("unexpected '{name}' in a type name"));
        }
        declarator.ty
    }
}

impl Reader {
    fn has_type(&self) -> bool {
        self.base != Base::None || self.has_int || self.is_unsigned.is_some() || self.length != 0
    }
}

/// Whether a keyword may begin a declaration.
fn is_specifier(keyword: K) -> bool {
    matches!(
        keyword,
        K::Typedef
            | K::Extern
            | K::Static
            | K::Auto
            | K::Register
            | K::Inline
            | K::Kernel
            | K::Noreturn
            | K::Void
            | K::Bool
            | K::Char
            | K::Float
            | K::Double
            | K::Half
            | K::Image(_)
            | K::AutoType
            | K::Int
            | K::Signed
            | K::Unsigned
            | K::Short
            | K::Long
            | K::Complex
            | K::Pipe
            | K::ReadOnly
            | K::WriteOnly
            | K::ReadWrite
            | K::AtomicType
            | K::Const
            | K::Volatile
            | K::Restrict
            | K::Global
            | K::Local
            | K::Constant
            | K::Private
            | K::Generic
            | K::Struct
            | K::Union
            | K::Enum
            | K::Typeof
            | K::Attribute
            | K::Alignas
    )
}
