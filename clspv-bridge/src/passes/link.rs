//! Joins modules by name and adds the functions of the built-in library that a program needs.
//!
//! Exported and imported functions and globals are matched by name; internal ones are kept apart. Kernels
//! have a name space of their own: an entry point "f" and an exported function "f" are different (SPIR-V,
//! OpEntryPoint). The library is only read: the functions reached from kernels are copied with the globals
//! they use. Imports that no kernel reaches remain.

use crate::builtin_library::BuiltinLibrary;
use crate::error::{CompileError, Invariant, Result, ice};
use crate::ir::mangle::demangle;
use crate::ir::runtime::block_number;
use crate::ir::{EntityRef, EntitySet, FuncRef, Function, Global, Linkage, Module, Op, Phase, PrimaryMap};
use rustc_hash::{FxHashMap, FxHashSet};

/// Joins modules into one. A name that is defined twice, or declared and defined with different types, is an
/// error of the program.
pub fn merge(modules: Vec<Module>) -> Result<Module> {
    let mut out = Module::default();
    // Key: whether it is a kernel, and its name.
    let mut functions: FxHashMap<(bool, String), FuncRef> = FxHashMap::default();
    let mut globals: FxHashMap<String, Global> = FxHashMap::default();
    for mut module in modules {
        let first_kernel = out.kernels.len();
        out.kernels.append(&mut module.kernels);
        let mut global_map: Vec<Global> = Vec::new();
        let mut own_globals: Vec<Global> = Vec::new();
        for data in module.globals.values() {
            let known =
                (data.linkage != Linkage::Internal).then(|| globals.get(&data.name).copied()).flatten();
            let target = match known {
                Some(g) if yields(data.linkage, out.globals[g].linkage) => g,
                Some(g) if yields(out.globals[g].linkage, data.linkage) => {
                    out.globals[g] = data.clone();
                    own_globals.push(g);
                    g
                }
                Some(_) => {
                    return Err(CompileError::Diagnostics(format!(
                        "error: '{}' is defined more than once",
                        data.name
                    )));
                }
                None => {
                    let g = out.globals.push(data.clone());
                    own_globals.push(g);
                    if data.linkage != Linkage::Internal {
                        globals.insert(data.name.clone(), g);
                    }
                    g
                }
            };
            global_map.push(target);
        }
        for g in own_globals {
            for r in out.globals[g].relocs.iter_mut() {
                r.target = mapped(&global_map, r.target)?;
            }
        }
        let mut function_map: Vec<FuncRef> = Vec::new();
        let mut own: Vec<(FuncRef, Function)> = Vec::new();
        for f in module.functions.values_mut() {
            let named = f.linkage != Linkage::Internal || f.kernel.is_some();
            let key = (f.kernel.is_some(), f.name.clone());
            let known = named.then(|| functions.get(&key).copied()).flatten();
            let target = match known {
                Some(r) => {
                    if out.functions[r].sig != f.sig {
                        let text = format!("error: '{}' is used with different types", demangle(&f.name));
                        return Err(CompileError::Diagnostics(text));
                    }
                    if !yields(f.linkage, out.functions[r].linkage) {
                        if !yields(out.functions[r].linkage, f.linkage) {
                            let text = format!("error: '{}' is defined more than once", demangle(&f.name));
                            return Err(CompileError::Diagnostics(text));
                        }
                        // A further definition in the same module is then detected.
                        out.functions[r].linkage = f.linkage;
                        own.push((r, std::mem::take(f)));
                    }
                    r
                }
                None => {
                    let r = out.functions.push(Function::new(&f.name, f.sig.clone(), f.linkage));
                    if named {
                        functions.insert(key, r);
                    }
                    own.push((r, std::mem::take(f)));
                    r
                }
            };
            function_map.push(target);
        }
        for (r, mut f) in own {
            f.kernel = f.kernel.map(|k| k + first_kernel);
            // A program's function never resolves an import of the library.
            if f.linkage != Linkage::Import && f.is_built_in() {
                f.name.insert_str(0, "own.");
            }
            remap(&mut f, |c| mapped(&function_map, c), |g| mapped(&global_map, g))?;
            out.functions[r] = f;
        }
    }
    separate_names(&mut out);
    Ok(out)
}

