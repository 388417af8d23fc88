//! State of lowering a translation unit: its functions and variables in the module, made when something
//! refers to them.
//!
//! Declarations and bodies are separate steps: a reference declares the function or variable, and
//! [`lower()`](super::lower) lowers the bodies and initializers until none is left. So functions that nothing
//! reaches are never lowered.

use super::input::LoweringInput;
use super::types::{align_of_variable, is_aggregate, padding, space, value_type};
use crate::error::{CompileError, Result};
use crate::front::c::ast::{BlockId, FuncId, FunctionDecl, Storage, StrId, VarId, Variable};
use crate::front::c::layout::layout;
use crate::front::c::types::{QualTy, TypeKind};
use crate::front::spirv::UNSUPPORTED;
use crate::ir::mangle::CALLABLE_KERNEL;
use crate::ir::{FuncRef, Function, Global, GlobalData, Linkage, Module, Signature, Space, Type};
use crate::options::Extent;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of bytes of all program-scope variables together.
const MAX_GLOBAL_BYTES: u64 = 1 << 29;

/// Function and captures of a block literal.
#[derive(Clone, Copy)]
pub struct LoweredBlock {
    pub func: FuncRef,
    /// Number of its entry, if it is enqueued.
    pub number: Option<u64>,
}

/// A body or initializer that remains to be lowered.
pub enum Pending {
    Function(FuncId, FuncRef),
    Kernel(FuncId, FuncRef),
    Initializer(VarId, Global),
    Block(BlockId, FuncRef),
}

/// State of lowering a translation unit.
pub struct ModuleLowering<'a> {
    pub input: LoweringInput<'a>,
    pub module: Module,
    functions: FxHashMap<FuncId, FuncRef>,
    /// Functions that other modules see or define, and imports.
    functions_by_name: FxHashMap<String, FuncRef>,
    variables: FxHashMap<VarId, Global>,
    variables_by_name: FxHashMap<String, Global>,
    /// Names of variables in the module.
    names: FxHashSet<String>,
    strings: FxHashMap<StrId, Global>,
    pub(super) blocks: FxHashMap<BlockId, LoweredBlock>,
    pub(super) pending: Vec<Pending>,
    global_bytes: u64,
}

impl<'a> ModuleLowering<'a> {
    /// An empty module.
    pub fn new(input: LoweringInput<'a>) -> Self {
        ModuleLowering {
            input,
            module: Module::default(),
            functions: FxHashMap::default(),
            functions_by_name: FxHashMap::default(),
            variables: FxHashMap::default(),
            variables_by_name: FxHashMap::default(),
            names: FxHashSet::default(),
            strings: FxHashMap::default(),
            blocks: FxHashMap::default(),
            pending: Vec::new(),
            global_bytes: 0,
        }
    }

