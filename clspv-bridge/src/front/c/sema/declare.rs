//! Declarations of variables and typedef names.

use super::Sema;
use super::scope::{Binding, ScopeEntry, Scopes};
use crate::front::c::ast::*;
use crate::front::c::declaration::{Attributes, StorageClass};
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::*;

/// A declared name with what its declaration says.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    pub name: Symbol,
    pub ty: QualTy,
    pub class: Option<StorageClass>,
    pub attributes: &'a Attributes,
    pub loc: Loc,
}

impl Sema<'_> {
    /// Declares a typedef name.
    pub fn declare_typedef(&mut self, name: Symbol, ty: QualTy, loc: Loc) {
        if let Some(entry) = self.scopes.entry_here(name).copied() {
            match entry.binding {
                Binding::Typedef(before) if self.types.canonical(before) == self.types.canonical(ty) => {
                    return;
                }
                Binding::Typedef(before) => {
                    let before = match *self.types.kind(before.ty) {
                        TypeKind::Typedef(_, to) => to,
                        _ => before,
                    };
                    let text = format!(
                        "typedef redefinition with different types ({} vs {})",
                        self.quoted(ty),
                        self.quoted(before)
                    );
                    self.error(loc, text);
                    self.note(entry.loc, "previous definition is here");
                }
                _ => self.error_other_kind(name, loc, &entry),
            }
        }
        let named = self.types.intern(TypeKind::Typedef(name, ty));
        let binding = if self.types.depth(named) > super::derive::MAX_TYPE_DEPTH {
            self.error(loc, "nesting too deep");
            Binding::Typedef(QualTy::plain(ERROR))
        } else {
            Binding::Typedef(QualTy::plain(named))
        };
        self.scopes.bind(name, binding, loc);
    }

    pub(super) fn error_other_kind(&mut self, name: Symbol, loc: Loc, before: &ScopeEntry<Binding>) {
        let text = format!("redefinition of '{}' as different kind of symbol", self.text(name));
        self.error(loc, text);
        self.note(before.loc, "previous definition is here");
    }

    /// Declares a variable in the current scope. Its initializer, if any, follows with
    /// [`Sema::set_initializer`], otherwise [`Sema::finish_variable`] does.
    pub fn declare_variable(&mut self, declared: &Declared<'_>) -> VarId {
        let Declared { name, class, attributes, loc, .. } = *declared;
        let (ty, storage) = self.place_variable(declared.ty, class, loc);
        if storage == Storage::Extern && self.is_block(ty.ty) {
            let text = "invalid block variable declaration - using 'extern' storage class is disallowed";
            self.error(loc, text);
        }
        let is_exported =
            self.bodies.is_empty() && class != Some(StorageClass::Static) || storage == Storage::Extern;
        if let Some(entry) = self.scopes.entry_here(name).copied() {
            match entry.binding {
                Binding::Var(before) if self.can_redeclare(before, storage) => {
                    return self.redeclare(before, ty, storage, name, loc);
                }
                Binding::Var(before) => {
                    let mut text = format!("redefinition of '{}'", self.text(name));
                    if let Some(old) = self.var(before).map(|var| var.ty)
                        && !self.same_type(old, ty)
                    {
                        let (new, old) = (self.quoted(ty), self.quoted(old));
                        text.push_str(&format!(" with a different type: {new} vs {old}"));
                    }
                    self.error(loc, text);
                    self.note(entry.loc, "previous definition is here");
                }
                Binding::Error => {}
                _ => self.error_other_kind(name, loc, &entry),
            }
        }
        // `extern` in a function refers to the variable of program scope.
        if storage == Storage::Extern
            && let Some(ScopeEntry { binding: Binding::Var(before), level: Scopes::FILE, .. }) =
                self.scopes.entry(name).copied()
            && self.var(before).is_some_and(|var| self.same_type(var.ty, ty))
        {
            self.scopes.bind(name, Binding::Var(before), loc);
            return before;
        }
        let id = self.new_var(Some(name), ty, storage, loc);
        if storage == Storage::Auto
            && let Some(label) = attributes.label
        {
            let text = format!("ignored asm label '{}' on automatic variable", self.text(label));
            self.warning("asm-label", loc, text);
        }
        if let Some(var) = self.var_mut(id) {
            var.label = attributes.label.filter(|_| storage != Storage::Auto);
            var.is_exported = is_exported;
            var.align = var.align.max(attributes.align.unwrap_or(1));
        }
        if storage == Storage::Static {
            self.unit.statics.push(id);
        }
        self.scopes.bind(name, Binding::Var(id), loc);
        id
    }

    /// Whether a variable may be declared again: at program scope, or `extern` both times.
    fn can_redeclare(&self, before: VarId, storage: Storage) -> bool {
        let is_extern = self.var(before).is_some_and(|var| var.storage == Storage::Extern);
        self.bodies.is_empty() || is_extern && storage == Storage::Extern
    }

    fn redeclare(&mut self, id: VarId, ty: QualTy, storage: Storage, name: Symbol, loc: Loc) -> VarId {
        let Some(before) = self.var(id) else { return id };
        let (before_ty, before_loc, before_storage) = (before.ty, before.loc, before.storage);
        let Some(merged) = self.merged_type(before_ty, ty) else {
            let word = if storage == Storage::Extern { "redeclaration" } else { "redefinition" };
            let text = format!(
                "{word} of '{}' with a different type: {} vs {}",
                self.text(name),
                self.quoted(ty),
                self.quoted(before_ty)
            );
            self.error(loc, text);
            self.note(before_loc, "previous definition is here");
            return id;
        };
        let becomes_defined = before_storage == Storage::Extern && storage == Storage::Static;
        if let Some(var) = self.var_mut(id) {
            var.ty = merged;
            if becomes_defined {
                var.storage = Storage::Static;
                var.loc = loc;
            }
        }
        if becomes_defined {
            self.unit.statics.push(id);
        }
        id
    }

    /// The type of an object that two declarations agree on: an array may have its length in one only.
    fn merged_type(&self, x: QualTy, y: QualTy) -> Option<QualTy> {
        let (a, b) = (self.types.canonical(x), self.types.canonical(y));
        if a.quals != b.quals {
            return None;
        }
        if a.ty == b.ty {
            return Some(x);
        }
        match (self.types.kind(a.ty), self.types.kind(b.ty)) {
            (TypeKind::Error, _) | (_, TypeKind::Error) => Some(x),
            (TypeKind::Array(p, None), TypeKind::Array(q, _)) if p == q => Some(y),
            (TypeKind::Array(p, _), TypeKind::Array(q, None)) if p == q => Some(x),
            _ => None,
        }
    }

    /// Sets the initializer of a variable, which has been converted to its type. `ty` is the type with the
    /// length that the initializer gives to an array.
    pub fn set_initializer(&mut self, id: VarId, init: ExprId, ty: QualTy, loc: Loc) {
        let Some(var) = self.var(id) else { return };
        let (name, storage, before, before_loc) = (var.name, var.storage, var.init, var.loc);
        let space = self.types.canonical(var.ty).quals.space;
        if before.is_some() {
            let text = format!("redefinition of '{}'", name.map_or("", |name| self.text(name)));
            self.error(loc, text);
            self.note(before_loc, "previous definition is here");
            return;
        }
        if space == AddressSpace::Local {
            self.error(loc, "'__local' variable cannot have an initializer");
            return;
        }
        if storage == Storage::Extern {
            if self.bodies.is_empty() {
                self.warning("extern-initializer", loc, "'extern' variable has an initializer");
                self.unit.statics.push(id);
            } else {
                self.error(
                    loc,
                    "declaration of block scope identifier with linkage cannot have an initializer",
                );
            }
        }
        let is_static = matches!(storage, Storage::Static | Storage::Extern);
        if is_static && !self.is_error(init) && !self.is_constant_initializer(init) {
            let at = self.expr(init).loc;
            self.error(at, "initializer element is not a compile-time constant");
        }
        if is_static {
            self.fold_constants(init);
        }
        let align = self.align_of(ty.ty);
        if let Some(var) = self.var_mut(id) {
            var.ty = ty;
            var.init = Some(init);
            var.align = var.align.max(align.unwrap_or(1));
            if storage == Storage::Extern {
                var.storage = Storage::Static;
            }
        }
        self.note_constant(id);
        self.check_complete(id, loc);
    }

    /// Whether the initializer of a variable is erroneous.
    pub fn has_erroneous_value(&self, id: VarId) -> bool {
        self.var(id).and_then(|var| var.init).is_some_and(|init| self.is_error(init))
    }

    /// Ends the declaration of a variable without initializer.
    pub fn finish_variable(&mut self, id: VarId, loc: Loc) {
        let Some(var) = self.var(id) else { return };
        let (ty, storage, has_init) = (var.ty, var.storage, var.init.is_some());
        let canonical = self.types.canonical(ty);
        if storage == Storage::Extern || has_init || self.types.kind(canonical.ty) == &TypeKind::Error {
            return;
        }
        if self.is_block(ty.ty) {
            self.error(loc, "invalid block variable declaration - must be initialized");
            return;
        }
        if canonical.quals.space == AddressSpace::Constant {
            self.error(loc, "variable in constant address space must be initialized");
            return;
        }
        self.check_complete(id, loc);
    }

    /// Reports a variable whose size is not known.
    fn check_complete(&mut self, id: VarId, loc: Loc) {
        let Some(ty) = self.var(id).map(|var| var.ty) else { return };
        if self.is_complete(ty.ty) {
            return;
        }
        match self.types.resolved(ty.ty) {
            TypeKind::Array(_, None) => {
                let text = "definition of variable with array type needs an explicit size or an initializer";
                self.error(loc, text);
            }
            kind => {
                // `void` has no objects in an address space.
                let ty = if kind == &TypeKind::Void { QualTy::plain(VOID) } else { ty };
                let name = self.quoted(ty);
                self.error(loc, format!("variable has incomplete type {name}"));
            }
        }
        if let Some(var) = self.var_mut(id) {
            var.ty = QualTy::plain(ERROR);
        }
    }
}
