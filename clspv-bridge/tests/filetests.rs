//! Runs the files of `filetests/`: each holds a program and, in comments, its expected results.
//!
//! The first line is `;! test KIND [ARGUMENTS]` (`//! test cl` in OpenCL C):
//! - `cat`: parse and print;
//! - `verifier`: the verifier's verdict;
//! - `pass NAME,NAME...`: verify, run the passes, verify, print. `FIRST..LAST` is a part of a pipeline.
//!   Lowering passes need a pointer mode before the names: `pass bindings,lower_images`;
//! - `repair NAME,...`: like `pass`, for a module that is not valid yet;
//! - `emit [NAME,...]`: run the passes, emit each kernel, validate, disassemble;
//! - `lower addresses|bindings|virtual|windowed`: lower the kernel for a pointer mode, verify, print;
//! - `cl`: OpenCL C through the whole compiler; each variant is validated;
//! - `il`: SPIR-V assembly (OpenCL's) through the whole compiler; each variant is validated;
//! - `interp [NAME,...]`: run the passes, interpret; `; run: @f(i32 1, f32 0x3f800000) == i32 3` lines state
//!   results;
//! - `uniformity NAME,...`: run the passes, print the uniformity of each value and the blocks with masks;
//! - `equiv NAME,...`: `run:` lines hold before and after the passes, and every function that the passes
//!   leave gives the same results and memory for many other arguments, too. A pointer parameter gets a buffer
//!   of 256 bytes. `; size: N` makes the `run:` calls ones of a work-group, `; sub_group: N` gives the size
//!   of its sub-groups; there `ptr.global N` is a buffer of N bytes with known contents.
//!
//! `; target: WORD, WORD ...` changes the target of the passes, see [`target`].
//!
//! Expectations: `; expect: TEXT` lines occur in the output in this order, `; not: TEXT` never;
//! `; error: TEXT` is part of the required error; lines `;> ...` at the end are the whole output.
//! `PYROCLAST_BLESS=1` rewrites the latter.

use clspv_bridge::abi::{BlockStorage, LaunchAbi, LocalSizes, PointerMode};
use clspv_bridge::analysis::sub_groups::uses_sub_groups;
use clspv_bridge::analysis::tree;
use clspv_bridge::analysis::uniformity::UniformityInfo;
use clspv_bridge::builtin_library::BuiltinLibrary;
use clspv_bridge::ir::{Const, FuncRef, Function, Module, Phase, Type, interp, parse, verify};
use clspv_bridge::metadata::ArgKind;
use clspv_bridge::options::{CompileRequest, FrontEnd, Library, Options};
use clspv_bridge::passes::lower::globals;
use clspv_bridge::passes::lower::state::Lowering;
use clspv_bridge::passes::structure::structurize;
use clspv_bridge::passes::{Pass, PassContext};
use clspv_bridge::target::{Code, CodeGenerator, CpuTarget, Denorms32, FloatAtomics};
use clspv_bridge::{CompileError, Target, driver, pipeline};
use interp::{Launch, Machine, Stop, value::LaneValues};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let names: Vec<Trial> = vec![Trial::test("every pass has three files", {
        let files = files.clone();
        move || passes_have_files(&files).map_err(Failed::from)
    })];
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run_file(&path).map_err(Failed::from))
        })
        .chain(names)
        .collect();
    libtest_mimic::run(&args, trials).exit();
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.ends_with("filetests/reject") {
            // Wrong programs: `rejects.rs`.
        } else if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ir" || e == "cl" || e == "spvasm") {
            files.push(path);
        }
    }
}

/// Fewest files that name a pass.
const FILES_PER_PASS: usize = 3;

