//! `run`: our own suite on one OpenCL device, whoever's, and a report. The device is only touched by child processes of this
//! tool, one for each area, so that crashes and hangs are results: the child writes what happens to a file, and is started
//! again after the test that ended it.

use crate::cl::Api;
use crate::report::{Expectations, Record, Report, Verdict, compare};
use crate::suite::{AREAS, Context, Sink, raw};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Part of the name of a device or platform, or the number of a device
    #[arg(long, default_value = "0")]
    device: String,
    /// OpenCL driver to use instead of those installed
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// Many more samples
    #[arg(long)]
    full: bool,
    /// Only these areas, separated by commas
    #[arg(long, value_delimiter = ',')]
    areas: Vec<String>,
    /// Only this test: AREA/NAME
    #[arg(long, value_name = "TEST")]
    only: Option<String>,
    /// Areas at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for one test; by default 240, with --full 1800
    #[arg(long)]
    limit: Option<u64>,
    /// File of expected failures with reasons
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// An earlier report, or one of another device, to compare with
    #[arg(long, value_name = "REPORT.json")]
    compare: Option<PathBuf>,
    /// Folder for report.json and report.md
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// No progress line
    #[arg(short, long)]
    quiet: bool,
    /// List devices and areas, and run nothing
    #[arg(long)]
    list: bool,
}

/// Arguments of `compare`.
#[derive(clap::Args)]
pub struct Compare {
    /// Reports
    #[arg(num_args = 2.., value_name = "REPORT.json")]
    reports: Vec<PathBuf>,
    /// Where the table goes, besides standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `run-area` and `run-names`, which run in child processes.
#[derive(clap::Args)]
pub struct One {
    device: usize,
    #[arg(long)]
    full: bool,
    /// With it tests are run, otherwise listed.
    #[arg(long)]
    area: Option<String>,
    #[arg(long, default_value_t = 0)]
    first: usize,
    #[arg(long)]
    only: Option<String>,
    #[arg(long)]
    results: Option<PathBuf>,
}

/// Arguments of `print-one`.
#[derive(clap::Args)]
pub struct PrintOne {
    device: usize,
    case: usize,
}

/// Puts reports side by side; true if all tests end alike.
pub fn compare_reports(arguments: &Compare) -> Result<bool, String> {
    let reports = arguments.reports.iter().map(|p| Report::read(p)).collect::<Result<Vec<_>, _>>()?;
    let text = compare(&reports.iter().collect::<Vec<_>>());
    println!("{text}");
    if let Some(path) = &arguments.output {
        std::fs::write(path, format!("# Devices compared\n\n{text}")).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(text.contains("\n0 tests end differently"))
}

/// What a kernel prints, for the area `printf`.
pub fn print_one(arguments: &PrintOne) -> Result<bool, String> {
    crate::suite::other::print_one(arguments.device, arguments.case).map(|()| true)
}

/// In a child process: runs the tests of an area, or lists devices, facts and tests.
pub fn one(arguments: &One) -> Result<bool, String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.get(arguments.device).ok_or("no such device")?;
    let context = Context { api: &api, device, quick: !arguments.full };
    match (&arguments.area, &arguments.results) {
        (Some(name), Some(path)) => {
            let area = AREAS.iter().find(|a| a.0 == name).ok_or("no such area")?;
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(|e| e.to_string())?;
            let mut sink = Sink::running(arguments.first, arguments.only.clone(), file);
            (area.1)(&context, &mut sink);
            sink.end();
        }
        _ => {
            for (i, d) in devices.iter().enumerate() {
                println!("device\t{i}\t{}\t{}", d.name, d.platform);
            }
            let text = |name| raw::device_text(device.id, name);
            let number = |name| raw::device_number(device.id, name).to_string();
            for (name, value) in [
                ("device", device.name.clone()),
                ("platform", device.platform.clone()),
                ("vendor", text(raw::CL_DEVICE_VENDOR)),
                ("device version", text(raw::CL_DEVICE_VERSION)),
                ("driver version", text(raw::CL_DRIVER_VERSION)),
                ("OpenCL C", text(raw::CL_DEVICE_OPENCL_C_VERSION)),
                ("intermediate languages", text(raw::CL_DEVICE_IL_VERSION)),
                ("compute units", number(raw::CL_DEVICE_MAX_COMPUTE_UNITS)),
                ("largest work-group", number(raw::CL_DEVICE_MAX_WORK_GROUP_SIZE)),
                ("global memory, MiB", (raw::device_number(device.id, raw::CL_DEVICE_GLOBAL_MEM_SIZE) >> 20).to_string()),
                ("extensions", text(raw::CL_DEVICE_EXTENSIONS)),
            ] {
                println!("fact\t{name}\t{}", value.replace(['\t', '\n'], " "));
            }
            for (area, tests) in AREAS {
                let mut sink = Sink::listing();
                tests(&context, &mut sink);
                sink.names.iter().for_each(|name| println!("test\t{area}\t{name}"));
            }
        }
    }
    Ok(true)
}

/// Lines of the kind, as fields.
fn lines<'a>(text: &'a str, kind: &str) -> Vec<Vec<&'a str>> {
    let fields = text.lines().map(|l| l.split('\t').collect::<Vec<_>>());
    fields.filter(|f| f[0] == kind && f.len() > 2).map(|f| f[1..].to_vec()).collect()
}

