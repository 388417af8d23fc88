//! Data layout: sizes and alignments of the language's types and of the IR's, in bytes.
//!
//! The analysis and the lowering take all sizes from here.

use super::types::{Ty, TypeKind, Types};
use crate::ir::Type;

/// Size and alignment of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub size: u64,
    pub align: u32,
}

impl Layout {
    /// Layout of a scalar of this size.
    const fn scalar(size: u32) -> Layout {
        Layout { size: size as u64, align: size }
    }
}

impl Types {
    /// Layout of the objects of a type; `None` for `void`, functions and incomplete types.
    pub fn layout(&self, ty: Ty) -> Option<Layout> {
        match self.resolved(ty) {
            TypeKind::Void | TypeKind::Function(_) => None,
            TypeKind::Array(_, None) => None,
            // An erroneous type is complete, so that nothing more is reported.
            TypeKind::Error => Some(Layout::scalar(1)),
            TypeKind::Arith(arith) => Some(Layout::scalar(arith.bytes())),
            TypeKind::Vector(arith, lanes) => {
                let size = arith.bytes() * u32::from(*lanes).next_power_of_two();
                Some(Layout::scalar(size))
            }
            TypeKind::Pointer(_) | TypeKind::Block(_) | TypeKind::Image(_) | TypeKind::Pipe(..) => {
                Some(Layout::scalar(8))
            }
            TypeKind::Opaque(_) => Some(Layout::scalar(8)),
            TypeKind::Array(of, Some(len)) => {
                let of = self.layout(of.ty)?;
                Some(Layout { size: of.size.checked_mul(*len)?, align: of.align })
            }
            TypeKind::Record(id) => {
                let record = self.records.get(id.0 as usize)?;
                record.is_complete.then_some(Layout { size: record.size, align: record.align })
            }
            TypeKind::Enum(id) => {
                let data = self.enums.get(id.0 as usize)?;
                data.is_complete.then_some(Layout::scalar(data.underlying.bytes()))
            }
            TypeKind::Atomic(of) => self.layout(*of),
            TypeKind::Typedef(..) => None,
        }
    }
}

/// Size and alignment in memory. `void` and functions have size 1, as in GNU C's arithmetic on pointers to
/// them; arrays of unknown length are empty.
pub fn layout(types: &Types, ty: Ty) -> Layout {
    match types.resolved(ty) {
        TypeKind::Array(of, None) => Layout { size: 0, align: layout(types, of.ty).align },
        _ => types.layout(ty).unwrap_or(Layout { size: 1, align: 1 }),
    }
}

/// Size and alignment of a value in memory; `bool` is a byte.
pub fn value_layout(ty: Type) -> Layout {
    match ty {
        Type::Scalar(s) => Layout { size: u64::from(s.bytes()), align: s.bytes() },
        Type::Vector(s, lanes) => {
            let bytes = s.bytes() * u32::from(lanes).next_power_of_two();
            Layout { size: u64::from(bytes), align: bytes }
        }
        Type::Ptr(_) | Type::Opaque(_) => Layout { size: 8, align: 8 },
        Type::PtrVector(_, lanes) => Layout { size: 8 * u64::from(lanes), align: 8 },
    }
}
