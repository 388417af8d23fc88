//! clang as a child process: OpenCL C in, SPIR-V out.
//!
//! The source is written to standard input, the module is read from standard output, and the diagnostics are
//! the build log. Headers of clCompileProgram live in a private directory while the child runs. A crash, a
//! time-out, or a compiler without a SPIR-V target is an error with a readable text. The reason for each
//! option is beside it.

use super::arg_info;
use super::cycles;
use super::enqueue;
use super::lines;
use super::local_sizes;
use super::prelude::{self, Declarations};
use super::process::{self, Output};
use super::reached;
use super::rename::{self, rename};
use super::spirv::UNIT_FUNCTION;
use super::strip_literals::strip_literals;
use super::watch::Watch;
use crate::error::{CompileError, Result};
use crate::options::{Extent, FrontConfig, Header, Library, Options};
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Processor time that one process of a tool may use: `PYROCLAST_CLANG_TIMEOUT` in seconds.
pub(crate) fn time_limit() -> Duration {
    let seconds = std::env::var("PYROCLAST_CLANG_TIMEOUT").ok().and_then(|v| v.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(300))
}

/// Names to try if none is configured, best first.
const NAMES: &[&str] = &["clang-22", "clang-23", "clang-21", "clang-20", "clang"];

/// Folders to search besides PATH, which a host may have emptied.
const FOLDERS: &[&str] = &["/usr/bin", "/usr/local/bin", "/usr/lib/llvm-22/bin", "/opt/llvm/bin"];

/// SPIR-V extensions that the back end may use: those that the reader knows.
const SPIRV_EXTENSIONS: &str = "+SPV_EXT_relaxed_printf_string_address_space,+SPV_KHR_integer_dot_product,\
+SPV_KHR_bit_instructions,+SPV_KHR_subgroup_rotate,+SPV_KHR_shader_clock,+SPV_INTEL_subgroups,+SPV_KHR_uniform_group_instructions,\
+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max";

/// Facts about a kernel that only the source has: names and types of its arguments, and its vector type hint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelArgInfo {
    pub kernel: String,
    pub args: Vec<crate::metadata::ArgInfo>,
    /// Types of the arguments with typedefs resolved, e.g. "float4*".
    pub base_types: Vec<String>,
    pub vec_type_hint: Option<String>,
}

/// Path of the clang to use: the configured one, `PYROCLAST_CLANG`, or the best that is installed.
pub fn find(config: &FrontConfig) -> Option<PathBuf> {
    let named = if config.clang.is_empty() {
        std::env::var("PYROCLAST_CLANG").unwrap_or_default()
    } else {
        config.clang.clone()
    };
    if !named.is_empty() {
        return if named.contains('/') {
            Some(PathBuf::from(named)).filter(|p| p.is_file())
        } else {
            in_folders(&named)
        };
    }
    NAMES.iter().find_map(|name| in_folders(name))
}

/// A tool by name in PATH or the usual folders.
pub(crate) fn in_folders(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let listed = std::env::split_paths(&path).filter(|p| p.is_absolute());
    listed.chain(FOLDERS.iter().map(PathBuf::from)).map(|folder| folder.join(name)).find(|p| p.is_file())
}

/// Longer sources, and those that include others, are compiled in two steps.
const ONE_STEP_BYTES: usize = 16 << 10;

/// Options of the step that generates SPIR-V. The vectorisers make types that the SPIR-V back end cannot
/// write; so does the rewriting of loop exit values. Induction variables are not widened: LLVM would turn
/// `int` into 64 bits, and count bytes instead of elements. Devices without 64-bit registers pay for that in
/// every iteration.
const CODE_ARGS: &[&str] = &[
    "-fno-slp-vectorize",
    "-fno-vectorize",
    "-mllvm",
    "-replexitval=never",
    "-mllvm",
    "-indvars-widen-indvars=false",
    "-mllvm",
    "-disable-lsr",
    "-c",
    "-o",
    "-",
    "-",
];

