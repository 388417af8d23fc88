//! The steps of a compilation: from source or IL to library SPIR-V, and from that to an executable program.

use crate::abi::{CompiledKernel, CompiledProgram, KernelVariant, LocalSizes, PointerMode, ProgramCode};
use crate::analysis::waits::may_wait;
use crate::analysis::work::{self, LaunchFacts, WorkEstimate};
use crate::analysis::work_groups::{depends_on_local_size, interchangeable_sizes};
use crate::back::{cranelift, llvm};
use crate::builtin_library::BuiltinLibrary;
use crate::error::{CompileError, Invariant, Result, ice};
use crate::front;
use crate::ir::runtime::block_number;
use crate::ir::{ClOp, FuncRef, Function, Global, Linkage, Module, Op, Reloc, Space};
use crate::metadata::{KernelArgInfo, KernelInfo};
use crate::native::{NativeKernel, NativeProgram};
use crate::options::{
    CompileRequest, CompiledSource, Extent, FrontEnd, Kernels, Library, LibraryCode, Options, SpecConstants,
};
use crate::parallel;
use crate::passes::lower::globals::{self, DataLayout};
use crate::passes::native::sub_groups;
use crate::passes::{Origin, PassContext, PassObserver, link};
use crate::pipeline::{self, validates};
use crate::target::{Code, CodeGenerator, CpuTarget, Target, VulkanTarget};
use rustc_hash::FxHashMap;

/// Compiles OpenCL C (or C++ for OpenCL) to a library.
pub fn compile(request: &CompileRequest<'_>) -> Result<CompiledSource> {
    let is_cpp = request.options.std.starts_with("CLC++");
    match request.config.front_end {
        FrontEnd::BuiltIn if !is_cpp => front::c::compile(request),
        _ => front::clang::compile(request),
    }
}

/// Links library modules and the built-in library, and compiles every kernel for the target.
///
/// The error names every kernel that cannot be compiled, with the reason.
pub fn build(
    libraries: &[&Library],
    options: &Options,
    specs: &SpecConstants,
    target: &Target,
) -> Result<CompiledProgram> {
    build_kernels(&Kernels::Every, libraries, options, specs, target, None)
}

/// Like [`build`], but only for the `wanted` kernels. `observer` sees each kernel's module after each pass,
/// from several threads.
pub fn build_kernels(
    wanted: &Kernels,
    libraries: &[&Library],
    options: &Options,
    specs: &SpecConstants,
    target: &Target,
    observer: Option<&dyn PassObserver>,
) -> Result<CompiledProgram> {
    let program = merge(libraries, wanted, specs)?;
    let library = Some(BuiltinLibrary::get()?);
    let cx =
        PassContext { library, observer, origin: origin(libraries), ..PassContext::new(target, options) };
    let kernels = kernels_to_compile(&program, wanted, target)?;
    let mut failures = Vec::new();
    let mut optimised = Vec::new();
    for (name, result) in parallel::map(kernels, |k| (&program.functions[k].name, optimise(&program, k, &cx)))
    {
        match result {
            Ok(module) => optimised.push(module),
            Err(e) => failures.push((name.clone(), e)),
        }
    }
    let (globals, numbers) = used_globals(&program, &optimised);
    let data = globals::layout(&globals)?;
    for module in &mut optimised {
        renumber_globals(module, &globals, &numbers);
    }
    let code = match &target.code {
        Code::Native(cpu) => ProgramCode::Native(native(&optimised, &data, &mut failures, cpu, &cx)?),
        Code::Vulkan(vulkan) => {
            ProgramCode::Vulkan(vulkan_kernels(&optimised, vulkan, wanted, &data, &mut failures, &cx))
        }
    };
    let takes_absent = target.cpu().is_none() && *wanted == Kernels::Possible;
    let absent = if takes_absent { absent(&mut failures) } else { Vec::new() };
    report(&failures, libraries)?;
    Ok(CompiledProgram { code, data: data.block, absent })
}

