//! `build-times`: time from clBuildProgram to kernel objects, cold and from the disk cache, and its split
//! into steps.
//!
//! Each program is built by fresh child processes of this tool on the first device. One starts with an empty
//! cache ("first") and then builds a variation of the program ("next": a warm process, nothing cached);
//! another finds both in the cache. Times are milliseconds of wall time, the best of several runs. The steps
//! are measured one by one in a further process.

use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent};
use pyroclast_runtime::context::Context;
use pyroclast_runtime::kernel::Kernel;
use pyroclast_runtime::platform::Platform;
use pyroclast_runtime::program::Program;
use pyroclast_runtime::program::options::{self, Stage};
use pyroclast_runtime::program::stack::with_large_stack;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `build-times`.
#[derive(clap::Args)]
pub struct BuildTimesArgs {
    /// Further programs: a file, or FILE:OPTIONS
    programs: Vec<String>,
    /// Runs of each measurement
    #[arg(long, default_value_t = 5)]
    runs: usize,
}

/// Arguments of `one-build`.
#[derive(clap::Args)]
pub struct OneBuildArgs {
    file: PathBuf,
    #[arg(allow_hyphen_values = true)]
    options: String,
    /// Measure the steps instead of the whole
    #[arg(long)]
    steps: bool,
}

/// Times that one child process reports, in milliseconds.
#[derive(Default)]
struct Times {
    first: Vec<f64>,
    next: Vec<f64>,
}

struct Case {
    name: String,
    file: PathBuf,
    options: String,
    lines: usize,
}

