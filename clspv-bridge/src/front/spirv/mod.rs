//! Reader of OpenCL SPIR-V: words to [`crate::ir::Module`] in phase Imported.
//!
//! The module level (types, constants, variables, entry points, function headers) is read in order by
//! [`Reader`]; bodies are then translated one by one by [`func`]. Aggregates are split into leaves, pointees
//! are dropped, built-in variables become work-item queries. A construct that the compiler does not support
//! becomes a call of an imported function named `unsupported: <construct>`, so that only kernels that reach
//! it fail.

mod c11;
pub(crate) mod check;
mod consts;
mod control;
mod enqueue;
mod func;
mod groups;
mod image;
mod memory;
mod meta;
mod opencl_std;
mod opencl_types;
mod ops;
mod pipe;
pub mod read;
mod restore;
mod sync;
mod types;
pub(crate) mod unwritten;
mod vendor;
mod work_item;

use super::markers::UNIT_FUNCTION;
use super::{FNV, fnv};
use crate::error::{CompileError, Result};
use crate::ir::mangle::CALLABLE_KERNEL;
use crate::ir::{FuncRef, Function, Global, GlobalData, Linkage, Module, Signature, Space, Type};
use crate::options::SpecConstants;
use meta::Meta;
pub(crate) use meta::{attributes, lay_out_args};
use read::{Instr, bad};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Op, StorageClass};
use types::{SpirvTypeKind, TypeInfo, TypeTable};

/// Prefix of the imports that represent constructs this compiler does not support.
pub(crate) const UNSUPPORTED: &str = "unsupported: ";

/// Maximum number of bytes of all program-scope variables together.
const MAX_GLOBAL_BYTES: u64 = 1 << 29;
/// Maximum number of bytes of all initializers together.
const MAX_INIT_BYTES: u64 = 64 << 20;

/// Maximum number of entry points of one function, whose body is read for each.
const MAX_ENTRY_POINTS: usize = 16;

/// Maximum number of leaves of aggregate values in a module.
const MAX_AGGREGATE_LEAVES: usize = 32 << 20;

/// Number of LLVM's SPIR-V back end in the header (spir-v.xml).
const LLVM_GENERATOR: u32 = 43;

/// Reads a module that is a program of its own. Malformed input is an error, never a panic.
pub fn read(words: &[u32], specs: &SpecConstants) -> Result<Module> {
    read_module(words, specs, false)
}

/// Like [`read()`], for a module that others are linked to: they may call its kernels, so the bodies for such
/// calls are kept.
pub(crate) fn read_part(words: &[u32], specs: &SpecConstants) -> Result<Module> {
    read_module(words, specs, true)
}

fn read_module(words: &[u32], specs: &SpecConstants, callable_kernels: bool) -> Result<Module> {
    let words = check::header(words)?;
    let joined = read::Joined::new(&words)?;
    let insts = read::instructions(&words, &joined)?;
    check::results(&insts, words[3])?;
    let by_llvm = words[2] >> 16 == LLVM_GENERATOR;
    let mut reader = Reader { callable_kernels, by_llvm, ..Reader::new(specs) };
    let bodies = reader.declarations(&insts)?;
    reader.functions(&bodies, || fnv(FNV, words.iter().map(|w| u64::from(*w))))?;
    restore::variables(&mut reader.module);
    // For what the reader does not check itself, above all that definitions dominate their uses.
    match crate::ir::verify::verify_module(&reader.module) {
        Ok(()) => Ok(reader.module),
        Err(e) => Err(CompileError::InvalidIl(e.to_string())),
    }
}

/// Instructions of one function, OpFunction first.
struct Body<'a> {
    id: u32,
    header: Instr<'a>,
    params: Vec<Instr<'a>>,
    insts: &'a [Instr<'a>],
}

impl Body<'_> {
    /// Whether the function has blocks; else it is an import.
    fn is_definition(&self) -> bool {
        self.insts.iter().any(|i| i.op == Op::Label)
    }
}

