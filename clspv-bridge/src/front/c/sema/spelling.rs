//! Spelling of types: for diagnostics as clang spells them, and for kernel argument information.

use super::class::merge;
use crate::front::c::symbol::{Symbol, Symbols};
use crate::front::c::types::{
    AccessMode, AddressSpace, Arith, FunctionType, ImageType, OpaqueType, QualTy, Quals, TypeKind, Types,
};
use crate::ir::ImageDim;

/// Depth of declarators after which a type is abbreviated.
const DEPTH: u32 = 40;

/// Name of records and enumerations without a tag.
const UNNAMED: &str = "(unnamed)";

/// Speller of types of one translation unit.
#[derive(Clone, Copy)]
pub struct Spelling<'a> {
    pub types: &'a Types,
    pub symbols: &'a Symbols,
}

impl Spelling<'_> {
    /// A type in quotes with what its typedef names stand for: `'S' (aka 'struct S')`.
    pub fn quoted(&self, mut ty: QualTy) -> String {
        // Samplers are in no memory.
        let is_sampler = matches!(self.types.resolved(ty.ty), TypeKind::Opaque(OpaqueType::Sampler));
        if is_sampler && ty.quals.space == AddressSpace::Private {
            ty.quals.space = AddressSpace::Default;
        }
        let written = self.plain(ty);
        let canonical = self.types.canonical(ty);
        if let TypeKind::Vector(element, lanes) = self.types.kind(canonical.ty) {
            return format!("'{written}' (vector of {lanes} '{}' values)", element.name());
        }
        let resolved = self.plain(canonical);
        // A typedef name is all the name that an unnamed record has.
        if written == resolved || resolved.contains(UNNAMED) {
            format!("'{written}'")
        } else {
            format!("'{written}' (aka '{resolved}')")
        }
    }

    /// A type as written.
    pub fn plain(&self, ty: QualTy) -> String {
        self.declarator(ty, String::new(), 0)
    }

    /// Type name that CL_KERNEL_ARG_TYPE_NAME reports: without the qualifiers of the parameter and of what it
    /// points to.
    pub fn argument(&self, ty: QualTy) -> String {
        let kind = self.types.kind(ty.ty);
        match kind {
            TypeKind::Arith(arith) => arith.name().to_owned(),
            TypeKind::Pointer(to) => match self.types.kind(to.ty) {
                TypeKind::Arith(arith) => format!("{}*", arith.name()),
                _ => format!("{}*", self.plain(QualTy::plain(to.ty))),
            },
            TypeKind::Image(image) => image_name(*image).to_owned(),
            TypeKind::Pipe(of, _) => self.plain(QualTy::plain(*of)),
            _ => self.plain(QualTy::plain(ty.ty)),
        }
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// Spells a type around a declarator.
    fn declarator(&self, ty: QualTy, inner: String, depth: u32) -> String {
        if depth > DEPTH {
            return "...".to_owned();
        }
        match self.types.kind(ty.ty) {
            TypeKind::Pointer(to) => {
                let quals = qualifiers(ty.quals, true);
                let gap = if inner.is_empty() || quals.is_empty() { "" } else { " " };
                self.declarator(*to, self.indirect(*to, format!("*{quals}{gap}{inner}")), depth + 1)
            }
            TypeKind::Block(function) => {
                let to = QualTy::plain(*function);
                let quals = qualifiers(ty.quals, true);
                let gap = if inner.is_empty() || quals.is_empty() { "" } else { " " };
                self.declarator(to, self.indirect(to, format!("__generic ^{quals}{gap}{inner}")), depth + 1)
            }
            TypeKind::Array(of, len) => {
                let len = len.map(|n| n.to_string()).unwrap_or_default();
                let quals = merge(ty.quals, of.quals);
                self.declarator(QualTy { ty: of.ty, quals }, format!("{inner}[{len}]"), depth + 1)
            }
            TypeKind::Function(function) => {
                let params = self.params(function, depth);
                self.declarator(function.result, format!("{inner}({params})"), depth + 1)
            }
            kind => {
                let name = self.base_name(kind, depth);
                let quals = qualifiers(ty.quals, false);
                // An array's brackets follow the name; everything else is a word of its own.
                let gap = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
                format!("{quals}{name}{gap}{inner}")
            }
        }
    }

    /// Adds parentheses to a pointer's declarator where the pointee is an array or a function.
    fn indirect(&self, to: QualTy, inner: String) -> String {
        match self.types.kind(to.ty) {
            TypeKind::Array(..) | TypeKind::Function(_) => format!("({inner})"),
            _ => inner,
        }
    }

    fn params(&self, function: &FunctionType, depth: u32) -> String {
        let mut parts: Vec<String> =
            function.params.iter().map(|p| self.declarator(*p, String::new(), depth + 1)).collect();
        if function.is_variadic {
            parts.push("...".to_owned());
        } else if parts.is_empty() && function.has_prototype {
            parts.push("void".to_owned());
        }
        parts.join(", ")
    }

    /// Name of a type that is not a declarator.
    fn base_name(&self, kind: &TypeKind, depth: u32) -> String {
        match kind {
            TypeKind::Void => "void".to_owned(),
            TypeKind::Arith(arith) => c_name(*arith).to_owned(),
            TypeKind::Vector(element, lanes) => format!("{}{lanes}", element.name()),
            TypeKind::Record(_) if *kind == *self.types.kind(self.types.ndrange) => "ndrange_t".to_owned(),
            TypeKind::Record(id) => {
                let record = self.types.records.get(id.0 as usize);
                let word = if record.is_some_and(|r| r.is_union) { "union" } else { "struct" };
                self.tagged(word, record.and_then(|r| r.tag))
            }
            TypeKind::Enum(id) => {
                self.tagged("enum", self.types.enums.get(id.0 as usize).and_then(|e| e.tag))
            }
            TypeKind::Atomic(of) => {
                format!("_Atomic({})", self.declarator(QualTy::plain(*of), String::new(), depth + 1))
            }
            TypeKind::Image(image) => format!("{} {}", access_name(image.access), image_name(*image)),
            TypeKind::Pipe(of, access) => {
                let packet = self.declarator(QualTy::plain(*of), String::new(), depth + 1);
                format!("{} pipe {packet}", access_name(*access).trim_start_matches('_'))
            }
            TypeKind::Opaque(opaque) => opaque_name(*opaque).to_owned(),
            TypeKind::Typedef(name, _) => self.text(*name).to_owned(),
            _ => "<error>".to_owned(),
        }
    }

    fn tagged(&self, word: &str, tag: Option<Symbol>) -> String {
        match tag {
            Some(tag) => format!("{word} {}", self.text(tag)),
            None => format!("{word} {UNNAMED}"),
        }
    }
}

