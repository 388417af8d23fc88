//! `cts`: runs a built OpenCL-CTS on a device: a process for each sub-test, several at a time, each with a
//! time limit. Sub-tests that have a result are not run again ([`state`]). The report is that of `conformance
//! run`, with a module as an area.

mod modules;
mod state;

use crate::devices::{self, Listing};
use crate::process::run_limited;
use crate::report::expectations::{Expectations, Expected};
use crate::report::{self, Record, Report, Verdict};
use modules::Module;
use progress_line::Progress;
use state::{Identity, Keep, State};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// Arguments of `cts`.
#[derive(clap::Args)]
pub struct CtsArgs {
    /// Build folder of OpenCL-CTS
    #[arg(long, value_name = "DIR")]
    cts: PathBuf,
    /// Part of the name of a device or platform, or the number of a device
    #[arg(long, default_value = "0")]
    device: String,
    /// OpenCL driver to use instead of those installed
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// The suite's wimpy mode, and small images: far less is tried
    #[arg(long)]
    wimpy: bool,
    /// Sub-tests of every module that end within 20 minutes on two cores (cts-quick.txt), in the suite's
    /// wimpy mode: to be run after every change of code generation or of the scheduler
    #[arg(long, conflicts_with_all = ["list", "only", "tests"])]
    quick: bool,
    /// Sub-tests at a time; as many as processors by default
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds for one sub-test; by default 3600, with --wimpy 600
    #[arg(long)]
    limit: Option<u64>,
    /// One of the suite's lists of tests (opencl_conformance_tests_*.csv)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tests", "only"])]
    list: Option<PathBuf>,
    /// Only this sub-test: MODULE/NAME
    #[arg(long, value_name = "TEST", conflicts_with = "tests")]
    only: Option<String>,
    /// File of expected failures, skips and exclusions, with reasons
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// An earlier report, or one of another device, to compare with; it also makes the estimate of the time
    /// left better
    #[arg(long, value_name = "REPORT.json")]
    compare: Option<PathBuf>,
    /// Folder for the state, the reports, and the logs of what failed
    #[arg(short, long, value_name = "DIR", default_value = "cts-results")]
    output: PathBuf,
    /// Forget the results that are there
    #[arg(long)]
    fresh: bool,
    /// Run again what failed
    #[arg(long, conflicts_with = "fresh")]
    again: bool,
    /// No progress line
    #[arg(short, long)]
    quiet: bool,
    /// MODULE or MODULE:TEST[,TEST...], by the names of the binaries without `test_`; all by default
    tests: Vec<String>,
}

impl CtsArgs {
    /// The results of an earlier run that are kept.
    fn keep(&self) -> Keep {
        match (self.fresh, self.again) {
            (true, _) => Keep::Nothing,
            (false, true) => Keep::AllButFailures,
            (false, false) => Keep::All,
        }
    }
}

impl CtsArgs {
    fn is_wimpy(&self) -> bool {
        self.wimpy || self.quick
    }
}

/// The sub-tests of `--quick`: lines `MODULE` or `MODULE:TEST,TEST...`, comments after `#`.
const QUICK: &str = include_str!("../../cts-quick.txt");