/// How a function takes its parameters: kernels get aggregates in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Convention {
    Function,
    Kernel,
}

/// Ids of the functions that instructions call.
fn called_functions(bodies: &[Body<'_>]) -> FxHashSet<u32> {
    let calls = bodies.iter().flat_map(|b| b.insts).filter(|i| i.op == Op::FunctionCall);
    calls.filter_map(|i| i.ops.get(2).copied()).collect()
}

/// Declaration of a function that other functions may call.
struct FuncInfo {
    func: FuncRef,
    ret: u32,
}

/// State of reading a module.
struct Reader<'s> {
    module: Module,
    types: TypeTable,
    meta: Meta,
    consts: FxHashMap<u32, consts::SpirvConst>,
    /// Built-in input variables and the type they hold.
    builtins: FxHashMap<u32, (BuiltIn, u32)>,
    /// Functions that can be called; entry points only if something calls them.
    funcs: FxHashMap<u32, FuncInfo>,
    specs: &'s SpecConstants,
    /// Imports of library functions, and those that represent unsupported constructs, by name.
    imports: FxHashMap<String, FuncRef>,
    /// The enqueued functions, with the numbers of their entries.
    invoked: FxHashMap<u32, u64>,
    /// Whether the module comes from LLVM's own back end, whose constant address arithmetic counts bytes.
    by_llvm: bool,
    /// Whether to keep the functions that represent kernels where kernels are called.
    callable_kernels: bool,
    /// Bytes of the variables and of their initializers so far.
    global_bytes: u64,
    init_bytes: u64,
    /// Number of aggregate leaves that may still be made: hostile modules must not exhaust memory.
    leaf_budget: usize,
}

impl<'s> Reader<'s> {
    fn new(specs: &'s SpecConstants) -> Self {
        Reader {
            module: Module::default(),
            types: TypeTable::default(),
            meta: Meta::default(),
            consts: FxHashMap::default(),
            builtins: FxHashMap::default(),
            funcs: FxHashMap::default(),
            specs,
            imports: FxHashMap::default(),
            invoked: FxHashMap::default(),
            by_llvm: false,
            callable_kernels: false,
            global_bytes: 0,
            init_bytes: 0,
            leaf_budget: MAX_AGGREGATE_LEAVES,
        }
    }