/// Fails if fewer than [`FILES_PER_PASS`] files name a pass of the pipelines.
fn passes_have_files(files: &[PathBuf]) -> Result<(), String> {
    let mut lacking = Vec::new();
    let named = |text: &str, pass: &str| {
        let first = text.lines().next().unwrap_or_default();
        first.split([' ', ',']).any(|word| word == pass)
    };
    let texts: Vec<String> = files.iter().map(|f| fs::read_to_string(f).unwrap_or_default()).collect();
    for pass in pipeline::PIPELINES.iter().flat_map(|(_, passes)| *passes) {
        let count = texts.iter().filter(|text| named(text, pass.name())).count();
        if count < FILES_PER_PASS {
            lacking.push(format!("{} ({count})", pass.name()));
        }
    }
    lacking.sort();
    lacking.dedup();
    match lacking.as_slice() {
        [] => Ok(()),
        some => Err(format!("fewer than {FILES_PER_PASS} files name {}", some.join(", "))),
    }
}

/// The text of the comments `; KEY: TEXT` or `// KEY: TEXT`.
fn directives<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let strip = |line: &'t str| {
        let body = line.strip_prefix("//").or_else(|| line.strip_prefix(';'))?.trim_start();
        body.strip_prefix(key)?.strip_prefix(':').map(str::trim)
    };
    text.lines().filter_map(strip).collect()
}

fn run_file(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let first = text.lines().next().unwrap_or_default();
    let command = first.strip_prefix(";! test ").or_else(|| first.strip_prefix("//! test "));
    let mut words = command.ok_or("the first line must be `;! test KIND`")?.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let names: Vec<&str> = words.flat_map(|w| w.split(',')).filter(|w| !w.is_empty()).collect();
    let result = match kind {
        "cat" => read(&text).map(|m| m.to_string()),
        "verifier" => read(&text).and_then(|m| verified(&m).map(|()| String::new())),
        "pass" => read(&text).and_then(|m| {
            verified(&m)?;
            run_passes(m, &names, &text).map(|m| m.to_string())
        }),
        "repair" => read(&text).and_then(|m| run_passes(m, &names, &text).map(|m| m.to_string())),
        "emit" => read(&text).and_then(|m| run_passes(m, &names, &text)).and_then(|m| emit(&m, &text)),
        "lower" => read(&text).and_then(|m| lower(m, &names)),
        "cl" => compile(&text),
        "il" => match assemble(&text) {
            Some(words) => words.and_then(|words| {
                let library = Library::from_spirv(words);
                finish(driver::build(&[&library], &Options::default(), &[][..], &Target::generic()), |e| e)
            }),
            // The assembler is not installed: skip the test.
            None => return Ok(()),
        },
        "interp" => read(&text).and_then(|m| {
            verified(&m)?;
            interpret(&run_passes(m, &names, &text)?, &text)
        }),
        "uniformity" => read(&text).and_then(|m| {
            verified(&m)?;
            uniformity(&run_passes(m, &names, &text)?)
        }),
        "equiv" => read(&text).and_then(|m| equivalent(m, &names, &text)),
        other => return Err(format!("unknown kind of test `{other}`")),
    };
    let errors = directives(&text, "error");
    match (result, errors.as_slice()) {
        (Ok(output), []) => compare(path, &text, &output),
        (Ok(_), _) => Err("passed, but an error is expected".into()),
        (Err(error), []) => Err(error),
        (Err(error), expected) => match expected.iter().find(|e| !error.contains(**e)) {
            None => Ok(()),
            Some(e) => Err(format!("expected an error with `{e}`, got:\n{error}")),
        },
    }
}