/// Renames functions that have the name of a kernel: later stages identify both by name.
fn separate_names(module: &mut Module) {
    let kernels: FxHashSet<String> =
        module.functions.values().filter(|f| f.kernel.is_some()).map(|f| f.name.clone()).collect();
    for f in module.functions.values_mut() {
        if f.kernel.is_none() && f.linkage != Linkage::Import && kernels.contains(&f.name) {
            f.name.push_str(".function");
        }
    }
}

/// Whether a definition or declaration is replaced by another of its name: declarations by anything, one of
/// several equal definitions by any.
fn yields(this: Linkage, other: Linkage) -> bool {
    this == Linkage::Import || (this == Linkage::Once && other != Linkage::Import)
}

fn mapped<K: EntityRef>(map: &[K], key: K) -> Result<K> {
    map.get(key.index()).copied().invariant("link: reference to a missing entity")
}

/// Renumbers the module's entities in instructions.
fn remap(
    func: &mut Function,
    mut functions: impl FnMut(FuncRef) -> Result<FuncRef>,
    mut globals: impl FnMut(Global) -> Result<Global>,
) -> Result<()> {
    for data in func.insts.values_mut() {
        match &mut data.op {
            Op::Call(f) => *f = functions(*f)?,
            Op::GlobalAddr(g) => *g = globals(*g)?,
            _ => {}
        }
    }
    Ok(())
}

/// Resolves the imports that kernels reach against `library` and copies the needed functions: their versions
/// for hardware's mathematics if `hardware_math`. A name that the library lacks is an error, as is a call of
/// a function that the reader named "unsupported: ...".
pub fn resolve(module: &mut Module, library: &BuiltinLibrary, hardware_math: bool) -> Result<()> {
    let mut taken = Taken {
        hardware_math,
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        new: Vec::new(),
    };
    let mut seen: EntitySet<FuncRef> = EntitySet::new();
    let mut work: Vec<FuncRef> = Vec::new();
    for (r, f) in module.functions.iter() {
        if f.kernel.is_some() && seen.insert(r) {
            work.push(r);
        }
    }
    while let Some(r) = work.pop() {
        let mut calls: Vec<(FuncRef, u32)> = Vec::new();
        let mut addresses: Vec<(Global, u32)> = Vec::new();
        let func = &module.functions[r];
        for data in func.data_in_order() {
            match data.op {
                Op::Call(c) => calls.push((c, data.line)),
                Op::GlobalAddr(g) => addresses.push((g, data.line)),
                _ => {}
            }
        }
        for (g, line) in addresses {
            if module.globals[g].linkage != Linkage::Import {
                continue;
            }
            let name = module.globals[g].name.clone();
            let Some(l) = library.find_global(&name) else {
                return Err(CompileError::Unresolved { name: demangle(&name), line });
            };
            taken.globals.insert(l, g);
            module.globals[g] = library.globals[l].clone();
            module.globals[g].linkage = Linkage::Internal;
            taken.relocs(module, library, g)?;
        }
        for (c, line) in calls {
            if !seen.insert(c) {
                continue;
            }
            if module.functions[c].linkage == Linkage::Import {
                let name = module.functions[c].name.clone();
                if let Some(what) = name.strip_prefix("unsupported: ") {
                    // The reader appends the types, which make such imports distinct.
                    return Err(CompileError::unsupported(what.split(" (").next().unwrap_or(what), line));
                }
                let Some(l) = library.find(&name) else {
                    return Err(CompileError::Unresolved { name: demangle(&name), line });
                };
                if library.functions[l].signature != module.functions[c].sig {
                    let text = format!("error: '{}' is used with different types", demangle(&name));
                    return Err(CompileError::Diagnostics(text));
                }
                taken.functions.insert(l, c);
                taken.copy(module, library, l, c)?;
                while let Some((l, r)) = taken.new.pop() {
                    taken.copy(module, library, l, r)?;
                }
            }
            work.push(c);
        }
    }
    module.phase = module.phase.max(Phase::Linked);
    Ok(())
}

