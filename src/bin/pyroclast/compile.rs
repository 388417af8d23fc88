//! `pyroclast compile`: the kernel compiler without a device, or for a device of this machine.

use super::info::print;
use clspv_bridge::abi::{CompiledProgram, KernelVariant, LocalSizes, PointerMode};
use clspv_bridge::metadata::KernelInfo;
use clspv_bridge::observers::{Observers, PassTimes, Snapshots};
use clspv_bridge::options::{CompileRequest, Extent, Kernels, Library, LibraryCode, Options};
use clspv_bridge::passes::PassObserver;
use clspv_bridge::{CompileError, Target, driver, pipeline};
use progress_line::Progress;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::platform::Platform;
use pyroclast_runtime::program::options::{self, Stage};
use pyroclast_runtime::program::stack::with_large_stack;
use pyroclast_runtime::program::{il, offline};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Output to write.
#[derive(Clone, PartialEq, Eq)]
enum Emit {
    Il,
    Ir,
    /// After each run of the named pass.
    IrAfter(String),
    Spv,
    Asm,
    Info,
}

impl std::str::FromStr for Emit {
    type Err = String;
    fn from_str(text: &str) -> Result<Emit, String> {
        Ok(match text {
            "il" => Emit::Il,
            "ir" => Emit::Ir,
            "spv" => Emit::Spv,
            "asm" => Emit::Asm,
            "info" => Emit::Info,
            _ => match text.strip_prefix("ir-after=") {
                Some(pass) if pass == "all" || pipeline::find(pass).is_some() => Emit::IrAfter(pass.into()),
                Some(pass) => return Err(format!("no pass is named '{pass}'; passes: {}", pass_names())),
                None => return Err("expected il, ir, ir-after=PASS, spv, asm or info".into()),
            },
        })
    }
}

/// Names of all passes, in the order of the pipelines.
fn pass_names() -> String {
    let mut names: Vec<&str> = Vec::new();
    for pass in pipeline::PIPELINES.iter().flat_map(|(_, passes)| *passes) {
        if !names.contains(&pass.name()) {
            names.push(pass.name());
        }
    }
    names.join(", ")
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// Pointers are device addresses
    Addresses,
    /// Pointer arguments are storage buffers
    Bindings,
    /// Pointers are virtual addresses, for devices without addresses
    Virtual,
}

