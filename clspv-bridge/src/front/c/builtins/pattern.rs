//! Signature patterns of built-in functions.
//!
//! A signature is a list of words: the result, then the parameters, and `...` last if more may follow. Words
//! for types, where `T` is the row's generic type:
//!
//! | word | type |
//! |---|---|
//! | `void`, `int`, `uint4`, `float2`, `size_t`, `bool`, `sampler`, `event`, ... | that type |
//! | `T` | the generic type |
//! | `S` | its scalar type |
//! | `X` | a vector of any length with elements `S` |
//! | `U`, `J` | unsigned and signed integers of its shape and width |
//! | `R` | result of a relation: `int` for scalars, `J` for vectors |
//! | `N` | `int` in its shape |
//! | `W` | integers of twice the width |
//! | `ci`, `cf`, `cg` | integer and floating-point coordinates, and a gradient, of the image `T` |
//! | `pT` | a pipe of packets `T` |
//! | `QSP*w` | pointer to `w` (or to `_Atomic w` as `@w`): `k` const, `v` volatile, then a space |
//!
//! Spaces: `g` global, `l` local, `p` private, `c` constant, `a` any but constant, `r` any, `m` global or
//! local,
//! `x` any with a pointee of any type. The last four take the argument's space.

use super::super::types::{
    AccessMode, AddressSpace, Arith, INT, ImageType, OpaqueType, QualTy, Quals, Ty, TypeKind, Types, ULONG,
    VOID, scalar,
};
use crate::ir::ImageDim;

/// Types that a call binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TypeBinding {
    /// `T`
    pub generic: Option<Ty>,
    /// `X`
    pub other: Option<Ty>,
    /// AccessMode of the pipe that is passed.
    pub pipe: Option<AccessMode>,
}

/// A pointer word, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerWord<'a> {
    pub is_const: bool,
    pub is_volatile: bool,
    pub space: u8,
    pub is_atomic: bool,
    pub pointee: &'a str,
}

/// Takes a pointer word apart; `None` for other words.
pub fn pointer(word: &str) -> Option<PointerWord<'_>> {
    let (head, pointee) = word.split_once('*')?;
    let (is_atomic, pointee) = match pointee.strip_prefix('@') {
        Some(rest) => (true, rest),
        None => (false, pointee),
    };
    let (space, quals) = head.as_bytes().split_last()?;
    Some(PointerWord {
        is_const: quals.contains(&b'k'),
        is_volatile: quals.contains(&b'v'),
        space: *space,
        is_atomic,
        pointee,
    })
}

impl PointerWord<'_> {
    /// Whether pointers in several address spaces fit.
    pub fn takes_several(&self) -> bool {
        matches!(self.space, b'a' | b'r' | b'm' | b'x')
    }
    /// Whether an argument's address space fits.
    pub fn takes(&self, space: AddressSpace) -> bool {
        use AddressSpace as A;
        match self.space {
            b'g' => matches!(space, A::Global),
            b'l' => matches!(space, A::Local),
            b'p' => matches!(space, A::Private | A::Default),
            b'c' => matches!(space, A::Constant),
            b'm' => matches!(space, A::Global | A::Local | A::Generic),
            b'a' => !matches!(space, A::Constant),
            _ => true,
        }
    }
}

/// Element type and number of lanes of a scalar or vector type.
pub fn shape(types: &Types, ty: Ty) -> Option<(Arith, u8)> {
    match types.resolved(ty) {
        TypeKind::Arith(arith) => Some((*arith, 1)),
        TypeKind::Vector(arith, lanes) => Some((*arith, *lanes)),
        TypeKind::Enum(id) => types.enums.get(id.0 as usize).map(|e| (e.underlying, 1)),
        _ => None,
    }
}

/// The scalar or vector type of a shape.
pub fn of_shape(types: &mut Types, arith: Arith, lanes: u8) -> Ty {
    if lanes == 1 { scalar(arith) } else { types.intern(TypeKind::Vector(arith, lanes)) }
}

/// Signed integer of a width in bytes.
fn signed(bytes: u32) -> Arith {
    match bytes {
        1 => Arith::Char,
        2 => Arith::Short,
        4 => Arith::Int,
        _ => Arith::Long,
    }
}