    /// Reads everything but function bodies.
    fn declarations<'a>(&mut self, insts: &'a [Instr<'a>]) -> Result<Vec<Body<'a>>> {
        let mut bodies = Vec::new();
        let mut memory_model = false;
        let mut i = 0;
        while let Some(inst) = insts.get(i) {
            check::preamble(inst)?;
            memory_model |= inst.op == Op::MemoryModel;
            if inst.op == Op::Function {
                let end = insts[i..]
                    .iter()
                    .position(|x| x.op == Op::FunctionEnd)
                    .ok_or_else(|| inst.bad("function without an end"))?;
                let all = &insts[i + 1..i + end];
                let first = all
                    .iter()
                    .position(|x| !matches!(x.op, Op::FunctionParameter | Op::Line | Op::NoLine))
                    .unwrap_or(all.len());
                bodies.push(Body {
                    id: inst.word(1)?,
                    header: *inst,
                    params: all[..first].iter().copied().filter(|x| x.op == Op::FunctionParameter).collect(),
                    insts: &all[first..],
                });
                i += end + 1;
                continue;
            }
            if !self.meta.read(inst)? && !self.type_declaration(inst)? && !self.constant(inst)? {
                match inst.op {
                    Op::Variable => self.global(inst)?,
                    Op::Line | Op::ExtInst => {}
                    op => return Err(inst.bad(format_args!("{op:?} outside of a function"))),
                }
            }
            i += 1;
        }
        if !memory_model {
            return Err(bad(0, "no memory model is declared"));
        }
        Ok(bodies)
    }

    fn type_declaration(&mut self, inst: &Instr<'_>) -> Result<bool> {
        if inst.op == Op::TypeSampledImage {
            let kind = match self.types.need(inst.word(1)?, inst)?.kind {
                SpirvTypeKind::Image { dim, .. } => SpirvTypeKind::SampledImage(dim),
                SpirvTypeKind::Other(what) => SpirvTypeKind::Other(what),
                _ => return Err(inst.bad("a sampled image of something that is not an image")),
            };
            let leaves = if matches!(kind, SpirvTypeKind::Other(_)) { 0 } else { 2 };
            self.types.insert(
                inst.word(0)?,
                inst,
                TypeInfo { kind, size: 16, align: 8, leaves, depth: 0 },
            )?;
            return Ok(true);
        }
        if let Some(info) = types::leaf_declaration(inst)? {
            self.types.insert(inst.word(0)?, inst, info)?;
            return Ok(true);
        }
        let id = match inst.op {
            Op::TypeForwardPointer => return Ok(true),
            Op::TypeVector | Op::TypePointer | Op::TypeArray | Op::TypeStruct | Op::TypeFunction => {
                inst.word(0)?
            }
            _ => return Ok(false),
        };
        let info = match inst.op {
            Op::TypeVector => {
                let SpirvTypeKind::Plain(Type::Scalar(lane)) = self.types.need(inst.word(1)?, inst)?.kind
                else {
                    return Err(inst.bad("vector of something that is not a scalar"));
                };
                let n = inst.word(2)?;
                // Beside the widths of OpenCL C: LLVM narrows a vector whose last lanes are never read.
                if !(1..=16).contains(&n) {
                    return Err(inst.bad(format_args!("vectors of {n} lanes")));
                }
                types::plain(Type::vector(lane, n))
            }
            Op::TypePointer => {
                let storage =
                    StorageClass::from_u32(inst.word(1)?).ok_or_else(|| inst.bad("unknown storage class"))?;
                TypeInfo {
                    kind: SpirvTypeKind::Ptr { storage, pointee: inst.word(2)? },
                    size: 8,
                    align: 8,
                    depth: 0,
                    leaves: 1,
                }
            }
            Op::TypeArray => {
                let elem = inst.word(1)?;
                let len = self.const_uint(inst.word(2)?, inst)?;
                let e = self.types.need(elem, inst)?;
                let size = e.size.checked_mul(len).ok_or_else(|| inst.bad("array too large"))?;
                let leaves = e.leaves.saturating_mul(usize::try_from(len).unwrap_or(usize::MAX));
                TypeInfo {
                    align: e.align,
                    depth: e.depth + 1,
                    kind: SpirvTypeKind::Array { elem, len },
                    size,
                    leaves,
                }
            }
            Op::TypeStruct => self.struct_info(id, inst)?,
            _ => {
                let kind = SpirvTypeKind::Function { ret: inst.word(1)?, params: inst.rest(2).into() };
                TypeInfo { kind, size: 0, align: 1, leaves: 0, depth: 0 }
            }
        };
        if info.depth > 64 || info.size >= 1 << 60 {
            return Err(inst.bad("type nested too deeply or too large"));
        }
        self.types.insert(id, inst, info)?;
        Ok(true)
    }

    /// Layout of a structure.
    fn struct_info(&self, id: u32, inst: &Instr<'_>) -> Result<TypeInfo> {
        let deco = self.meta.of(id);
        let (mut size, mut align, mut leaves, mut depth) = (0u64, 1u32, 0usize, 0);
        let mut offsets = Vec::new();
        for (i, m) in inst.rest(1).iter().enumerate() {
            let member = self.types.need(*m, inst)?;
            let member_align = if deco.packed { 1 } else { member.align.max(1) };
            let mut offset = size.checked_next_multiple_of(member_align as u64);
            if let Some(o) = deco.offsets.get(&(i as u32)) {
                offset = Some(*o as u64);
            }
            let offset = offset.ok_or_else(|| inst.bad("structure too large"))?;
            offsets.push(offset);
            size = offset
                .checked_add(member.size)
                .filter(|s| *s < 1 << 60)
                .ok_or_else(|| inst.bad("structure too large"))?
                .max(size);
            align = align.max(member_align);
            leaves = leaves.saturating_add(member.leaves);
            depth = depth.max(member.depth + 1);
        }
        let size = size.next_multiple_of(align as u64);
        // Members at one offset over many levels would take too long.
        if leaves as u64 > size {
            return Err(inst.bad("members overlap"));
        }
        let kind = SpirvTypeKind::Struct { members: inst.rest(1).into(), offsets: offsets.into() };
        Ok(TypeInfo { kind, size, align, leaves, depth })
    }

    /// A variable at module scope.
    fn global(&mut self, inst: &Instr<'_>) -> Result<()> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let (storage, pointee) = self.types.pointer(ty, inst)?;
        let deco = self.meta.of(id).clone();
        if let Some(builtin) = deco.builtin {
            self.builtins.insert(id, (builtin, pointee));
            return Ok(());
        }
        let space = match storage {
            StorageClass::Workgroup => Space::Local,
            StorageClass::CrossWorkgroup => Space::Global,
            StorageClass::UniformConstant => Space::Constant,
            _ => return Err(inst.bad(format_args!("variable in storage class {storage:?} at module scope"))),
        };
        let info = self.types.need(pointee, inst)?;
        self.global_bytes = self.global_bytes.saturating_add(info.size);
        if self.global_bytes > MAX_GLOBAL_BYTES {
            return Err(inst.bad("variables too large"));
        }
        let (size, align) = (info.size as u32, deco.align.unwrap_or(info.align).clamp(1, 4096));
        let mut data = GlobalData {
            name: String::new(),
            space,
            linkage: Linkage::Internal,
            size,
            align,
            init: None,
            relocs: Vec::new(),
            readonly: space == Space::Constant || deco.constant,
        };
        let name = self.meta.name(id).map_or_else(|| format!("var{id}"), str::to_owned);
        data.name = name;
        if let Some((name, kind)) = deco.linkage {
            data.name = name;
            data.linkage = linkage(kind, inst)?;
        }
        if let Some(&init) = inst.ops.get(3)
            && space != Space::Local
            && !self.is_zero(init)
        {
            self.init_bytes = self.init_bytes.saturating_add(size as u64);
            if self.init_bytes > MAX_INIT_BYTES {
                return Err(inst.bad("initial contents too large"));
            }
            let mut bytes = vec![0u8; size as usize];
            self.const_bytes(init, pointee, 0, &mut bytes, &mut data.relocs, inst)?;
            data.init = Some(bytes);
        }
        let global = self.module.globals.push(data);
        self.define_const(
            id,
            consts::SpirvConst { ty, kind: consts::SpirvConstKind::Address { global, addend: 0 } },
            inst,
        )
    }

    /// Declares the kernels and every other function that is kept, then reads the bodies.
    ///
    /// A function that is an entry point and is called too is read twice, as a kernel and as a function:
    /// their parameters are passed differently. (SPIR-V forbids such calls; translators wrote them before
    /// LLVM 14.)
    fn functions(&mut self, bodies: &[Body<'_>], digest: impl Fn() -> u64) -> Result<()> {
        let entry_points = std::mem::take(&mut self.meta.entry_points);
        let kernels: FxHashSet<u32> = entry_points.iter().map(|e| e.function).collect();
        let called = called_functions(bodies);
        let kept = self.kept(bodies);
        let is_function = |reader: &Self, id: u32| {
            kept.contains(&id)
                && (!kernels.contains(&id) || called.contains(&id) || reader.is_callable_kernel(id))
        };
        let functions: Vec<&Body<'_>> = bodies.iter().filter(|b| is_function(self, b.id)).collect();
        for body in &functions {
            self.declare(body)?;
        }
        let mut kernel_bodies = Vec::new();
        let mut entries: FxHashMap<u32, usize> = FxHashMap::default();
        for entry in entry_points {
            let count = entries.entry(entry.function).or_default();
            *count += 1;
            if *count > MAX_ENTRY_POINTS {
                return Err(CompileError::unsupported("so many entry points of one function", 0));
            }
            kernel_bodies.push(self.kernel(entry, bodies)?);
        }
        self.entries(bodies, digest)?;
        for body in functions.into_iter().filter(|b| b.is_definition()) {
            let FuncInfo { func, ret } = self.funcs[&body.id];
            func::read(self, body, func, ret, Convention::Function)?;
        }
        for (body, func) in kernel_bodies {
            if body.is_definition() {
                func::read(self, body, func, body.header.word(0)?, Convention::Kernel)?;
            }
            if !self.callable_kernels {
                self.mark_unwritten(body, func)?;
            }
        }
        Ok(())
    }

    /// Whether other modules may call this entry point.
    fn is_callable_kernel(&self, id: u32) -> bool {
        let export = |(_, kind): &(String, u32)| *kind != spirv::LinkageType::Import as u32;
        self.callable_kernels && self.meta.of(id).linkage.as_ref().is_some_and(export)
    }

    fn mark_unwritten(&mut self, body: &Body<'_>, func: FuncRef) -> Result<()> {
        let mut unwritten = Vec::new();
        for p in &body.params {
            let deco = self.meta.of(p.word(1)?);
            unwritten.push(deco.no_write && deco.restrict && !deco.volatile && !deco.by_val);
        }
        unwritten::mark(&mut self.module.functions[func], &unwritten);
        Ok(())
    }

    /// Functions except duplicate kernel bodies that are never called, and the one that only makes a module
    /// complete.
    fn kept(&self, bodies: &[Body<'_>]) -> FxHashSet<u32> {
        let by_id: FxHashMap<u32, &Body<'_>> = bodies.iter().map(|b| (b.id, b)).collect();
        let root = |b: &&Body<'_>| {
            let name = self.function_name(b.id);
            name != UNIT_FUNCTION && (self.callable_kernels || !name.starts_with(CALLABLE_KERNEL))
        };
        let mut work: Vec<u32> = bodies.iter().filter(root).map(|b| b.id).collect();
        let mut kept: FxHashSet<u32> = work.iter().copied().collect();
        while let Some(id) = work.pop() {
            let Some(body) = by_id.get(&id) else { continue };
            for call in body.insts.iter().filter(|i| i.op == Op::FunctionCall) {
                if let Some(&callee) = call.ops.get(2)
                    && kept.insert(callee)
                {
                    work.push(callee);
                }
            }
        }
        kept
    }

    fn function_name(&self, id: u32) -> String {
        match (&self.meta.of(id).linkage, self.meta.name(id)) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(name)) if !name.is_empty() => name.to_owned(),
            _ => format!("function{id}"),
        }
    }