fn names(own: &Path, device: usize, full: bool) -> Result<String, String> {
    let mut command = Command::new(own);
    command.args(["run-area", &device.to_string()]).stdin(Stdio::null());
    if full {
        command.arg("--full");
    }
    let output = command.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("no device could be used ({}): {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Only the driver named is there for child processes; the folder is to be removed.
fn offer(driver: &Path) -> Result<PathBuf, String> {
    let driver = driver.canonicalize().map_err(|e| format!("{}: {e}", driver.display()))?;
    let folder = std::env::temp_dir().join(format!("pyroclast-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    std::fs::write(folder.join("driver.icd"), format!("{}\n", driver.display())).map_err(|e| e.to_string())?;
    // SAFETY: no other thread runs yet. Two loaders, two variables.
    unsafe {
        std::env::set_var("OCL_ICD_VENDORS", &folder);
        std::env::set_var("OCL_ICD_FILENAMES", &driver);
    }
    Ok(folder)
}

type AreaResult = Result<Vec<Record>, String>;

struct Run<'a> {
    own: &'a Path,
    device: usize,
    full: bool,
    limit: Duration,
    scratch: &'a Path,
    only: Option<&'a str>,
    quiet: bool,
    start: Instant,
    total: usize,
    done: AtomicUsize,
    failed: AtomicUsize,
    line: Mutex<()>,
}

impl Run<'_> {
    fn progress(&self, area: &str) {
        let (done, failed) = (self.done.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed));
        let Ok(_line) = self.line.lock() else { return };
        if self.quiet || done == 0 {
            return;
        }
        let elapsed = self.start.elapsed().as_secs_f64();
        let left = elapsed / done as f64 * (self.total.saturating_sub(done)) as f64;
        eprint!(
            "\r[{:3.0}%] {done} of {} tests, {failed} failed, {:.0}:{:02.0} gone, about {:.0}:{:02.0} left: {area:<14}",
            100.0 * done as f64 / self.total.max(1) as f64,
            self.total,
            (elapsed / 60.0).floor(),
            elapsed % 60.0,
            (left / 60.0).floor(),
            (left % 60.0).floor()
        );
    }

    fn spawn(&self, area: &str, first: usize, results: &Path, log: &Path) -> Result<Child, String> {
        let log = std::fs::File::create(log).map_err(|e| e.to_string())?;
        let mut command = Command::new(self.own);
        command.args(["run-area", &self.device.to_string(), "--area", area, "--first", &first.to_string()]);
        command.arg("--results").arg(results).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if self.full {
            command.arg("--full");
        }
        if let Some(only) = self.only {
            command.args(["--only", only]);
        }
        command.spawn().map_err(|e| e.to_string())
    }

    /// All tests of an area.
    fn area(&self, area: &str, names: &[&str]) -> Result<Vec<Record>, String> {
        let mut records: Vec<Record> = Vec::new();
        let mut first = 0;
        for attempt in 0.. {
            let (results, log) =
                (self.scratch.join(format!("{area}-{attempt}")), self.scratch.join(format!("{area}-{attempt}.log")));
            let mut child = self.spawn(area, first, &results, &log)?;
            let mut seen = Seen::default();
            let ended = loop {
                let status = child.try_wait().map_err(|e| e.to_string())?;
                let text = std::fs::read_to_string(&results).unwrap_or_default();
                for record in seen.take(&text, area) {
                    self.done.fetch_add(1, Ordering::Relaxed);
                    self.failed.fetch_add(usize::from(record.verdict == Verdict::Fail), Ordering::Relaxed);
                    records.push(record);
                    self.progress(area);
                }
                match status {
                    Some(status) => break Some(status),
                    None if seen.since.is_some_and(|since| since.elapsed() > self.limit) => {
                        let _ = child.kill();
                        let _ = child.wait();
                        break None;
                    }
                    None => std::thread::sleep(Duration::from_millis(30)),
                }
            };
            if seen.ended {
                return Ok(records);
            }
            // The test that began last ended the process.
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(6).collect();
            let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
            let how = ended.map_or(format!("took more than {} s", self.limit.as_secs()), |status| format!("ended with {status}"));
            let Some(name) = seen.running else { return Err(format!("{area}: the process {how} outside of any test\n{tail}")) };
            let text = format!("the process {how}\n{tail}");
            first = names.iter().position(|n| *n == name).map_or(names.len(), |at| at + 1);
            records.push(Record { area: area.into(), name, verdict: Verdict::Fail, text, seconds: 0.0 });
            self.done.fetch_add(1, Ordering::Relaxed);
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(records)
    }
}

/// What has been read of a file of results.
#[derive(Default)]
struct Seen {
    lines: usize,
    running: Option<String>,
    since: Option<Instant>,
    ended: bool,
}

impl Seen {
    /// Tests that ended since the last look.
    fn take(&mut self, text: &str, area: &str) -> Vec<Record> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut records = Vec::new();
        let lines: Vec<&str> = whole.lines().collect();
        for line in &lines[self.lines.min(lines.len())..] {
            let (letter, rest) = line.split_once(' ').unwrap_or((line, ""));
            let verdict = match letter {
                "B" => {
                    self.running = Some(rest.to_owned());
                    self.since = Some(Instant::now());
                    continue;
                }
                "P" => Verdict::Pass,
                "F" => Verdict::Fail,
                "S" => Verdict::Skip,
                _ => {
                    self.ended = true;
                    self.since = None;
                    continue;
                }
            };
            let (seconds, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let text = text.replace("\\n", "\n").replace("\\\\", "\\");
            let Some(name) = self.running.take() else { continue };
            self.since = None;
            records.push(Record { area: area.into(), name, verdict, text, seconds: seconds.parse().unwrap_or(0.0) });
        }
        self.lines = lines.len();
        records
    }
}

/// Today, by the calendar: days since 1970 as year, month and day.
fn today() -> String {
    let days = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86400) as i64;
    // Years that begin in March: the day that leap years add is the last.
    let z = days + 719_468;
    let (era, day) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let rest = day - (365 * year + year / 4 - year / 100);
    let month = (5 * rest + 2) / 153;
    let date = rest - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{:04}-{month:02}-{date:02}", era * 400 + year + i64::from(month <= 2))
}

/// The front end's version, which our driver's results depend on.
fn compiler() -> Option<String> {
    let clang = clspv_bridge::front::clang::find(&clspv_bridge::driver::FrontConfig::default())?;
    let output = Command::new(clang).arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

/// Runs the suite; false if there are failures that are not expected.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let vendors = arguments.driver.as_deref().map(offer).transpose()?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-run-{}-results", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = run_in(arguments, &own, &scratch);
    for folder in vendors.iter().chain([&scratch]) {
        let _ = std::fs::remove_dir_all(folder);
    }
    result
}

fn run_in(arguments: &Arguments, own: &Path, scratch: &Path) -> Result<bool, String> {
    let expectations = match &arguments.expect {
        Some(path) => Expectations::parse(&std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?)?,
        None => Expectations::default(),
    };
    let before = arguments.compare.as_deref().map(Report::read).transpose()?;
    let first = names(own, 0, arguments.full)?;
    let devices = lines(&first, "device");
    let fits = |d: &&Vec<&str>| d[0] == arguments.device || d[1..].iter().any(|text| text.contains(&arguments.device));
    if arguments.list {
        devices.iter().for_each(|d| println!("device {}: {} [{}]", d[0], d[1], d.get(2).unwrap_or(&"")));
        AREAS
            .iter()
            .for_each(|a| println!("area {}: {} tests", a.0, lines(&first, "test").iter().filter(|t| t[0] == a.0).count()));
        return Ok(true);
    }
    let device = devices.iter().find(fits).ok_or_else(|| format!("no device fits '{}'", arguments.device))?;
    let device: usize = device[0].parse().map_err(|_| "no device")?;
    let text = if device == 0 { first.clone() } else { names(own, device, arguments.full)? };
    let tests = lines(&text, "test");
    let only = arguments.only.as_deref().and_then(|o| o.split_once('/'));
    let wanted = |area: &str| match only {
        Some((chosen, _)) => chosen == area,
        None => arguments.areas.is_empty() || arguments.areas.iter().any(|a| a == area),
    };
    if let Some(unknown) = arguments.areas.iter().find(|a| !AREAS.iter().any(|area| area.0 == *a)) {
        return Err(format!("there is no area {unknown}"));
    }
    let chosen: Vec<&str> = AREAS.iter().map(|a| a.0).filter(|a| wanted(a)).collect();
    let counted = |t: &&Vec<&str>| chosen.contains(&t[0]) && only.is_none_or(|o| o.1 == t[1]);
    let run = Run {
        own,
        device,
        full: arguments.full,
        limit: Duration::from_secs(arguments.limit.unwrap_or(if arguments.full { 1800 } else { 240 })),
        scratch,
        only: only.map(|o| o.1),
        quiet: arguments.quiet,
        start: Instant::now(),
        total: tests.iter().filter(counted).count(),
        done: AtomicUsize::new(0),
        failed: AtomicUsize::new(0),
        line: Mutex::new(()),
    };
    if run.total == 0 {
        return Err("no test is chosen".into());
    }
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, AreaResult)>> = Mutex::new(Vec::new());
    // The longest first.
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|i| (chosen[*i] != "math", chosen[*i] != "images"));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.clamp(1, 64) {
            scope.spawn(|| {
                while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let list: Vec<&str> = tests.iter().filter(|t| t[0] == chosen[at]).map(|t| t[1]).collect();
                    let result = run.area(chosen[at], &list);
                    if let Ok(mut all) = all.lock() {
                        all.push((at, result));
                    }
                }
            });
        }
    });
    if !arguments.quiet {
        eprintln!();
    }
    let mut all = all.into_inner().map_err(|_| "a worker panicked".to_string())?;
    all.sort_by_key(|a| a.0);
    let mut facts: Vec<(String, String)> = lines(&text, "fact").iter().map(|f| (f[0].to_owned(), f[1].to_owned())).collect();
    facts.push(("mode".into(), if arguments.full { "full" } else { "quick" }.into()));
    if chosen.len() < AREAS.len() {
        facts.push(("areas".into(), chosen.join(", ")));
    }
    facts.push(("date".into(), today()));
    facts.push(("tool".into(), concat!("conformance ", env!("CARGO_PKG_VERSION"), " at ", env!("CONFORMANCE_COMMIT")).into()));
    if facts.iter().any(|f| f.0 == "platform" && f.1 == "Pyroclast") {
        facts.extend(compiler().map(|text| ("compiler".to_owned(), text)));
    }
    let full = if arguments.full { " --full" } else { "" };
    let command = format!("conformance run --device '{}'{full}", arguments.device);
    let mut report = Report { facts, command, seconds: run.start.elapsed().as_secs_f64(), tests: Vec::new() };
    for (at, result) in all {
        match result {
            Ok(records) => report.tests.extend(records),
            Err(text) => report.tests.push(Record {
                area: chosen[at].into(),
                name: "the area".into(),
                verdict: Verdict::Fail,
                text,
                seconds: 0.0,
            }),
        }
    }
    finish(arguments, &report, &expectations, before.as_ref())
}