/// The type of a word, with the types that the call binds. `space` is the argument's address space, for
/// pointers that take it.
pub fn word_type(
    types: &mut Types,
    word: &str,
    binding: &TypeBinding,
    space: AddressSpace,
) -> Option<QualTy> {
    if let Some(p) = pointer(word) {
        let pointee = word_type(types, p.pointee, binding, AddressSpace::Default)?.ty;
        let pointee = if p.is_atomic { types.intern(TypeKind::Atomic(pointee)) } else { pointee };
        let space = match p.space {
            b'g' => AddressSpace::Global,
            b'l' => AddressSpace::Local,
            b'p' => AddressSpace::Private,
            b'c' => AddressSpace::Constant,
            _ => space,
        };
        let quals = Quals { is_const: p.is_const, is_volatile: p.is_volatile, is_restrict: false, space };
        return Some(QualTy::plain(types.intern(TypeKind::Pointer(QualTy { ty: pointee, quals }))));
    }
    let generic = || binding.generic.and_then(|t| shape(types, t));
    let ty = match word {
        "T" => binding.generic?,
        "X" => binding.other?,
        "S" => scalar(generic()?.0),
        "U" | "J" | "R" | "N" | "W" => {
            let (arith, lanes) = generic()?;
            let arith = match word {
                "U" => signed(arith.bytes()).to_unsigned(),
                "N" => Arith::Int,
                "R" if lanes == 1 => Arith::Int,
                "W" if arith.is_signed() => signed(arith.bytes() * 2),
                "W" => signed(arith.bytes() * 2).to_unsigned(),
                _ => signed(arith.bytes()),
            };
            of_shape(types, arith, lanes)
        }
        "ci" | "cf" | "cg" => coordinate(types, word, binding)?,
        "pT" => types.intern(TypeKind::Pipe(binding.generic?, binding.pipe?)),
        _ => named(types, word)?,
    };
    Some(QualTy::plain(ty))
}

/// The coordinates of the image that is bound.
fn coordinate(types: &mut Types, word: &str, binding: &TypeBinding) -> Option<Ty> {
    let TypeKind::Image(ImageType { dim, is_msaa: false, .. }) = *types.resolved(binding.generic?) else {
        return None;
    };
    let lanes = match dim {
        ImageDim::D1 | ImageDim::Buffer => 1,
        // Gradients exclude the layer.
        ImageDim::D1Array if word == "cg" => 1,
        ImageDim::D2Array if word == "cg" => 2,
        ImageDim::D1Array | ImageDim::D2 => 2,
        ImageDim::D2Array | ImageDim::D3 => 4,
    };
    Some(of_shape(types, if word == "ci" { Arith::Int } else { Arith::Float }, lanes))
}

/// A type by its name.
fn named(types: &mut Types, name: &str) -> Option<Ty> {
    Some(match name {
        "void" => VOID,
        "size_t" => ULONG,
        // `memory_order`, `memory_scope` and flags are enumerations or unsigned numbers.
        "order" | "scope" => INT,
        "sampler" => types.intern(TypeKind::Opaque(OpaqueType::Sampler)),
        "event" => types.intern(TypeKind::Opaque(OpaqueType::Event)),
        "clk_event" => types.intern(TypeKind::Opaque(OpaqueType::ClkEvent)),
        "queue" => types.intern(TypeKind::Opaque(OpaqueType::Queue)),
        "reserve_id" => types.intern(TypeKind::Opaque(OpaqueType::ReserveId)),
        "ndrange" => types.ndrange,
        _ => return vector_name(types, name),
    })
}

/// A scalar or vector type by its name.
fn vector_name(types: &mut Types, name: &str) -> Option<Ty> {
    named_shape(name).map(|(arith, lanes)| of_shape(types, arith, lanes))
}

/// Element type and number of lanes of `int`, `float4`, ...
pub fn named_shape(name: &str) -> Option<(Arith, u8)> {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match name.get(digits.len()..)? {
        "" => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let arith = Arith::ALL.into_iter().find(|a| a.name() == digits)?;
    (lanes == 1 || arith != Arith::Bool).then_some((arith, lanes))
}