/// Compares an output with the file's expectations.
fn compare(path: &Path, text: &str, output: &str) -> Result<(), String> {
    let mut rest = output;
    for expect in directives(text, "expect") {
        match rest.find(expect) {
            Some(at) => rest = &rest[at + expect.len()..],
            None => return Err(format!("`{expect}` is missing (or out of order) in:\n{output}")),
        }
    }
    if let Some(not) = directives(text, "not").into_iter().find(|n| output.contains(*n)) {
        return Err(format!("`{not}` must not be in:\n{output}"));
    }
    let whole: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(";>")).collect();
    let wanted: Vec<&str> = whole.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
    let got: Vec<&str> = output.lines().collect();
    if whole.is_empty() || wanted == got {
        return Ok(());
    }
    if std::env::var_os("PYROCLAST_BLESS").is_some() {
        let mut new: String = text.lines().filter(|l| !l.starts_with(";>")).flat_map(|l| [l, "\n"]).collect();
        for line in got {
            new.push_str(&if line.is_empty() { ";>\n".into() } else { format!(";> {line}\n") });
        }
        return fs::write(path, new).map_err(|e| e.to_string());
    }
    let at = wanted.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(wanted.len().min(got.len()));
    let line = |lines: &[&str]| lines.get(at).copied().unwrap_or("(end)").to_owned();
    let difference = format!("line {}:\n- {}\n+ {}", at + 1, line(&wanted), line(&got));
    Err(format!("{difference}\n(PYROCLAST_BLESS=1 accepts the new output)\n{output}"))
}

fn read(text: &str) -> Result<Module, String> {
    parse::parse_module(text).map_err(|e| e.to_string())
}

fn verified(m: &Module) -> Result<(), String> {
    verify::verify_module(m).map_err(|e| e.to_string())
}

/// A pointer mode by name.
fn pointer_mode(name: &str) -> Option<PointerMode> {
    Some(match name {
        "addresses" => PointerMode::Addresses,
        "bindings" => PointerMode::Bindings,
        "virtual" => PointerMode::Virtual,
        "windowed" => PointerMode::Windowed,
        _ => return None,
    })
}

/// Passes named `NAME`, or `FIRST..LAST` for a part of a pipeline.
fn passes_named(name: &str) -> Result<Vec<&'static dyn Pass>, String> {
    let Some((first, last)) = name.split_once("..") else {
        return Ok(vec![pipeline::find(name).ok_or_else(|| format!("no pass `{name}`"))?]);
    };
    let part = pipeline::PIPELINES.iter().find_map(|(_, passes)| {
        let from = passes.iter().position(|p| p.name() == first)?;
        let to = passes.iter().rposition(|p| p.name() == last)?;
        passes.get(from..=to)
    });
    part.map(<[_]>::to_vec).ok_or_else(|| format!("no pipeline has `{name}`"))
}

/// Target of the passes: the generic one, changed by the words of the `target:` lines.
///
/// `no_TYPE` removes arithmetic on a type; `no_storage8` and `no_storage16` remove small types in memory.
/// `float_atomics` adds all of them; `sub_groups N` adds sub-groups with the required operations, and
/// `sub_group_arithmetic` the others. `image_filters` lets texture units filter. `levels N` and `push N` are
/// limits. Native code is that of `cpu`, of
/// `intel`, its vendor's processors, `instrumented`, or Cranelift's, `quick` and `baseline`.
fn target(text: &str) -> Result<Target, String> {
    let mut target = Target::generic();
    let words = directives(text, "target").into_iter().flat_map(|line| line.split(',')).map(str::trim);
    for word in words {
        let (word, number) = word.split_once(' ').unwrap_or((word, "0"));
        let number: u32 = number.parse().map_err(|_| format!("{number} is not a number"))?;
        let cpu = CpuTarget {
            processor: if word == "intel" { "GenuineIntel".into() } else { "any".into() },
            width: 4,
            vector_width: 4,
            instrumented: word == "instrumented",
            generator: match word {
                "quick" => CodeGenerator::Cranelift,
                "baseline" => CodeGenerator::Baseline,
                _ => CodeGenerator::Llvm,
            },
        };
        let ops = &mut target.subgroup_ops;
        match word {
            "no_int8" => target.int8 = false,
            "no_int16" => target.int16 = false,
            "no_int64" => target.int64 = false,
            "no_float16" => target.float16 = false,
            "no_float64" => target.float64 = false,
            "no_storage8" => target = target.with_vulkan(|vulkan| vulkan.storage8 = false),
            "no_storage16" => target = target.with_vulkan(|vulkan| vulkan.storage16 = false),
            "hardware_math" => {
                (target.exact_fma32, target.close_exp2, target.close_log2) = (true, true, true);
            }
            "float_atomics" => {
                (target.buffer_float_atomics, target.shared_float_atomics) =
                    (FloatAtomics::ALL, FloatAtomics::ALL);
            }
            "sub_groups" => {
                target.subgroup_size = number;
                (ops.basic, ops.vote, ops.ballot, ops.shuffle) = (true, true, true, true);
            }
            "sub_group_arithmetic" => {
                (ops.arithmetic, ops.clustered) = (true, true);
                (ops.shuffle_relative, ops.extended_types) = (true, true);
            }
            "limited_loops" => target = target.with_vulkan(|vulkan| vulkan.max_trip_count = Some(65_535)),
            "levels" => target = target.with_vulkan(|vulkan| vulkan.image_levels = number as u8),
            "image_filters" => target = target.with_vulkan(|vulkan| vulkan.filters_images = true),
            "border_fetches" => target = target.with_vulkan(|vulkan| vulkan.fetches_borders = true),
            "workgroup_layout" => {
                target = target.with_vulkan(|vulkan| vulkan.workgroup_explicit_layout = true)
            }
            "push" => target = target.with_vulkan(|vulkan| vulkan.max_push_constants = number),
            "cpu" | "intel" | "instrumented" | "quick" | "baseline" => target.code = Code::Native(cpu),
            other => return Err(format!("unknown word `{other}` of a target")),
        }
    }
    Ok(target)
}