    /// Result and parameter types of a function, checked against its parameters.
    fn function_type(&self, body: &Body<'_>) -> Result<(u32, std::rc::Rc<[u32]>)> {
        let inst = &body.header;
        let SpirvTypeKind::Function { ret, params } = self.types.need(inst.word(3)?, inst)?.kind.clone()
        else {
            return Err(inst.bad("the type of a function is not a function type"));
        };
        if ret != inst.word(0)? || params.len() != body.params.len() {
            return Err(inst.bad("function and function type differ"));
        }
        for (p, ty) in body.params.iter().zip(params.iter()) {
            if p.word(0)? != *ty {
                return Err(p.bad("parameter and function type differ"));
            }
        }
        Ok((ret, params))
    }

    /// Declares a function that is called by others.
    fn declare(&mut self, body: &Body<'_>) -> Result<()> {
        let inst = &body.header;
        let (ret, params) = self.function_type(body)?;
        let mut sig = Signature::default();
        for (p, ty) in body.params.iter().zip(params.iter()) {
            sig.params.extend(self.types.leaf_types(*ty, p)?);
        }
        sig.results = self.types.leaf_types(ret, inst)?;
        let linkage = match &self.meta.of(body.id).linkage {
            _ if !body.is_definition() => Linkage::Import,
            Some((_, kind)) => match linkage(*kind, inst)? {
                Linkage::Import => return Err(inst.bad("an imported function has a body")),
                linkage => linkage,
            },
            None => Linkage::Internal,
        };
        let func = self.module.functions.push(Function::new(&self.function_name(body.id), sig, linkage));
        if self.funcs.insert(body.id, FuncInfo { func, ret }).is_some() {
            return Err(inst.bad("function declared twice"));
        }
        Ok(())
    }

