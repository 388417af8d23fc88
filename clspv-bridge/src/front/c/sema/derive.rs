//! Types that declarators and specifiers make from others, and what the language forbids about them.

use super::Sema;
use crate::front::c::ast::{ExprId, VarId};
use crate::front::c::source::Loc;
use crate::front::c::types::*;
use crate::ir::ImageDim;

/// Text about blocks in a language that has none.
pub const BLOCKS_DISABLED: &str =
    "blocks support disabled - they require OpenCL C 2.0, or OpenCL C 3.0 with __opencl_c_device_enqueue";

/// Depth of types inside each other that the language processor accepts.
pub(super) const MAX_TYPE_DEPTH: u16 = 256;

impl Sema<'_> {
    /// Adds a derived type, unless it nests too deep.
    fn derived(&mut self, kind: TypeKind, loc: Loc) -> Ty {
        let ty = self.types.intern(kind);
        if self.types.depth(ty) <= MAX_TYPE_DEPTH {
            return ty;
        }
        self.error(loc, "nesting too deep");
        ERROR
    }

    /// A type with more qualifiers.
    pub fn with_quals(&mut self, ty: QualTy, quals: Quals) -> QualTy {
        QualTy {
            ty: ty.ty,
            quals: Quals {
                is_const: ty.quals.is_const || quals.is_const,
                is_volatile: ty.quals.is_volatile || quals.is_volatile,
                is_restrict: ty.quals.is_restrict || quals.is_restrict,
                space: if quals.space == AddressSpace::Default { ty.quals.space } else { quals.space },
            },
        }
    }

    /// An image type with an access qualifier.
    pub fn with_access(&mut self, ty: QualTy, access: AccessMode, loc: Loc) -> QualTy {
        let canonical = self.types.canonical(ty);
        let kind = match self.types.kind(canonical.ty) {
            TypeKind::Image(image) => TypeKind::Image(ImageType { access, ..*image }),
            TypeKind::Pipe(of, _) => TypeKind::Pipe(*of, access),
            TypeKind::Error => return ty,
            _ => {
                self.error(loc, "access qualifier can only be used for pipe and image type");
                return ty;
            }
        };
        let is_3d_write = matches!(
            &kind,
            TypeKind::Image(image) if image.dim == ImageDim::D3 && image.access != AccessMode::ReadOnly
        );
        let result = QualTy { ty: self.types.intern(kind), quals: canonical.quals };
        if is_3d_write && !self.language.has_3d_image_writes() {
            let feature = if self.language.is_3_0() { " and __opencl_c_3d_image_writes" } else { "" };
            let name = self.quoted(result);
            self.error(loc, format!("use of type {name} requires cl_khr_3d_image_writes{feature} support"));
        }
        if access == AccessMode::ReadWrite && !self.language.has_read_write_images() {
            let name = self.quoted(result);
            let text = format!(
                "access qualifier 'read_write' cannot be used for {name} prior to OpenCL C version 2.0 or in version 3.0 \
                 and without __opencl_c_read_write_images feature"
            );
            self.error(loc, text);
        }
        result
    }

    /// `_Atomic` of a type.
    pub fn atomic_type(&mut self, of: QualTy, loc: Loc) -> Ty {
        let canonical = self.types.canonical(of).ty;
        if !matches!(self.types.kind(canonical), TypeKind::Arith(_) | TypeKind::Pointer(_) | TypeKind::Error)
        {
            let name = self.quoted(of);
            self.error(loc, format!("_Atomic cannot be applied to type {name}"));
            return ERROR;
        }
        self.types.intern(TypeKind::Atomic(of.ty))
    }

    /// A vector type made with an attribute: `lanes` of `ext_vector_type` or `bytes` of `vector_size`, each
    /// with the location of the attribute.
    pub fn vector_type(
        &mut self,
        of: QualTy,
        lanes: Option<(u64, Loc)>,
        bytes: Option<(u64, Loc)>,
    ) -> QualTy {
        let Some((_, loc)) = lanes.or(bytes) else { return of };
        let canonical = self.types.canonical(of);
        let arith = match self.types.kind(canonical.ty) {
            TypeKind::Arith(arith) if *arith != Arith::Bool => *arith,
            TypeKind::Error => return of,
            _ => {
                let name = self.quoted(of);
                self.error(loc, format!("invalid vector element type {name}"));
                return of;
            }
        };
        let size = u64::from(arith.bytes());
        if let (None, Some((bytes, _))) = (lanes, bytes)
            && !bytes.is_multiple_of(size)
        {
            self.error(loc, "vector size not an integral multiple of component size");
            return of;
        }
        let lanes = lanes.or(bytes.map(|(bytes, loc)| (bytes / size, loc))).map_or(0, |(lanes, _)| lanes);
        let Some(lanes) = u8::try_from(lanes).ok().filter(|lanes| (1..=16).contains(lanes)) else {
            self.error(loc, if lanes == 0 { "zero vector size" } else { "vector size too large" });
            return of;
        };
        if lanes == 1 {
            return QualTy { ty: scalar(arith), quals: canonical.quals };
        }
        let ty = self.types.intern(TypeKind::Vector(arith, lanes));
        QualTy { ty, quals: canonical.quals }
    }

    /// A pointer; the pointee gets the address space that pointers without one have.
    pub fn pointer_type(&mut self, to: QualTy, quals: Quals, loc: Loc) -> QualTy {
        let to = self.pointee(to);
        let canonical = self.types.canonical(to);
        match self.types.kind(canonical.ty) {
            TypeKind::Function(_) => {
                self.error(loc, "pointers to functions are not allowed");
                return QualTy::plain(ERROR);
            }
            TypeKind::Image(_) | TypeKind::Pipe(..) | TypeKind::Opaque(OpaqueType::Sampler) => {
                let name = self.quoted(to.in_space(AddressSpace::Default));
                self.error(loc, format!("pointer to type {name} is invalid in OpenCL"));
                return QualTy::plain(ERROR);
            }
            TypeKind::Block(_) => {
                let name = self.quoted(to.in_space(AddressSpace::Default));
                self.error(loc, format!("pointer to type {name} is invalid in OpenCL"));
                return QualTy::plain(ERROR);
            }
            TypeKind::Error => return QualTy::plain(ERROR),
            _ => {}
        }
        QualTy { ty: self.derived(TypeKind::Pointer(to), loc), quals }
    }

    /// A pointee with the address space that it has without one written.
    pub fn pointee(&self, to: QualTy) -> QualTy {
        match self.types.canonical(to).quals.space {
            AddressSpace::Default => to.in_space(self.pointee_space()),
            // A typedef name's space becomes visible, so that the types are equal.
            space => to.in_space(space),
        }
    }

    /// An array. Its qualifiers are those of the elements as written.
    pub fn array_type(&mut self, of: QualTy, len: Option<u64>, loc: Loc) -> QualTy {
        let canonical = self.types.canonical(of);
        match self.types.kind(canonical.ty) {
            TypeKind::Error => return QualTy::plain(ERROR),
            TypeKind::Function(_) => {
                self.error(loc, "array of functions is not allowed");
                return QualTy::plain(ERROR);
            }
            TypeKind::Image(_)
            | TypeKind::Pipe(..)
            | TypeKind::Block(_)
            | TypeKind::Opaque(OpaqueType::Sampler) => {
                let name = self.quoted(of);
                self.error(loc, format!("array of {name} type is invalid in OpenCL"));
                return QualTy::plain(ERROR);
            }
            _ => {}
        }
        if !self.is_complete(of.ty) {
            let name = self.quoted(of);
            self.error(loc, format!("array has incomplete element type {name}"));
            return QualTy::plain(ERROR);
        }
        let element = QualTy::plain(of.ty);
        let ty = self.derived(TypeKind::Array(element, len), loc);
        if len.is_some() && self.types.layout(ty).is_none_or(|layout| layout.size > 1 << 40) {
            self.error(loc, "array is too large");
            return QualTy::plain(ERROR);
        }
        QualTy { ty, quals: of.quals }
    }

    /// Length of an array from its expression in brackets.
    pub fn array_length(&mut self, expr: ExprId, loc: Loc) -> Option<u64> {
        if self.is_error(expr) {
            return None;
        }
        let Some(value) = self.constant_int(expr) else {
            let is_int = match self.types.kind(self.canonical_ty(expr).ty) {
                TypeKind::Arith(arith) => arith.is_int(),
                kind => matches!(kind, TypeKind::Enum(_)),
            };
            if is_int {
                self.error(loc, "variable length arrays are not supported in OpenCL");
            } else {
                let name = self.quoted(self.ty(expr));
                self.error(loc, format!("size of array has non-integer type {name}"));
            }
            return None;
        };
        if value.signed() < 0 {
            self.error(loc, "array size is negative");
            return None;
        }
        Some(value.bits)
    }

    /// A function's type; parameters have been adjusted.
    pub fn function_type(&mut self, result: QualTy, params: &[VarId], is_variadic: bool, loc: Loc) -> QualTy {
        let canonical = self.types.canonical(result);
        match self.types.kind(canonical.ty) {
            TypeKind::Function(_) => {
                self.error(loc, "function cannot return function type");
                return QualTy::plain(ERROR);
            }
            TypeKind::Array(..) => {
                self.error(loc, "function cannot return array type");
                return QualTy::plain(ERROR);
            }
            TypeKind::Arith(Arith::Half) if !self.language.has_fp16() => {
                let text =
                    "declaring function return value of type 'half' is not allowed ; did you forget * ?";
                self.error(loc, text);
            }
            TypeKind::Image(_)
            | TypeKind::Pipe(..)
            | TypeKind::Block(_)
            | TypeKind::Opaque(OpaqueType::Sampler) => {
                let name = self.quoted(result);
                self.error(loc, format!("declaring function return value of type {name} is not allowed"));
            }
            _ => {}
        }
        let params = params
            .iter()
            .map(|param| self.var(*param).map_or(QualTy::plain(ERROR), |var| QualTy::plain(var.ty.ty)))
            .collect();
        let function =
            FunctionType { result: QualTy::plain(result.ty), params, is_variadic, has_prototype: true };
        QualTy::plain(self.derived(TypeKind::Function(function), loc))
    }

    /// Checks that a function's result is in no address space. Blocks may have such results.
    pub fn check_result_space(&mut self, result: QualTy, loc: Loc) {
        let space = self.types.canonical(result).quals.space;
        if !matches!(space, AddressSpace::Default | AddressSpace::Private) {
            self.error(loc, "return type cannot be qualified with address space");
        }
    }

    /// A block's type, from the function type that it has. Blocks never change.
    pub fn block_type(&mut self, of: QualTy, quals: Quals, loc: Loc) -> QualTy {
        match self.types.resolved(of.ty) {
            TypeKind::Function(function) => {
                if function.is_variadic {
                    self.refuse_variadic_block(loc);
                    return QualTy::plain(ERROR);
                }
            }
            TypeKind::Error => return QualTy::plain(ERROR),
            _ => {
                self.error(loc, "block pointer to non-function type is invalid");
                return QualTy::plain(ERROR);
            }
        }
        if !self.language.has_blocks() {
            self.error(loc, BLOCKS_DISABLED);
            return QualTy::plain(ERROR);
        }
        QualTy { ty: self.derived(TypeKind::Block(of.ty), loc), quals: Quals { is_const: true, ..quals } }
    }

    /// Type of a parameter: arrays become pointers, with the qualifiers in the brackets.
    pub fn parameter_type(&mut self, ty: QualTy, quals: Quals, loc: Loc) -> QualTy {
        let canonical = self.types.canonical(ty);
        let adjusted = match self.types.kind(ty.ty).clone() {
            TypeKind::Array(of, _) => Some(self.element_of(of, ty.quals)),
            _ => match self.types.kind(canonical.ty).clone() {
                TypeKind::Array(of, _) => Some(self.element_of(of, canonical.quals)),
                TypeKind::Function(_) => {
                    self.error(loc, "pointers to functions are not allowed");
                    return QualTy::plain(ERROR);
                }
                _ => None,
            },
        };
        if let Some(element) = adjusted {
            return self.pointer_type(element, quals, loc);
        }
        if !self.check_parameter(ty, loc) {
            return QualTy::plain(ERROR);
        }
        // A parameter is private, whatever is written.
        match canonical.quals.space {
            AddressSpace::Default | AddressSpace::Private => {}
            _ => self.error(loc, "parameter may not be qualified with an address space"),
        }
        ty.in_space(AddressSpace::Private)
    }

    /// Type of an array's element: that as written with the qualifiers of the array.
    pub fn element_of(&mut self, element: QualTy, array: Quals) -> QualTy {
        self.with_quals(element, array)
    }

    /// Reports types that parameters cannot have. Returns whether the parameter has a type nevertheless.
    fn check_parameter(&mut self, ty: QualTy, loc: Loc) -> bool {
        let canonical = self.types.canonical(ty);
        match self.types.kind(canonical.ty) {
            TypeKind::Void => {
                self.error(loc, "argument may not have 'void' type");
                return false;
            }
            TypeKind::Arith(Arith::Half) if !self.language.has_fp16() => {
                let name = self.quoted(ty.in_space(AddressSpace::Private));
                let text =
                    format!("declaring function parameter of type {name} is not allowed; did you forget * ?");
                self.error(loc, text);
            }
            TypeKind::Block(_) => {
                let name = self.quoted(ty.in_space(AddressSpace::Private));
                self.error(loc, format!("declaring function parameter of type {name} is not allowed"));
                return false;
            }
            _ => {}
        }
        true
    }

    /// Whether two types are the same, apart from qualifiers of the objects themselves.
    pub fn same_type(&self, x: QualTy, y: QualTy) -> bool {
        self.types.canonical(x).ty == self.types.canonical(y).ty
    }
}