/// Measures and prints the table.
pub fn run(arguments: &BuildTimesArgs) -> Result<bool, String> {
    let scratch = std::env::temp_dir().join(format!("pyroclast-build-times-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = cases(arguments, &scratch).and_then(|cases| {
        println!("{:<28}{:>6}  {:>23}  {:>15}  steps", "", "", "cold, ms", "cached, ms");
        println!(
            "{:<28}{:>6}  {:>11}{:>12}  {:>7}{:>8}",
            "program", "lines", "first", "next", "first", "next"
        );
        for case in &cases {
            println!("{}", row(case, arguments.runs.max(1), &scratch)?);
        }
        Ok(true)
    });
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn cases(arguments: &BuildTimesArgs, scratch: &Path) -> Result<Vec<Case>, String> {
    let mut out = Vec::new();
    let made = [
        ("tiny", "kernel void scale(global float *p, float by) { p[get_global_id(0)] *= by; }\n".to_owned()),
        ("15 kernels", (0..15).map(|k| generated(k, 92)).collect()),
        ("one big kernel", generated(0, 2490)),
    ];
    for (name, source) in made {
        let file = scratch.join(format!("{}.cl", name.replace(' ', "_")));
        std::fs::write(&file, &source).map_err(|e| e.to_string())?;
        out.push(Case { name: name.into(), file, options: String::new(), lines: source.lines().count() });
    }
    for program in &arguments.programs {
        let (file, options) = program.split_once(':').unwrap_or((program, ""));
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        out.push(Case { name, file: file.into(), options: options.into(), lines: text.lines().count() });
    }
    Ok(out)
}

/// A kernel with about `statements` statements: arithmetic, branches, loops, private and local memory,
/// built-in functions.
fn generated(kernel: usize, statements: usize) -> String {
    let mut text = format!(
        "kernel void k{kernel}(global float *restrict out, global const float *restrict in, global int *counts, int n) {{\n\
         local float tile[64];\nfloat table[8];\nsize_t i = get_global_id(0);\n\
         float a = in[i], b = a * 0.5f, c = b + 1.0f; int x = n, y = (int)i;\n\
         for (int j = 0; j < 8; j++) table[j] = a + j;\n"
    );
    let mut seed = kernel as u64 * 7919 + 1;
    for s in 0..statements {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let n = (seed >> 40) % 97 + 1;
        let line = match (seed >> 33) % 12 {
            0 => format!("a = a * b + {n}.0f;"),
            1 => "b = fmax(b, c) - a;".to_owned(),
            2 => format!("x = (x ^ (y << {})) + {n};", n % 31),
            3 => format!("if (x > y + {n}) {{ c += a; y += 3; }} else c -= b;"),
            4 => format!("table[x & 7] += c * {n}.0f;"),
            5 => "a += table[y & 7];".to_owned(),
            6 => format!("y = y * {n} + (x >> {});", n % 7),
            7 => "c = sqrt(fabs(a)) + c;".to_owned(),
            8 => format!("b = in[(i + {n}) & 1023] + b;"),
            9 => format!("for (int j = 0; j < (x & 3); j++) b += a * {n}.0f;"),
            10 if s % 4 == 0 => format!("counts[y & 255] = x + {n};"),
            10 => format!("x = rotate(x, {}) | 1;", n % 31 + 1),
            _ => format!("c = mad(a, b, c) / {n}.5f;"),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(
        "tile[get_local_id(0) & 63] = a;\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = tile[(y + 1) & 63] + b + c + x;\n}\n",
    );
    text
}

fn row(case: &Case, runs: usize, scratch: &Path) -> Result<String, String> {
    let (mut cold, mut cached) = (Times::default(), Times::default());
    for _ in 0..runs {
        let cache = scratch.join("cache");
        let _ = std::fs::remove_dir_all(&cache);
        for times in [&mut cold, &mut cached] {
            let said = child(case, &cache, &[])?;
            let mut numbers = said.split_whitespace().map(str::parse::<f64>);
            let (Some(Ok(first)), Some(Ok(next))) = (numbers.next(), numbers.next()) else {
                return Err(format!("{}: {said}", case.name));
            };
            times.first.push(first);
            times.next.push(next);
        }
    }
    let steps = child(case, &scratch.join("cache"), &["--steps"])?;
    Ok(format!(
        "{:<28}{:>6}  {:>11.1}{:>12.1}  {:>7.1}{:>8.1}  {}",
        case.name,
        case.lines,
        best(&cold.first),
        best(&cold.next),
        best(&cached.first),
        best(&cached.next),
        steps.trim()
    ))
}

fn best(times: &[f64]) -> f64 {
    times.iter().copied().min_by(f64::total_cmp).unwrap_or_default()
}

fn child(case: &Case, cache: &Path, more: &[&str]) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(own);
    command.arg("one-build").arg(&case.file).arg(&case.options).args(more).env("PYROCLAST_CACHE_DIR", cache);
    // Included files lie in the same folder.
    command.current_dir(case.file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    let output = command.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{}: {}", case.name, String::from_utf8_lossy(&output.stderr)))
    }
}

/// Child process: builds the file and prints milliseconds.
pub fn one(arguments: &OneBuildArgs) -> Result<bool, String> {
    let name = arguments.file.file_name().unwrap_or_default();
    let source = std::fs::read_to_string(&arguments.file).or_else(|_| std::fs::read_to_string(name));
    let source = source.map_err(|e| format!("{}: {e}", arguments.file.display()))?;
    let platform = Platform::get();
    let device = platform.devices().first().ok_or("no device")?.clone();
    if arguments.steps {
        return steps(&source, &arguments.options, &device);
    }
    let context = Context::new([device], Vec::new(), None, Default::default()).map_err(|e| e.to_string())?;
    let mut text = String::new();
    for variation in ["", "\n#define PYROCLAST_VARIATION\n"] {
        let program = Arc::new(Program::from_source(context.clone(), format!("{source}{variation}")));
        let start = Instant::now();
        program.build(None, &arguments.options, None).map_err(|e| e.to_string())?;
        let kernels = Kernel::create_all(&program).map_err(|e| e.to_string())?;
        let time = start.elapsed();
        if kernels.is_empty() {
            return Err("the program has no kernels".into());
        }
        let _ = write!(text, "{} ", time.as_secs_f64() * 1e3);
    }
    println!("{text}");
    Ok(true)
}

fn steps(source: &str, options: &str, device: &pyroclast_runtime::device::Device) -> Result<bool, String> {
    let options = options::parse(options, Stage::Build).map_err(|e| e.to_string())?.compiler;
    let (config, target) = (device.front_config(), device.ops().target());
    let mut text = String::new();
    let mut lap = |name: &str, start: Instant| {
        let _ = write!(text, "{name} {:.1}, ", start.elapsed().as_secs_f64() * 1e3);
    };
    let start = Instant::now();
    let request =
        CompileRequest { extent: Extent::Program, ..CompileRequest::new(source, &options, &config) };
    let library = driver::compile(&request).map_err(|e| e.to_string())?.library;
    lap("clang", start);
    let start = Instant::now();
    with_large_stack(|| library.module(&[], Extent::Program).map(|_| ()));
    lap("read", start);
    for name in ["compile", "again"] {
        let start = Instant::now();
        let built = with_large_stack(|| driver::build(&[&library], &options, &[], target));
        built.ok_or("the compiler panicked")?.map_err(|e| e.to_string())?;
        lap(name, start);
    }
    println!("{}", text.trim_end_matches(", "));
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_kernels_compile() {
        let config = pyroclast_runtime::program::offline::generic_front_config();
        let source = generated(3, 60);
        assert!(source.lines().count() > 60);
        let options = Default::default();
        let request =
            CompileRequest { extent: Extent::Program, ..CompileRequest::new(&source, &options, &config) };
        let built = driver::compile(&request).and_then(|compiled| {
            driver::build(&[&compiled.library], &options, &[], &clspv_bridge::Target::generic())
        });
        assert_eq!(built.map(|p| p.kernels.len()).map_err(|e| e.to_string()), Ok(1));
    }

    #[test]
    fn the_best_counts() {
        assert_eq!(best(&[3.0, 1.0, 2.0]), 1.0);
    }
}