/// [`CODE_ARGS`] and the extensions that fit the options.
fn code_args(options: &Options) -> Vec<OsString> {
    let mut extensions = format!("-spirv-ext={SPIRV_EXTENSIONS}");
    if contracts_by_operation(options) {
        extensions.push_str(",+SPV_KHR_float_controls2");
    }
    let mut args: Vec<OsString> = vec!["-mllvm".into(), extensions.into()];
    args.extend(CODE_ARGS.iter().map(OsString::from));
    args
}

/// Whether each operation carries its own permission to be contracted (decided by the pragma FP_CONTRACT, on
/// by default). Relaxed options permit contraction anyway; with them the back end writes permissions that the
/// program did not give.
fn contracts_by_operation(options: &Options) -> bool {
    !options.unsafe_math && !options.fast_relaxed_math
}

/// Compiles a translation unit.
///
/// Big programs are mostly functions that their kernels do not call or that are to be inlined. Marking these
/// before LLVM optimises makes the build many times faster, at the price of a second process.
pub fn compile(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
) -> Result<Library> {
    compile_unit(source, headers, options, config, extent, false).map(|(library, _)| library)
}

/// Like [`compile`]. Also returns the files that the preprocessor read, except the headers and the source
/// itself, or `None` if they are not known.
pub fn compile_with_dependencies(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
) -> Result<(Library, Option<Vec<PathBuf>>)> {
    compile_unit(source, headers, options, config, extent, true)
}

/// Compiles a translation unit; with `listed`, lists the files that were read.
fn compile_unit(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
    listed: bool,
) -> Result<(Library, Option<Vec<PathBuf>>)> {
    let folder = match HeaderFolder::new(headers, listed) {
        // A missing list alone does not fail the build.
        Err(CompileError::ToolFailed(_)) if headers.is_empty() => HeaderFolder(None),
        folder => folder?,
    };
    let compile = |source: &str| compile_in(source, headers, options, config, extent, (&folder, listed));
    let mut library = compile(source)?;
    if extent == Extent::Part && !has_function(&library.spirv) {
        // clang's SPIR-V back end writes the variables of a module with its first function.
        library = compile(&format!("{source}\nvoid {UNIT_FUNCTION}(void) {{}}\n"))?;
    }
    let list = |root: &Path| std::fs::read_to_string(root.join(DEPENDENCIES)).ok();
    let files = folder.path().filter(|_| listed).and_then(|root| {
        let files = parse_dependencies(&list(root)?);
        Some(files.into_iter().filter(|path| !path.starts_with(root)).collect())
    });
    Ok((library, files))
}

fn has_function(spirv: &[u32]) -> bool {
    let joined = super::spirv::read::Joined::default();
    let insts = super::spirv::read::instructions(spirv, &joined);
    insts.is_ok_and(|insts| insts.iter().any(|i| i.op == spirv::Op::Function))
}

/// Name, in the private folder, of the list of files that were read; no header can have it.
const DEPENDENCIES: &str = ".dependencies";

/// The files of a make rule: a target, a colon, and names in which blanks and some other characters are
/// escaped.
fn parse_dependencies(rule: &str) -> Vec<PathBuf> {
    let mut files = vec![String::new()];
    let mut chars = rule.split_once(": ").map_or("", |(_, files)| files).chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
                files.push(String::new());
            }
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => {
                let last = files.len() - 1;
                files[last].extend(chars.next());
            }
            (' ' | '\n', _) => files.push(String::new()),
            (c, _) => {
                let last = files.len() - 1;
                files[last].push(c);
            }
        }
    }
    files.into_iter().filter(|f| !f.is_empty()).map(PathBuf::from).collect()
}