    /// Spelling of a symbol.
    pub fn text(&self, symbol: crate::front::c::symbol::Symbol) -> &'a str {
        self.input.session.symbols.text(symbol)
    }

    /// The variable with this handle.
    pub fn var(&self, id: VarId) -> Result<&'a Variable> {
        self.input.unit.vars.get(id.0 as usize).ok_or_else(|| malformed("a variable that does not exist"))
    }

    /// The function with this handle.
    pub fn decl(&self, id: FuncId) -> Result<&'a FunctionDecl> {
        let decl = self.input.unit.functions.get(id.0 as usize);
        decl.ok_or_else(|| malformed("a function that does not exist"))
    }

    /// Parameter and result types of a function: an aggregate result is an address that comes first,
    /// aggregate parameters are addresses of objects that the callee copies.
    pub fn signature(&self, result: QualTy, params: &[QualTy]) -> Signature {
        let types = self.input.types;
        let mut sig = Signature::default();
        if is_aggregate(types, result.ty) {
            sig.params.push(Type::Ptr(Space::Private));
        } else {
            sig.results.extend(value_type(types, result.ty));
        }
        for param in params {
            let param = match types.resolved(param.ty) {
                TypeKind::Array(of, _) => Type::Ptr(space(types.canonical(*of).quals.space)),
                _ => value_type(types, param.ty).unwrap_or(Type::Ptr(Space::Private)),
            };
            sig.params.push(param);
        }
        sig
    }

    /// The function that calls of `id` go to; for a kernel, that is its callable copy.
    pub fn function(&mut self, id: FuncId) -> Result<FuncRef> {
        if let Some(known) = self.functions.get(&id) {
            return Ok(*known);
        }
        let decl = self.decl(id)?;
        let TypeKind::Function(ty) = self.input.types.resolved(decl.ty) else {
            return Err(malformed("a function whose type is not a function type"));
        };
        let sig = match decl.body {
            Some(_) => {
                let params =
                    decl.params.iter().map(|p| Ok(self.var(*p)?.ty)).collect::<Result<Vec<QualTy>>>()?;
                self.signature(ty.result, &params)
            }
            None => self.signature(ty.result, &ty.params),
        };
        let prefix = if decl.is_kernel { CALLABLE_KERNEL } else { "" };
        let name = format!("{prefix}{}", decl.link_name);
        let linkage = match (decl.body, decl.is_internal) {
            (None, _) => Linkage::Import,
            (Some(_), true) => Linkage::Internal,
            (Some(_), false) if decl.is_kernel && self.input.extent == Extent::Program => Linkage::Internal,
            (Some(_), false) => Linkage::Export,
        };
        // A declaration in a block and the definition may be two functions of the unit.
        let known = self.functions_by_name.get(&name).copied().filter(|_| linkage != Linkage::Internal);
        let func = match known {
            Some(known) => known,
            None => self.module.functions.push(Function::new(&name, sig.clone(), linkage)),
        };
        self.functions.insert(id, func);
        if linkage != Linkage::Internal {
            self.functions_by_name.insert(name, func);
        }
        if decl.body.is_some() {
            let f = &mut self.module.functions[func];
            if known.is_some() && f.linkage != Linkage::Import {
                let text =
                    format!("error: definition with same mangled name '{}' as another definition", f.name);
                return Err(CompileError::Diagnostics(text));
            }
            (f.linkage, f.sig) = (linkage, sig);
            self.pending.push(Pending::Function(id, func));
        }
        Ok(func)
    }

    /// Queues the body of a block literal's function.
    pub(super) fn queue_block(&mut self, id: BlockId, func: FuncRef) {
        self.pending.push(Pending::Block(id, func));
    }

    /// Declares a function that only the built-in library may define.
    pub fn import(&mut self, name: &str, params: &[Type], results: &[Type]) -> FuncRef {
        if let Some(&func) = self.functions_by_name.get(name) {
            return func;
        }
        let sig = Signature { params: params.to_vec(), results: results.to_vec() };
        let func = self.module.functions.push(Function::new(name, sig, Linkage::Import));
        self.functions_by_name.insert(name.to_owned(), func);
        func
    }

    /// The import that represents an unsupported construct with results of these types.
    pub fn unsupported_import(&mut self, construct: &str, params: &[Type], results: &[Type]) -> FuncRef {
        let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(",");
        let name = format!("{UNSUPPORTED}{construct} ({}) -> ({})", list(params), list(results));
        self.import(&name, params, results)
    }

    /// The module's variable for one with static storage.
    pub fn global(&mut self, id: VarId) -> Result<Global> {
        if let Some(known) = self.variables.get(&id) {
            return Ok(*known);
        }
        let var = self.var(id)?;
        let types = self.input.types;
        let ty = types.canonical(var.ty);
        let space = space(ty.quals.space);
        // A declaration without an address space is of a program-scope variable.
        let space = if space == Space::Private { Space::Global } else { space };
        let layout = layout(types, ty.ty);
        let name = var.label.or(var.name).map_or(".compound", |name| self.text(name));
        let linkage = match var.storage {
            Storage::Extern => Linkage::Import,
            _ if var.is_exported => Linkage::Export,
            _ => Linkage::Internal,
        };
        let known = self.variables_by_name.get(name).copied().filter(|_| linkage != Linkage::Internal);
        let global = match known {
            Some(known) => known,
            None => {
                let name = if linkage == Linkage::Internal { self.unique(name) } else { name.to_owned() };
                self.add_global(GlobalData {
                    name,
                    space,
                    linkage,
                    size: 0,
                    align: 1,
                    init: None,
                    relocs: Vec::new(),
                    readonly: space == Space::Constant || is_const(types, ty),
                })?
            }
        };
        self.variables.insert(id, global);
        if linkage != Linkage::Internal {
            self.variables_by_name.insert(name.to_owned(), global);
        }
        let data = &mut self.module.globals[global];
        // `extern int a[];` may come before the definition.
        let align = align_of_variable(var, layout.align);
        let room = if space == Space::Local { padding(align) } else { 0 };
        let size = u32::try_from(layout.size.saturating_add(room)).unwrap_or(u32::MAX);
        let bytes = u64::from(size.saturating_sub(data.size));
        (data.size, data.align) = (size.max(data.size), align);
        if linkage != Linkage::Import {
            data.linkage = linkage;
            self.pending.push(Pending::Initializer(id, global));
        }
        self.count_bytes(bytes)?;
        Ok(global)
    }

    /// Adds a variable to the module.
    pub fn add_global(&mut self, data: GlobalData) -> Result<Global> {
        self.count_bytes(u64::from(data.size))?;
        self.names.insert(data.name.clone());
        Ok(self.module.globals.push(data))
    }

    fn count_bytes(&mut self, bytes: u64) -> Result<()> {
        self.global_bytes = self.global_bytes.saturating_add(bytes);
        if self.global_bytes > MAX_GLOBAL_BYTES {
            return Err(CompileError::unsupported("program-scope variables of more than 512 MiB", 0));
        }
        Ok(())
    }

    /// A name that no variable of the module has.
    pub fn unique(&self, name: &str) -> String {
        if !self.names.contains(name) {
            return name.to_owned();
        }
        let numbered = (self.module.globals.len()..).map(|n| format!("{name}.{n}"));
        numbered.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default()
    }

    /// The constant that holds a string literal.
    pub fn string(&mut self, id: StrId) -> Result<Global> {
        if let Some(known) = self.strings.get(&id) {
            return Ok(*known);
        }
        let bytes = self.input.unit.strings.get(id.0 as usize);
        let bytes = bytes.ok_or_else(|| malformed("a string that does not exist"))?.to_vec();
        let global = self.constant_bytes(".str", bytes, 1)?;
        self.strings.insert(id, global);
        Ok(global)
    }

    /// A new constant with these bytes.
    pub fn constant_bytes(&mut self, name: &str, bytes: Vec<u8>, align: u32) -> Result<Global> {
        let name = self.unique(name);
        self.add_global(GlobalData {
            name,
            space: Space::Constant,
            linkage: Linkage::Internal,
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            align,
            init: Some(bytes),
            relocs: Vec::new(),
            readonly: true,
        })
    }
}

/// Whether an object of the type, or the elements of an array, are `const`.
fn is_const(types: &crate::front::c::types::Types, ty: QualTy) -> bool {
    match types.resolved(ty.ty) {
        TypeKind::Array(of, _) => ty.quals.is_const || is_const(types, types.canonical(*of)),
        _ => ty.quals.is_const && !ty.quals.is_volatile,
    }
}

/// Error for a tree that semantic analysis does not make.
pub fn malformed(what: impl std::fmt::Display) -> CompileError {
    CompileError::internal(format!("malformed syntax tree: {what}"))
}
