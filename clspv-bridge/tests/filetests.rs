//! Runs the files of `filetests/`: each holds a program and, in comments, what must come out.
//!
//! The first line is `;! test KIND [ARGUMENTS]` (`//! test cl` in OpenCL C):
//! - `cat`: parse and print;
//! - `verifier`: the verifier's verdict;
//! - `pass NAME,NAME...`: verify, run the passes, verify, print;
//! - `emit [NAME,...]`: run the passes, emit each kernel, validate, disassemble;
//! - `cl`: OpenCL C through the whole compiler; each variant is validated;
//! - `interp`: interpret; `; run: @f(i32 1, f32 0x3f800000) == i32 3` lines state results;
//! - `equiv NAME,...`: the `run:` calls give the same results before and after the passes, and so do further calls of
//!   the same functions with other arguments.
//!
//! Expectations: `; expect: TEXT` lines occur in the output in this order, `; not: TEXT` never; `; error: TEXT` is part of
//! the error that must arise; lines `;> ...` at the end are the whole output. `PYROCLAST_BLESS=1` rewrites those.

use clspv_bridge::abi::{BlockPlace, LaunchAbi, PointerMode};
use clspv_bridge::ir::interp::{Interpreter, Launch};
use clspv_bridge::ir::{Const, Module, parse, verify};
use clspv_bridge::passes::PassContext;
use clspv_bridge::{Target, driver, ir, passes};
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
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run_file(&path).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&args, trials).exit();
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ir" || e == "cl") {
            files.push(path);
        }
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
            run_passes(m, &names).map(|m| m.to_string())
        }),
        "emit" => read(&text).and_then(|m| run_passes(m, &names)).and_then(|m| emit(&m)),
        "cl" => compile(&text),
        "interp" => read(&text).and_then(|m| {
            verified(&m)?;
            interpret(&m, &text)
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

fn run_passes(mut m: Module, names: &[&str]) -> Result<Module, String> {
    let (target, options) = (Target::generic(), driver::Options::default());
    let cx = PassContext { target: &target, options: &options };
    for name in names {
        let pass = passes::find(name).ok_or_else(|| format!("no pass `{name}`"))?;
        if m.phase < pass.needs() {
            return Err(format!("{name} needs phase {:?}", pass.needs()));
        }
        let before = m.to_string();
        let changed = pass.run(&mut m, &cx).map_err(|e| format!("{name}: {e}"))?;
        verified(&m).map_err(|e| format!("after {name}:\n{e}\n{m}"))?;
        if !changed && m.to_string() != before {
            return Err(format!("{name} says that nothing changed:\n{before}\n{m}"));
        }
    }
    Ok(m)
}

fn emit(m: &Module) -> Result<String, String> {
    verified(m)?;
    let target = Target::generic();
    let mut output = String::new();
    for (func, data) in m.functions.iter() {
        if data.kernel.is_none() {
            continue;
        }
        let abi = LaunchAbi {
            mode: PointerMode::Addresses,
            place: BlockPlace::Push,
            hidden: vec![],
            args_offset: 0,
            block_size: 128,
            bindings: vec![],
            readonly: vec![],
            local_specs: vec![],
            common_local_args: vec![],
            static_local_bytes: 0,
            private_bytes: 0,
        };
        let words = clspv_bridge::back::spirv::emit(m, func, &abi, &target).map_err(|e| e.to_string())?;
        output.push_str(&validate(&words)?);
    }
    Ok(output)
}

/// Validates a module and gives its disassembly (empty where the tools are not installed).
fn validate(words: &[u32]) -> Result<String, String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let dis = tool("spirv-dis", &["--no-header", "--no-indent", "-"], &bytes).unwrap_or_else(|| Ok(String::new()))?;
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
    Some(if out.status.success() { Ok(text(&out.stdout)) } else { Err(text(&out.stdout) + &text(&out.stderr)) })
}

fn compile(source: &str) -> Result<String, String> {
    let config = driver::FrontConfig {
        extensions: ["cl_khr_fp64", "__opencl_c_fp64", "__opencl_c_int64", "cl_khr_fp16"].map(String::from).to_vec(),
        opencl_version: 310,
        ..driver::FrontConfig::default()
    };
    let options = driver::Options { std: "CL3.0".into(), ..driver::Options::default() };
    let library = driver::compile_source(source, &[], &options, &config).map_err(|e| e.to_string())?;
    let program = driver::build(&[&library], &options, &[][..], &Target::generic()).map_err(|e| e.to_string())?;
    if program.kernels.is_empty() {
        return Err("no kernels".into());
    }
    let mut output = String::new();
    for kernel in &program.kernels {
        if kernel.variants.is_empty() {
            return Err(format!("{} has no variants", kernel.info.name));
        }
        for variant in &kernel.variants {
            output.push_str(&validate(&variant.spirv).map_err(|e| format!("{}: {e}", kernel.info.name))?);
        }
    }
    Ok(output)
}

/// Results of a call: its results and the final contents of the buffers passed to it.
type Outcome = (Vec<Vec<u64>>, Vec<Vec<u8>>);

/// Runs a call. A pointer argument `ptr.global N` is a buffer of N bytes with known contents.
fn call(m: &Module, test: &parse::TestCall, size: u32) -> Result<Outcome, String> {
    let func = m.find(&test.function).ok_or_else(|| format!("no function @{}", test.function))?;
    let mut interp = Interpreter::new(m).map_err(|e| e.to_string())?;
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for arg in &test.args {
        let Const::Bits(ty, bits) = arg else { return Err("undefined argument".into()) };
        if ty.space().is_some() && bits[0] != 0 {
            let contents: Vec<u8> = (0..bits[0].min(1 << 20)).map(|i| (i * 37 + 11) as u8).collect();
            let at = interp.allocate(&contents).map_err(|e| e.to_string())?;
            buffers.push((at, contents.len()));
            args.push(std::iter::once(at).collect());
        } else {
            args.push(bits.iter().copied().collect());
        }
    }
    let launch = Launch { local_size: [size, 1, 1], ..Launch::default() };
    let results = interp.run(func, &args, &launch).map_err(|e| e.to_string())?;
    let types = &m.functions[func].sig.results;
    let results = results.iter().zip(types).map(|(r, ty)| r.iter().map(|x| canonical(*ty, *x)).collect()).collect();
    let mut memory = Vec::new();
    for (at, len) in buffers {
        memory.push(interp.read(at, len).map_err(|e| e.to_string())?.to_vec());
    }
    Ok((results, memory))
}

/// All NaNs are one.
fn canonical(ty: ir::Type, x: u64) -> u64 {
    let nan = match ty.scalar() {
        Some(ir::Scalar::F32) => f32::from_bits(x as u32).is_nan(),
        Some(ir::Scalar::F64) => f64::from_bits(x).is_nan(),
        Some(ir::Scalar::F16) => x & 0x7c00 == 0x7c00 && x & 0x3ff != 0,
        _ => false,
    };
    if nan { u64::MAX } else { x }
}

fn calls(text: &str) -> Result<(Vec<parse::TestCall>, u32), String> {
    let size = directives(text, "size").first().map_or(Ok(1), |s| s.parse::<u32>()).map_err(|e| e.to_string())?;
    let calls: Vec<_> = directives(text, "run").iter().map(|t| parse::parse_call(t).map_err(|e| format!("{t}: {e}"))).collect();
    let calls: Result<Vec<_>, String> = calls.into_iter().collect();
    let calls = calls?;
    if calls.is_empty() { Err("no `run:` line".into()) } else { Ok((calls, size)) }
}

fn interpret(m: &Module, text: &str) -> Result<String, String> {
    let (calls, size) = calls(text)?;
    let mut output = String::new();
    for test in &calls {
        let (results, memory) = call(m, test, size)?;
        let wanted: Vec<Vec<u64>> = test
            .results
            .iter()
            .filter_map(|c| if let Const::Bits(ty, b) = c { Some(b.iter().map(|x| canonical(*ty, *x)).collect()) } else { None })
            .collect();
        if !test.results.is_empty() && wanted != results {
            return Err(format!("@{}: {results:x?}, expected {wanted:x?}", test.function));
        }
        output.push_str(&format!("{results:?} {memory:?}\n"));
    }
    Ok(output)
}

fn equivalent(before: Module, names: &[&str], text: &str) -> Result<String, String> {
    verified(&before)?;
    interpret(&before, text)?;
    let after = run_passes(before.clone(), names)?;
    let (calls, size) = calls(text)?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for test in &calls {
        for round in 0..50 {
            let mut test = test.clone();
            for arg in test.args.iter_mut().filter(|_| round > 0) {
                let Const::Bits(ty, lanes) = arg else { continue };
                let Some(scalar) = ty.scalar() else { continue };
                for lane in lanes.iter_mut() {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    // Small numbers find more than random bits.
                    let x = if state >> 63 == 0 { (state >> 33) % 16 } else { state >> 13 };
                    *lane = x & scalar.mask();
                }
            }
            // Undefined behaviour before may become anything.
            let Ok(expected) = call(&before, &test, size) else { continue };
            let got = call(&after, &test, size);
            if got.as_ref() != Ok(&expected) {
                return Err(format!("{test:?}: {expected:x?} before, {got:x?} after\n{before}\n{after}"));
            }
        }
    }
    Ok(after.to_string())
}