fn compile_in(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
    (folder, listed): (&HeaderFolder, bool),
) -> Result<Library> {
    let clang = needed(config)?;
    let mut args = arguments(options, config, folder.path());
    if let (true, Some(root)) = (listed, folder.path()) {
        args.extend(["-MD", "-MQ", "out", "-MF"].map(OsString::from));
        args.push(root.join(DEPENDENCIES).into());
    }
    if config.instrumented {
        return compile_unoptimised(&clang, args, source, options, config, extent);
    }
    let mut seen = strip_literals(source);
    for definition in options.preprocessor.iter().filter(|o| o.starts_with("-D")) {
        seen = format!("{seen}\n{}", &definition[2..]).into();
    }
    let includes = seen.contains("#include");
    let big = source.len() > ONE_STEP_BYTES || includes;
    // Names of built-ins that the back end miscompiles (see `rename`), also if macros concatenate the names.
    let atomics = || rename::C11_ATOMICS.iter().any(|word| seen.contains(word));
    let levels =
        || config.extensions.iter().any(|e| e == "cl_khr_mipmap_image") && rename::names_levels(&seen);
    // Local variables with `initialize_local`: LLVM would treat them as undefined.
    let needs_rewrite = options.initialize_local
        || includes
        || seen.contains("sat")
        || seen.contains("half3")
        || rename::converts_to_integers(&seen)
        || enqueue::may_enqueue(&seen, &options.std, config)
        || atomics()
        || levels();
    let mut failure = None;
    if !(extent == Extent::Program && big || needs_rewrite) {
        let mut args = args.clone();
        args.extend(code_args(options));
        // The arguments' names need a process of their own, which runs at the same time.
        let (output, info) = std::thread::scope(|scope| {
            let info = || self::arg_info(source, headers, options, config);
            let beside = options.kernel_arg_info.then(|| scope.spawn(info));
            let output = run_on_source(&clang, &args, source, options, config);
            (
                output,
                beside.map(|thread| {
                    thread.join().unwrap_or_else(|_| Err(CompileError::internal("argument information")))
                }),
            )
        });
        let output = output?;
        let log = readable(&output.stderr);
        let spirv = words(&output.stdout);
        match check(&output, &log, is_spirv) {
            // The sizes are in the LLVM IR.
            Ok(()) if local_sizes::may_be_wrong(&spirv) => {}
            Ok(()) => {
                let arg_info = match info {
                    Some(info) => info?,
                    None if has_integer_hint(&spirv) => self::arg_info(source, headers, options, config)?,
                    None => Vec::new(),
                };
                return Ok(Library { spirv, log, arg_info });
            }
            // The back end failed; the second step may remove the cause.
            Err(e @ CompileError::ToolFailed(_)) => failure = Some(e),
            Err(e) => return Err(e),
        }
    }
    args.extend(IR_ARGS.iter().map(OsString::from));
    let output = run_on_source(&clang, &args, source, options, config)?;
    let mut log = readable(&output.stderr);
    check(&output, &log, |out| !out.is_empty())?;
    let ir = String::from_utf8_lossy(&output.stdout);
    let enqueuing = enqueue::rewrite(&ir)?;
    if matches!(enqueuing, Cow::Owned(_)) {
        // The back end failed because of calls that are replaced now.
        failure = None;
    }
    let sized = local_sizes::note(&enqueuing);
    let mut rewritten = rewrite(sized.as_deref().unwrap_or(&enqueuing), extent);
    if options.initialize_local {
        // Otherwise LLVM treats reads before the first write as undefined.
        rewritten =
            rewritten.replace(" addrspace(3) global ", " addrspace(3) externally_initialized global ");
    }
    let first = match failure {
        None => code(&clang, &rewritten, options, config, LlvmPasses::Run),
        Some(e) => Err(e),
    };
    let cut = match (first, cycles::cut(&rewritten)) {
        (Err(CompileError::ToolFailed(_)), Some(cut)) => code(&clang, &cut, options, config, LlvmPasses::Run),
        (first, _) => first,
    };
    let (spirv, second) = match cut {
        // LLVM's passes may make vectors that the back end cannot write.
        Err(CompileError::ToolFailed(_)) => code(&clang, &rewritten, options, config, LlvmPasses::Skip)?,
        done => done?,
    };
    log.push_str(&second);
    let from_source = options.kernel_arg_info || has_integer_hint(&spirv);
    let arg_info = if from_source { arg_info::parse(&ir) } else { Vec::new() };
    Ok(Library { spirv, log, arg_info })
}