fn run_passes(mut m: Module, names: &[&str], text: &str) -> Result<Module, String> {
    let (mut target, options) = (target(text)?, Options::default());
    let mode = names.first().and_then(|name| pointer_mode(name));
    let mut passes = Vec::new();
    for name in &names[usize::from(mode.is_some())..] {
        passes.extend(passes_named(name)?);
    }
    let runs = |name: &str| passes.iter().any(|p| p.name() == name);
    // Passes for devices that lack something run for such a device.
    target.int64 &= !runs("expand_ints");
    target.integer_dot_product |= runs("dot_products");
    if runs("promote_ints") && target.int8 && target.int16 {
        (target.int8, target.int16) = (false, false);
    }
    target = target.with_vulkan(|vulkan| {
        vulkan.scatters_wide_loads = runs("wide_loads");
        vulkan.wrong_copysign = runs("expand_copysign");
        vulkan.shifts_rotations64 = runs("expand_rotations");
        vulkan.wrong_division64 = runs("expand_division");
        vulkan.wrong_rounding64 = runs("expand_rounding");
        vulkan.unmasked_loads = runs("guard_loads");
        vulkan.needs_lcssa |= runs("lcssa");
        vulkan.masked_loop_exits |= runs("rotate_loops");
        vulkan.workgroup_explicit_layout |= runs("widen_local");
    });
    if runs("flush_denorms") {
        target.denorms32 = Denorms32::MadeFlushed;
    }
    if runs("flushed_div") {
        target.denorms32 = Denorms32::Flushed;
    }
    let data = globals::layout(&m).map_err(|e| e.to_string())?;
    let mut cx = PassContext::new(&target, &options);
    if runs("link_builtins") {
        cx.library = Some(BuiltinLibrary::get().map_err(|e| e.to_string())?);
    }
    if let Some(mode) = mode {
        cx.lowering = Some(Lowering::new(&mut m, mode, &data, &target).map_err(|e| e.to_string())?);
    }
    for pass in passes {
        let name = pass.name();
        if m.phase < pass.needs() {
            return Err(format!("{name} needs phase {:?}", pass.needs()));
        }
        if name == "structurize" && m.phase < Phase::Lowered {
            // Functions with parameters, which the interpreter can call; the phase does not change.
            for f in m.functions.values_mut() {
                structurize::structurize(f, true).map_err(|e| e.to_string())?;
            }
            verified(&m).map_err(|e| format!("after {name}:\n{e}\n{m}"))?;
            continue;
        }
        let before = m.to_string();
        let changed = pass.run(&mut m, &mut cx).map_err(|e| format!("{name}: {e}"))?;
        if cx.lowering.as_ref().is_some_and(|l| !l.fits) {
            return Err("the kernel does not allow this mode".into());
        }
        verified(&m).map_err(|e| format!("after {name}:\n{e}\n{m}"))?;
        if !changed && m.to_string() != before {
            return Err(format!("{name} says that nothing changed:\n{before}\n{m}"));
        }
    }
    Ok(m)
}

