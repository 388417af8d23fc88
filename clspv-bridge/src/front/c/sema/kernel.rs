//! Restrictions of kernels' signatures (OpenCL C, section 6.11).

use super::Sema;
use crate::front::c::ast::{FuncId, VarId};
use crate::front::c::source::Loc;
use crate::front::c::types::*;

/// Integer types whose size is that of the device's addresses, which hosts cannot pass.
const ADDRESS_SIZED: [&str; 4] = ["size_t", "ptrdiff_t", "intptr_t", "uintptr_t"];

impl Sema<'_> {
    /// Reports what a kernel's declaration may not be.
    pub(super) fn check_kernel(&mut self, id: FuncId, is_static: bool) {
        let Some(function) = self.function(id) else { return };
        let (params, loc, ty) = (function.params.clone(), function.loc, function.ty);
        if is_static {
            self.error(loc, "kernel functions cannot be declared static");
        }
        if let TypeKind::Function(f) = self.types.resolved(ty)
            && !matches!(self.types.resolved(f.result.ty), TypeKind::Void | TypeKind::Error)
        {
            self.error(loc, "kernel must have void return type");
        }
        for param in params {
            self.check_kernel_parameter(param);
        }
    }

    fn check_kernel_parameter(&mut self, param: VarId) {
        let Some(var) = self.var(param) else { return };
        let (ty, loc) = (var.ty, var.loc);
        let canonical = self.types.canonical(ty);
        match self.types.kind(canonical.ty).clone() {
            TypeKind::Pointer(to) => self.check_kernel_pointer(to, loc),
            TypeKind::Arith(Arith::Bool)
            | TypeKind::Opaque(OpaqueType::Event | OpaqueType::ReserveId)
            | TypeKind::Block(_) => self.error_kernel_type(ty, loc),
            TypeKind::Arith(_) if self.is_address_sized(ty.ty) => self.error_kernel_type(ty, loc),
            TypeKind::Record(id) => self.check_kernel_record(id, ty, loc),
            _ => {}
        }
    }

    fn error_kernel_type(&mut self, ty: QualTy, loc: Loc) {
        let name = self.quoted(ty);
        self.error(loc, format!("{name} cannot be used as the type of a kernel parameter"));
    }

    /// Whether a type is a typedef name of the address-sized integers.
    fn is_address_sized(&self, ty: Ty) -> bool {
        let mut ty = ty;
        while let TypeKind::Typedef(name, to) = self.types.kind(ty) {
            if ADDRESS_SIZED.contains(&self.text(*name)) {
                return true;
            }
            ty = to.ty;
        }
        false
    }

    fn check_kernel_pointer(&mut self, to: QualTy, loc: Loc) {
        match to.quals.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local => {}
            _ => {
                let text = "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space";
                self.error(loc, text);
                return;
            }
        }
        let pointee = self.types.kind(to.ty).clone();
        if let TypeKind::Pointer(inner) = pointee {
            if self.language.version < 200 {
                self.error(loc, "kernel parameter cannot be declared as a pointer to a pointer");
            } else {
                self.check_kernel_pointer(inner, loc);
            }
        }
    }

    fn check_kernel_record(&mut self, id: RecordId, ty: QualTy, loc: Loc) {
        let Some(record) = self.types.records.get(id.0 as usize) else { return };
        let what = if record.is_union { "union" } else { "struct" };
        if record.has_private_pointer || record.has_pointer && self.language.version < 200 {
            self.error(loc, format!("{what} kernel parameters may not contain pointers"));
        } else if record.has_device_type {
            self.error_kernel_type(ty, loc);
        }
    }

    /// Notes what a record with this member may not be used for.
    pub(super) fn note_member(&mut self, record: &mut Record, ty: QualTy) {
        let mut written = ty.ty;
        while let TypeKind::Array(of, _) = self.types.resolved(written) {
            written = match self.types.kind(written) {
                TypeKind::Array(of, _) => of.ty,
                _ => of.ty,
            };
        }
        match self.types.resolved(written) {
            TypeKind::Pointer(to) => {
                record.has_pointer = true;
                let is_shared = matches!(
                    to.quals.space,
                    AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local
                );
                record.has_private_pointer |= !is_shared;
            }
            TypeKind::Arith(Arith::Bool) => record.has_device_type = true,
            TypeKind::Arith(_) if self.is_address_sized(written) => record.has_device_type = true,
            TypeKind::Record(id) => {
                if let Some(inner) = self.types.records.get(id.0 as usize) {
                    record.has_pointer |= inner.has_pointer;
                    record.has_private_pointer |= inner.has_private_pointer;
                    record.has_device_type |= inner.has_device_type;
                    record.depth = record.depth.max(inner.depth);
                }
            }
            _ => {}
        }
    }
}