/// Name of a scalar type without typedef names.
fn c_name(arith: Arith) -> &'static str {
    match arith {
        Arith::UChar => "unsigned char",
        Arith::UShort => "unsigned short",
        Arith::UInt => "unsigned int",
        Arith::ULong => "unsigned long",
        other => other.name(),
    }
}

/// Words of qualifiers: before a name each followed by a space, after a `*` separated by spaces.
fn qualifiers(quals: Quals, is_after: bool) -> String {
    let mut words = Vec::new();
    if quals.is_const {
        words.push("const");
    }
    if quals.is_volatile {
        words.push("volatile");
    }
    if quals.is_restrict {
        words.push("restrict");
    }
    let space = space_name(quals.space);
    if !space.is_empty() {
        words.push(space);
    }
    let mut text = words.join(" ");
    if !is_after && !text.is_empty() {
        text.push(' ');
    }
    text
}

/// Keyword of an address space; empty for the default.
pub fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Default => "",
        AddressSpace::Private => "__private",
        AddressSpace::Local => "__local",
        AddressSpace::Global => "__global",
        AddressSpace::Constant => "__constant",
        AddressSpace::Generic => "__generic",
    }
}

/// Keyword of an access qualifier.
pub fn access_name(access: AccessMode) -> &'static str {
    match access {
        AccessMode::ReadOnly => "__read_only",
        AccessMode::WriteOnly => "__write_only",
        AccessMode::ReadWrite => "__read_write",
    }
}

