//! Declarations of functions, and the bodies of definitions.

use super::scope::Binding;
use super::{Body, Sema};
use crate::front::c::ast::*;
use crate::front::c::declaration::{Attributes, Limited, Specifiers, StorageClass};
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::*;

/// A function's declaration as read.
#[derive(Debug)]
pub struct DeclaredFunction<'a> {
    pub name: Symbol,
    /// `TypeKind::Function`, perhaps by a typedef name.
    pub ty: Ty,
    pub params: Vec<VarId>,
    pub specifiers: &'a Specifiers,
    pub attributes: &'a Attributes,
    pub is_definition: bool,
    pub loc: Loc,
}

impl Sema<'_> {
    /// Declares a function; returns the function that this and earlier declarations are about.
    pub fn declare_function(&mut self, declared: DeclaredFunction<'_>) -> FuncId {
        let DeclaredFunction { name, attributes, specifiers, loc, .. } = declared;
        let is_kernel = specifiers.is_kernel || attributes.is_kernel;
        self.check_variadic(&declared);
        self.check_function_attribute(&declared, is_kernel);
        if let Some(entry) = self.scopes.entry_here(name).copied()
            && !matches!(entry.binding, Binding::Function(_) | Binding::Error)
        {
            self.error_other_kind(name, loc, &entry);
        }
        let is_overloadable = attributes.is_overloadable;
        let id = match self.earlier(&declared, is_overloadable) {
            Some(id) => self.redeclare_function(id, declared, is_kernel),
            None => self.new_function(declared, is_kernel),
        };
        if self.text(name) == "main" {
            let what = if is_kernel { "kernel" } else { "function" };
            self.error(loc, format!("{what} cannot be called 'main'"));
        }
        if is_kernel {
            self.check_kernel(id, specifiers.storage == Some(StorageClass::Static));
        }
        self.scopes.bind(name, Binding::Function(id), loc);
        id
    }

    /// Reports an attribute that only kernels, or only loops, have.
    fn check_function_attribute(&mut self, declared: &DeclaredFunction<'_>, is_kernel: bool) {
        match declared.attributes.limited {
            Some((Limited::Kernel(name), _)) if declared.is_definition && !is_kernel => {
                let was_kernel = |id: &FuncId| self.function(*id).is_some_and(|f| f.is_kernel);
                if !self.overloads(declared.name).iter().any(was_kernel) {
                    let text = format!("attribute '{name}' can only be applied to an OpenCL kernel function");
                    self.error(declared.loc, text);
                }
            }
            Some((Limited::Loop(name), at)) => {
                self.error(at, format!("'{name}' attribute cannot be applied to a declaration"));
            }
            _ => {}
        }
    }

    /// Reports an attribute that variables cannot have.
    pub fn check_variable_attribute(&mut self, limited: Option<(Limited, Loc)>) {
        match limited {
            Some((Limited::Function(name) | Limited::Kernel(name), at)) => {
                self.error(at, format!("'{name}' attribute only applies to functions"));
            }
            Some((Limited::Inline(name), at)) => {
                let text = format!("'{name}' attribute only applies to functions and statements");
                self.warning("ignored-attributes", at, text);
            }
            Some((Limited::Loop(name), at)) => {
                self.error(at, format!("'{name}' attribute cannot be applied to a declaration"));
            }
            None => {}
        }
    }

    fn check_variadic(&mut self, declared: &DeclaredFunction<'_>) {
        let is_variadic = matches!(self.types.resolved(declared.ty), TypeKind::Function(f) if f.is_variadic);
        if is_variadic && self.text(declared.name) != "printf" {
            self.error(declared.loc, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
    }

    /// An earlier declaration of the same function, or one that this conflicts with.
    fn earlier(&mut self, declared: &DeclaredFunction<'_>, is_overloadable: bool) -> Option<FuncId> {
        let ty = self.types.canonical(QualTy::plain(declared.ty)).ty;
        let params = |types: &Types, ty: Ty| match types.resolved(ty) {
            TypeKind::Function(f) => {
                Some(f.params.iter().map(|p| types.canonical(*p).ty).collect::<Vec<_>>())
            }
            _ => None,
        };
        let wanted = params(self.types, ty);
        let overloads = self.overloads(declared.name);
        let same = |id: &&FuncId| self.function(**id).is_some_and(|f| params(self.types, f.ty) == wanted);
        if let Some(found) = overloads.iter().find(same) {
            return Some(*found);
        }
        // A function without the attribute has no overloads, except those that have it.
        let plain = |id: &&FuncId| self.function(**id).is_some_and(|f| !f.is_overloadable);
        if is_overloadable { None } else { overloads.iter().find(plain).copied() }
    }

    fn new_function(&mut self, declared: DeclaredFunction<'_>, is_kernel: bool) -> FuncId {
        let DeclaredFunction { name, attributes, specifiers, loc, .. } = declared;
        let id = FuncId(self.unit.functions.len() as u32);
        let mut function = FunctionDecl {
            name,
            ty: declared.ty,
            params: declared.params,
            body: None,
            is_kernel,
            is_internal: is_internal(specifiers),
            is_overloadable: attributes.is_overloadable,
            link_name: String::new(),
            kernel: KernelAttributes::default(),
            inline: InlineHint::None,
            labels: Vec::new(),
            loc,
        };
        merge_attributes(&mut function, attributes);
        function.link_name = match attributes.label {
            Some(label) => self.text(label).to_owned(),
            None if attributes.is_overloadable => {
                super::mangle::mangled(self.types, &self.session.symbols, &function)
            }
            None => self.text(name).to_owned(),
        };
        self.unit.functions.push(function);
        self.scopes.functions.entry(name).or_default().push(id);
        id
    }

    fn redeclare_function(&mut self, id: FuncId, declared: DeclaredFunction<'_>, is_kernel: bool) -> FuncId {
        let name = declared.name;
        let Some(before) = self.function(id) else { return id };
        let (before_loc, before_body) = (before.loc, before.body);
        let is_same = self.same_type(QualTy::plain(before.ty), QualTy::plain(declared.ty));
        if !is_same && !self.is_error_type(declared.ty) && !self.is_error_type(before.ty) {
            let text = format!("conflicting types for '{}'", self.text(name));
            self.error(declared.loc, text);
            self.note(before_loc, "previous declaration is here");
            return self.new_function(declared, is_kernel);
        }
        if declared.is_definition && before_body.is_some() {
            let text = format!("redefinition of '{}'", self.text(name));
            self.error(declared.loc, text);
            self.note(before_loc, "previous definition is here");
            return self.new_function(declared, is_kernel);
        }
        let label = declared.attributes.label.map(|label| self.text(label).to_owned());
        let Some(function) = self.unit.functions.get_mut(id.0 as usize) else { return id };
        if let Some(label) = label {
            function.link_name = label;
        }
        function.is_kernel |= is_kernel;
        let is_extern = declared.specifiers.storage == Some(StorageClass::Extern);
        // A declaration without `inline` makes an inline function visible to other modules.
        if declared.specifiers.storage == Some(StorageClass::Static) {
            function.is_internal = true;
        } else if is_extern && declared.specifiers.is_inline {
            function.is_internal = false;
        }
        merge_attributes(function, declared.attributes);
        if declared.is_definition || function.body.is_none() {
            function.ty = declared.ty;
            function.params = declared.params;
            function.loc = declared.loc;
        }
        id
    }

    fn is_error_type(&self, ty: Ty) -> bool {
        match self.types.resolved(ty) {
            TypeKind::Error => true,
            TypeKind::Function(f) => {
                f.params.iter().chain([&f.result]).any(|t| self.types.resolved(t.ty) == &TypeKind::Error)
            }
            _ => false,
        }
    }

    /// Begins the body of a function; the caller binds the parameters.
    pub fn enter_function(&mut self, id: FuncId, loc: Loc) {
        let Some(function) = self.function(id) else { return };
        let (params, is_kernel) = (function.params.clone(), function.is_kernel);
        let result = match self.types.resolved(function.ty) {
            TypeKind::Function(f) => f.result,
            _ => QualTy::plain(ERROR),
        };
        if !self.is_complete(result.ty) && self.types.resolved(result.ty) != &TypeKind::Void {
            let text = format!("incomplete result type {} in function definition", self.quoted(result));
            self.error(loc, text);
        }
        for param in &params {
            let Some(var) = self.var(*param) else { continue };
            let (ty, at) = (var.ty, var.loc);
            if !self.is_complete(ty.ty) {
                let text = format!("variable has incomplete type {}", self.quoted(ty));
                self.error(at, text);
            }
        }
        let first_var = params.iter().map(|p| p.0).min().unwrap_or(self.unit.vars.len() as u32);
        self.bodies.push(Body { function: Some(id), is_kernel, first_var, ..Body::new(Some(result)) });
        if !self.contracts {
            self.note_contraction();
        }
    }

    /// Ends the body of a function.
    pub fn leave_function(&mut self, id: FuncId, body: StmtId, end: Loc) {
        let Some(state) = self.bodies.pop() else { return };
        self.check_labels(&state);
        let result = state.result.map_or(VOID, |result| self.types.canonical(result).ty);
        if result != VOID && result != ERROR && self.falls_through(body) {
            self.warning(
                "return-type",
                end,
                "non-void function does not return a value in all control paths",
            );
        }
        if let Some(function) = self.unit.functions.get_mut(id.0 as usize) {
            function.body = Some(body);
            function.labels = state.labels.iter().map(|label| label.name).collect();
        }
    }
}

/// Whether a function has no name for other modules.
fn is_internal(specifiers: &Specifiers) -> bool {
    match specifiers.storage {
        Some(StorageClass::Static) => true,
        Some(StorageClass::Extern) => false,
        _ => specifiers.is_inline && !specifiers.is_kernel,
    }
}

fn merge_attributes(function: &mut FunctionDecl, attributes: &Attributes) {
    let kernel = &mut function.kernel;
    kernel.reqd_work_group_size = attributes.reqd_work_group_size.or(kernel.reqd_work_group_size);
    kernel.work_group_size_hint = attributes.work_group_size_hint.or(kernel.work_group_size_hint);
    kernel.vec_type_hint = attributes.vec_type_hint.or(kernel.vec_type_hint);
    kernel.reqd_sub_group_size = attributes.reqd_sub_group_size.or(kernel.reqd_sub_group_size);
    if attributes.inline != InlineHint::None {
        function.inline = attributes.inline;
    }
}