/// Runs the sub-tests without a result. Returns false if a result is not as expected.
pub fn run(arguments: &CtsArgs) -> Result<bool, String> {
    let _vendors = arguments.driver.as_deref().map(devices::offer).transpose()?;
    let expectations = Expectations::read(arguments.expect.as_deref())?;
    let before = arguments.compare.as_deref().map(Report::read).transpose()?;
    let (device, listing) = Listing::of(&arguments.device, false)?;
    let loader_index = listing.devices.get(device).map_or((0, 0), |d| d.loader_index);
    let facts = listing.facts(if arguments.is_wimpy() { "wimpy" } else { "full" });
    std::fs::create_dir_all(&arguments.output).map_err(|e| format!("{}: {e}", arguments.output.display()))?;
    let identity = Identity {
        mode: facts["mode"].clone(),
        device: facts["device"].clone(),
        driver: facts["driver version"].clone(),
        written: arguments.driver.as_deref().and_then(written),
    };
    let state = State::open(&arguments.output.join("state.jsonl"), &identity, arguments.keep())?;
    let tests = choose(arguments)?;
    let runner = Runner { arguments, loader_index, output: &arguments.output };

    let mut ended: Vec<Record> = Vec::new();
    let mut left: Vec<&(Module, String)> = Vec::new();
    for test in &tests {
        let path = format!("{}/{}", test.0.name, test.1);
        match (state.results.get(&path), expectations.of(&path)) {
            (Some(record), _) => ended.push(record.clone()),
            (_, Some((Expected::Exclude, reason))) => {
                ended.push(record(test, Verdict::Skip, format!("excluded: {reason}"), 0.0))
            }
            _ => left.push(test),
        }
    }
    let known: HashMap<String, f64> =
        before.iter().flat_map(|b| &b.tests).map(|t| (t.path(), t.seconds)).collect();
    let seconds = |test: &(Module, String)| known.get(&format!("{}/{}", test.0.name, test.1)).copied();
    // The longest first, then those of unknown duration; modules that run alone come last.
    let order = |t: &&(Module, String)| seconds(t).map_or(0, |s| (s * 1000.0) as u64);
    left.sort_by_key(|t| (t.0.is_alone(), std::cmp::Reverse(order(t))));
    let jobs =
        arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let paths = left.iter().map(|t| (format!("{}/{}", t.0.name, t.1), seconds(t)));
    let progress = Progress::new(arguments.quiet, "tests", jobs, paths);
    if !ended.is_empty() && !arguments.quiet {
        eprintln!("{} of {} tests have results", ended.len(), tests.len());
    }
    let alone = left.partition_point(|t| !t.0.is_alone());
    let ended = Mutex::new(ended);
    for (jobs, tests) in [(jobs, &left[..alone]), (1, &left[alone..])] {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                let record = runner.run(test)?;
                state.add(&record)?;
                progress.done(&record.path(), record.seconds, record.verdict == Verdict::Fail);
                if let Ok(mut ended) = ended.lock() {
                    ended.push(record);
                }
            }
            Ok::<(), String>(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|t| t.join().map_err(|_| "a worker panicked".to_owned())?)
        })?;
    }
    progress.clear();

    let mut records = ended.into_inner().map_err(|_| "a worker panicked".to_owned())?;
    let order: HashMap<String, usize> =
        tests.iter().enumerate().map(|(at, t)| (format!("{}/{}", t.0.name, t.1), at)).collect();
    records.sort_by_key(|r| order.get(&r.path()).copied());
    let command = format!(
        "conformance cts --cts {}{} --device '{}'",
        arguments.cts.display(),
        if arguments.is_wimpy() { " --wimpy" } else { "" },
        arguments.device
    );
    let sum = records.iter().map(|r| r.seconds).sum();
    let report = Report::new(facts, command, sum, records);
    report::write(&report, &arguments.output, &expectations, before.as_ref())?;
    println!("reports are in {}", arguments.output.display());
    Ok(report.conclude(&expectations))
}

/// The entries of [`QUICK`].
fn quick_words() -> impl Iterator<Item = String> {
    let lines = QUICK.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.map(|line| line.split_whitespace().collect::<String>()).filter(|word| !word.is_empty())
}

/// When a file was written, in seconds since 1970.
fn written(file: &Path) -> Option<u64> {
    let time = file.metadata().and_then(|m| m.modified()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|d| d.as_secs())
}

fn record(test: &(Module, String), verdict: Verdict, text: String, seconds: f64) -> Record {
    Record {
        area: test.0.name.clone(),
        name: test.1.clone(),
        verdict,
        seconds: (seconds * 1000.0).round() / 1000.0,
        text,
    }
}

/// The selected sub-tests.
fn choose(arguments: &CtsArgs) -> Result<Vec<(Module, String)>, String> {
    // Sub-tests run in the folders of their binaries.
    let root = arguments.cts.canonicalize().map_err(|e| format!("{}: {e}", arguments.cts.display()))?;
    let found = modules::find(&root);
    if found.is_empty() {
        return Err(format!("there is no test_* below {}", arguments.cts.display()));
    }
    let modules = match (&arguments.list, &arguments.only) {
        _ if arguments.quick => {
            let (there, missing): (Vec<String>, Vec<String>) = quick_words()
                .partition(|word| found.contains_key(word.split(':').next().unwrap_or_default()));
            missing.iter().for_each(|word| eprintln!("there is no test_{word}"));
            modules::of_words(&found, &there, true)?
        }
        (Some(list), _) => {
            let text = std::fs::read_to_string(list).map_err(|e| format!("{}: {e}", list.display()))?;
            let (modules, missing) = modules::of_list(&found, &text);
            missing.iter().for_each(|name| eprintln!("there is no test_{name}"));
            modules
        }
        (None, Some(only)) => {
            let (module, test) = only.rsplit_once('/').ok_or("--only takes MODULE/NAME")?;
            let short = module.split(' ').next().unwrap_or_default();
            modules::of_words(&found, &[format!("{short}:{test}")], arguments.is_wimpy())?
        }
        (None, None) => modules::of_words(&found, &arguments.tests, arguments.is_wimpy())?,
    };
    let mut tests = Vec::new();
    for module in modules {
        let names = module.tests()?;
        if names.is_empty() {
            eprintln!("{} lists no tests", module.name);
        }
        tests.extend(names.into_iter().map(|name| (module.clone(), name)));
    }
    if tests.is_empty() { Err("no test is chosen".into()) } else { Ok(tests) }
}

struct Runner<'a> {
    arguments: &'a CtsArgs,
    loader_index: (usize, usize),
    output: &'a Path,
}