/// Estimates the work of a kernel in a launch, from its optimised code for any device.
pub fn estimate_work(
    kernel: &str,
    launch: &LaunchFacts,
    libraries: &[&Library],
    options: &Options,
    specs: &SpecConstants,
) -> Result<WorkEstimate> {
    let wanted = Kernels::Named(vec![kernel.to_owned()]);
    let program = merge(libraries, &wanted, specs)?;
    let target = Target::generic();
    let library = Some(BuiltinLibrary::get()?);
    let cx = PassContext { library, origin: origin(libraries), ..PassContext::new(&target, options) };
    let found = kernels_to_compile(&program, &wanted, &target)?.into_iter().next();
    let mut module = optimise(&program, found.ok_or_else(|| CompileError::internal("no such kernel"))?, &cx)?;
    let kernel = module.functions.values_mut().find(|f| f.kernel.is_some());
    Ok(kernel.map(|func| work::estimate(func, launch)).unwrap_or_default())
}

/// Reads and links the libraries, at least what the `wanted` kernels need of them.
fn merge(libraries: &[&Library], wanted: &Kernels, specs: &SpecConstants) -> Result<Module> {
    let mut modules = Vec::with_capacity(libraries.len());
    for library in libraries {
        // Kernels may call kernels of other modules.
        let extent = if libraries.len() > 1 { Extent::Part } else { Extent::Program };
        let mut module = match &library.code {
            LibraryCode::Ir(ir) if extent == Extent::Program => {
                link::reached_part(&*ir.module()?, |f| wanted.has(&f.name))?
            }
            _ => library.module(specs, extent)?,
        };
        for info in &mut module.kernels {
            add_arg_info(info, &library.arg_info);
        }
        modules.push(module);
    }
    let mut program = link::merge(modules)?;
    link::unique_global_names(&mut program);
    Ok(program)
}

/// Whether clang has optimised all of the program.
fn origin(libraries: &[&Library]) -> Origin {
    let is_source = |library: &&Library| matches!(library.code, LibraryCode::Ir(_));
    if libraries.iter().any(is_source) { Origin::Source } else { Origin::Optimised }
}

/// The wanted kernels with a body, and for native code the blocks that they may enqueue.
fn kernels_to_compile(program: &Module, wanted: &Kernels, target: &Target) -> Result<Vec<FuncRef>> {
    let has_body = program.functions.iter().filter(|(_, f)| f.kernel.is_some() && !f.layout.is_empty());
    let kernels: Vec<(FuncRef, &str)> = has_body.map(|(k, f)| (k, f.name.as_str())).collect();
    // C++ for OpenCL: clang turns the initialisation of a translation unit into a kernel, which would have to
    // run first.
    if kernels.iter().any(|(_, name)| name.starts_with("_GLOBAL__")) {
        let text =
            "error: variables at program scope that need a constructor or destructor are not supported\n";
        return Err(CompileError::Diagnostics(text.into()));
    }
    // A device without device-side enqueue does not use blocks.
    let reached = link::reached(program, |f| !is_block(&f.name) && wanted.has(&f.name));
    let is_wanted = |k: FuncRef, name: &str| match is_block(name) {
        true => target.cpu().is_some() && reached.contains(k),
        false => wanted.has(name),
    };
    Ok(kernels.into_iter().filter(|(k, name)| is_wanted(*k, name)).map(|(k, _)| k).collect())
}

/// Compiles the kernels to SPIR-V, each for all pointer modes.
fn vulkan_kernels(
    optimised: &[Module],
    vulkan: &VulkanTarget,
    wanted: &Kernels,
    data: &DataLayout,
    failures: &mut Vec<(String, CompileError)>,
    cx: &PassContext<'_>,
) -> Vec<CompiledKernel> {
    let modes = modes(vulkan);
    let tasks = optimised.iter().flat_map(|module| modes.iter().map(move |mode| (module, *mode))).collect();
    let variant = |(module, mode)| {
        let of_mode = |mode| variant(module, mode, vulkan, wanted, data, cx);
        match of_mode(mode)? {
            None if mode == PointerMode::Virtual => of_mode(PointerMode::Windowed),
            found => Ok(found),
        }
    };
    let mut done = parallel::map(tasks, variant).into_iter();
    let mut kernels = Vec::new();
    for module in optimised {
        let info = module.kernels[0].clone();
        let results: Vec<Result<Option<KernelVariant>>> = done.by_ref().take(modes.len()).collect();
        match results.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>>>() {
            Ok(variants) if variants.is_empty() => failures.push((info.name, ice!("no pointer mode fits"))),
            Ok(variants) => kernels.push(CompiledKernel { info, variants }),
            Err(e) => failures.push((info.name, e)),
        }
    }
    kernels
}