/// Arguments of `pyroclast compile`.
#[derive(clap::Args, Clone)]
pub struct CompileArgs {
    /// OpenCL C source, or OpenCL SPIR-V (recognised by its content); - is standard input. Of a folder all
    /// files *.cl are compiled
    input: PathBuf,
    /// Where to write; - is standard output. Without it text goes to standard output, modules to
    /// NAME[.KERNEL].spv, and those of a folder nowhere. Modules of several kernels need a folder
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Output: il (OpenCL SPIR-V from the front end), ir (the compiler's IR as read), ir-after=PASS
    /// (the IR after each run of a pass, or of all), spv (Vulkan SPIR-V, a module for each kernel), asm (as
    /// text), info (kernels, arguments, launch contracts; with a device the statistics of its driver)
    #[arg(short, long, default_value = "spv")]
    emit: Emit,
    /// Print how long each pass took, to stderr
    #[arg(long)]
    time_passes: bool,
    /// Build options as for clBuildProgram, e.g. "-DN=4 -cl-std=CL2.0"
    #[arg(long, allow_hyphen_values = true, default_value = "")]
    options: String,
    /// Which variant of each kernel; the preferred one if not given
    #[arg(short, long, value_enum)]
    mode: Option<Mode>,
    /// Only this kernel
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    /// Compile for this device of `pyroclast info` instead of a generic one
    #[arg(short, long, value_name = "INDEX")]
    device: Option<usize>,
}

/// Compiles the input and writes the output.
pub fn run(arguments: &CompileArgs) -> Result<ExitCode, String> {
    let device = arguments.device.map(device).transpose()?;
    if arguments.input.is_dir() {
        return folder(arguments, device);
    }
    let (library, options) = compile(arguments, device)?;
    match &arguments.emit {
        Emit::Il => {
            let extension = match library.code {
                LibraryCode::Spirv(_) => ".il.spv",
                LibraryCode::Ir(_) => ".il.ir",
            };
            let code = library.code.to_bytes().map_err(|error| explain(error, &arguments.input))?;
            write(&output_path(arguments, extension), &code)?;
            Ok(ExitCode::SUCCESS)
        }
        Emit::Ir => {
            let module = with_large_stack(|| library.module(&[], Extent::Program));
            let module = module.ok_or("internal compiler error: the reader panicked")?;
            write_text(arguments, &module.map_err(|error| explain(error, &arguments.input))?.to_string())
        }
        Emit::IrAfter(_) | Emit::Spv | Emit::Asm | Emit::Info => build(arguments, &library, &options, device),
    }
}

/// Compiles every source below the folder, and writes the modules of each to a folder of its name in the
/// output, if there is one. Fails if a source does.
fn folder(arguments: &CompileArgs, device: Option<&Arc<Device>>) -> Result<ExitCode, String> {
    if arguments.emit != Emit::Spv {
        return Err("the sources of a folder are compiled to modules only (--emit spv)".into());
    }
    let mut sources = Vec::new();
    find_sources(&arguments.input, &mut sources)?;
    sources.sort();
    let name = |path: &Path| path.strip_prefix(&arguments.input).unwrap_or(path).display().to_string();
    let progress = Progress::new(false, "files", 1, sources.iter().map(|path| (name(path), None)));
    let mut failed = 0;
    for path in &sources {
        let (label, start) = (name(path), Instant::now());
        progress.begins(&label);
        let output = arguments.output.as_ref().map(|folder| folder.join(&label).with_extension(""));
        let one = CompileArgs { input: path.clone(), output, ..arguments.clone() };
        let result = compile(&one, device).and_then(|(library, options)| match &one.output {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
                progress.clear();
                build(&one, &library, &options, device).map(drop)
            }
            None => generate(&one, &library, &options, device, None).map(drop),
        });
        failed += usize::from(result.is_err());
        progress.done(&label, start.elapsed().as_secs_f64(), result.is_err());
        if let Err(error) = result {
            progress.clear();
            eprintln!("{label}: {error}");
        }
    }
    progress.clear();
    eprintln!("{} files, {failed} with errors", sources.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Adds the files *.cl below a folder.
fn find_sources(folder: &Path, sources: &mut Vec<PathBuf>) -> Result<(), String> {
    let listed = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in listed.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            find_sources(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            sources.push(path);
        }
    }
    Ok(())
}

/// Compiles the input with the front end. Returns the library, and the options of code generation.
fn compile(arguments: &CompileArgs, device: Option<&Arc<Device>>) -> Result<(Library, Options), String> {
    let input = read_input(&arguments.input)?;
    let parsed = options::parse(&arguments.options, Stage::Build).map_err(|e| format!("--options: {e}"))?;
    let config = device.map_or_else(offline::generic_front_config, |device| device.front_config());
    for note in &parsed.notes {
        eprintln!("{note}");
    }
    let il = il::words(&input);
    let uniform_work_group_size = parsed.compiler.has_uniform_groups(il.is_none());
    let library = if let Some(spirv) = il {
        Library::from_spirv(spirv)
    } else {
        let source = String::from_utf8_lossy(&input);
        let request = CompileRequest::new(&source, &parsed.compiler, &config);
        driver::compile(&request).map_err(|error| explain(error, &arguments.input))?.library
    };
    if !library.log.is_empty() {
        eprintln!("{}", with_file_name(library.log.trim_end(), &arguments.input));
    }
    Ok((library, Options { uniform_work_group_size, ..parsed.compiler }))
}

/// Generates the library's code for the device, or a generic one.
fn generate(
    arguments: &CompileArgs,
    library: &Library,
    options: &Options,
    device: Option<&Arc<Device>>,
    observer: Option<&dyn PassObserver>,
) -> Result<CompiledProgram, String> {
    let target = device.map_or_else(Target::generic, |device| device.target().clone());
    let wanted = device.map_or(Kernels::Every, |device| device.ops().kernels());
    let built =
        with_large_stack(|| driver::build_kernels(&wanted, &[library], options, &[], &target, observer));
    let built = built.ok_or("internal compiler error: the compiler panicked")?;
    built.map_err(|error| explain(error, &arguments.input))
}

/// Compiles the library for the device, or a generic one, and writes the output.
fn build(
    arguments: &CompileArgs,
    library: &Library,
    options: &Options,
    device: Option<&Arc<Device>>,
) -> Result<ExitCode, String> {
    let times = PassTimes::default();
    let after = match &arguments.emit {
        Emit::IrAfter(pass) => vec![pass.clone()],
        _ => Vec::new(),
    };
    let snapshots = Snapshots::after(after);
    let observers = Observers(vec![&times, &snapshots]);
    let program = generate(arguments, library, options, device, Some(&observers));
    if arguments.time_passes {
        eprint!("{}", times.table());
    }
    if let Emit::IrAfter(_) = &arguments.emit {
        // Also of a build that failed: a later pass may be why.
        return write_snapshots(arguments, snapshots, program);
    }
    let program = program?;
    if let Some(device) = device {
        eprint!("{}", device.ops().notes(&program));
    }
    let kernels = selected(arguments, &program)?;
    match &arguments.emit {
        Emit::Info => write_info(arguments, &kernels, &program, device),
        Emit::Asm => write_assembly(arguments, &kernels),
        _ => write_modules(arguments, &kernels),
    }
}

/// A kernel to write. Native code has no variants.
struct Selected<'a> {
    info: &'a KernelInfo,
    variants: &'a [KernelVariant],
}