/// Returns the functions that the `wanted` kernels of a program reach: by calls, and as entries of blocks
/// that are enqueued or queried. A block that is not a known constant may be any.
pub fn reached(program: &Module, wanted: impl Fn(&Function) -> bool) -> EntitySet<FuncRef> {
    let kernels = || program.functions.iter().filter(|(_, f)| f.kernel.is_some());
    let blocks: FxHashMap<u64, FuncRef> =
        kernels().filter_map(|(r, f)| Some((block_number(&f.name)?, r))).collect();
    let mut seen: EntitySet<FuncRef> = EntitySet::new();
    let mut work: Vec<FuncRef> = kernels().filter(|(_, f)| wanted(f)).map(|(r, _)| r).collect();
    while let Some(r) = work.pop() {
        if !seen.insert(r) {
            continue;
        }
        let func = &program.functions[r];
        for inst in func.data_in_order() {
            match inst.op {
                Op::Call(callee) => work.push(callee),
                Op::Runtime(call) => {
                    let Some(kernel) = call.kernel_operand().and_then(|at| inst.args.get(at)) else {
                        continue;
                    };
                    match func.as_bits(*kernel) {
                        Some(number) => work.extend(blocks.get(&number)),
                        None => work.extend(blocks.values()),
                    }
                }
                _ => {}
            }
        }
    }
    seen
}

/// Copies the part of a program that the `wanted` kernels reach ([`reached`]), with all variables.
pub fn reached_part(program: &Module, wanted: impl Fn(&Function) -> bool) -> Result<Module> {
    let reached = reached(program, wanted);
    let functions = copy_functions(program, program.functions.keys().filter(|r| reached.contains(*r)))?;
    let (globals, kernels) = (program.globals.clone(), program.kernels.clone());
    Ok(Module { phase: program.phase, functions, globals, kernels })
}

/// Copies functions, and behind them those that they call.
fn copy_functions(
    module: &Module,
    roots: impl Iterator<Item = FuncRef>,
) -> Result<PrimaryMap<FuncRef, Function>> {
    let mut originals: PrimaryMap<FuncRef, FuncRef> = PrimaryMap::new();
    let mut map: FxHashMap<FuncRef, FuncRef> = roots.map(|root| (root, originals.push(root))).collect();
    let mut copies = PrimaryMap::new();
    while let Some(original) = originals.get(copies.next_key()) {
        let mut copy = module.functions[*original].clone();
        remap(&mut copy, |c| Ok(*map.entry(c).or_insert_with(|| originals.push(c))), Ok)?;
        copies.push(copy);
    }
    Ok(copies)
}

/// Renames variables so that each name occurs once: the data block is laid out by name.
pub fn unique_global_names(module: &mut Module) {
    let mut seen = FxHashSet::default();
    for g in module.globals.values_mut() {
        let base = g.name.clone();
        let mut n = 1;
        while !seen.insert(g.name.clone()) {
            g.name = format!("{base}.{n}");
            n += 1;
        }
    }
}

/// The parts of the library that the module already has.
struct Taken {
    /// Whether functions are replaced by their versions for hardware's mathematics.
    hardware_math: bool,
    functions: FxHashMap<FuncRef, FuncRef>,
    globals: FxHashMap<Global, Global>,
    /// Declared functions, still to be copied.
    new: Vec<(FuncRef, FuncRef)>,
}

impl Taken {
    /// Copies library function `from`, or the version that replaces it, over the declaration `to`.
    fn copy(
        &mut self,
        module: &mut Module,
        library: &BuiltinLibrary,
        from: FuncRef,
        to: FuncRef,
    ) -> Result<()> {
        let from = library.hardware_version(from).filter(|_| self.hardware_math).unwrap_or(from);
        let mut f = library.functions[from].function()?.clone();
        f.linkage = if f.linkage == Linkage::Import { Linkage::Import } else { Linkage::Internal };
        f.kernel = None;
        for data in f.insts.values_mut() {
            match &mut data.op {
                Op::Call(c) => {
                    let callee = *c;
                    *c = match self.functions.get(&callee) {
                        Some(&r) => r,
                        None => {
                            let known = &library.functions[callee];
                            let r = module.functions.push(Function::new(
                                &known.name,
                                known.signature.clone(),
                                Linkage::Import,
                            ));
                            self.functions.insert(callee, r);
                            self.new.push((callee, r));
                            r
                        }
                    };
                }
                Op::GlobalAddr(g) => *g = self.global(module, library, *g)?,
                _ => {}
            }
        }
        module.functions[to] = f;
        Ok(())
    }
    fn global(&mut self, module: &mut Module, library: &BuiltinLibrary, from: Global) -> Result<Global> {
        if let Some(&g) = self.globals.get(&from) {
            return Ok(g);
        }
        let mut data = library.globals[from].clone();
        if data.linkage == Linkage::Export {
            data.linkage = Linkage::Internal;
        }
        let g = module.globals.push(data);
        self.globals.insert(from, g);
        self.relocs(module, library, g)?;
        Ok(g)
    }
    fn relocs(&mut self, module: &mut Module, library: &BuiltinLibrary, g: Global) -> Result<()> {
        let mut relocs = std::mem::take(&mut module.globals[g].relocs);
        for r in relocs.iter_mut() {
            r.target = self.global(module, library, r.target)?;
        }
        module.globals[g].relocs = relocs;
        Ok(())
    }
}