/// Writes the report and says what matters.
fn finish(arguments: &Arguments, report: &Report, expectations: &Expectations, before: Option<&Report>) -> Result<bool, String> {
    if let Some(folder) = &arguments.output {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for (name, text) in [("report.json", report.to_json()), ("report.md", report.to_markdown(expectations, before))] {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("{}", path.display());
        }
    }
    let mut good = true;
    for t in report.failures(expectations) {
        good = false;
        println!("FAILED {}: {}", t.path(), t.text);
    }
    for t in report.unexpected_passes(expectations) {
        println!("passed although expected to fail: {}", t.path());
    }
    let count = |v: Verdict| report.tests.iter().filter(|t| t.verdict == v).count();
    let (pass, fail, skip) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skip));
    println!("{}: {pass} passed, {fail} failed, {skip} skipped in {:.0} s", report.fact("device"), report.seconds);
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_line_by_line() {
        let mut seen = Seen::default();
        assert!(seen.take("B one\nP 0.1", "a").is_empty());
        let records = seen.take("B one\nP 0.100 \nB two\nF 2.5 a\\nb\nB three\n", "a");
        assert_eq!(records.iter().map(|r| r.verdict).collect::<Vec<_>>(), [Verdict::Pass, Verdict::Fail]);
        assert_eq!((records[1].text.as_str(), records[1].seconds), ("a\nb", 2.5));
        assert_eq!((seen.running.as_deref(), seen.ended), (Some("three"), false));
        assert!(seen.take("B one\nP 0.100 \nB two\nF 2.5 a\\nb\nB three\nS 0 x\nE\n", "a").len() == 1 && seen.ended);
    }

    #[test]
    fn dates() {
        assert!(today().as_str() > "2025-01-01" && today().len() == 10);
    }
}