/// Name of an opaque type.
pub fn opaque_name(opaque: OpaqueType) -> &'static str {
    match opaque {
        OpaqueType::Sampler => "sampler_t",
        OpaqueType::Event => "event_t",
        OpaqueType::ClkEvent => "clk_event_t",
        OpaqueType::Queue => "queue_t",
        OpaqueType::ReserveId => "reserve_id_t",
    }
}

/// Name of an image type without its access qualifier.
pub fn image_name(image: ImageType) -> &'static str {
    match (image.dim, image.is_depth, image.is_msaa) {
        (ImageDim::D1, ..) => "image1d_t",
        (ImageDim::D1Array, ..) => "image1d_array_t",
        (ImageDim::Buffer, ..) => "image1d_buffer_t",
        (ImageDim::D2, false, false) => "image2d_t",
        (ImageDim::D2, true, false) => "image2d_depth_t",
        (ImageDim::D2, false, true) => "image2d_msaa_t",
        (ImageDim::D2, true, true) => "image2d_msaa_depth_t",
        (ImageDim::D2Array, false, false) => "image2d_array_t",
        (ImageDim::D2Array, true, false) => "image2d_array_depth_t",
        (ImageDim::D2Array, false, true) => "image2d_array_msaa_t",
        (ImageDim::D2Array, true, true) => "image2d_array_msaa_depth_t",
        (ImageDim::D3, ..) => "image3d_t",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::c::types::{FLOAT, INT, Ty, UINT, VOID};

    fn global(ty: Ty) -> QualTy {
        QualTy::plain(ty).in_space(AddressSpace::Global)
    }

    #[test]
    fn types_are_spelled_as_clang_spells_them() {
        let mut types = Types::new();
        let mut symbols = Symbols::default();
        let name = symbols.intern("uint");
        let uint = types.intern(TypeKind::Typedef(name, QualTy::plain(UINT)));
        let float4 = types.intern(TypeKind::Vector(Arith::Float, 4));
        let mut pointee = global(FLOAT);
        pointee.quals.is_const = true;
        let pointer = types.intern(TypeKind::Pointer(pointee));
        let array = types.intern(TypeKind::Array(global(INT), Some(3)));
        let to_array = types.intern(TypeKind::Pointer(QualTy::plain(array)));
        let function = types.intern(TypeKind::Function(FunctionType {
            result: QualTy::plain(VOID),
            params: Box::new([QualTy::plain(INT), QualTy::plain(pointer)]),
            is_variadic: false,
            has_prototype: true,
        }));
        let block = types.intern(TypeKind::Block(function));
        let spelling = Spelling { types: &types, symbols: &symbols };
        assert_eq!(spelling.quoted(QualTy::plain(uint)), "'uint' (aka 'unsigned int')");
        assert_eq!(spelling.quoted(QualTy::plain(float4)), "'float4' (vector of 4 'float' values)");
        let private = QualTy::plain(pointer).in_space(AddressSpace::Private);
        assert_eq!(spelling.quoted(private), "'const __global float *__private'");
        assert_eq!(spelling.plain(QualTy::plain(array)), "__global int[3]");
        assert_eq!(spelling.plain(QualTy::plain(to_array)), "__global int (*)[3]");
        assert_eq!(spelling.plain(QualTy::plain(block)), "void (__generic ^)(int, const __global float *)");
        assert_eq!(spelling.argument(private), "float*");
        assert_eq!(spelling.argument(QualTy::plain(uint)), "uint");
    }
}
