//! IR types and memory layout of the language's types.

use crate::front::c::ast::Variable;
use crate::front::c::types::{AddressSpace, Arith, OpaqueType, Ty, TypeKind, Types};
use crate::ir::{I32, I64, Opaque, Scalar, Space, Type};

/// The machine type of a scalar type.
pub fn scalar(arith: Arith) -> Scalar {
    match arith {
        Arith::Bool => Scalar::I1,
        Arith::Char | Arith::UChar => Scalar::I8,
        Arith::Short | Arith::UShort => Scalar::I16,
        Arith::Int | Arith::UInt => Scalar::I32,
        Arith::Long | Arith::ULong => Scalar::I64,
        Arith::Half => Scalar::F16,
        Arith::Float => Scalar::F32,
        Arith::Double => Scalar::F64,
    }
}

/// The address space of pointers to an object.
pub fn space(space: AddressSpace) -> Space {
    match space {
        AddressSpace::Default | AddressSpace::Private => Space::Private,
        AddressSpace::Local => Space::Local,
        AddressSpace::Global => Space::Global,
        AddressSpace::Constant => Space::Constant,
        AddressSpace::Generic => Space::Generic,
    }
}

/// The IR type of a type's values; `None` for `void` and for aggregates, which are in memory.
pub fn value_type(types: &Types, ty: Ty) -> Option<Type> {
    Some(match types.resolved(ty) {
        TypeKind::Arith(arith) => Type::Scalar(scalar(*arith)),
        TypeKind::Vector(arith, lanes) => Type::vector(scalar(*arith), u32::from(*lanes).clamp(1, 16)),
        TypeKind::Pointer(to) => Type::Ptr(space(types.canonical(*to).quals.space)),
        TypeKind::Enum(id) => {
            let underlying = types.enums.get(id.0 as usize).map_or(Arith::Int, |e| e.underlying);
            Type::Scalar(scalar(underlying))
        }
        TypeKind::Atomic(of) => return value_type(types, *of),
        TypeKind::Image(_) => Type::Opaque(Opaque::Image),
        TypeKind::Pipe(..) => Type::Ptr(Space::Global),
        TypeKind::Block(_) => Type::Ptr(Space::Generic),
        TypeKind::Opaque(OpaqueType::Sampler) => I32,
        // Numbers that the runtime assigns, and positions in pipes.
        TypeKind::Opaque(_) => I64,
        TypeKind::Void
        | TypeKind::Array(..)
        | TypeKind::Function(_)
        | TypeKind::Record(_)
        | TypeKind::Typedef(..)
        | TypeKind::Error => return None,
    })
}

/// Whether a type's values are in memory.
pub fn is_aggregate(types: &Types, ty: Ty) -> bool {
    matches!(types.resolved(ty), TypeKind::Record(_) | TypeKind::Array(..))
}

/// Largest alignment of a type without attributes. Devices align no variable to more.
pub const MAX_TYPE_ALIGN: u32 = 128;

/// Extra bytes that a variable in private or local memory needs to be moved to an address of its alignment.
pub fn padding(align: u32) -> u64 {
    if align > MAX_TYPE_ALIGN { u64::from(align) - 1 } else { 0 }
}

/// Alignment of a variable whose type has the alignment `own`.
pub fn align_of_variable(var: &Variable, own: u32) -> u32 {
    var.align.max(own).clamp(1, 4096).next_power_of_two()
}

/// Whether the type is a signed integer, or a vector of them.
pub fn is_signed(types: &Types, ty: Ty) -> bool {
    match types.resolved(ty) {
        TypeKind::Arith(arith) | TypeKind::Vector(arith, _) => arith.is_signed(),
        TypeKind::Enum(id) => types.enums.get(id.0 as usize).is_none_or(|e| e.underlying.is_signed()),
        TypeKind::Atomic(of) => is_signed(types, *of),
        _ => false,
    }
}

/// The type that a pointer or array refers to.
pub fn pointee(types: &Types, ty: Ty) -> Option<crate::front::c::types::QualTy> {
    match types.resolved(ty) {
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => Some(types.canonical(*to)),
        TypeKind::Atomic(of) => pointee(types, *of),
        _ => None,
    }
}

/// Alignment of a part at `offset` in something aligned to `align`.
pub fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) }
}