/// The uniformity of each value that is not a constant, and the blocks that are reached under masks.
fn uniformity(m: &Module) -> Result<String, String> {
    let mut output = String::new();
    for func in m.functions.values().filter(|f| !f.layout.is_empty()) {
        let tree = tree::build(func).map_err(|e| e.to_string())?;
        let info = UniformityInfo::new(func, &tree, uses_sub_groups(func), false, &[]);
        let mut values: Vec<_> = func.layout.iter().flat_map(|b| func.blocks[*b].params.clone()).collect();
        for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
            values.extend(func.insts[*inst].results.iter().copied());
        }
        values.sort();
        values.iter().for_each(|v| output.push_str(&format!("{v}: {}\n", info.of(*v))));
        for block in func.layout.iter().filter(|b| info.masked.contains(b)) {
            output.push_str(&format!("{block}: masked\n"));
        }
    }
    Ok(output)
}

fn lower(mut m: Module, names: &[&str]) -> Result<String, String> {
    let mode = names.first().and_then(|name| pointer_mode(name)).ok_or("which pointer mode?")?;
    verified(&m)?;
    let (target, options) = (Target::generic(), Options::default());
    let cx = &mut PassContext::new(&target, &options);
    let data = globals::layout(&m).map_err(|e| e.to_string())?;
    let abi = pipeline::lower(&mut m, mode, &data, cx).map_err(|e| e.to_string())?;
    let abi = abi.ok_or("the kernel does not allow this mode")?;
    verified(&m).map_err(|e| format!("{e}\n{m}"))?;
    pipeline::run(&mut m, pipeline::TIDY_LOWERED, cx).map_err(|e| e.to_string())?;
    Ok(format!("{abi:?}\n{m}"))
}

fn emit(m: &Module, text: &str) -> Result<String, String> {
    verified(m)?;
    let target = target(text)?;
    let mut output = String::new();
    for (func, data) in m.functions.iter() {
        if data.kernel.is_none() {
            continue;
        }
        let abi = LaunchAbi {
            mode: PointerMode::Addresses,
            block_storage: BlockStorage::Push,
            implicit_args: vec![],
            args_offset: 0,
            block_size: 128,
            bindings: vec![],
            readonly: vec![],
            window_writes: vec![],
            local_specs: vec![],
            common_local_args: vec![],
            static_local_bytes: 0,
            private_bytes: 0,
            sub_group_size: 0,
            local_sizes: LocalSizes::Own,
        };
        let words =
            clspv_bridge::back::spirv::emit(m, func, &abi, &target, false).map_err(|e| e.to_string())?;
        output.push_str(&validate(&words)?);
    }
    Ok(output)
}

/// Validates a module and returns its disassembly (empty where the tools are not installed).
fn validate(words: &[u32]) -> Result<String, String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let dis = tool("spirv-dis", &["--no-header", "--no-indent", "-"], &bytes)
        .unwrap_or_else(|| Ok(String::new()))?;
    match tool("spirv-val", &["--target-env", "vulkan1.3", "--scalar-block-layout", "-"], &bytes) {
        Some(Err(e)) => Err(format!("{e}\n{dis}")),
        _ => Ok(dis),
    }
}