/// Runs clang on a source with the declarations that it needs. Runs it again if the source needs declarations
/// of later versions.
fn run_on_source(
    clang: &Path,
    args: &[OsString],
    source: &str,
    options: &Options,
    config: &FrontConfig,
) -> Result<Output> {
    let run = |declarations| {
        let text = prelude::with_declarations(source, declarations, config);
        process::run(clang, args, text.as_bytes(), time_limit())
    };
    let output = run(Declarations::Usual)?;
    if prelude::misses_declarations(&output.stderr, options, config) {
        run(Declarations::Early)
    } else {
        Ok(output)
    }
}

/// Compiles without LLVM's passes, for instrumented code, and records line numbers.
fn compile_unoptimised(
    clang: &Path,
    mut args: Vec<OsString>,
    source: &str,
    options: &Options,
    config: &FrontConfig,
    extent: Extent,
) -> Result<Library> {
    args.push("-gline-tables-only".into());
    args.extend(IR_ARGS.iter().map(OsString::from));
    let output = run_on_source(clang, &args, source, options, config)?;
    let mut log = readable(&output.stderr);
    check(&output, &log, |out| !out.is_empty())?;
    let ir = String::from_utf8_lossy(&output.stdout);
    let arg_info = arg_info::parse(&ir);
    let enqueuing = enqueue::rewrite(&ir)?;
    let sized = local_sizes::note(&enqueuing);
    let marked = lines::mark(sized.as_deref().unwrap_or(&enqueuing));
    let marked = rewrite(&marked, Extent::Part);
    let marked = if extent == Extent::Program { reached::keep_reached(&marked) } else { marked };
    // The back end expects optimised code, and miscompiles some that is not; images must not be in variables.
    let is_whole = |spirv: &[u32]| {
        let module = super::spirv::read_part(spirv, &[]);
        module.is_ok_and(|m| !m.functions.values().any(|f| f.name.starts_with(super::spirv::UNSUPPORTED)))
    };
    let build = |ir: &str| match code(clang, ir, options, config, LlvmPasses::Skip)
        .ok()
        .filter(|(spirv, _)| is_whole(spirv))
    {
        Some(plain) => Ok(plain),
        None => code(clang, ir, options, config, LlvmPasses::Run),
    };
    let (spirv, second) = match (build(&marked), cycles::cut(&marked)) {
        (Err(CompileError::ToolFailed(_)), Some(cut)) => build(&cut)?,
        (first, _) => first?,
    };
    log.push_str(&second);
    Ok(Library { spirv, log, arg_info })
}

/// Whether clang runs LLVM's passes before its SPIR-V back end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LlvmPasses {
    Run,
    /// For instrumented code, and if the passes make vectors that the back end cannot write.
    Skip,
}

/// Generates SPIR-V from LLVM IR; returns it with the log.
fn code(
    clang: &Path,
    ir: &str,
    options: &Options,
    config: &FrontConfig,
    passes: LlvmPasses,
) -> Result<(Vec<u32>, String)> {
    let mut args: Vec<OsString> = Vec::new();
    args.extend(COMMON_ARGS.iter().map(OsString::from));
    args.extend(["-w", "-x", "ir", if options.opt_disable { "-O1" } else { "-O2" }].map(OsString::from));
    args.extend(config.clang_args.iter().map(OsString::from));
    if passes == LlvmPasses::Skip {
        args.extend(["-Xclang", "-disable-llvm-passes"].map(OsString::from));
    }
    args.extend(code_args(options));
    let output = process::run(clang, &args, ir.as_bytes(), time_limit())?;
    let log = readable(&output.stderr);
    check(&output, &log, is_spirv)?;
    Ok((words(&output.stdout), log))
}

