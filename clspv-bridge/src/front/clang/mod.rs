//! clang as a child process: OpenCL C in, SPIR-V out.
//!
//! The source is written to standard input, the module is read from standard output, and the diagnostics
//! are the build log. Headers of clCompileProgram live in a private directory while the child runs. A
//! crash, a time-out, or a compiler without a SPIR-V target is an error with a readable text.
//!
//! Most sources take one step. Big programs, and sources that a defect of clang's SPIR-V back end may
//! affect ([`workarounds`]), take two: clang emits LLVM IR, its text is rewritten, and clang compiles that.

mod arg_info;
mod arguments;
mod descriptors;
mod headers;
mod prelude;
pub(crate) mod process;
mod source_text;
mod symbols;
mod tool;
pub(crate) mod watch;
mod whole_program;
pub(crate) mod workarounds;

pub use tool::find;
#[cfg(test)]
pub(crate) use tool::is_missing;
pub(crate) use tool::{in_folders, time_limit};

use super::markers::UNIT_FUNCTION;
use super::spirv::{self as reader, read};
use crate::error::{CompileError, Result};
use crate::metadata::KernelArgInfo;
use crate::options::{CompileRequest, CompiledSource, Extent, Library, LibraryCode};
use headers::HeaderFolder;
use source_text::SourceText;
use std::ffi::OsString;
use std::path::Path;

/// Longer sources, and those that include others, are compiled in two steps.
const ONE_STEP_BYTES: usize = 16 << 10;

/// Compiles a translation unit to library SPIR-V.
pub fn compile(request: &CompileRequest<'_>) -> Result<CompiledSource> {
    let folder = match HeaderFolder::new(request.headers, request.list_dependencies) {
        // A missing list alone does not fail the build.
        Err(CompileError::ToolFailed(_)) if request.headers.is_empty() => HeaderFolder::absent(),
        folder => folder?,
    };
    let mut library = compile_in(request, &folder)?;
    if request.extent == Extent::Part && !has_function(library.code.spirv()) {
        // clang's SPIR-V back end writes the variables of a module with its first function.
        let source = format!("{}\nvoid {UNIT_FUNCTION}(void) {{}}\n", request.source);
        library = compile_in(&CompileRequest { source: &source, ..*request }, &folder)?;
    }
    let dependencies = if request.list_dependencies { folder.dependencies() } else { None };
    Ok(CompiledSource { library, dependencies })
}

fn has_function(spirv: &[u32]) -> bool {
    let joined = read::Joined::default();
    let insts = read::instructions(spirv, &joined);
    insts.is_ok_and(|insts| insts.iter().any(|i| i.op == spirv::Op::Function))
}

fn compile_in(request: &CompileRequest<'_>, folder: &HeaderFolder) -> Result<Library> {
    let clang = tool::needed(request.config)?;
    let mut args = arguments::of_source(request.options, request.config, folder.path());
    if let (true, Some(list)) = (request.list_dependencies, folder.list()) {
        args.extend(["-MD", "-MQ", "out", "-MF"].map(OsString::from));
        args.push(list.into());
    }
    if request.config.instrumented {
        return without_passes(&clang, args, request);
    }
    let source = SourceText::new(request);
    let is_program = request.extent == Extent::Program;
    let is_big = request.source.len() > ONE_STEP_BYTES || source.has_includes;
    let mut failure = None;
    if !(is_program && is_big || workarounds::may_affect(&source)) {
        match in_one_step(&clang, args.clone(), request)? {
            OneStep::Done(library) => return Ok(library),
            OneStep::Affected => {}
            OneStep::Failed(error) => failure = Some(error),
        }
    }
    in_two_steps(&clang, args, request, failure)
}

/// Outcome of compiling source to SPIR-V at once.
enum OneStep {
    Done(Library),
    /// The SPIR-V may be wrong.
    Affected,
    /// The back end failed; rewritten code may not make it fail.
    Failed(CompileError),
}

fn in_one_step(clang: &Path, mut args: Vec<OsString>, request: &CompileRequest<'_>) -> Result<OneStep> {
    args.extend(arguments::of_code(request.options));
    // The arguments' names need a process of their own, which runs at the same time.
    let (output, info) = std::thread::scope(|scope| {
        let beside = request.options.kernel_arg_info.then(|| scope.spawn(|| arg_info(request)));
        let output = tool::run_on_source(clang, &args, request);
        let info = beside.map(|thread| {
            thread.join().unwrap_or_else(|_| Err(CompileError::internal("argument information")))
        });
        (output, info)
    });
    let output = output?;
    let log = tool::readable(&output.stderr);
    let spirv = words(&output.stdout);
    match tool::check(&output, &log, is_spirv) {
        Ok(()) if workarounds::may_have_affected(&spirv) => return Ok(OneStep::Affected),
        Ok(()) => {}
        Err(e @ CompileError::ToolFailed(_)) => return Ok(OneStep::Failed(e)),
        Err(e) => return Err(e),
    }
    let arg_info = match info {
        Some(info) => info?,
        None if has_integer_hint(&spirv) => arg_info(request)?,
        None => Vec::new(),
    };
    Ok(OneStep::Done(Library { code: LibraryCode::Spirv(spirv), log, arg_info }))
}