/// Runs a tool on standard input; `None` if it is not installed.
fn tool(name: &str, args: &[&str], input: &[u8]) -> Option<Result<String, String>> {
    let mut command = Command::new(name);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output().ok()?;
    let _ = writer.join();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Some(if out.status.success() {
        Ok(text(&out.stdout))
    } else {
        Err(text(&out.stdout) + &text(&out.stderr))
    })
}

const EXTENSIONS: [&str; 13] = [
    "__opencl_c_images",
    "__opencl_c_pipes",
    "__opencl_c_subgroups",
    "__opencl_c_read_write_images",
    "__opencl_c_3d_image_writes",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_fp64",
    "__opencl_c_fp64",
    "__opencl_c_int64",
    "cl_khr_fp16",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
];

fn compile(source: &str) -> Result<String, String> {
    let config = clspv_bridge::options::FrontConfig {
        extensions: EXTENSIONS.map(String::from).to_vec(),
        image_support: true,
        opencl_version: 310,
        front_end: FrontEnd::BuiltIn,
        ..clspv_bridge::options::FrontConfig::default()
    };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let request = CompileRequest::new(source, &options, &config);
    let library = driver::compile(&request).map_err(|e| e.to_string())?.library;
    let program = driver::build(&[&library], &options, &[][..], &target(source)?);
    finish(program, |e| driver::add_positions(e, &request))
}

/// The words of SPIR-V assembly; `None` if the assembler is not installed.
fn assemble(text: &str) -> Option<Result<Vec<u32>, String>> {
    let file = std::env::temp_dir().join(format!(
        "pyroclast-il-{}-{:?}.spv",
        std::process::id(),
        std::thread::current().id()
    ));
    let output = file.display().to_string();
    let result = tool(
        "spirv-as",
        &["--preserve-numeric-ids", "--target-env", "spv1.6", "-o", &output, "-"],
        text.as_bytes(),
    )?;
    let bytes = result.and_then(|_| fs::read(&file).map_err(|e| e.to_string()));
    let _ = fs::remove_file(&file);
    Some(bytes.map(|b| b.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()))
}

/// Validates every variant of a built program and returns the disassembly of all.
fn finish(
    program: clspv_bridge::error::Result<clspv_bridge::abi::CompiledProgram>,
    explain: impl FnOnce(CompileError) -> CompileError,
) -> Result<String, String> {
    let program = program.map_err(|e| explain(e).to_string())?;
    if program.vulkan().is_empty() {
        return Err("no kernels".into());
    }
    let mut output = String::new();
    for kernel in program.vulkan() {
        if kernel.variants.is_empty() {
            return Err(format!("{} has no variants", kernel.info.name));
        }
        for variant in &kernel.variants {
            output.push_str(&validate(&variant.spirv).map_err(|e| format!("{}: {e}", kernel.info.name))?);
        }
    }
    Ok(output)
}

/// Calls of the `run:` lines, and the sizes of their work-group and sub-groups.
fn calls(text: &str) -> Result<(Vec<parse::TestCall>, [u32; 2]), String> {
    let number =
        |key| directives(text, key).first().map_or(Ok(1), |s| s.parse::<u32>()).map_err(|e| e.to_string());
    let size = [number("size")?, number("sub_group")?];
    let call = |t: &&str| parse::parse_call(t).map_err(|e| format!("{t}: {e}"));
    Ok((directives(text, "run").iter().map(call).collect::<Result<_, _>>()?, size))
}