fn is_spirv(out: &[u8]) -> bool {
    out.len() >= 20 && out.starts_with(&[0x03, 0x02, 0x23, 0x07])
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Prepares LLVM IR for the back end. In a whole program all functions except kernels, and all constant
/// tables, become internal to the module, and functions are to be inlined.
fn rewrite(ir: &str, extent: Extent) -> String {
    let mut out = String::with_capacity(ir.len() + ir.len() / 16);
    for line in ir.lines() {
        let line = rename(line);
        let line = line.as_ref();
        if extent == Extent::Part {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let function = line.strip_prefix("define ").filter(|l| l.contains("spir_func "));
        let constant = line.strip_prefix('@').and_then(|l| l.split_once(" = "));
        if let Some(mut rest) = function {
            for word in ["dso_local ", "hidden ", "internal "] {
                rest = rest.strip_prefix(word).unwrap_or(rest);
            }
            out.push_str("define internal ");
            // The attribute goes before the attribute group, which ends the header.
            match rest.rfind(" #").filter(|at| rest[at + 2..].starts_with(|c: char| c.is_ascii_digit())) {
                Some(at) => {
                    out.push_str(&rest[..at]);
                    out.push_str(" alwaysinline");
                    out.push_str(&rest[at..]);
                }
                None => out.push_str(rest),
            }
        } else if line.starts_with("attributes #") {
            out.push_str(&line.replace(" noinline ", " "));
        } else if let Some((name, rest)) = constant {
            let tail = rest.strip_prefix("dso_local ").unwrap_or(rest);
            let tail = tail.strip_prefix("local_unnamed_addr ").unwrap_or(tail);
            if tail.starts_with("addrspace(2) constant ") {
                out.push_str(&format!("@{name} = internal {tail}"));
            } else {
                out.push_str(line);
            }
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Whether a kernel has a `vec_type_hint` of integers, whose signedness SPIR-V does not record.
fn has_integer_hint(spirv: &[u32]) -> bool {
    let mut rest = spirv.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let is_hint = first & 0xffff == spirv::Op::ExecutionMode as u32
            && rest.get(2).is_some_and(|m| *m == spirv::ExecutionMode::VecTypeHint as u32);
        if is_hint && rest.get(3).is_some_and(|hint| hint & 0xffff < 4) {
            return true;
        }
        // Functions come after all execution modes.
        if first & 0xffff == spirv::Op::Function as u32 {
            return false;
        }
        rest = rest.get((first >> 16).max(1) as usize..).unwrap_or_default();
    }
    false
}

/// Names, types and qualifiers of the kernels' arguments, and vector type hints, which the SPIR-V lacks.
pub fn arg_info(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
) -> Result<Vec<KernelArgInfo>> {
    let folder = HeaderFolder::new(headers, false)?;
    let clang = needed(config)?;
    let mut args = arguments(options, config, folder.path());
    args.push("-w".into());
    args.extend(IR_ARGS.iter().map(OsString::from));
    let output = run_on_source(&clang, &args, source, options, config)?;
    check(&output, &readable(&output.stderr), |out| !out.is_empty())?;
    Ok(arg_info::parse(&String::from_utf8_lossy(&output.stdout)))
}

/// LLVM IR with line tables, for [`super::locate`].
pub fn line_tables(
    source: &str,
    headers: &[Header],
    options: &Options,
    config: &FrontConfig,
) -> Result<String> {
    let folder = HeaderFolder::new(headers, false)?;
    let clang = needed(config)?;
    let mut args = arguments(options, config, folder.path());
    args.extend(["-w", "-gline-tables-only"].map(OsString::from));
    args.extend(IR_ARGS.iter().map(OsString::from));
    let output = run_on_source(&clang, &args, source, options, config)?;
    check(&output, &readable(&output.stderr), |out| !out.is_empty())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Options of the step that generates LLVM IR, which has argument information.
const IR_ARGS: &[&str] =
    &["-cl-kernel-arg-info", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "-o", "-", "-"];

/// Options of every run: no configuration files, no crash reports in files.
const COMMON_ARGS: &[&str] = &[
    "--target=spirv64-unknown-unknown",
    "--no-default-config",
    "-fno-crash-diagnostics",
    "-fno-color-diagnostics",
    // A test of a number's bits stays an integer test: whether comparisons flush denormals depends on the
    // device.
    "-fdenormal-fp-math=dynamic",
    "-Wno-unused-command-line-argument",
];

fn needed(config: &FrontConfig) -> Result<PathBuf> {
    find(config).ok_or_else(|| {
        CompileError::ToolMissing("no clang with a SPIR-V target was found (set PYROCLAST_CLANG)".into())
    })
}

/// Distinguishes success, an error in the program, and a failure of the tool.
fn check(output: &Output, log: &str, is_result: impl Fn(&[u8]) -> bool) -> Result<()> {
    let ok = match output.status {
        Some(status) => status.success(),
        None => is_result(&output.stdout),
    };
    if ok && is_result(&output.stdout) {
        return Ok(());
    }
    if log.contains("unable to create target") || log.contains("unknown target triple") {
        return Err(CompileError::ToolMissing(format!("this clang has no SPIR-V target: {}", log.trim())));
    }
    let crashed = output.status.is_some_and(|s| s.code().is_none_or(|c| c > 1))
        || log.contains("fatal error: error in backend");
    if crashed || ok {
        return Err(CompileError::ToolFailed(format!(
            "error: the OpenCL C compiler failed on this program\n{log}"
        )));
    }
    Err(CompileError::Diagnostics(if log.is_empty() {
        "error: the OpenCL C compiler failed".into()
    } else {
        log.to_owned()
    }))
}

/// Options for compiling OpenCL C, to SPIR-V or to LLVM IR.
fn arguments(options: &Options, config: &FrontConfig, headers: Option<&Path>) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    let mut push = |arg: &str| args.push(arg.into());
    for arg in COMMON_ARGS {
        push(arg);
    }
    push("-x");
    push("cl");
    // Variables and images stay in memory at -O0, which the back end cannot express.
    push(if options.opt_disable { "-O1" } else { "-O2" });
    // Operations are marked, not fused: fusing would hide which ones the program wrote as fma().
    push(if contracts_by_operation(options) {
        "-ffp-contract=fast-honor-pragmas"
    } else {
        "-ffp-contract=off"
    });
    // Other implementations accept these with a warning.
    if !options.warnings_are_errors {
        push("-Wno-error=incompatible-pointer-types");
        push("-Wno-error=int-conversion");
        push("-Wno-error=implicit-int");
    }
    let std = match options.std.as_str() {
        "" => "CL1.2",
        // For clang, OpenCL C 3.1 is 3.0 with more features.
        "CL3.1" => "CL3.0",
        std => std,
    };
    // Otherwise inline functions of C are called across translation units.
    if !std.starts_with("CLC++") {
        push("-fgnu89-inline");
    }
    push(&format!("-cl-std={std}"));
    push("-Xclang");
    push(&format!("-cl-ext=-all{}", config.extensions.iter().map(|e| format!(",+{e}")).collect::<String>()));
    for definition in prelude::macros(options, config) {
        push(&definition);
    }
    if config.opencl_version != 0 {
        push(&format!("-D__OPENCL_VERSION__={}", config.opencl_version));
    }
    if config.opencl_version >= 310 {
        push("-DCL_VERSION_3_1=310");
    }
    if options.std == "CL3.1" {
        push("-U__OPENCL_C_VERSION__");
        push("-D__OPENCL_C_VERSION__=310");
    }
    if !config.image_support {
        push("-U__IMAGE_SUPPORT__");
    }
    for (on, arg) in [
        (options.mad_enable, "-cl-mad-enable"),
        (options.no_signed_zeros, "-cl-no-signed-zeros"),
        (options.unsafe_math, "-cl-unsafe-math-optimizations"),
        (options.finite_math, "-cl-finite-math-only"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
        (options.denorms_are_zero, "-cl-denorms-are-zero"),
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.uniform_work_group_size, "-cl-uniform-work-group-size"),
        (options.warnings_off, "-w"),
        (options.warnings_are_errors, "-Werror"),
        (options.initialize_private, "-ftrivial-auto-var-init=zero"),
    ] {
        if on {
            push(arg);
        }
    }
    args.extend(options.preprocessor.iter().map(OsString::from));
    if let Some(folder) = headers {
        args.push("-I".into());
        args.push(folder.into());
    }
    args.extend(config.clang_args.iter().map(OsString::from));
    args
}

/// Diagnostics without the compiler's own stack dumps and requests for bug reports.
fn readable(stderr: &str) -> String {
    let noise = [
        "PLEASE submit a bug report",
        "PLEASE ATTACH",
        "Stack dump:",
        "clang: error: unable to execute command",
    ];
    let mut out = String::new();
    for line in stderr.lines() {
        if noise.iter().any(|n| line.contains(n)) {
            break;
        }
        let count = line.split(' ').next().unwrap_or("");
        if line.ends_with(" generated.") && count.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The headers of clCompileProgram in a private folder, removed when dropped or when this process ends.
struct HeaderFolder(Option<(PathBuf, Watch)>);

impl HeaderFolder {
    /// Makes a folder if there are headers, or if `wanted` for other files.
    fn new(headers: &[Header], wanted: bool) -> Result<HeaderFolder> {
        if headers.is_empty() && !wanted {
            return Ok(HeaderFolder(None));
        }
        let failed =
            |e: std::io::Error| CompileError::ToolFailed(format!("cannot write the program's headers: {e}"));
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
        let name =
            format!("pyroclast-{}-{}-{nanos}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        let watch = Watch::of_folder(&root);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&root).map_err(failed)?;
        let folder = HeaderFolder(Some((root.clone(), watch)));
        for header in headers {
            let relative = Path::new(&header.name);
            let inside = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            if !inside || header.name.is_empty() || relative == Path::new(DEPENDENCIES) {
                return Err(CompileError::Diagnostics(format!(
                    "error: header name '{}' cannot be used\n",
                    header.name
                )));
            }
            let path = root.join(relative);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(failed)?;
            }
            std::fs::write(&path, &header.text).map_err(failed)?;
        }
        Ok(folder)
    }
    fn path(&self) -> Option<&Path> {
        self.0.as_ref().map(|(root, _)| root.as_path())
    }
}

impl Drop for HeaderFolder {
    fn drop(&mut self) {
        if let Some((root, _)) = &self.0 {
            let _ = std::fs::remove_dir_all(root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> FrontConfig {
        FrontConfig { extensions: vec!["cl_khr_fp64".into()], opencl_version: 310, ..FrontConfig::default() }
    }

    #[test]
    fn source_becomes_spirv_and_errors_become_the_log() {
        if find(&config()).is_none() {
            return;
        }
        let ok = compile(
            "kernel void k(global int *p) { *p = 1; }",
            &[],
            &Options::default(),
            &config(),
            Extent::Part,
        )
        .unwrap();
        assert_eq!(ok.spirv[0], 0x0723_0203);
        assert_eq!(ok.log, "");
        let error = compile(
            "kernel void k(global int *p) { *p = nothing; }",
            &[],
            &Options::default(),
            &config(),
            Extent::Program,
        );
        assert!(matches!(error, Err(CompileError::Diagnostics(log)) if log.contains("nothing")));
    }

    #[test]
    fn whole_programs_keep_only_kernels() {
        let ir = "@t = dso_local addrspace(2) constant [1 x i32] zeroinitializer, align 4\n\
            define dso_local spir_func i32 @f(i32 %x) #0 {\ndefine dso_local spir_kernel void @k() #1 !x !3 {\n\
            attributes #0 = { convergent noinline nounwind }\n";
        let expected = "@t = internal addrspace(2) constant [1 x i32] zeroinitializer, align 4\n\
            define internal spir_func i32 @f(i32 %x) alwaysinline #0 {\ndefine dso_local spir_kernel void @k() #1 !x !3 {\n\
            attributes #0 = { convergent nounwind }\n";
        assert_eq!(rewrite(ir, Extent::Program), expected);
    }

    #[test]
    fn headers_and_argument_information() {
        if find(&config()).is_none() {
            return;
        }
        let headers = [Header { name: "sub/types.h".into(), text: "typedef float2 pair;\n".into() }];
        let source = "#include <sub/types.h>\nkernel void add(global const pair *restrict in, __local uint *l, int n) {}";
        let options = Options { kernel_arg_info: true, ..Options::default() };
        let lib = compile(source, &headers, &options, &config(), Extent::Program).unwrap();
        let [add] = lib.arg_info.as_slice() else { panic!("one kernel expected: {:?}", lib.arg_info) };
        assert_eq!(add.kernel, "add");
        assert_eq!((add.args[0].name.as_str(), add.args[0].type_name.as_str()), ("in", "pair*"));
        assert!(add.args[0].qualifiers.is_const && add.args[0].qualifiers.is_restrict);
        assert_eq!(add.args[1].address, crate::metadata::AddressQualifier::Local);
        assert_eq!(add.args[2].type_name, "int");
        let outside = [Header { name: "../evil.h".into(), text: String::new() }];
        assert!(compile(source, &outside, &options, &config(), Extent::Part).is_err());
    }

    #[test]
    fn dependencies_are_listed() {
        let rule = "out: /usr/a.h \\\n  inc\\ d/b\\#.h $$c.h\n";
        assert_eq!(parse_dependencies(rule), ["/usr/a.h", "inc d/b#.h", "$c.h"].map(PathBuf::from));
        if find(&config()).is_none() {
            return;
        }
        let root = std::env::temp_dir().join(format!("pyroclast-dependencies {}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("size.h"), "#define SIZE 3\n").unwrap();
        let options = Options {
            preprocessor: vec![format!("-I{}", root.display()), "-DWHICH=<size.h>".into()],
            ..Options::default()
        };
        let headers = [Header { name: "own.h".into(), text: "#define OWN 1\n".into() }];
        let source = "#include WHICH\n#include <own.h>\nkernel void k(global int *p) { *p = SIZE + OWN; }";
        for extent in [Extent::Program, Extent::Part] {
            let files =
                compile_with_dependencies(source, &headers, &options, &config(), extent).unwrap().1.unwrap();
            assert!(files.contains(&root.join("size.h")), "{files:?}");
            assert!(!files.iter().any(|f| f.ends_with("own.h")), "{files:?}");
        }
        std::fs::remove_dir_all(root).unwrap();
    }

    /// The pragma decides for each operation; `fma` stays a call.
    #[test]
    fn contraction_follows_the_pragma() {
        if find(&config()).is_none() {
            return;
        }
        let body = "int i = get_global_id(0); a[i] = a[i] * a[i + 1] + a[i + 2]; }";
        let source = format!(
            "kernel void on(global float *a) {{ {body}\nkernel void off(global float *a) {{\n#pragma OPENCL FP_CONTRACT OFF\n{body}"
        );
        let contracted = |options: &Options| -> Vec<usize> {
            let lib = compile(&source, &[], options, &config(), Extent::Part).unwrap();
            let module = crate::front::spirv::read(&lib.spirv, &[]).unwrap();
            let count =
                |f: &crate::ir::Function| f.insts.values().filter(|i| i.fast.contract || i.fast.fast).count();
            module.functions.values().filter(|f| f.kernel.is_some()).map(count).collect()
        };
        assert_eq!(contracted(&Options::default()), [2, 0]);
        assert_eq!(contracted(&Options { unsafe_math: true, ..Options::default() }), [2, 2]);
    }

    /// Counters are neither widened nor turned into byte offsets.
    #[test]
    fn int_counters_stay_int() {
        if find(&config()).is_none() {
            return;
        }
        let source = "kernel void k(global float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[3 * i]; a[0] = s; \
            for (int i = 0; i < 99; i++) { s = s * a[4 * i] + 1; a[4 * i + 1] = s; } }";
        let lib = compile(source, &[], &Options::default(), &config(), Extent::Part).unwrap();
        let module = crate::front::spirv::read(&lib.spirv, &[]).unwrap();
        for f in module.functions.values().filter(|f| f.kernel.is_some()) {
            let mut params = f.layout.iter().skip(1).flat_map(|b| &f.blocks[*b].params);
            assert!(params.all(|p| f.ty(*p) != crate::ir::I64), "{module}");
        }
    }
}
