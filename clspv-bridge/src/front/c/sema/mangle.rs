//! Itanium mangling of overloaded functions' names, as clang has it for SPIR-V.

use crate::front::c::ast::FunctionDecl;
use crate::front::c::symbol::{Symbol, Symbols};
use crate::front::c::types::*;
use crate::ir::ImageDim;
use std::fmt::Write;

/// Writer of a mangled name.
struct Mangler<'a> {
    types: &'a Types,
    symbols: &'a Symbols,
    out: String,
    /// Types that may be referred to when they occur again.
    seen: Vec<QualTy>,
}

/// Mangled name of a function.
pub(super) fn mangled(types: &Types, symbols: &Symbols, function: &FunctionDecl) -> String {
    let name = symbols.text(function.name);
    let mut mangler = Mangler { types, symbols, out: format!("_Z{}{name}", name.len()), seen: Vec::new() };
    if let TypeKind::Function(f) = types.resolved(function.ty) {
        mangler.params(f);
    }
    mangler.out
}

impl Mangler<'_> {
    fn params(&mut self, function: &FunctionType) {
        if function.params.is_empty() && !function.is_variadic {
            self.out.push('v');
        }
        for param in &function.params {
            let canonical = self.types.canonical(*param);
            self.qualified(QualTy::plain(canonical.ty));
        }
        if function.is_variadic {
            self.out.push('z');
        }
    }

    /// Writes a reference to a type that has occurred; returns whether it has.
    fn substitute(&mut self, ty: QualTy) -> bool {
        let Some(index) = self.seen.iter().position(|seen| *seen == ty) else { return false };
        self.out.push('S');
        if let Some(number) = index.checked_sub(1) {
            self.base_36(number);
        }
        self.out.push('_');
        true
    }

    fn base_36(&mut self, number: usize) {
        if number >= 36 {
            self.base_36(number / 36);
        }
        let digit = char::from_digit((number % 36) as u32, 36).unwrap_or('0');
        self.out.push(digit.to_ascii_uppercase());
    }

    /// Writes a canonical type with its qualifiers.
    fn qualified(&mut self, ty: QualTy) {
        let space = match ty.quals.space {
            AddressSpace::Default | AddressSpace::Private => None,
            AddressSpace::Global => Some(1),
            AddressSpace::Constant => Some(2),
            AddressSpace::Local => Some(3),
            AddressSpace::Generic => Some(4),
        };
        let quals = ty.quals;
        if space.is_none() && !quals.is_const && !quals.is_volatile && !quals.is_restrict {
            return self.unqualified(ty.ty);
        }
        if self.substitute(ty) {
            return;
        }
        if let Some(space) = space {
            let _ = write!(self.out, "U3AS{space}");
        }
        for (is_set, letter) in [(quals.is_restrict, 'r'), (quals.is_volatile, 'V'), (quals.is_const, 'K')] {
            if is_set {
                self.out.push(letter);
            }
        }
        self.unqualified(ty.ty);
        self.seen.push(ty);
    }

    fn unqualified(&mut self, ty: Ty) {
        let kind = self.types.kind(ty);
        match kind {
            TypeKind::Void => return self.out.push('v'),
            TypeKind::Arith(arith) => return self.out.push_str(arith_code(*arith)),
            TypeKind::Image(image) => return self.image(*image),
            TypeKind::Opaque(opaque) => return self.vendor(opaque_vendor(*opaque)),
            TypeKind::Error | TypeKind::Typedef(..) => return self.out.push('i'),
            _ => {}
        }
        if self.substitute(QualTy::plain(ty)) {
            return;
        }
        match kind {
            TypeKind::Vector(arith, lanes) => {
                let _ = write!(self.out, "Dv{lanes}_{}", arith_code(*arith));
            }
            TypeKind::Pointer(to) => {
                self.out.push('P');
                self.qualified(*to);
            }
            TypeKind::Array(of, len) => {
                let _ = write!(self.out, "A{}_", len.map_or(String::new(), |len| len.to_string()));
                self.qualified(*of);
            }
            TypeKind::Atomic(of) => {
                self.out.push_str("U7_Atomic");
                self.unqualified(*of);
            }
            TypeKind::Block(of) => {
                self.out.push_str("U13block_pointer");
                self.unqualified(*of);
            }
            TypeKind::Function(function) => {
                self.out.push('F');
                self.qualified(function.result);
                self.params(function);
                self.out.push('E');
            }
            TypeKind::Pipe(..) => self.out.push_str("8ocl_pipe"),
            TypeKind::Record(_) if ty == self.types.ndrange => self.vendor("ndrange_t"),
            TypeKind::Record(id) => {
                let tag = self.types.records.get(id.0 as usize).and_then(|record| record.tag);
                self.named(tag, id.0);
            }
            TypeKind::Enum(id) => {
                let tag = self.types.enums.get(id.0 as usize).and_then(|data| data.tag);
                self.named(tag, id.0);
            }
            _ => {}
        }
        self.seen.push(QualTy::plain(ty));
    }

    fn named(&mut self, tag: Option<Symbol>, number: u32) {
        let symbols = self.symbols;
        match tag {
            Some(tag) => self.vendor(symbols.text(tag)),
            None => self.vendor(&format!("$_{number}")),
        }
    }

    /// Writes a name with its length.
    fn vendor(&mut self, name: &str) {
        let _ = write!(self.out, "{}{name}", name.len());
    }

    fn image(&mut self, image: ImageType) {
        let dim = match image.dim {
            ImageDim::D1 => "1d",
            ImageDim::D1Array => "1d_array",
            ImageDim::Buffer => "1d_buffer",
            ImageDim::D2 => "2d",
            ImageDim::D2Array => "2d_array",
            ImageDim::D3 => "3d",
        };
        let msaa = if image.is_msaa { "_msaa" } else { "" };
        let depth = if image.is_depth { "_depth" } else { "" };
        let access = match image.access {
            AccessMode::ReadOnly => "ro",
            AccessMode::WriteOnly => "wo",
            AccessMode::ReadWrite => "rw",
        };
        self.vendor(&format!("ocl_image{dim}{msaa}{depth}_{access}"));
    }
}

fn opaque_vendor(opaque: OpaqueType) -> &'static str {
    match opaque {
        OpaqueType::Sampler => "ocl_sampler",
        OpaqueType::Event => "ocl_event",
        OpaqueType::ClkEvent => "ocl_clkevent",
        OpaqueType::Queue => "ocl_queue",
        OpaqueType::ReserveId => "ocl_reserveid",
    }
}

fn arith_code(arith: Arith) -> &'static str {
    match arith {
        Arith::Bool => "b",
        Arith::Char => "c",
        Arith::UChar => "h",
        Arith::Short => "s",
        Arith::UShort => "t",
        Arith::Int => "i",
        Arith::UInt => "j",
        Arith::Long => "l",
        Arith::ULong => "m",
        Arith::Half => "Dh",
        Arith::Float => "f",
        Arith::Double => "d",
    }
}