/// The kernels to write, of which there must be one.
fn selected<'a>(arguments: &CompileArgs, program: &'a CompiledProgram) -> Result<Vec<Selected<'a>>, String> {
    let variants = |info: &KernelInfo| {
        let found = program.vulkan().iter().find(|kernel| kernel.info.name == info.name);
        found.map_or(&[][..], |kernel| &kernel.variants)
    };
    let wanted = |info: &&KernelInfo| arguments.kernel.as_ref().is_none_or(|name| *name == info.name);
    let kernels: Vec<Selected<'_>> =
        program.infos().filter(wanted).map(|info| Selected { info, variants: variants(info) }).collect();
    if kernels.is_empty() {
        let names: Vec<&str> = program.infos().map(|k| k.name.as_str()).collect();
        return Err(match &arguments.kernel {
            Some(name) => format!("there is no kernel '{name}'; the kernels are: {}", names.join(", ")),
            None if !program.absent.is_empty() => "the device itself can have none of the kernels".into(),
            None => "the program has no kernels".into(),
        });
    }
    Ok(kernels)
}

fn write_info(
    arguments: &CompileArgs,
    kernels: &[Selected<'_>],
    program: &CompiledProgram,
    device: Option<&Arc<Device>>,
) -> Result<ExitCode, String> {
    let mut text = String::new();
    for kernel in kernels {
        describe(&mut text, kernel);
    }
    let data = &program.data;
    let _ = writeln!(text, "data block: {} bytes, {} relocations", data.size(), data.relocs.len());
    if let Some(device) = device {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.info.name.as_str()).collect();
        let statistics = device.ops().statistics(Arc::new(program.clone()), &names);
        text += &statistics.map_err(|error| error.to_string())?;
    }
    write_text(arguments, &text)
}

