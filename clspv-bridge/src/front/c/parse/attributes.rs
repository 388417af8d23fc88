//! Attributes: `__attribute__((...))`, `[[...]]`, `_Alignas`.
//!
//! The attributes of a declaration are collected into [`Attributes`], whatever place they are written at.
//! Attributes that concern hosts or optimisers are accepted; unknown ones are ignored with a warning.

use super::Parser;
use super::keyword::Keyword;
use crate::front::c::ast::{InlineHint, LoopHint};
use crate::front::c::declaration::{Attributes, Limited};
use crate::front::c::sema::class::Class;
use crate::front::c::source::Loc;
use crate::front::c::token::TokenKind;
use crate::front::c::types::{AddressSpace, Ty};

/// Attributes that have no effect here.
const IGNORED: &[&str] = &[
    "unused",
    "used",
    "pure",
    "const",
    "nothrow",
    "cold",
    "hot",
    "deprecated",
    "may_alias",
    "visibility",
    "format",
    "format_arg",
    "nonnull",
    "malloc",
    "noreturn",
    "convergent",
    "optnone",
    "minsize",
    "flatten",
    "artificial",
    "gnu_inline",
    "warn_unused_result",
    "nodiscard",
    "maybe_unused",
    "fallthrough",
    "endian",
    "nosvm",
    "leaf",
    "returns_nonnull",
    "unavailable",
    "diagnose_if",
    "enable_if",
    "pass_object_size",
    "no_sanitize",
    "no_instrument_function",
    "annotate",
    "section",
    "externally_visible",
    "no_builtin",
    "nomerge",
    "noduplicate",
    "returns_twice",
    "cleanup",
    "mode",
    "assume",
    "likely",
    "unlikely",
    "nodebug",
    "sentinel",
    "alloc_size",
    "assume_aligned",
    "enum_extensibility",
    "flag_enum",
    "noescape",
    "transparent_union",
    "designated_init",
    "ms_struct",
    "gcc_struct",
    "no_reorder",
    "stdcall",
    "cdecl",
    "uninitialized",
    "always_destroy",
    "preserve_most",
    "preserve_all",
    "disable_tail_calls",
    "const_function",
];

/// Attributes that have no arguments.
const WITHOUT_ARGUMENTS: &[&str] = &[
    "packed",
    "kernel",
    "overloadable",
    "weak",
    "always_inline",
    "noinline",
    "opencl_global",
    "opencl_local",
];

use TokenKind as T;