/// Takes the kernels that the target does not support out of the failures, with the construct that it lacks.
fn absent(failures: &mut Vec<(String, CompileError)>) -> Vec<(String, String)> {
    let mut absent = Vec::new();
    failures.retain(|(name, error)| match error {
        CompileError::Unsupported { construct, .. } => {
            absent.push((name.clone(), construct.clone()));
            false
        }
        _ => true,
    });
    absent
}

/// The error of a build in which kernels failed; `Ok` if none did.
fn report(failures: &[(String, CompileError)], libraries: &[&Library]) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = failures.iter().map(|(kernel, e)| failure(kernel, e, libraries)).collect();
    Err(CompileError::Diagnostics(lines.join("\n") + "\n"))
}

/// Compiles all kernels for the host's processor, into one object.
fn native(
    optimised: &[Module],
    data: &DataLayout,
    failures: &mut Vec<(String, CompileError)>,
    cpu: &CpuTarget,
    cx: &PassContext<'_>,
) -> Result<NativeProgram> {
    let mut program = NativeProgram::default();
    match cpu.generator {
        CodeGenerator::Later => {
            let interfaces =
                optimised.iter().map(|module| Ok((interface(module, cpu, cx.target)?, Vec::<()>::new())));
            collect(optimised, interfaces.collect(), &mut program, failures);
        }
        CodeGenerator::Llvm => {
            let kernels = native_kernels(optimised, cx, |module, n| llvm::kernel(module, data, n, cx));
            let texts = collect(optimised, kernels, &mut program, failures);
            if failures.is_empty() && !texts.is_empty() {
                let effort = if cpu.instrumented {
                    llvm::Effort::Instrumented
                } else if cx.options.opt_disable {
                    llvm::Effort::Little
                } else {
                    llvm::Effort::Usual
                };
                program.object = llvm::shared_object(&texts, effort, cpu)?.into();
            }
        }
        CodeGenerator::Cranelift | CodeGenerator::Baseline => {
            let kernels = native_kernels(optimised, cx, |module, n| cranelift::kernel(module, data, n, cx));
            let functions = collect(optimised, kernels, &mut program, failures);
            if failures.is_empty() && !functions.is_empty() {
                program.object = cranelift::link(&functions)?.into();
            }
        }
    }
    Ok(program)
}

/// The interface of a module's kernel, whose code is generated later.
fn interface(module: &Module, cpu: &CpuTarget, target: &Target) -> Result<NativeKernel> {
    let info = module.kernels.first().invariant("a module without a kernel")?.clone();
    let kernel = module.functions.values().find(|f| f.kernel.is_some());
    sub_groups::check(kernel.invariant("the kernel was lost")?, &info, target, cpu)?;
    let is_large = cranelift::may_be_too_large(module);
    Ok(NativeKernel { info, is_large, ..NativeKernel::default() })
}

/// A kernel's launch interface, and the pieces of its code.
type NativePieces<T> = (NativeKernel, Vec<T>);

/// Runs the passes of native code on optimised kernels, and generates code of each by its number.
fn native_kernels<T: Send>(
    optimised: &[Module],
    cx: &PassContext<'_>,
    generate: impl Fn(&Module, usize) -> Result<NativePieces<T>> + Sync,
) -> Vec<Result<NativePieces<T>>> {
    let tasks: Vec<(usize, &Module)> = (0..optimised.len()).zip(optimised).collect();
    parallel::map(tasks, |(n, module)| {
        // The checker reports work-items by their places in the groups as they were enqueued.
        let is_checked = cx.target.cpu().is_some_and(|cpu| cpu.instrumented);
        let any_local_size = !is_checked && !depends_on_local_size(module);
        let mut module = module.clone();
        pipeline::run(&mut module, pipeline::NATIVE, &mut cx.fresh())?;
        let (kernel, pieces) = generate(&module, n)?;
        Ok((NativeKernel { any_local_size, ..kernel }, pieces))
    })
}

