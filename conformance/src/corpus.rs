//! `corpus`: compiles every entry of a corpus for a capable device and runs spirv-val over every module of
//! every variant.
//!
//! A compilation is a child process with a time limit. Its result is one of: validated, invalid (spirv-val
//! rejects a module), clean (a build error with a message), crash (a panic, a signal, an internal error, no
//! message), timeout.

use super::manifest::{CorpusEntry, Selection};
use clspv_bridge::options::CompileRequest;
use clspv_bridge::target::SubgroupOps;
use clspv_bridge::{CompileError, Target, driver};
use pyroclast_runtime::program::offline::generic_front_config;
use pyroclast_runtime::program::options::{self, Stage};
use pyroclast_runtime::program::stack::with_large_stack;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Arguments of `corpus`.
#[derive(clap::Args)]
pub struct CorpusArgs {
    #[command(flatten)]
    selection: Selection,
    /// Compile for a device without addresses of buffers
    #[arg(long)]
    without_addresses: bool,
}

/// Arguments of `one`.
#[derive(clap::Args)]
pub struct OneCompileArgs {
    file: PathBuf,
    #[arg(allow_hyphen_values = true)]
    options: String,
    /// Folder for the modules
    folder: PathBuf,
    /// As for `corpus`
    #[arg(long)]
    without_addresses: bool,
}

/// Exit status of `one` for a build error with a message.
const CLEAN_ERROR: i32 = 10;
/// Exit status of `one` for an internal error.
const INTERNAL_ERROR: i32 = 11;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum CompileVerdict {
    Validated,
    Invalid,
    CleanError,
    Crash,
    Timeout,
}

struct Outcome {
    verdict: CompileVerdict,
    seconds: f64,
    modules: usize,
    text: String,
}

/// A capable device whose sub-groups have any usual size.
fn target(addresses: bool) -> Target {
    let subgroup_ops = SubgroupOps {
        basic: true,
        vote: true,
        arithmetic: true,
        ballot: true,
        shuffle: true,
        shuffle_relative: true,
        clustered: true,
        extended_types: true,
    };
    let target =
        Target { subgroup_size: 32, subgroup_size_range: (8, 64), subgroup_ops, ..Target::generic() };
    target.with_vulkan(|vulkan| vulkan.addresses = addresses)
}

/// Compiles one file in this process.
pub fn one(arguments: &OneCompileArgs) -> Result<bool, String> {
    let source = std::fs::read(&arguments.file).map_err(|e| format!("{}: {e}", arguments.file.display()))?;
    let source = String::from_utf8_lossy(&source);
    let parsed = options::parse(&arguments.options, Stage::Build).map_err(|e| e.to_string())?;
    let compile = || {
        let config = generic_front_config();
        let library = driver::compile(&CompileRequest::new(&source, &parsed.compiler, &config))?.library;
        // In every addressing mode that the target allows.
        driver::build(&[&library], &parsed.compiler, &[], &target(!arguments.without_addresses))
    };
    let program = match with_large_stack(compile) {
        None => std::process::exit(INTERNAL_ERROR),
        Some(Err(error)) => {
            eprintln!("{error}");
            let internal = matches!(error, CompileError::Internal(_) | CompileError::InvalidIl(_));
            std::process::exit(if internal { INTERNAL_ERROR } else { CLEAN_ERROR });
        }
        Some(Ok(program)) => program,
    };
    for (i, kernel) in program.vulkan().iter().enumerate() {
        for variant in &kernel.variants {
            let bytes: Vec<u8> = variant.spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
            let name = format!("{i}-{}-{:?}.spv", kernel.info.name, variant.abi.mode);
            let path = arguments.folder.join(name);
            std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(true)
}

/// Compiles the corpus.
pub fn run(arguments: &CorpusArgs) -> Result<bool, String> {
    let selection = &arguments.selection;
    let corpus = selection.read_or_walk("")?;
    if Command::new("spirv-val").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Err("spirv-val was not found (Debian: spirv-tools)".into());
    }
    let scratch = std::env::temp_dir().join(format!("pyroclast-corpus-{}", std::process::id()));
    let results: Mutex<BTreeMap<usize, Outcome>> = Mutex::new(BTreeMap::new());
    let start = Instant::now();
    corpus.each(&scratch, |index, entry, folder| {
        let outcome = attempt(entry, arguments.without_addresses, &corpus.dir, folder, corpus.limit);
        if !selection.quiet || outcome.verdict != CompileVerdict::Validated {
            corpus.print(&row(entry, &outcome));
        }
        if let Ok(mut results) = results.lock() {
            results.insert(index, outcome);
        }
    });
    let results = results.into_inner().map_err(|_| "a worker panicked".to_string())?;
    summary(&corpus.entries, &results, start.elapsed());
    let validated = results.values().filter(|r| r.verdict == CompileVerdict::Validated).count();
    let bad = results
        .values()
        .any(|r| !matches!(r.verdict, CompileVerdict::Validated | CompileVerdict::CleanError));
    Ok(!bad && validated >= selection.require)
}

fn attempt(
    entry: &CorpusEntry,
    without_addresses: bool,
    dir: &Path,
    folder: &Path,
    limit: Duration,
) -> Outcome {
    let start = Instant::now();
    let outcome = |verdict, modules, text: String| Outcome {
        verdict,
        seconds: start.elapsed().as_secs_f64(),
        modules,
        text,
    };
    let failed = |text: String| outcome(CompileVerdict::Crash, 0, text);
    if let Err(e) = std::fs::create_dir_all(folder) {
        return failed(format!("{}: {e}", folder.display()));
    }
    let Ok(own) = std::env::current_exe() else { return failed("own path is unknown".into()) };
    let log = folder.join("log");
    let stderr = match std::fs::File::create(&log) {
        Ok(file) => file,
        Err(e) => return failed(format!("{}: {e}", log.display())),
    };
    let mut command = Command::new(own);
    command.arg("one").args(without_addresses.then_some("--without-addresses"));
    command.arg(dir.join(&entry.path)).arg(&entry.options).arg(folder).current_dir(dir);
    // Only the entry's limit applies: on a busy machine the front end's own limit would turn slow
    // compilations into errors.
    command.env("PYROCLAST_CLANG_TIMEOUT", limit.as_secs().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let status = match crate::process::run_limited(&mut command, limit) {
        Ok(Some(status)) => status,
        Ok(None) => return outcome(CompileVerdict::Timeout, 0, format!("more than {} s", limit.as_secs())),
        Err(e) => return failed(e.to_string()),
    };
    let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    match status.code() {
        Some(0) => {}
        // A build error without a message counts as a crash.
        Some(CLEAN_ERROR) if !text.trim().is_empty() => {
            return outcome(CompileVerdict::CleanError, 0, first_error(&text));
        }
        _ => return failed(format!("{status}: {}", first_error(&text))),
    }
    let mut modules = Vec::new();
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.path().extension().is_some_and(|e| e == "spv") {
            modules.push(file.path());
        }
    }
    modules.sort();
    for module in &modules {
        let arguments = ["--target-env", "vulkan1.3", "--scalar-block-layout"];
        match Command::new("spirv-val").args(arguments).arg(module).output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let text = format!(
                    "{}{}",
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                );
                return outcome(
                    CompileVerdict::Invalid,
                    modules.len(),
                    format!("{name}: {}", first_error(&text)),
                );
            }
            Err(e) => return failed(format!("spirv-val: {e}")),
        }
    }
    // A file of helper functions without kernels has no modules.
    outcome(CompileVerdict::Validated, modules.len(), String::new())
}