impl Parser<'_> {
    /// Parses the attributes at the cursor, if any.
    pub fn attributes(&mut self) -> Attributes {
        let mut attributes = Attributes::default();
        self.attributes_into(&mut attributes);
        attributes
    }

    /// Parses the attributes at the cursor, if any, and adds them.
    pub fn attributes_into(&mut self, attributes: &mut Attributes) {
        loop {
            let loc = self.loc();
            match self.keyword() {
                Some(Keyword::Attribute) => {
                    self.next();
                    attributes.loc.get_or_insert(loc);
                    self.gnu_attributes(attributes);
                }
                Some(Keyword::Alignas) => {
                    self.next();
                    attributes.loc.get_or_insert(loc);
                    self.alignas(attributes);
                }
                None if self.at_bracket_attributes() => {
                    self.next();
                    self.next();
                    attributes.loc.get_or_insert(loc);
                    self.attribute_list(attributes, T::RBracket);
                    self.expect(T::RBracket, "']'");
                    self.expect(T::RBracket, "']'");
                }
                _ => return,
            }
        }
    }

    /// Whether the cursor is at `[[`.
    pub fn at_bracket_attributes(&self) -> bool {
        self.kind() == T::LBracket && self.peek_at(1).kind == T::LBracket
    }

    fn gnu_attributes(&mut self, attributes: &mut Attributes) {
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after 'attribute'") {
            return;
        }
        let inner = self.loc();
        if !self.expect(T::LParen, "'(' after '('") {
            self.skip_to(&[T::RParen]);
            self.accept(T::RParen);
            return;
        }
        self.attribute_list(attributes, T::RParen);
        for open in [inner, open] {
            if !self.accept(T::RParen) {
                // What follows is likely the rest of the declaration.
                let loc = self.loc();
                self.error_expected(loc, "')'");
                self.sema.note(open, "to match this '('");
                return;
            }
        }
    }

    /// Parses attributes up to the closing bracket.
    fn attribute_list(&mut self, attributes: &mut Attributes, close: T) {
        loop {
            while self.accept(T::Comma) {}
            if self.kind() != T::Identifier || self.kind() == close {
                return;
            }
            let mut name = self.next();
            // A scope such as `clang::`.
            if self.kind() == T::Colon && self.peek_at(1).kind == T::Colon {
                self.next();
                self.next();
                if self.kind() != T::Identifier {
                    return;
                }
                name = self.next();
            }
            let spelling = self.sema.text(name.symbol).to_owned();
            let plain = spelling.strip_prefix("__").and_then(|s| s.strip_suffix("__")).unwrap_or(&spelling);
            self.attribute(plain, name.loc, attributes);
        }
    }

    /// Parses the arguments of an attribute whose name has been read.
    fn attribute(&mut self, name: &str, loc: Loc, attributes: &mut Attributes) {
        if WITHOUT_ARGUMENTS.contains(&name) && self.kind() == T::LParen {
            self.sema.error(loc, format!("'{name}' attribute takes no arguments"));
        }
        if let Some(limited) = Limited::named(name) {
            attributes.limited = Some((limited, loc));
        }
        match name {
            "packed" => attributes.is_packed = true,
            "kernel" | "device_kernel" | "opencl_kernel" => attributes.is_kernel = true,
            "overloadable" => attributes.is_overloadable = true,
            "weak" => attributes.is_weak = true,
            "always_inline" => attributes.inline = InlineHint::Always,
            "noinline" => attributes.inline = InlineHint::Never,
            "opencl_global" | "opencl_global_device" | "opencl_global_host" => {
                attributes.space = Some(AddressSpace::Global);
            }
            "opencl_local" => attributes.space = Some(AddressSpace::Local),
            "opencl_constant" => attributes.space = Some(AddressSpace::Constant),
            "opencl_private" => attributes.space = Some(AddressSpace::Private),
            "opencl_generic" => attributes.space = Some(AddressSpace::Generic),
            "aligned" => return self.aligned(loc, attributes),
            "ext_vector_type" => {
                attributes.lanes = self.numbers::<1>(name, loc).map(|[n]| (u64::from(n), loc));
            }
            "vector_size" => {
                attributes.vector_bytes = self.numbers::<1>(name, loc).map(|[n]| (u64::from(n), loc));
            }
            "reqd_work_group_size" => attributes.reqd_work_group_size = self.work_group_size(name, loc),
            "work_group_size_hint" => attributes.work_group_size_hint = self.work_group_size(name, loc),
            "vec_type_hint" => attributes.vec_type_hint = self.vec_type_hint(loc),
            "intel_reqd_sub_group_size" | "reqd_sub_group_size" | "sub_group_size" => {
                attributes.reqd_sub_group_size = self.numbers::<1>(name, loc).map(|[n]| n);
            }
            "qcom_reqd_sub_group_size" => attributes.reqd_sub_group_size = self.qcom_sub_group_size(loc),
            "opencl_unroll_hint" => {
                // Without a number the loop is unrolled completely.
                let count = if self.kind() == T::LParen { self.numbers::<1>(name, loc) } else { Some([0]) };
                attributes.unroll = count.map(|[n]| LoopHint { unroll: Some(n) });
            }
            "blocks" => self.sema.error(loc, "the __block storage type is not permitted"),
            _ if IGNORED.contains(&name) => {}
            _ => {
                self.sema.warning("unknown-attributes", loc, format!("unknown attribute '{name}' ignored"));
            }
        }
        self.skip_arguments();
    }

    /// Skips the arguments of an attribute, if any.
    fn skip_arguments(&mut self) {
        let open = self.loc();
        if self.accept(T::LParen) {
            self.skip_to(&[T::RParen]);
            self.expect_close(T::RParen, open);
        }
    }

    /// Parses `(a, b, c)`: exactly `N` constant expressions without sign.
    fn numbers<const N: usize>(&mut self, name: &str, loc: Loc) -> Option<[u32; N]> {
        let open = self.loc();
        let mut values = [0; N];
        let mut count = 0;
        if self.accept(T::LParen) {
            while !matches!(self.kind(), T::RParen | T::End) {
                let value = self.attribute_number(name, count);
                if let (Some(slot), Some(value)) = (values.get_mut(count), value) {
                    *slot = value;
                } else if count < N {
                    self.skip_to(&[T::RParen]);
                    self.expect_close(T::RParen, open);
                    return None;
                }
                count += 1;
                if !self.accept(T::Comma) {
                    break;
                }
            }
            self.expect_close(T::RParen, open);
        }
        if count == N {
            return Some(values);
        }
        let text = match N {
            1 => format!("'{name}' attribute takes one argument"),
            _ => format!("'{name}' attribute requires exactly {N} arguments"),
        };
        self.sema.error(loc, text);
        None
    }

    /// Parses one number of an attribute.
    fn attribute_number(&mut self, name: &str, index: usize) -> Option<u32> {
        let loc = self.loc();
        let expr = self.constant_expression();
        let value = self.sema.constant_int(expr);
        let number = value.and_then(|v| u32::try_from(v.signed()).ok());
        if number.is_none() && !self.sema.is_error(expr) {
            let text = match value {
                Some(_) => format!(
                    "'{name}' attribute requires a non-negative integral compile time constant expression"
                ),
                None => format!("'{name}' attribute requires parameter {index} to be an integer constant"),
            };
            self.sema.error(loc, text);
        }
        number
    }

    fn work_group_size(&mut self, name: &str, loc: Loc) -> Option<[u32; 3]> {
        let sizes = self.numbers::<3>(name, loc)?;
        if sizes.contains(&0) {
            self.sema.error(loc, format!("'{name}' attribute must be greater than 0"));
            return None;
        }
        Some(sizes)
    }

    /// `("half")` or `("full")`, which are 64 and 128 work-items on Adreno (cl_qcom_reqd_sub_group_size).
    fn qcom_sub_group_size(&mut self, name: Loc) -> Option<u32> {
        let open = self.loc();
        if !self.expect(T::LParen, "'('") {
            return None;
        }
        let text = if self.kind() == T::Str { self.sema.text(self.peek().symbol) } else { "" };
        let size = match text {
            "\"half\"" => Some(64),
            "\"full\"" => Some(128),
            _ => None,
        };
        if size.is_none() {
            self.sema.error(name, "'qcom_reqd_sub_group_size' attribute requires \"half\" or \"full\"");
        }
        self.skip_to(&[T::RParen]);
        self.expect_close(T::RParen, open);
        size
    }

    fn vec_type_hint(&mut self, name: Loc) -> Option<Ty> {
        let open = self.loc();
        if !self.expect(T::LParen, "'('") {
            return None;
        }
        if let (false, Some(unknown)) = (self.starts_type_name(), self.identifier()) {
            let (loc, unknown) = (self.loc(), self.sema.text(unknown).to_owned());
            self.sema.error(loc, format!("unknown type name '{unknown}'"));
            self.skip_to(&[T::RParen]);
            self.expect_close(T::RParen, open);
            return None;
        }
        let ty = self.type_name();
        self.expect_close(T::RParen, open);
        if !matches!(self.sema.class(ty.ty), Class::Arith(_) | Class::Vector(..) | Class::Error) {
            let text = "a non-vector or non-vectorizable scalar type is an invalid argument to attribute 'vec_type_hint'";
            self.sema.error(name, text);
            return None;
        }
        Some(ty.ty)
    }

    /// `aligned` and `aligned(n)`.
    fn aligned(&mut self, name: Loc, attributes: &mut Attributes) {
        let open = self.loc();
        if !self.accept(T::LParen) {
            attributes.align = attributes.align.max(Some(16));
            return;
        }
        let loc = self.loc();
        let expr = self.constant_expression();
        self.expect_close(T::RParen, open);
        let value = self.sema.constant_int(expr);
        if value.is_none() && !self.sema.is_error(expr) {
            self.sema.error(loc, "'aligned' attribute requires integer constant");
        }
        self.set_align(value.map(|v| v.bits), name, attributes);
    }

    /// `_Alignas(n)` and `_Alignas(type)`.
    fn alignas(&mut self, attributes: &mut Attributes) {
        let open = self.loc();
        if !self.expect(T::LParen, "'(' after '_Alignas'") {
            return;
        }
        let loc = self.loc();
        let value = if self.starts_type_name() {
            let ty = self.type_name();
            self.sema.align_of(ty.ty).map(u64::from)
        } else {
            let expr = self.constant_expression();
            self.sema.constant_int(expr).map(|v| v.bits)
        };
        self.expect_close(T::RParen, open);
        self.set_align(value, loc, attributes);
    }

    fn set_align(&mut self, value: Option<u64>, loc: Loc, attributes: &mut Attributes) {
        let Some(value) = value else { return };
        match u32::try_from(value).ok().filter(|v| v.is_power_of_two() && *v <= 1 << 28) {
            Some(align) => attributes.align = attributes.align.max(Some(align)),
            None => self.sema.error(loc, "requested alignment is not a power of 2"),
        }
    }
}