/// Compiles to LLVM IR, rewrites it, and compiles it to SPIR-V. With `failure` the back end failed on the
/// code as it is.
fn in_two_steps(
    clang: &Path,
    args: Vec<OsString>,
    request: &CompileRequest<'_>,
    mut failure: Option<CompileError>,
) -> Result<Library> {
    let (ir, mut log) = tool::emit_ir(clang, args, request)?;
    let rewritten = workarounds::rewrite(&ir, request)?;
    if rewritten.avoids_failure {
        failure = None;
    }
    let mut text = rewritten.ir;
    if request.extent == Extent::Program {
        text = whole_program::make_internal(&text).into();
    }
    let optimised = |ir: &str| generate(clang, ir, request, LlvmPasses::Run);
    let first = match failure {
        None => optimised(&text),
        Some(e) => Err(e),
    };
    let (spirv, second) = match or_rewritten(first, &text, request, optimised) {
        // LLVM's passes may make vectors that the back end cannot write.
        Err(CompileError::ToolFailed(_)) => generate(clang, &text, request, LlvmPasses::Skip)?,
        done => done?,
    };
    log.push_str(&second);
    let from_source = request.options.kernel_arg_info || has_integer_hint(&spirv);
    let arg_info = if from_source { arg_info::parse(&ir) } else { Vec::new() };
    Ok(Library { code: LibraryCode::Spirv(spirv), log, arg_info })
}

/// Compiles in two steps without LLVM's passes, for instrumented code.
fn without_passes(clang: &Path, mut args: Vec<OsString>, request: &CompileRequest<'_>) -> Result<Library> {
    args.push("-gline-tables-only".into());
    let (ir, mut log) = tool::emit_ir(clang, args, request)?;
    let arg_info = arg_info::parse(&ir);
    let mut text = workarounds::rewrite(&ir, request)?.ir;
    if request.extent == Extent::Program {
        text = whole_program::keep_reached(&text).into();
    }
    // The back end expects optimised code, and miscompiles some that is not; images must not be in variables.
    let is_whole = |spirv: &[u32]| {
        let module = reader::read_part(spirv, &[]);
        module.is_ok_and(|m| !m.functions.values().any(|f| f.name.starts_with(reader::UNSUPPORTED)))
    };
    let build = |ir: &str| match generate(clang, ir, request, LlvmPasses::Skip)
        .ok()
        .filter(|(spirv, _)| is_whole(spirv))
    {
        Some(plain) => Ok(plain),
        None => generate(clang, ir, request, LlvmPasses::Run),
    };
    let (spirv, second) = or_rewritten(build(&text), &text, request, build)?;
    log.push_str(&second);
    Ok(Library { code: LibraryCode::Spirv(spirv), log, arg_info })
}

/// Generates SPIR-V again if the back end failed on code that a rewrite applies to.
fn or_rewritten(
    first: Result<(Vec<u32>, String)>,
    ir: &str,
    request: &CompileRequest<'_>,
    generate: impl Fn(&str) -> Result<(Vec<u32>, String)>,
) -> Result<(Vec<u32>, String)> {
    let Err(CompileError::ToolFailed(_)) = &first else { return first };
    match workarounds::rewrite_failed(ir, request)? {
        Some(ir) => generate(&ir),
        None => first,
    }
}

/// Whether clang runs LLVM's passes before its SPIR-V back end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LlvmPasses {
    Run,
    /// For instrumented code, and if the passes make vectors that the back end cannot write.
    Skip,
}

/// Generates SPIR-V from LLVM IR; returns it with the log.
fn generate(
    clang: &Path,
    ir: &str,
    request: &CompileRequest<'_>,
    passes: LlvmPasses,
) -> Result<(Vec<u32>, String)> {
    let args = arguments::of_ir(request.options, request.config, passes == LlvmPasses::Run);
    let output = process::run(clang, &args, ir.as_bytes(), time_limit())?;
    let log = tool::readable(&output.stderr);
    tool::check(&output, &log, is_spirv)?;
    Ok((words(&output.stdout), log))
}