/// Adds kernels to a program, or their errors to the failures. Returns the pieces of code.
fn collect<T>(
    optimised: &[Module],
    kernels: Vec<Result<NativePieces<T>>>,
    program: &mut NativeProgram,
    failures: &mut Vec<(String, CompileError)>,
) -> Vec<T> {
    let mut all = Vec::new();
    for (module, result) in optimised.iter().zip(kernels) {
        match result {
            Ok((kernel, pieces)) => {
                program.kernels.push(kernel);
                all.extend(pieces);
            }
            Err(e) => failures.push((module.kernels[0].name.clone(), e)),
        }
    }
    all
}

/// The log's line for a kernel that failed, with the source position if the module has it.
fn failure(kernel: &str, error: &CompileError, libraries: &[&Library]) -> String {
    let (line, text) = error.at_line();
    if line == 0 {
        return format!("error: kernel '{kernel}': {text}");
    }
    let file = libraries.iter().find_map(|l| front::locate::spirv_file(l.code.spirv(), line));
    let other = if origin(libraries) == Origin::Source { "<stdin>" } else { "<il>" };
    format!("{}:{line}: error: kernel '{kernel}': {text}", file.as_deref().unwrap_or(other))
}

/// Adds source positions to the errors of [`build`] for a program that was compiled from this source.
pub fn add_positions(error: CompileError, request: &CompileRequest<'_>) -> CompileError {
    let CompileError::Diagnostics(log) = error else { return error };
    // IR of the built-in front end has line numbers.
    if request.config.front_end == FrontEnd::BuiltIn {
        return CompileError::Diagnostics(log);
    }
    match front::clang::line_tables(request) {
        Ok(ir) => CompileError::Diagnostics(front::locate::add_positions(&log, &ir)),
        Err(_) => CompileError::Diagnostics(log),
    }
}

/// Optimises one kernel, in a module of its own: linked with the built-in library, and inlined. A kernel
/// whose code is generated later is only checked for the errors that this would find.
fn optimise(program: &Module, kernel: FuncRef, cx: &PassContext<'_>) -> Result<Module> {
    let mut module = link::kernel_module(program, kernel)?;
    let cx = &mut cx.fresh();
    let is_later = cx.target.cpu().is_some_and(|cpu| cpu.generator == CodeGenerator::Later);
    if is_later && !has_late_errors(&module) {
        pipeline::run(&mut module, pipeline::CHECK, cx)?;
    } else {
        pipeline::optimise(&mut module, cx)?;
    }
    Ok(module)
}

/// Whether a kernel may have errors that only its optimised code shows: those of printf, whose formats must
/// be known, and of sub-groups.
fn has_late_errors(module: &Module) -> bool {
    let prints = |f: &Function| f.data_in_order().any(|data| data.op == Op::OpenCl(ClOp::printf));
    module.kernels.iter().any(|info| info.reqd_sub_group_size.is_some())
        || module.functions.values().any(prints)
}

/// Whether a kernel is the entry of a block, which has no name in the program.
fn is_block(name: &str) -> bool {
    block_number(name).is_some()
}

/// The pointer modes to compile for the target, the preferred one first.
fn modes(target: &VulkanTarget) -> &'static [PointerMode] {
    if !target.addresses {
        &[PointerMode::Virtual]
    } else if target.prefer_bindings && target.max_buffer_descriptors > 0 {
        &[PointerMode::Bindings, PointerMode::Addresses]
    } else {
        &[PointerMode::Addresses]
    }
}