/// Returns a module for one kernel: the kernel, the functions that it reaches, and all globals.
pub fn kernel_module(module: &Module, kernel: FuncRef) -> Result<Module> {
    let mut out = Module { phase: module.phase, globals: module.globals.clone(), ..Module::default() };
    let info = module.functions[kernel].kernel.and_then(|k| module.kernels.get(k));
    let Some(info) = info else {
        return Err(ice!("'{}' is not a kernel", module.functions[kernel].name));
    };
    out.kernels.push(info.clone());
    out.functions = copy_functions(module, [kernel].into_iter())?;
    for (n, f) in out.functions.values_mut().enumerate() {
        f.kernel = (n == 0).then_some(0);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, GlobalData, I32, Reloc, Signature, Space};
    use crate::metadata::KernelInfo;

    fn leaf(name: &str, linkage: Linkage, call: Option<FuncRef>, global: Option<Global>) -> Function {
        let mut f = Function::new(name, Signature { params: vec![], results: vec![I32] }, linkage);
        if linkage == Linkage::Import {
            return f;
        }
        let b = f.add_block();
        let mut v = f.i32(1);
        let mut bu = Builder::new(&mut f, b);
        if let Some(g) = global {
            bu.value(Op::GlobalAddr(g), &[], crate::ir::Type::Ptr(Space::Constant));
        }
        if let Some(c) = call {
            v = bu.value(Op::Call(c), &[], I32);
        }
        bu.ret(&[v]);
        f
    }
    fn kernel(call: FuncRef) -> Function {
        let mut f = leaf("k", Linkage::Export, Some(call), None);
        f.kernel = Some(0);
        f
    }
    fn global(name: &str, relocs: Vec<Reloc>) -> GlobalData {
        GlobalData {
            name: name.into(),
            space: Space::Constant,
            linkage: Linkage::Internal,
            size: 8,
            align: 8,
            init: None,
            relocs,
            readonly: true,
        }
    }

    #[test]
    fn import_meets_export_of_a_later_module() {
        let mut a = Module::default();
        let f = a.functions.push(leaf("f", Linkage::Import, None, None));
        a.functions.push(kernel(f));
        a.kernels.push(KernelInfo { name: "k".into(), ..KernelInfo::default() });
        let mut b = Module::default();
        b.functions.push(leaf("other", Linkage::Internal, None, None));
        b.functions.push(leaf("f", Linkage::Export, None, None));
        let m = merge(vec![a, b.clone()]).unwrap();
        assert_eq!(m.functions.len(), 3);
        assert_eq!(m.functions[m.find("f").unwrap()].linkage, Linkage::Export);
        assert!(merge(vec![b.clone(), b]).is_err());
    }

    #[test]
    fn functions_of_programs_are_not_taken_for_built_ins() {
        let mut a = Module::default();
        let f = a.functions.push(leaf("pc_exp_f32", Linkage::Import, None, None));
        a.functions.push(kernel(f));
        a.functions.push(leaf("pc_sin_f32", Linkage::Import, None, None));
        a.kernels.push(KernelInfo { name: "k".into(), ..KernelInfo::default() });
        let mut b = Module::default();
        b.functions.push(leaf("pc_exp_f32", Linkage::Export, None, None));
        b.functions.push(leaf("pc_sample_f", Linkage::Internal, None, None));
        let m = merge(vec![a, b]).unwrap();
        let names: Vec<(&str, bool)> =
            m.functions.values().map(|f| (f.name.as_str(), f.is_built_in())).collect();
        let expected =
            [("own.pc_exp_f32", false), ("k", false), ("pc_sin_f32", true), ("own.pc_sample_f", false)];
        assert_eq!(names, expected);
    }

    /// One of several equal definitions is kept, an ordinary definition overrides it, and imports find
    /// either.
    #[test]
    fn repeated_definitions() {
        let part = |linkage: Linkage| {
            let mut m = Module::default();
            m.functions.push(leaf("f", linkage, None, None));
            m.globals.push(crate::ir::GlobalData { linkage, size: 8, ..global("g", vec![]) });
            m
        };
        use Linkage::*;
        for (linkages, expected) in [
            (vec![Once, Once], Some(Once)),
            (vec![Import, Once, Import, Once], Some(Once)),
            (vec![Once, Export, Once], Some(Export)),
            (vec![Export, Once, Export], None),
        ] {
            let merged = merge(linkages.iter().map(|l| part(*l)).collect());
            assert_eq!(merged.is_ok(), expected.is_some(), "{linkages:?}");
            let (Ok(m), Some(expected)) = (merged, expected) else { continue };
            assert_eq!((m.functions.len(), m.globals.len()), (1, 1));
            assert_eq!(m.functions.values().map(|f| (f.linkage, f.layout.len())).next(), Some((expected, 1)));
            assert_eq!(m.globals.values().map(|g| g.linkage).next(), Some(expected));
        }
    }

    #[test]
    fn library_functions_come_with_what_they_need() {
        let mut lib = Module::default();
        let target = lib.globals.push(global("data", vec![]));
        let table = lib.globals.push(global("table", vec![Reloc { offset: 0, target, addend: 0 }]));
        lib.globals.push(global("unused", vec![]));
        let inner = lib.functions.push(leaf("inner", Linkage::Internal, None, Some(table)));
        lib.functions.push(leaf("unused", Linkage::Export, None, None));
        lib.functions.push(leaf("f", Linkage::Export, Some(inner), None));
        let mut m = Module::default();
        let f = m.functions.push(leaf("f", Linkage::Import, None, None));
        m.functions.push(kernel(f));
        m.kernels.push(KernelInfo::default());
        resolve(&mut m, &lib.into(), false).unwrap();
        assert_eq!(m.functions.len(), 3);
        assert!(m.functions.values().all(|f| !f.layout.is_empty()));
        assert_eq!(m.globals.len(), 2);
        assert_eq!(m.phase, Phase::Linked);
    }

    #[test]
    fn parts_have_what_their_kernels_reach() {
        let mut m = Module::default();
        m.functions.push(leaf("unused", Linkage::Internal, None, None));
        let inner = m.functions.push(leaf("inner", Linkage::Internal, None, None));
        for (number, name) in ["first", "second"].into_iter().enumerate() {
            let callee = if number == 0 { None } else { Some(inner) };
            let mut kernel = leaf(name, Linkage::Export, callee, None);
            kernel.kernel = Some(number);
            m.functions.push(kernel);
            m.kernels.push(KernelInfo { name: name.into(), ..KernelInfo::default() });
        }
        let names = |part: &Module| part.functions.values().map(|f| f.name.clone()).collect::<Vec<_>>();
        let part = reached_part(&m, |f| f.name == "second").unwrap();
        assert_eq!(names(&part), ["inner", "second"]);
        let second = part.find("second").unwrap();
        assert_eq!(part.functions[second].kernel, Some(1));
        let callees: Vec<Op> = part.functions[second].data_in_order().map(|data| data.op.clone()).collect();
        assert!(callees.contains(&Op::Call(part.find("inner").unwrap())));
        assert_eq!(names(&reached_part(&m, |f| f.name == "first").unwrap()), ["first"]);
    }

    #[test]
    fn missing_and_unsupported_names() {
        for (name, text) in [
            ("_Z3fooi", "unresolved symbol 'foo'"),
            ("__clang_ocl_kern_imp_foo", "unresolved symbol 'foo'"),
            ("unsupported: pipes", "unsupported: pipes"),
        ] {
            let mut m = Module::default();
            let f = m.functions.push(leaf(name, Linkage::Import, None, None));
            m.functions.push(kernel(f));
            m.kernels.push(KernelInfo::default());
            assert_eq!(resolve(&mut m, &Module::default().into(), false).unwrap_err().to_string(), text);
        }
    }
}
