//! Sizes and alignments of types, in bytes.

use super::Sema;
use crate::front::c::types::{Ty, TypeKind, Types};

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

impl Sema<'_> {
    /// Size of a type's objects; `None` for incomplete types, `void` and functions.
    pub fn size_of(&self, ty: Ty) -> Option<u64> {
        self.types.layout(ty).map(|layout| layout.size)
    }

    /// Alignment of a type's objects.
    pub fn align_of(&self, ty: Ty) -> Option<u32> {
        self.types.layout(ty).map(|layout| layout.align)
    }

    /// Whether objects of a type can be defined: its size is known.
    pub fn is_complete(&self, ty: Ty) -> bool {
        self.types.layout(ty).is_some()
    }
}