fn write_assembly(arguments: &CompileArgs, kernels: &[Selected<'_>]) -> Result<ExitCode, String> {
    let mut text = String::new();
    for kernel in kernels {
        let words = variant(kernel, arguments.mode)?;
        let module = rspirv::dr::load_words(words).map_err(|e| format!("{}: {e}", kernel.info.name))?;
        let _ = writeln!(text, "; kernel {}", kernel.info.name);
        text.push_str(&rspirv::binary::Disassemble::disassemble(&module));
        text.push('\n');
    }
    write_text(arguments, &text)
}

/// Writes each kernel's module to a file.
fn write_modules(arguments: &CompileArgs, kernels: &[Selected<'_>]) -> Result<ExitCode, String> {
    for kernel in kernels {
        let bytes: Vec<u8> = variant(kernel, arguments.mode)?.iter().flat_map(|w| w.to_le_bytes()).collect();
        let path = match &arguments.output {
            Some(folder) if folder.is_dir() => folder.join(format!("{}.spv", kernel.info.name)),
            Some(_) if kernels.len() > 1 => {
                return Err("several kernels need a folder as --output, or --kernel".into());
            }
            Some(file) => file.clone(),
            None => PathBuf::from(format!("{}.{}.spv", stem(&arguments.input), kernel.info.name)),
        };
        write(&path, &bytes)?;
        if path != Path::new("-") {
            eprintln!("{}: {} bytes", path.display(), bytes.len());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the IR after passes, with a comment before each; then reports the error of a failed build.
fn write_snapshots(
    arguments: &CompileArgs,
    snapshots: Snapshots,
    program: Result<CompiledProgram, String>,
) -> Result<ExitCode, String> {
    let mut text = String::new();
    for snapshot in snapshots.finish() {
        let names = |wanted: &String| snapshot.kernel.split(',').any(|kernel| kernel == wanted);
        if arguments.kernel.as_ref().is_none_or(names) {
            let _ = writeln!(text, "; kernel {} after {}", snapshot.kernel, snapshot.pass);
            text.push_str(&snapshot.text);
            text.push('\n');
        }
    }
    let written = write_text(arguments, &text)?;
    program.map(|_| written)
}

fn device(index: usize) -> Result<&'static Arc<Device>, String> {
    let devices = Platform::get().devices();
    devices
        .get(index)
        .ok_or_else(|| format!("there is no device {index}; `pyroclast info` lists {}", devices.len()))
}

/// A build log with the file's name for that of standard input, which the compiler reads.
fn with_file_name(log: &str, input: &Path) -> String {
    if input == Path::new("-") {
        log.to_owned()
    } else {
        log.replace("<stdin>:", &format!("{}:", input.display()))
    }
}

fn explain(error: CompileError, input: &Path) -> String {
    match error {
        // Diagnostics are lines of their own.
        CompileError::Diagnostics(text) => {
            format!("the source has errors\n{}", with_file_name(text.trim_end(), input))
        }
        other => other.to_string(),
    }
}

fn read_input(path: &Path) -> Result<Vec<u8>, String> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|e| format!("standard input: {e}"))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn stem(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
        _ => "kernel".into(),
    }
}

fn output_path(arguments: &CompileArgs, extension: &str) -> PathBuf {
    let name = || PathBuf::from(format!("{}{extension}", stem(&arguments.input)));
    arguments.output.clone().unwrap_or_else(name)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if path == Path::new("-") {
        return std::io::Write::write_all(&mut std::io::stdout(), bytes)
            .map_err(|e| format!("standard output: {e}"));
    }
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

fn write_text(arguments: &CompileArgs, text: &str) -> Result<ExitCode, String> {
    match &arguments.output {
        Some(path) => write(path, text.as_bytes())?,
        None => print(text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn variant<'a>(kernel: &Selected<'a>, mode: Option<Mode>) -> Result<&'a [u32], String> {
    let fits = |m: PointerMode| match mode {
        None => true,
        Some(Mode::Addresses) => m == PointerMode::Addresses,
        Some(Mode::Bindings) => m == PointerMode::Bindings,
        Some(Mode::Virtual) => m.is_virtual(),
    };
    let found = kernel.variants.iter().find(|v| fits(v.abi.mode));
    found
        .map(|v| v.spirv.as_slice())
        .ok_or_else(|| format!("kernel '{}' has no variant in this mode", kernel.info.name))
}

fn describe(out: &mut String, kernel: &Selected<'_>) {
    let info = kernel.info;
    let _ = writeln!(out, "kernel {}", info.name);
    if let Some(size) = info.reqd_work_group_size {
        let _ = writeln!(out, "  required work-group size {size:?}");
    }
    for (i, arg) in info.args.iter().enumerate() {
        let name =
            if arg.name.is_empty() { String::new() } else { format!(" {} {}", arg.type_name, arg.name) };
        let _ = writeln!(out, "  argument {i}: {:?}, {} bytes at {}{name}", arg.kind, arg.size, arg.offset);
    }
    for variant in kernel.variants {
        let abi = &variant.abi;
        let _ = writeln!(out, "  variant {:?}: {} words of SPIR-V", abi.mode, variant.spirv.len());
        let _ = writeln!(
            out,
            "    block of {} bytes in {:?}, arguments at {}",
            abi.block_size, abi.block_storage, abi.args_offset
        );
        for (arg, offset) in &abi.implicit_args {
            let _ = writeln!(out, "    {arg:?} at {offset}");
        }
        for (i, binding) in abi.bindings.iter().enumerate() {
            let readonly = abi.readonly.get(i).copied().unwrap_or_default();
            let _ =
                writeln!(out, "    binding {i}: {binding:?}{}", if readonly { ", read only" } else { "" });
        }
        for (id, spec) in &abi.local_specs {
            let _ = writeln!(out, "    specialisation constant {id}: {spec:?}");
        }
        let _ = writeln!(
            out,
            "    {} bytes of local, {} of private memory",
            abi.static_local_bytes, abi.private_bytes
        );
        let _ = match abi.local_sizes {
            LocalSizes::Own => Ok(()),
            LocalSizes::Lines(most) => writeln!(out, "    runs with any line of up to {most} work-items"),
            LocalSizes::Any => writeln!(out, "    runs with any local size"),
        };
    }
}