fn is_spirv(out: &[u8]) -> bool {
    out.len() >= 20 && out.starts_with(&[0x03, 0x02, 0x23, 0x07])
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
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
pub fn arg_info(request: &CompileRequest<'_>) -> Result<Vec<KernelArgInfo>> {
    Ok(arg_info::parse(&ir_with(&["-w"], request)?))
}

/// LLVM IR with line tables, for [`super::locate`].
pub(crate) fn line_tables(request: &CompileRequest<'_>) -> Result<String> {
    ir_with(&["-w", "-gline-tables-only"], request)
}

/// LLVM IR of a source, with more options.
fn ir_with(options: &[&str], request: &CompileRequest<'_>) -> Result<String> {
    let folder = HeaderFolder::new(request.headers, false)?;
    let clang = tool::needed(request.config)?;
    let mut args = arguments::of_source(request.options, request.config, folder.path());
    args.extend(options.iter().map(OsString::from));
    Ok(tool::emit_ir(&clang, args, request)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{FrontConfig, Header, Options};

    fn config() -> FrontConfig {
        FrontConfig { extensions: vec!["cl_khr_fp64".into()], opencl_version: 310, ..FrontConfig::default() }
    }

    #[test]
    fn source_becomes_spirv_and_errors_become_the_log() {
        if is_missing() {
            return;
        }
        let (options, config) = (Options::default(), config());
        let request = CompileRequest::new("kernel void k(global int *p) { *p = 1; }", &options, &config);
        let ok = compile(&request).unwrap().library;
        assert_eq!(ok.code.spirv()[0], 0x0723_0203);
        assert_eq!(ok.log, "");
        let source = "kernel void k(global int *p) { *p = nothing; }";
        let error = compile(&CompileRequest { source, extent: Extent::Program, ..request });
        assert!(matches!(error, Err(CompileError::Diagnostics(log)) if log.contains("nothing")));
    }

    #[test]
    fn headers_and_argument_information() {
        if is_missing() {
            return;
        }
        let headers = [Header { name: "sub/types.h".into(), text: "typedef float2 pair;\n".into() }];
        let source = "#include <sub/types.h>\nkernel void add(global const pair *restrict in, __local uint *l, int n) {}";
        let options = Options { kernel_arg_info: true, ..Options::default() };
        let config = config();
        let request = CompileRequest {
            headers: &headers,
            extent: Extent::Program,
            ..CompileRequest::new(source, &options, &config)
        };
        let lib = compile(&request).unwrap().library;
        let [add] = lib.arg_info.as_slice() else { panic!("one kernel expected: {:?}", lib.arg_info) };
        assert_eq!(add.kernel, "add");
        assert_eq!((add.args[0].name.as_str(), add.args[0].type_name.as_str()), ("in", "pair*"));
        assert!(add.args[0].qualifiers.is_const && add.args[0].qualifiers.is_restrict);
        assert_eq!(add.args[1].address, crate::metadata::AddressQualifier::Local);
        assert_eq!(add.args[2].type_name, "int");
        let outside = [Header { name: "../evil.h".into(), text: String::new() }];
        assert!(compile(&CompileRequest { headers: &outside, extent: Extent::Part, ..request }).is_err());
    }

    #[test]
    fn dependencies_are_listed() {
        if is_missing() {
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
            let config = config();
            let request = CompileRequest {
                headers: &headers,
                extent,
                list_dependencies: true,
                ..CompileRequest::new(source, &options, &config)
            };
            let files = compile(&request).unwrap().dependencies.unwrap();
            assert!(files.contains(&root.join("size.h")), "{files:?}");
            assert!(!files.iter().any(|f| f.ends_with("own.h")), "{files:?}");
        }
        std::fs::remove_dir_all(root).unwrap();
    }

    /// The pragma decides for each operation; `fma` stays a call.
    #[test]
    fn contraction_follows_the_pragma() {
        if is_missing() {
            return;
        }
        let body = "int i = get_global_id(0); a[i] = a[i] * a[i + 1] + a[i + 2]; }";
        let source = format!(
            "kernel void on(global float *a) {{ {body}\nkernel void off(global float *a) {{\n#pragma OPENCL FP_CONTRACT OFF\n{body}"
        );
        let contracted = |options: &Options| -> Vec<usize> {
            let lib = compile(&CompileRequest::new(&source, options, &config())).unwrap().library;
            let module = crate::front::spirv::read(lib.code.spirv(), &[]).unwrap();
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
        if is_missing() {
            return;
        }
        let source = "kernel void k(global float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[3 * i]; a[0] = s; \
            for (int i = 0; i < 99; i++) { s = s * a[4 * i] + 1; a[4 * i + 1] = s; } }";
        let (options, config) = (Options::default(), config());
        let lib = compile(&CompileRequest::new(source, &options, &config)).unwrap().library;
        let module = crate::front::spirv::read(lib.code.spirv(), &[]).unwrap();
        for f in module.functions.values().filter(|f| f.kernel.is_some()) {
            let mut params = f.layout.iter().skip(1).flat_map(|b| &f.blocks[*b].params);
            assert!(params.all(|p| f.ty(*p) != crate::ir::I64), "{module}");
        }
    }
}