/// Executes a call. A pointer argument `ptr.global N` is a buffer of N bytes with known contents.
fn call(m: &Module, test: &parse::TestCall, size: [u32; 2]) -> Result<Observed, Stop> {
    let unknown = || Stop::Unsupported(format!("no function @{}", test.function));
    let func = m.find(&test.function).ok_or_else(unknown)?;
    let mut machine = Machine::new(m);
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for arg in &test.args {
        match arg {
            Const::Bits(ty, bits) if ty.space().is_some() && bits[0] != 0 => {
                let contents: Vec<u8> = (0..bits[0].min(1 << 20)).map(|i| (i * 37 + 11) as u8).collect();
                buffers.push(machine.memory.alloc(&contents));
                args.push(interp::value::scalar(buffers[buffers.len() - 1]));
            }
            other => args.push(interp::value::constant(other)),
        }
    }
    let types: Vec<Type> = test.args.iter().map(|(Const::Bits(ty, _) | Const::Undef(ty))| *ty).collect();
    let block = argument_block(m, func, &machine, &types, &args);
    let launch = Launch { local_size: [size[0], 1, 1], sub_group_size: size[1], block, ..Launch::default() };
    let results = machine.run(func, &args, &launch)?.into_iter().next().unwrap_or_default();
    Ok((results, contents(&machine, &buffers)))
}

/// The argument block of a kernel: its values, and the contents of the buffers that are passed by value.
fn argument_block(
    m: &Module,
    func: FuncRef,
    machine: &Machine<'_>,
    types: &[Type],
    args: &[LaneValues],
) -> Vec<u8> {
    let Some(info) = m.functions[func].kernel.and_then(|k| m.kernels.get(k)) else { return Vec::new() };
    let mut block = vec![0; info.args_size.next_multiple_of(8) as usize];
    for ((ty, value), arg) in types.iter().zip(args).zip(&info.args) {
        let by_value = arg.kind == ArgKind::Value && ty.space().is_some();
        let bytes = match value.first() {
            Some(address) if by_value => machine.memory.contents(address.bits).to_vec(),
            _ if ty.access_bytes().is_some() => interp::value::to_bytes(*ty, value),
            _ => continue,
        };
        let to = block.iter_mut().skip(arg.offset as usize).take(arg.size as usize);
        to.zip(bytes).for_each(|(to, (bits, _))| *to = bits);
    }
    block
}

fn contents(machine: &Machine<'_>, buffers: &[u64]) -> Vec<LaneValues> {
    let byte = |b: &(u8, u8)| interp::value::Lane { bits: b.0 as u64, undef: b.1 as u64 };
    buffers.iter().map(|a| machine.memory.contents(*a).iter().map(byte).collect()).collect()
}

fn interpret(m: &Module, text: &str) -> Result<String, String> {
    let (calls, size) = calls(text)?;
    if calls.is_empty() {
        return Err("no `run:` lines".into());
    }
    let mut output = String::new();
    for test in &calls {
        let (results, memory) = call(m, test, size).map_err(|e| format!("@{}: {e}", test.function))?;
        let wanted: Vec<LaneValues> = test.results.iter().map(interp::value::constant).collect();
        let types = &m.functions[m.find(&test.function).ok_or("no function")?].sig.results;
        if !test.results.is_empty() && !same(types, &wanted, &results) {
            return Err(format!("@{}: {results:x?}, expected {wanted:x?}", test.function));
        }
        let memory: Vec<Vec<u64>> = memory.iter().map(|m| m.iter().map(|b| b.bits).collect()).collect();
        output.push_str(&format!("{results:?} {memory:?}\n"));
    }
    Ok(output)
}

fn same(types: &[Type], before: &[LaneValues], after: &[LaneValues]) -> bool {
    types.len() == before.len()
        && before.len() == after.len()
        && types.iter().zip(before.iter().zip(after)).all(|(ty, (b, a))| interp::value::refines(*ty, b, a))
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// Random bits for a lane of the type: small numbers, limits and arbitrary values.
    fn lane(&mut self, ty: Type) -> u64 {
        let pick = self.next();
        if ty.is_float() {
            let x = (pick >> 8) as i8 as f32 / 4.0;
            return match ty.access_bytes().unwrap_or(4) / ty.lanes() {
                8 => (x as f64).to_bits(),
                4 => x.to_bits() as u64,
                _ => half::f16::from_f32(x).to_bits() as u64,
            };
        }
        match pick % 4 {
            0 | 1 => (pick >> 8) % 17,
            2 => u64::MAX - (pick >> 8) % 5,
            _ => self.next(),
        }
    }
}