/// The most informative line.
pub fn first_error(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let found =
        lines.clone().find(|l| l.contains("error") || l.contains("panicked") || l.contains("unsupported"));
    let line = found.or_else(|| lines.next()).unwrap_or("no message");
    line.chars().take(180).collect()
}

fn name(verdict: CompileVerdict) -> &'static str {
    match verdict {
        CompileVerdict::Validated => "ok",
        CompileVerdict::Invalid => "INVALID",
        CompileVerdict::CleanError => "error",
        CompileVerdict::Crash => "CRASH",
        CompileVerdict::Timeout => "TIMEOUT",
    }
}

fn row(entry: &CorpusEntry, o: &Outcome) -> String {
    format!(
        "{:<8} {:>6.2} s {:>4} modules  {:<45} {}",
        name(o.verdict),
        o.seconds,
        o.modules,
        entry.path,
        o.text
    )
}

fn summary(entries: &[CorpusEntry], results: &BTreeMap<usize, Outcome>, elapsed: Duration) {
    let mut reasons: BTreeMap<(CompileVerdict, String), usize> = BTreeMap::new();
    let mut counts: BTreeMap<CompileVerdict, usize> = BTreeMap::new();
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, outcome) in results {
        *counts.entry(outcome.verdict).or_default() += 1;
        let group = entries.get(*index).map_or("", |e| e.path.split('/').next().unwrap_or(""));
        let group = groups.entry(group).or_default();
        group.1 += 1;
        if outcome.verdict == CompileVerdict::Validated {
            group.0 += 1;
        } else {
            *reasons.entry((outcome.verdict, reason(&outcome.text))).or_default() += 1;
        }
    }
    let count = |v: CompileVerdict| counts.get(&v).copied().unwrap_or_default();
    let compiled = count(CompileVerdict::Validated) + count(CompileVerdict::Invalid);
    println!("\n{} entries in {:.1} s", results.len(), elapsed.as_secs_f64());
    println!(
        "compiled {compiled}, validated {}, clean build errors {}, crashes {}, timeouts {}",
        count(CompileVerdict::Validated),
        count(CompileVerdict::CleanError),
        count(CompileVerdict::Crash),
        count(CompileVerdict::Timeout)
    );
    for (group, (good, all)) in groups {
        println!("  {group:<12} {good} of {all} validated");
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    for ((verdict, text), n) in reasons {
        println!("  {n:>4} x {:<8} {text}", name(verdict));
    }
}

/// A failure's text without its numbers, so that equal causes are counted together.
fn reason(text: &str) -> String {
    let text = text.split_once(".spv: ").map_or(text, |(_, rest)| rest);
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_digit() => {
                if !out.ends_with('#') {
                    out.push('#');
                }
            }
            c => out.push(c),
        }
    }
    out.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_grouped() {
        assert_eq!(reason("line 12: unsupported x3"), reason("line 345: unsupported x9"));
        assert_eq!(reason("0-k-Addresses.spv: error: 7"), "error: #");
    }

    #[test]
    fn the_error_line_is_found() {
        assert_eq!(first_error("warning: a\nx.cl:1:2: error: b\n"), "x.cl:1:2: error: b");
        assert_eq!(first_error(" \n"), "no message");
    }
}