    /// Declares the kernel of an entry point, and returns its body.
    fn kernel<'b, 'a>(
        &mut self,
        mut entry: meta::EntryPoint,
        bodies: &'b [Body<'a>],
    ) -> Result<(&'b Body<'a>, FuncRef)> {
        let missing = || bad(0, format_args!("entry point '{}' has no function", entry.info.name));
        let body = bodies.iter().find(|b| b.id == entry.function).ok_or_else(missing)?;
        let (ret, params) = self.function_type(body)?;
        let mut sig = Signature::default();
        for (p, ty) in body.params.iter().zip(params.iter()) {
            sig.params.push(meta::kernel_arg(&self.types, *ty, self.meta.of(p.word(1)?), p)?.1);
        }
        if !self.types.leaf_types(ret, &body.header)?.is_empty() {
            return Err(body.header.bad("a kernel returns a value"));
        }
        let linkage = if body.is_definition() { Linkage::Export } else { Linkage::Import };
        let func = self.module.functions.push(Function::new(&entry.info.name, sig, linkage));
        let by_id = std::mem::take(&mut self.meta.modes_by_id);
        for (_, mode, ids) in by_id.iter().filter(|(f, ..)| *f == entry.function) {
            let sizes: Vec<u32> = ids
                .iter()
                .filter_map(|id| self.const_uint(*id, &body.header).ok())
                .map(|n| n as u32)
                .collect();
            if let ([x, y, z], spirv::ExecutionMode::LocalSizeId) = (sizes.as_slice(), mode) {
                entry.info.reqd_work_group_size = Some([*x, *y, *z]);
            }
            if let ([x, y, z], spirv::ExecutionMode::LocalSizeHintId) = (sizes.as_slice(), mode) {
                entry.info.work_group_size_hint = Some([*x, *y, *z]);
            }
            if let ([count], spirv::ExecutionMode::SubgroupsPerWorkgroupId) = (sizes.as_slice(), mode) {
                entry.info.reqd_sub_groups = Some(*count);
            }
        }
        self.meta.modes_by_id = by_id;
        for p in &body.params {
            let (mut arg, _) = meta::kernel_arg(&self.types, p.word(0)?, self.meta.of(p.word(1)?), p)?;
            if arg.kind == crate::metadata::ArgKind::GlobalPtr && !arg.qualifiers.is_pipe {
                let deco = self.meta.of(p.word(1)?);
                arg.qualifiers.is_const = deco.no_write && deco.constant;
            }
            entry.info.args.push(arg);
        }
        entry.info.args_size = meta::lay_out_args(&mut entry.info.args);
        entry.info.attributes = meta::attributes(&entry.info);
        self.module.functions[func].kernel = Some(self.module.kernels.len());
        self.module.kernels.push(entry.info);
        Ok((body, func))
    }

    /// The import that represents an unsupported construct with results of these types.
    fn unsupported_import(&mut self, construct: &str, params: &[Type], results: &[Type]) -> FuncRef {
        let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(",");
        self.import(
            &format!("{UNSUPPORTED}{construct} ({}) -> ({})", list(params), list(results)),
            params,
            results,
        )
    }

    /// Declares a function that only the built-in library may define.
    fn import(&mut self, name: &str, params: &[Type], results: &[Type]) -> FuncRef {
        if let Some(&f) = self.imports.get(name) {
            return f;
        }
        let sig = Signature { params: params.to_vec(), results: results.to_vec() };
        let f = self.module.functions.push(Function::new(name, sig, Linkage::Import));
        self.imports.insert(name.to_owned(), f);
        f
    }

    fn global_data(&self, global: Global) -> &GlobalData {
        &self.module.globals[global]
    }
}