/// Compiles the kernel for a pointer mode; `None` if the kernel does not permit that mode.
fn variant(
    module: &Module,
    mode: PointerMode,
    vulkan: &VulkanTarget,
    wanted: &Kernels,
    data: &DataLayout,
    cx: &PassContext<'_>,
) -> Result<Option<KernelVariant>> {
    let mut module = module.clone();
    let Some(mut abi) = pipeline::lower(&mut module, mode, data, cx)? else { return Ok(None) };
    let cx = &mut cx.fresh();
    pipeline::run(&mut module, pipeline::TIDY_LOWERED, cx)?;
    if let Some(limit) = vulkan.max_trip_count.filter(|_| *wanted == Kernels::Possible)
        && !crate::analysis::trip_count::is_below(&module, limit)
    {
        return Err(CompileError::unsupported(format!("loops that may go round more than {limit} times"), 0));
    }
    // Before passes that make loads volatile (`wide_loads`).
    let waits = module.functions.values().any(may_wait);
    pipeline::structure(&mut module, cx)?;
    let kernel = module.functions.iter().find(|(_, f)| f.kernel.is_some()).map(|(r, _)| r);
    let kernel = kernel.invariant("the kernel was lost")?;
    abi.local_sizes = if waits { LocalSizes::Own } else { interchangeable_sizes(&module.functions[kernel]) };
    let spirv = crate::back::spirv::emit(&module, kernel, &abi, cx.target, cx.options.initialize_local)?;
    if validates("spirv") {
        crate::back::validate::validate(&spirv, vulkan)?;
    }
    Ok(Some(KernelVariant { abi, spirv }))
}

/// Reads the built-in library, which otherwise the first [`build`] of a process does. Call it from a thread
/// that would be idle while the front-end tool runs.
pub fn warm_up() {
    let _ = BuiltinLibrary::get();
}

/// A module of the globals that the kernels use and of the program's variables in global memory, with their
/// numbers in it by name.
fn used_globals(program: &Module, kernels: &[Module]) -> (Module, FxHashMap<String, Global>) {
    let mut out = Module::default();
    let mut by_name: FxHashMap<String, Global> = FxHashMap::default();
    let variables = |g: &crate::ir::GlobalData| {
        g.space == Space::Global && matches!(g.linkage, Linkage::Export | Linkage::Once)
    };
    let wanted = program.globals.iter().filter(|(_, g)| variables(g)).map(|(r, _)| (program, r));
    let used = kernels.iter().flat_map(|m| {
        let insts = m.functions.values().flat_map(|f| {
            f.data_in_order().filter_map(|data| match data.op {
                Op::GlobalAddr(g) => Some(g),
                _ => None,
            })
        });
        insts.map(move |g| (m, g))
    });
    let mut work: Vec<(&Module, Global)> = wanted.chain(used).collect();
    let mut relocs = Vec::new();
    while let Some((module, g)) = work.pop() {
        let data = &module.globals[g];
        if by_name.contains_key(&data.name) {
            continue;
        }
        let new = out.globals.push(crate::ir::GlobalData { relocs: Vec::new(), ..data.clone() });
        by_name.insert(data.name.clone(), new);
        for r in &data.relocs {
            work.push((module, r.target));
            relocs.push((new, r.offset, r.addend, module.globals[r.target].name.clone()));
        }
    }
    for (from, offset, addend, target) in relocs {
        if let Some(&target) = by_name.get(&target) {
            out.globals[from].relocs.push(Reloc { offset, target, addend });
        }
    }
    (out, by_name)
}

/// Replaces a kernel's globals by those of the whole program. Kernels renumber those they took from the
/// library, and the data block is laid out by number.
fn renumber_globals(module: &mut Module, globals: &Module, numbers: &FxHashMap<String, Global>) {
    let own = std::mem::replace(&mut module.globals, globals.globals.clone());
    for func in module.functions.values_mut() {
        for data in func.insts.values_mut() {
            if let Op::GlobalAddr(g) = &mut data.op
                && let Some(new) = own.get(*g).and_then(|d| numbers.get(&d.name))
            {
                *g = *new;
            }
        }
    }
}