/// Results of one call, and the contents of its buffers afterwards.
type Observed = (Vec<LaneValues>, Vec<LaneValues>);

/// Calls a function with random arguments of these types.
fn observe(m: &Module, func: FuncRef, params: &[Type], seed: u64) -> Result<Observed, Stop> {
    let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut machine = Machine::new(m);
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for ty in params {
        if ty.space().is_some() {
            let bytes: Vec<u8> =
                (0..256).map(|i| if i % 4 == 0 { rng.next() as u8 % 32 } else { 0 }).collect();
            buffers.push(machine.memory.alloc(&bytes));
            args.push(interp::value::scalar(buffers[buffers.len() - 1]));
        } else {
            let lanes: Vec<LaneValues> =
                (0..ty.lanes()).map(|_| interp::known(ty.lane(), rng.lane(*ty))).collect();
            args.push(lanes.concat().into());
        }
    }
    let block = argument_block(m, func, &machine, params, &args);
    let launch = Launch { block, ..Launch::default() };
    let results = machine.run(func, &args, &launch)?.into_iter().next().unwrap_or_default();
    Ok((results, contents(&machine, &buffers)))
}

/// Compares two runs. Returns false if the first has undefined behaviour, which passes may change.
fn compare_runs(
    data: &Function,
    before: Result<Observed, Stop>,
    after: impl FnOnce() -> Result<Observed, Stop>,
) -> Result<bool, String> {
    let before = match before {
        Ok(before) => before,
        Err(Stop::Undefined(_) | Stop::Fuel) => return Ok(false),
        Err(e) => return Err(format!("{}: {e}", data.name)),
    };
    let after = after().map_err(|e| format!("{} after the passes: {e}", data.name))?;
    let bytes = |b: &LaneValues, a: &LaneValues| interp::value::refines(clspv_bridge::ir::I8, b, a);
    let memory = before.1.len() == after.1.len() && before.1.iter().zip(&after.1).all(|(b, a)| bytes(b, a));
    if !memory || !same(&data.sig.results, &before.0, &after.0) {
        return Err(format!("{} differs: {:x?} and {:x?}", data.name, before, after));
    }
    Ok(true)
}

fn equivalent(m: Module, names: &[&str], text: &str) -> Result<String, String> {
    verified(&m)?;
    let (calls, size) = calls(text)?;
    if !calls.is_empty() {
        interpret(&m, text)?;
    }
    let after = run_passes(m.clone(), names, text)?;
    let explain = |e: String| format!("{e}\n{m}\n{after}");
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0;
    for test in &calls {
        let func = &m.functions[m.find(&test.function).ok_or("no function")?];
        for round in 0..50 {
            let mut test = test.clone();
            for arg in test.args.iter_mut().filter(|_| round > 0) {
                let Const::Bits(ty, lanes) = arg else { continue };
                let Some(scalar) = ty.scalar() else { continue };
                lanes.iter_mut().for_each(|l| *l = rng.lane(*ty) & scalar.mask());
            }
            let same = compare_runs(func, call(&m, &test, size), || call(&after, &test, size));
            compared += u32::from(same.map_err(|e| explain(format!("{test:?}: {e}")))?);
        }
    }
    for (func, data) in m.functions.iter().filter(|(_, f)| !f.layout.is_empty()) {
        let Some(new) = after.find(&data.name) else { continue };
        let params = &data.sig.params;
        for seed in 0..60 {
            let same =
                compare_runs(data, observe(&m, func, params, seed), || observe(&after, new, params, seed));
            compared += u32::from(same.map_err(explain)?);
        }
    }
    if compared < 10 {
        return Err(explain(format!("only {compared} calls have a meaning")));
    }
    Ok(after.to_string())
}
