//! Sizes and alignments of types, for the analysis.

use super::Sema;
use crate::front::c::types::Ty;

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