/// Adds the facts about a kernel that only the source has.
fn add_arg_info(info: &mut KernelInfo, known: &[KernelArgInfo]) {
    let Some(source) = known.iter().find(|k| k.kernel == info.name && k.args.len() == info.args.len()) else {
        return;
    };
    for (arg, from) in info.args.iter_mut().zip(&source.args) {
        arg.name = from.name.clone();
        arg.type_name = from.type_name.clone();
        arg.address = from.address;
        arg.access = from.access;
        arg.qualifiers = from.qualifiers;
    }
    info.has_arg_info = true;
    if source.vec_type_hint.is_some() && source.vec_type_hint != info.vec_type_hint {
        info.vec_type_hint = source.vec_type_hint.clone();
        info.attributes = front::spirv::attributes(info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::BindingSource;

    fn library(bytes: &[u8]) -> Library {
        Library::from_spirv(
            bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect(),
        )
    }

    #[test]
    fn a_tiled_matrix_product_builds_in_both_pointer_modes() {
        let sgemm = library(include_bytes!("front/spirv/testdata/sgemm.spv"));
        let target = Target::generic().with_vulkan(|vulkan| vulkan.prefer_bindings = true);
        let program = build(&[&sgemm], &Options::default(), &[], &target).unwrap();
        let [kernel] = program.vulkan() else { panic!("one kernel expected") };
        assert_eq!(kernel.info.reqd_work_group_size, Some([16, 16, 1]));
        let modes: Vec<PointerMode> = kernel.variants.iter().map(|v| v.abi.mode).collect();
        assert_eq!(modes, [PointerMode::Bindings, PointerMode::Addresses]);
        for arg in 3..6 {
            assert!(kernel.variants[0].abi.bindings.contains(&BindingSource::Arg(arg)));
        }
        assert_eq!(kernel.variants[0].abi.static_local_bytes, 2048);
        assert!(kernel.variants.iter().all(|v| v.spirv[0] == 0x0723_0203));
    }

    #[test]
    fn kernels_that_a_target_cannot_have_are_left_out_if_requested() {
        let mixed = library(include_bytes!("front/spirv/testdata/mixed.spv"));
        let build =
            |wanted| build_kernels(&wanted, &[&mixed], &Options::default(), &[], &Target::generic(), None);
        let names = |p: &CompiledProgram| p.infos().map(|k| k.name.clone()).collect::<Vec<_>>();
        // An error that is not specific to the target still fails the build.
        assert!(build(Kernels::Possible).is_err());
        let named = build(Kernels::Named(vec!["k2".into()])).unwrap();
        assert_eq!((names(&named), named.absent), (vec!["k2".to_string()], vec![]));
        let sgemm = library(include_bytes!("front/spirv/testdata/sgemm.spv"));
        let target = Target::generic().with_vulkan(|vulkan| {
            (vulkan.max_descriptors, vulkan.addresses) = (0, false);
        });
        let left =
            build_kernels(&Kernels::Possible, &[&sgemm], &Options::default(), &[], &target, None).unwrap();
        let [(name, what)] = left.absent.as_slice() else { panic!("{:?}", left.absent) };
        assert!(left.vulkan().is_empty() && name == "sgemm" && what.contains("1 buffers"), "{name}: {what}");
    }

    #[test]
    fn failures_name_the_kernel_and_the_construct() {
        let mixed = library(include_bytes!("front/spirv/testdata/mixed.spv"));
        let error = build(&[&mixed], &Options::default(), &[], &Target::generic()).unwrap_err();
        let CompileError::Diagnostics(text) = error else { panic!("diagnostics expected") };
        // Calls an undefined function, and recurses.
        assert!(text.contains("kernel 'k'") && !text.contains("kernel 'k2'"), "{text}");
    }

    #[test]
    fn kernels_find_their_globals_whatever_their_numbers() {
        let mut program = Module::default();
        let data = |name: &str| crate::ir::GlobalData {
            name: name.into(),
            space: Space::Constant,
            linkage: Linkage::Internal,
            size: 4,
            align: 4,
            init: None,
            relocs: vec![],
            readonly: true,
        };
        program.globals.push(data("unused"));
        let used = program.globals.push(data("used"));
        let mut func = crate::ir::Function::new("k", Default::default(), Linkage::Export);
        let block = func.add_block();
        let ptr = crate::ir::Type::Ptr(Space::Constant);
        crate::ir::Builder::new(&mut func, block).value(Op::GlobalAddr(used), &[], ptr);
        program.functions.push(func);
        let mut kernel = program.clone();
        let (globals, numbers) = used_globals(&program, std::slice::from_ref(&kernel));
        assert_eq!(globals.globals.len(), 1);
        renumber_globals(&mut kernel, &globals, &numbers);
        let op = kernel.functions.values().flat_map(|f| f.insts.values()).map(|i| i.op.clone()).next();
        assert_eq!(op, Some(Op::GlobalAddr(numbers["used"])));
    }

    #[test]
    fn linking_one_module_twice_is_an_error() {
        let sgemm = library(include_bytes!("front/spirv/testdata/sgemm.spv"));
        assert!(build(&[&sgemm, &sgemm], &Options::default(), &[], &Target::generic()).is_err());
    }

    /// A kernel with `count` linear reads, by a literal sampler or one that is an argument, compiled up to
    /// clang.
    fn many_reads(count: usize, literal: bool) -> (Module, String) {
        use crate::ir::{Builder, F32, Function, I32, ImageDim, ImageOp, Opaque, Scalar, Signature, Type};
        use crate::metadata::{ArgInfo, ArgKind};
        let (point, texel) = (Type::Vector(Scalar::F32, 2), Type::Vector(Scalar::F32, 4));
        let params = vec![Type::Opaque(Opaque::Image), I32, F32, Type::Ptr(Space::Global)];
        let mut func =
            Function::new("k", Signature { params: params.clone(), results: vec![] }, Linkage::Export);
        func.kernel = Some(0);
        let block = func.add_block();
        let args: Vec<_> = params.iter().map(|ty| func.add_param(block, *ty)).collect();
        let mut b = Builder::new(&mut func, block);
        let sampler = if literal { b.i32(16 | 8 | 3) } else { args[1] };
        let id =
            b.value(Op::WorkItem { query: crate::ir::WorkItemQuery::GlobalId, dim: 0 }, &[], crate::ir::I64);
        let mut x = b.cast(crate::ir::CastOp::UToFp, id, F32);
        for _ in 0..count {
            let at = b.vec_build(&[x, args[2]]);
            assert_eq!(b.ty(at), point);
            let texel = b.value(
                Op::Image { op: ImageOp::Sample, dim: ImageDim::D2, var: None },
                &[args[0], sampler, at],
                texel,
            );
            x = b.extract(texel, 0);
        }
        b.store(x, args[3], crate::ir::Access::aligned(4));
        b.ret(&[]);
        let mut program = Module::default();
        program.functions.push(func);
        let kinds = [ArgKind::Image, ArgKind::Sampler, ArgKind::Value, ArgKind::GlobalPtr];
        let argument = |kind, offset| ArgInfo {
            kind,
            size: 8,
            align: 8,
            offset,
            name: String::new(),
            type_name: String::new(),
            address: Default::default(),
            access: Default::default(),
            qualifiers: Default::default(),
            image: None,
        };
        let args = (0u32..).zip(kinds).map(|(i, kind)| argument(kind, 8 * i)).collect();
        program.kernels.push(KernelInfo { name: "k".into(), args, args_size: 32, ..KernelInfo::default() });
        let (target, options) = (Target::native("test".into(), &|_| true), Options::default());
        let library = Some(BuiltinLibrary::get().unwrap());
        let cx = PassContext { library, ..PassContext::new(&target, &options) };
        let kernel = program.functions.keys().next().unwrap();
        let mut module = optimise(&program, kernel, &cx).unwrap();
        let (globals, numbers) = used_globals(&program, std::slice::from_ref(&module));
        let data = globals::layout(&globals).unwrap();
        renumber_globals(&mut module, &globals, &numbers);
        let one = std::slice::from_ref(&module);
        let mut kernels = native_kernels(one, &cx, |module, n| llvm::kernel(module, &data, n, &cx));
        let (_, texts) = kernels.pop().unwrap().unwrap();
        assert_eq!(texts.len(), if module.functions.len() == 1 { 2 } else { 1 });
        (module, texts.concat())
    }

    #[test]
    fn many_reads_of_images_are_calls_of_one_function() {
        for literal in [false, true] {
            let (few, _) = many_reads(2, literal);
            assert_eq!(few.functions.len(), 1);
            let (many, text) = many_reads(100, literal);
            assert_eq!(many.functions.len(), 2);
            assert_eq!(text.matches("define internal").count(), 1);
            // Both of the kernel's functions.
            assert_eq!(text.matches("call { <16 x float>").count(), 200);
            assert!(text.lines().count() < 10_000, "{} lines", text.lines().count());
        }
    }
}
