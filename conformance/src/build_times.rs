//! `build-times`: time from clBuildProgram to kernel objects with each front end, cold and from the disk
//! cache, and its split into steps.
//!
//! Each program is built by fresh child processes of this tool on the first device. One starts with an empty
//! cache ("first") and then builds a variation of the program ("next": a warm process, nothing cached);
//! another finds both in the cache. Times are milliseconds, the best of several runs in which the front ends
//! alternate: wall time, and the processor time of the process and its children. Peak memory is that of the
//! larger of the two. The steps are measured one by one in a further process.

use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent};
use progress_line::Progress;
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
use test_support::{generated, usage};

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

/// Best times of builds in child processes, in milliseconds.
#[derive(Clone, Copy)]
struct Times {
    first: Cost,
    next: Cost,
}

/// Cost of a build. Its text form, `WALL PROCESSOR PEAK`, is what child processes print.
#[derive(Clone, Copy)]
struct Cost {
    /// Milliseconds of wall time.
    wall: f64,
    /// Milliseconds of processor time, those of child processes included.
    processor: f64,
    /// Largest resident set of the process or a child of it so far, in MiB.
    peak: f64,
}

impl Cost {
    const NONE: Cost = Cost { wall: f64::INFINITY, processor: f64::INFINITY, peak: f64::INFINITY };

    fn best(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
            peak: self.peak.min(other.peak),
        }
    }

    fn parse(numbers: &[f64]) -> Option<Cost> {
        let [wall, processor, peak] = *numbers else { return None };
        Some(Cost { wall, processor, peak })
    }
}

impl Times {
    const NONE: Times = Times { first: Cost::NONE, next: Cost::NONE };

    /// Reads the output of a child process.
    fn parse(text: &str) -> Option<Times> {
        let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let (first, next) = numbers.split_at_checked(3)?;
        Some(Times { first: Cost::parse(first)?, next: Cost::parse(next)? })
    }

    fn best(self, other: Times) -> Times {
        Times { first: self.first.best(other.first), next: self.next.best(other.next) }
    }
}

/// Values of PYROCLAST_FRONT_END that are compared.
const FRONT_ENDS: [&str; 2] = ["builtin", "clang"];

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
        print_header();
        let progress = Progress::new(false, "programs", 1, cases.iter().map(|c| (c.name.clone(), None)));
        for case in &cases {
            progress.begins(&case.name);
            let start = Instant::now();
            let rows = rows(case, arguments.runs.max(1), &scratch)?;
            progress.done(&case.name, start.elapsed().as_secs_f64(), false);
            progress.clear();
            rows.iter().for_each(|row| println!("{row}"));
        }
        Ok(true)
    });
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn cases(arguments: &BuildTimesArgs, scratch: &Path) -> Result<Vec<Case>, String> {
    let mut out = Vec::new();
    for (name, source) in generated::programs() {
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

fn print_header() {
    let groups = ("cold first, ms", "cold next, ms", "cached, ms", "peak");
    println!("{:<28}{:>6}  {:<8}{:>18}{:>18}{:>16}{:>7}", "", "", "", groups.0, groups.1, groups.2, groups.3);
    println!(
        "{:<28}{:>6}  {:<8}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}{:>7}  steps, ms",
        "program", "lines", "compiler", "wall", "proc.", "wall", "proc.", "first", "next", "MiB"
    );
}

/// Measures a program with each front end; a row of the table for each.
fn rows(case: &Case, runs: usize, scratch: &Path) -> Result<Vec<String>, String> {
    let cache = scratch.join("cache");
    let mut best = FRONT_ENDS.map(|front_end| (front_end, Times::NONE, Times::NONE));
    for _ in 0..runs {
        for (front_end, cold, cached) in &mut best {
            let _ = std::fs::remove_dir_all(&cache);
            for times in [cold, cached] {
                let said = child(case, front_end, &cache, &[])?;
                let new = Times::parse(&said).ok_or_else(|| format!("{}: {said}", case.name))?;
                *times = times.best(new);
            }
        }
    }
    let row = |(front_end, cold, cached): (&str, Times, Times)| {
        let steps = child(case, front_end, &cache, &["--steps"])?;
        Ok(format!(
            "{:<28}{:>6}  {:<8}{:>9.1}{:>9.1}{:>9.1}{:>9.1}{:>8.1}{:>8.1}{:>7.0}  {}",
            case.name,
            case.lines,
            front_end,
            cold.first.wall,
            cold.first.processor,
            cold.next.wall,
            cold.next.processor,
            cached.first.wall,
            cached.next.wall,
            cold.first.peak,
            steps.trim()
        ))
    };
    best.into_iter().map(row).collect()
}

fn child(case: &Case, front_end: &str, cache: &Path, more: &[&str]) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(own);
    command.arg("one-build").arg(&case.file).arg(&case.options).args(more);
    command.env("PYROCLAST_CACHE_DIR", cache).env("PYROCLAST_FRONT_END", front_end);
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

/// Child process: builds the file and a variation of it, and prints the cost of each.
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
        let (start, processor) = (Instant::now(), usage::processor_ms());
        program.build(None, &arguments.options, None).map_err(|e| e.to_string())?;
        let kernels = Kernel::create_all(&program).map_err(|e| e.to_string())?;
        let (time, processor) = (start.elapsed(), usage::processor_ms() - processor);
        if kernels.is_empty() {
            return Err("the program has no kernels".into());
        }
        let _ = write!(text, "{} {processor} {} ", time.as_secs_f64() * 1e3, usage::peak_mib());
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
    lap("front end", start);
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
        let source = generated::kernel(3, 60);
        assert!(source.lines().count() > 60);
        let options = Default::default();
        let request =
            CompileRequest { extent: Extent::Program, ..CompileRequest::new(&source, &options, &config) };
        let built = driver::compile(&request).and_then(|compiled| {
            driver::build(&[&compiled.library], &options, &[], &clspv_bridge::Target::generic())
        });
        assert_eq!(built.map(|p| p.vulkan().len()).map_err(|e| e.to_string()), Ok(1));
    }

    #[test]
    fn the_best_of_each_kind_of_time_counts() {
        let [a, b] = ["3 2 7 5 4 8", "1 2.5 6 9 1 8"].map(|text| Times::parse(text).unwrap());
        let best = a.best(b);
        assert_eq!((best.first.wall, best.first.processor, best.first.peak), (1.0, 2.0, 6.0));
        assert_eq!((best.next.wall, best.next.processor, best.next.peak), (5.0, 1.0, 8.0));
        assert!(Times::parse("1 2 3 4 5").is_none());
    }
}
