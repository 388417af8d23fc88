//! Address spaces and storage of variables (OpenCL C, section 6.7), and the types that variables cannot have.

use super::Sema;
use super::scope::Scopes;
use crate::front::c::ast::Storage;
use crate::front::c::declaration::StorageClass;
use crate::front::c::source::Loc;
use crate::front::c::types::*;

impl Sema<'_> {
    /// Type with its address space, and storage, of a variable that is declared in the current scope.
    pub(super) fn place_variable(
        &mut self,
        ty: QualTy,
        class: Option<StorageClass>,
        loc: Loc,
    ) -> (QualTy, Storage) {
        let space = self.types.canonical(ty).quals.space;
        let is_file = self.bodies.is_empty();
        let (space, storage) = match class {
            Some(StorageClass::Extern) => (self.program_space(ty, space, "extern", loc), Storage::Extern),
            _ if is_file => (self.program_space(ty, space, "program scope", loc), Storage::Static),
            Some(StorageClass::Static) => (self.static_space(ty, space, loc), Storage::Static),
            _ => self.local_space(space, loc),
        };
        let placed = ty.in_space(space);
        self.check_object_type(placed, is_file, loc);
        (placed, storage)
    }

    fn is_sampler(&self, ty: QualTy) -> bool {
        matches!(self.types.resolved(ty.ty), TypeKind::Opaque(OpaqueType::Sampler))
    }

    /// Address space of a variable of program scope.
    fn program_space(&mut self, ty: QualTy, space: AddressSpace, what: &str, loc: Loc) -> AddressSpace {
        if self.is_sampler(ty) {
            if space != AddressSpace::Constant && !self.types.canonical(ty).quals.is_const {
                self.error(loc, "global sampler requires a const or constant address space qualifier");
            }
            return AddressSpace::Constant;
        }
        match self.types.resolved(ty.ty) {
            TypeKind::Error => return space,
            // No variable of program scope has such a type, whatever its address space.
            TypeKind::Image(_) | TypeKind::Pipe(..) => return AddressSpace::Private,
            TypeKind::Opaque(opaque) if *opaque != OpaqueType::Queue => return AddressSpace::Private,
            _ => {}
        }
        let has_globals = self.language.has_program_scope_globals();
        match space {
            AddressSpace::Constant => AddressSpace::Constant,
            AddressSpace::Default | AddressSpace::Global if has_globals => AddressSpace::Global,
            _ => {
                let spaces = if has_globals { "global or constant" } else { "constant" };
                self.error(loc, format!("{what} variable must reside in {spaces} address space"));
                // Nothing more is reported about a global variable.
                AddressSpace::Global
            }
        }
    }

    /// Address space of a `static` variable of a function.
    fn static_space(&mut self, ty: QualTy, space: AddressSpace, loc: Loc) -> AddressSpace {
        if self.language.version < 200 {
            self.error(loc, "variables in function scope cannot be declared static");
            return AddressSpace::Global;
        }
        match space {
            AddressSpace::Private | AddressSpace::Local | AddressSpace::Generic => {
                let spaces =
                    if self.language.has_program_scope_globals() { "global or constant" } else { "constant" };
                self.error(loc, format!("static local variable must reside in {spaces} address space"));
                // Nothing more is reported about a global variable.
                AddressSpace::Global
            }
            _ => self.program_space(ty, space, "static local", loc),
        }
    }

    /// Address space and storage of other variables of functions.
    fn local_space(&mut self, space: AddressSpace, loc: Loc) -> (AddressSpace, Storage) {
        let is_kernel = self.body().is_some_and(|body| body.is_kernel);
        let is_outermost = self.scopes.level() == Scopes::FILE + 1;
        match space {
            AddressSpace::Default | AddressSpace::Private => (AddressSpace::Private, Storage::Auto),
            AddressSpace::Local | AddressSpace::Constant => {
                let name = if space == AddressSpace::Local { "local" } else { "constant" };
                if !is_kernel {
                    let text =
                        format!("non-kernel function variable cannot be declared in {name} address space");
                    self.error(loc, text);
                } else if space == AddressSpace::Local && !is_outermost {
                    let text = "variables in the local address space can only be declared in the outermost scope of a kernel function";
                    self.error(loc, text);
                }
                (space, Storage::Static)
            }
            AddressSpace::Global => {
                self.error(loc, "function scope variable cannot be declared in global address space");
                (AddressSpace::Private, Storage::Auto)
            }
            AddressSpace::Generic => {
                self.error(loc, "automatic variable qualified with an invalid address space");
                (AddressSpace::Private, Storage::Auto)
            }
        }
    }

    /// Reports types that no variable, or none of this address space, can have.
    fn check_object_type(&mut self, ty: QualTy, is_file: bool, loc: Loc) {
        let canonical = self.types.canonical(ty);
        let kind = match self.types.kind(canonical.ty) {
            TypeKind::Array(of, _) => self.types.resolved(of.ty).clone(),
            kind => kind.clone(),
        };
        match kind {
            TypeKind::Image(_) | TypeKind::Pipe(..) => {
                let name = self.quoted(ty);
                self.error(loc, format!("type {name} can only be used as a function parameter in OpenCL"));
            }
            TypeKind::Arith(Arith::Half) if !self.language.has_fp16() => {
                let name = self.quoted(ty);
                self.error(loc, format!("declaring variable of type {name} is not allowed"));
            }
            TypeKind::Opaque(OpaqueType::Sampler) => {
                if matches!(canonical.quals.space, AddressSpace::Local | AddressSpace::Global) {
                    let text =
                        "sampler type cannot be used with the __local and __global address space qualifiers";
                    self.error(loc, text);
                }
            }
            TypeKind::Opaque(opaque) if is_file && opaque != OpaqueType::Queue => {
                let name = self.quoted(ty);
                self.error(
                    loc,
                    format!("the {name} type cannot be used to declare a program scope variable"),
                );
            }
            TypeKind::Opaque(OpaqueType::Event) if canonical.quals.space != AddressSpace::Private => {
                self.error(loc, "the event_t type can only be used with __private address space qualifier");
            }
            _ => {}
        }
    }
}