impl Runner<'_> {
    /// Runs a sub-test. Its log is kept if it fails.
    fn run(&self, test: &(Module, String)) -> Result<Record, String> {
        let (module, name) = test;
        let folder = self.output.join("logs").join(&module.name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
        let (log, results) = (folder.join(format!("{name}.log")), folder.join(format!("{name}.json")));
        let file = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = file.try_clone().map_err(|e| e.to_string())?;
        let mut command = Command::new(&module.binary);
        command
            .args(module.ahead())
            .arg(name)
            .args(&module.arguments)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors);
        if module.takes_type() {
            command.env("CL_DEVICE_TYPE", "CL_DEVICE_TYPE_ALL");
        }
        command
            .env("CL_PLATFORM_INDEX", self.loader_index.0.to_string())
            .env("CL_DEVICE_INDEX", self.loader_index.1.to_string());
        command.env("CL_CONFORMANCE_RESULTS_FILENAME", &results);
        if self.arguments.is_wimpy() {
            command.env("CL_WIMPY_MODE", "1");
        }
        command.current_dir(module.binary.parent().unwrap_or(Path::new("/")));
        let limit = self.arguments.limit.unwrap_or(if self.arguments.is_wimpy() { 600 } else { 3600 });
        let start = Instant::now();
        let ended = run_limited(&mut command, Duration::from_secs(limit));
        let ended = ended.map_err(|e| format!("{}: {e}", module.binary.display()))?;
        let seconds = start.elapsed().as_secs_f64();
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        let given = std::fs::read_to_string(&results).unwrap_or_default();
        let _ = std::fs::remove_file(&results);
        let (verdict, text) = judge(name, ended, &given, &text, limit);
        if verdict != Verdict::Fail {
            let _ = std::fs::remove_file(&log);
        }
        Ok(record(test, verdict, text, seconds))
    }
}

/// Verdict on a sub-test, from its exit status, the results that the harness wrote as JSON, and the log.
fn judge(name: &str, ended: Option<ExitStatus>, given: &str, log: &str, limit: u64) -> (Verdict, String) {
    let value: serde_json::Value = serde_json::from_str(given).unwrap_or_default();
    let verdict = serde_json::from_value(value["results"][name].clone()).ok();
    // The end of the log, without control characters that make a page unreadable.
    let lines: Vec<String> = log
        .lines()
        .map(|l| l.chars().filter(|c| !c.is_control()).take(300).collect::<String>())
        .filter(|l| !l.is_empty())
        .collect();
    let tail = lines[lines.len().saturating_sub(12)..].join("\n");
    match (ended, verdict) {
        (None, _) => (Verdict::Fail, format!("took more than {limit} s\n{tail}")),
        // A crash at exit counts as a failure.
        (Some(status), Some(Verdict::Pass)) if status.success() => (Verdict::Pass, String::new()),
        (Some(status), Some(Verdict::Skip)) if status.success() => {
            // The lines with the verdict and the count are left out.
            let tells = |l: &&String| {
                l.to_lowercase().contains("skip") && !l.ends_with("skipped") && !l.starts_with("SKIPPED")
            };
            let why = lines.iter().rev().find(tells);
            (Verdict::Skip, why.or(lines.last()).cloned().unwrap_or_default())
        }
        // Programs without the suite's harness write no results.
        (Some(status), None) if status.success() && given.is_empty() => {
            match lines.last().filter(|l| l.to_lowercase().contains("skipping test")) {
                Some(why) => (Verdict::Skip, why.clone()),
                None => (Verdict::Fail, format!("no results\n{tail}")),
            }
        }
        (Some(status), _) => (Verdict::Fail, format!("{status}\n{tail}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn verdicts() {
        let json = |word: &str| {
            format!("{{\n\t\"cmd\": \"c\",\n\t\"results\": {{\n\t\t\"one\": \"{word}\"\n\t}}\n}}\n")
        };
        let ended = |code: i32| Some(ExitStatus::from_raw(code << 8));
        let of = |status, word: &str, log: &str| judge("one", status, &json(word), log, 5);
        assert_eq!(of(ended(0), "pass", "one passed"), (Verdict::Pass, String::new()));
        let skip =
            of(ended(0), "skip", "one...\nNo half. Skipping test.\none skipped\nSKIPPED 1 of 1 tests.\n");
        assert_eq!(skip, (Verdict::Skip, "No half. Skipping test.".into()));
        assert_eq!(of(ended(1), "fail", "ERROR: x\none FAILED\n").0, Verdict::Fail);
        // It passed, and crashed at exit.
        assert_eq!(of(Some(ExitStatus::from_raw(11)), "pass", "").0, Verdict::Fail);
        assert_eq!(judge("one", ended(0), "", "", 5).0, Verdict::Fail);
        // Without results the verdict comes from the log.
        let log = "cl_khr_spir is not supported on this device. Skipping test.\n";
        assert_eq!(judge("one", ended(0), "", log, 5), (Verdict::Skip, log.trim().into()));
        assert_eq!(judge("one", ended(1), "", log, 5).0, Verdict::Fail);
        let slow = of(None, "pass", "still\nhere");
        assert_eq!(slow, (Verdict::Fail, "took more than 5 s\nstill\nhere".into()));
    }
}
