//! Alignment of objects that lie at less than the alignment of their type: members of packed records, and
//! what expressions make of their addresses.

use super::function::FunctionLowering;
use super::types::{align_at, pointee};
use crate::front::c::ast::{CastKind, ExprId, ExprKind};
use crate::front::c::layout::layout;
use crate::front::c::types::{Ty, TypeKind};

impl FunctionLowering<'_, '_> {
    /// Alignment of what `pointer` points to, if the expression shows that it is below that of the type: the
    /// address of a member of a packed record, or of an element of such an array.
    pub fn reduced_pointee_align(&self, pointer: ExprId) -> Option<u32> {
        let expr = self.expr(pointer).ok()?;
        match expr.kind {
            ExprKind::PointerAdd(base, _) | ExprKind::PointerSub(base, _) => {
                let stride = layout(self.types(), pointee(self.types(), expr.ty.ty)?.ty).size;
                Some(align_at(self.reduced_pointee_align(base)?, stride))
            }
            ExprKind::Cast(CastKind::Decay, object) | ExprKind::AddrOf(object) => self.reduced_align(object),
            ExprKind::Cast(CastKind::Pointer | CastKind::Space, from) => self.reduced_pointee_align(from),
            _ => None,
        }
    }

    /// Alignment of an lvalue, if it is below that of its type.
    fn reduced_align(&self, id: ExprId) -> Option<u32> {
        let expr = self.expr(id).ok()?;
        let of_type = |ty: Ty| layout(self.types(), ty).align;
        let align = match expr.kind {
            ExprKind::Member { base, field } => {
                let base_ty = self.expr(base).ok()?.ty.ty;
                let TypeKind::Record(record) = self.types().resolved(base_ty) else { return None };
                let field = self.types().records.get(record.0 as usize)?.fields.get(field as usize)?;
                align_at(self.reduced_align(base).unwrap_or_else(|| of_type(base_ty)), field.offset)
            }
            ExprKind::Deref(pointer) => self.reduced_pointee_align(pointer)?,
            _ => return None,
        };
        (align < of_type(expr.ty.ty)).then_some(align)
    }
}