/// The linkage that a LinkageAttributes decoration names.
fn linkage(kind: u32, inst: &Instr<'_>) -> Result<Linkage> {
    Ok(match spirv::LinkageType::from_u32(kind) {
        Some(spirv::LinkageType::Import) => Linkage::Import,
        Some(spirv::LinkageType::Export) => Linkage::Export,
        Some(spirv::LinkageType::LinkOnceODR) => Linkage::Once,
        None => return Err(inst.bad(format_args!("unknown linkage type {kind}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of a module compiled from OpenCL C that uses many of the supported constructs.
    fn fixture(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
    fn fixtures() -> [Vec<u32>; 2] {
        [fixture(include_bytes!("testdata/basic.spv")), fixture(include_bytes!("testdata/mixed.spv"))]
    }

    #[test]
    fn kernel_arguments_are_laid_out_by_opencl_rules() {
        let m = read(&fixtures()[0], &[]).unwrap();
        let k = &m.kernels[0];
        assert_eq!(k.name, "k");
        let layout: Vec<_> = k.args.iter().map(|a| (a.kind, a.offset, a.size)).collect();
        use crate::metadata::ArgKind::*;
        assert_eq!(
            layout,
            [(GlobalPtr, 0, 8), (Value, 16, 32), (LocalPtr, 0, 0), (Value, 48, 4), (GlobalPtr, 56, 8)]
        );
        assert_eq!(k.args_size, 64);
        // The duplicate body of the kernel is not kept.
        assert!(m.find("__clang_ocl_kern_imp_k").is_none());
        assert!(m.globals.values().any(|g| g.name == "names" && g.relocs.len() == 2));
    }

    #[test]
    fn ids_are_below_the_bound() {
        for mut words in fixtures() {
            let bound = words[3];
            words[3] = bound / 2;
            assert!(matches!(read(&words, &[]), Err(CompileError::InvalidIl(_))));
            words[3] = bound + 1;
            assert!(read(&words, &[]).is_ok());
        }
    }

    #[test]
    fn execution_modes_become_attributes() {
        let m = read(&fixtures()[1], &[]).unwrap();
        let k = m.kernels.iter().find(|k| k.name == "k2").unwrap();
        assert_eq!(k.reqd_work_group_size, Some([8, 4, 1]));
        assert_eq!(k.attributes, "reqd_work_group_size(8,4,1) vec_type_hint(float4)");
    }

    #[test]
    fn rotates_by_helper_functions_become_rotl() {
        let m = read(&fixtures()[1], &[]).unwrap();
        let k = &m.functions[m.find("k").unwrap()];
        let rotates = k.insts.values().filter(|i| matches!(i.op, crate::ir::Op::Bin(crate::ir::BinOp::Rotl)));
        assert!(rotates.count() >= 2);
    }

    /// A small generator of pseudo-random numbers.
    struct Random(u64);
    impl Random {
        fn next(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as usize) % below
        }
    }

    #[test]
    fn truncated_modules_are_errors() {
        for words in fixtures() {
            for len in (0..words.len()).step_by(7) {
                let _ = read(&words[..len], &[]);
            }
        }
    }

    #[test]
    fn corrupted_modules_never_panic() {
        let mut random = Random(1);
        for words in fixtures() {
            for _ in 0..3000 {
                let mut w = words.clone();
                for _ in 0..1 + random.next(4) {
                    let at = 5 + random.next(w.len() - 5);
                    w[at] = match random.next(5) {
                        0 => w[at] ^ 1 << random.next(32),
                        1 => random.next(words[3] as usize) as u32,
                        2 => w[5 + random.next(words.len() - 5)],
                        3 => [0, 1, u32::MAX, 1 << 31, 0x10001][random.next(5)],
                        _ => w[at].wrapping_add(1),
                    };
                }
                let _ = read(&w, &[]);
            }
        }
    }
}
