//! `run`: our own suite on an OpenCL device of any vendor, and a report. Only child processes of this tool
//! open the device, one for each area, so that crashes and hangs are results. The child writes its progress
//! to a file, and is started again with the remaining tests after one that ended it.

use crate::devices::{self, Listing};
use crate::report::compare::Comparison;
use crate::report::expectations::{Expectations, Expected};
use crate::report::{self, Record, Report, Verdict, html, markdown};
use crate::suite::{AREAS, Context, Sink};
use progress_line::Progress;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct RunArgs {
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
    /// Only every Nth test of each area
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Areas at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for one test; by default 240, with --full 1800
    #[arg(long)]
    limit: Option<u64>,
    /// File of expected failures and skips, with reasons
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// An earlier report, or one of another device, to compare with
    #[arg(long, value_name = "REPORT.json")]
    compare: Option<PathBuf>,
    /// Folder for report.json, report.md and report.html
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
    /// File for the table, besides standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `pages`.
#[derive(clap::Args)]
pub struct Pages {
    /// File of expected failures and skips, with reasons
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Folder with a report.json
    folder: PathBuf,
}

/// Arguments of `run-area`, which runs in child processes.
#[derive(clap::Args)]
pub struct RunAreaArgs {
    device: usize,
    #[arg(long)]
    full: bool,
    /// Runs the tests of an area; without it, lists them.
    #[arg(long, requires_all = ["tests", "results"])]
    area: Option<String>,
    /// File of names: the tests to run.
    #[arg(long)]
    tests: Option<PathBuf>,
    #[arg(long)]
    results: Option<PathBuf>,
}

/// Arguments of `print-one`.
#[derive(clap::Args)]
pub struct PrintOne {
    device: usize,
    case: usize,
}

/// Puts reports side by side. Returns true if all tests end alike.
pub fn compare_reports(arguments: &Compare) -> Result<bool, String> {
    let reports = arguments.reports.iter().map(|p| Report::read(p)).collect::<Result<Vec<_>, _>>()?;
    let comparison = Comparison::of(&reports.iter().collect::<Vec<_>>());
    let text = markdown::comparison(&comparison);
    println!("{text}");
    if let Some(path) = &arguments.output {
        let is_html = path.extension().is_some_and(|e| e == "html");
        let page = if is_html {
            html::comparison_page(&comparison)
        } else {
            format!("# Devices compared\n\n{text}")
        };
        std::fs::write(path, page).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(comparison.tests.is_empty() && comparison.missing == 0)
}

/// Writes the pages of a report again. Returns true if it is as expected.
pub fn pages(arguments: &Pages) -> Result<bool, String> {
    let expectations = Expectations::read(arguments.expect.as_deref())?;
    let report = Report::read(&arguments.folder.join("report.json"))?;
    report::write(&report, &arguments.folder, &expectations, None)?;
    Ok(report.conclude(&expectations))
}

/// Prints the output of a kernel, for the area `printf`.
pub fn print_one(arguments: &PrintOne) -> Result<bool, String> {
    crate::suite::printf::print_one(arguments.device, arguments.case).map(|()| true)
}

/// In a child process: runs the tests of an area, or lists devices, facts and tests.
pub fn one(arguments: &RunAreaArgs) -> Result<bool, String> {
    devices::in_child(arguments.device, |api, all, device| {
        let context = Context { api, device, quick: !arguments.full };
        let (Some(name), Some(tests), Some(path)) = (&arguments.area, &arguments.tests, &arguments.results)
        else {
            devices::list(all, &context);
            return Ok(true);
        };
        let area = AREAS.iter().find(|a| a.0 == name).ok_or("no such area")?;
        let file =
            std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(|e| e.to_string())?;
        let chosen = std::fs::read_to_string(tests).map_err(|e| e.to_string())?;
        let goes_on = || context.is_usable();
        let mut sink = Sink::running(chosen.lines().map(str::to_owned).collect(), file, &goes_on);
        (area.1)(&context, &mut sink);
        sink.end();
        Ok(true)
    })?
}

struct Run<'a> {
    device: usize,
    full: bool,
    limit: Duration,
    scratch: &'a Path,
    progress: Progress,
}

impl Run<'_> {
    fn spawn(&self, area: &str, tests: &Path, results: &Path, log: &Path) -> Result<Child, String> {
        let log = std::fs::File::create(log).map_err(|e| e.to_string())?;
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.args(["run-area", &self.device.to_string(), "--area", area]).arg("--tests").arg(tests);
        command.arg("--results").arg(results).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if self.full {
            command.arg("--full");
        }
        command.spawn().map_err(|e| e.to_string())
    }

    /// Tests of an area.
    fn area(&self, area: &str, names: &[&str]) -> Result<Vec<Record>, String> {
        let mut records: Vec<Record> = Vec::new();
        let mut left = names;
        for attempt in 0.. {
            let file = |kind: &str| self.scratch.join(format!("{area}-{attempt}{kind}"));
            let (tests, results, log) = (file(".tests"), file(""), file(".log"));
            std::fs::write(&tests, left.join("\n")).map_err(|e| e.to_string())?;
            let mut child = self.spawn(area, &tests, &results, &log)?;
            let mut seen = Seen::default();
            let ended = loop {
                let status = child.try_wait().map_err(|e| e.to_string())?;
                let text = std::fs::read_to_string(&results).unwrap_or_default();
                for record in seen.take(&text, area) {
                    self.progress.done(&record.path(), record.seconds, record.verdict == Verdict::Fail);
                    records.push(record);
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
            let behind = |name: &str| {
                left.iter().position(|n| *n == name).and_then(|at| left.get(at + 1..)).unwrap_or_default()
            };
            // The device is lost: another process runs the remaining tests.
            if let Some(last) = seen.lost {
                left = behind(&last);
                continue;
            }
            // The last test that began ended the process.
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(6).collect();
            let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
            let how = ended.map_or(format!("took more than {} s", self.limit.as_secs()), |status| {
                format!("ended with {status}")
            });
            let Some(name) = seen.running else {
                return Err(format!("{area}: the process {how} outside of any test\n{tail}"));
            };
            let text = format!("the process {how}\n{tail}");
            left = behind(&name);
            let seconds = seen.since.map_or(0.0, |since| since.elapsed().as_secs_f64());
            let record = Record { area: area.into(), name, verdict: Verdict::Fail, text, seconds };
            self.progress.done(&record.path(), record.seconds, true);
            records.push(record);
        }
        Ok(records)
    }
}

/// The part of a file of results that has been read.
#[derive(Default)]
struct Seen {
    lines: usize,
    running: Option<String>,
    since: Option<Instant>,
    ended: bool,
    /// The test after which the process could not continue.
    lost: Option<String>,
    last: Option<String>,
}

impl Seen {
    /// Tests that ended since the last call.
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
                "L" => {
                    self.lost = self.last.clone();
                    continue;
                }
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
            self.last = Some(name.clone());
            records.push(Record {
                area: area.into(),
                name,
                verdict,
                text,
                seconds: seconds.parse().unwrap_or(0.0),
            });
        }
        self.lines = lines.len();
        records
    }
}

/// Runs the suite. Returns false if a result is not as expected.
pub fn run(arguments: &RunArgs) -> Result<bool, String> {
    let _vendors = arguments.driver.as_deref().map(devices::offer).transpose()?;
    if arguments.list {
        let listing = Listing::ask(0, arguments.full)?;
        listing.devices.iter().for_each(|d| println!("device {}: {} [{}]", d.index, d.name, d.platform));
        for (area, _) in AREAS {
            println!("area {area}: {} tests", listing.tests.iter().filter(|t| t.0 == *area).count());
        }
        return Ok(true);
    }
    let scratch = std::env::temp_dir().join(format!("pyroclast-run-{}-results", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = run_in(arguments, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

/// The selected tests, by area.
fn choose<'a>(
    arguments: &RunArgs,
    tests: &'a [(String, String)],
) -> Result<Vec<(&'static str, Vec<&'a str>)>, String> {
    if let Some(unknown) = arguments.areas.iter().find(|a| !AREAS.iter().any(|area| area.0 == *a)) {
        return Err(format!("there is no area {unknown}"));
    }
    let only = arguments.only.as_deref().and_then(|o| o.split_once('/'));
    let mut chosen = Vec::new();
    for (area, _) in AREAS {
        if only.is_none() && !arguments.areas.is_empty() && !arguments.areas.iter().any(|a| a == area) {
            continue;
        }
        let names =
            tests.iter().filter(|t| t.0 == *area).map(|t| t.1.as_str()).step_by(arguments.every.max(1));
        let names: Vec<&str> = names.filter(|name| only.is_none_or(|o| o == (*area, *name))).collect();
        if !names.is_empty() {
            chosen.push((*area, names));
        }
    }
    if chosen.is_empty() { Err("no test is chosen".into()) } else { Ok(chosen) }
}

fn run_in(arguments: &RunArgs, scratch: &Path) -> Result<bool, String> {
    let expectations = Expectations::read(arguments.expect.as_deref())?;
    let before = arguments.compare.as_deref().map(Report::read).transpose()?;
    let (device, listing) = Listing::of(&arguments.device, arguments.full)?;
    let mut chosen = choose(arguments, &listing.tests)?;
    let mut tests: Vec<Record> = Vec::new();
    for (area, names) in &mut chosen {
        names.retain(|name| match expectations.of(&format!("{area}/{name}")) {
            Some((Expected::Exclude, reason)) => {
                let text = format!("excluded: {reason}");
                tests.push(Record {
                    area: (*area).into(),
                    name: (*name).into(),
                    verdict: Verdict::Skip,
                    seconds: 0.0,
                    text,
                });
                false
            }
            _ => true,
        });
    }
    let known = |path: &str| {
        before.as_ref().and_then(|b| b.tests.iter().find(|t| t.path() == path)).map(|t| t.seconds)
    };
    let paths =
        chosen.iter().flat_map(|(area, names)| names.iter().map(move |name| format!("{area}/{name}")));
    let jobs = arguments.jobs.clamp(1, 64);
    let run = Run {
        device,
        full: arguments.full,
        limit: Duration::from_secs(arguments.limit.unwrap_or(if arguments.full { 1800 } else { 240 })),
        scratch,
        progress: Progress::new(arguments.quiet, "tests", jobs, paths.map(|p| (p.clone(), known(&p)))),
    };
    let (next, ended) = (AtomicUsize::new(0), Mutex::new(tests));
    // The longest first.
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|i| (chosen[*i].0 != "math", chosen[*i].0 != "images"));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((area, names)) =
                    order.get(next.fetch_add(1, Ordering::Relaxed)).map(|at| &chosen[*at])
                {
                    let result = if names.is_empty() { Ok(Vec::new()) } else { run.area(area, names) };
                    let records = result.unwrap_or_else(|text| {
                        let name = "the area".to_owned();
                        vec![Record {
                            area: (*area).into(),
                            name,
                            verdict: Verdict::Fail,
                            text,
                            seconds: 0.0,
                        }]
                    });
                    if let Ok(mut ended) = ended.lock() {
                        ended.extend(records);
                    }
                }
            });
        }
    });
    run.progress.clear();
    let mut tests = ended.into_inner().map_err(|_| "a worker panicked".to_string())?;
    tests.sort_by_key(|t| AREAS.iter().position(|a| a.0 == t.area));
    let mut facts = listing.facts(if arguments.full { "full" } else { "quick" });
    if chosen.len() < AREAS.len() {
        facts.insert("areas".into(), chosen.iter().map(|c| c.0).collect::<Vec<_>>().join(", "));
    }
    if arguments.every > 1 {
        facts.insert("tests".into(), format!("one of {} of each area", arguments.every));
    }
    let full = if arguments.full { " --full" } else { "" };
    let command = format!("conformance run --device '{}'{full}", arguments.device);
    let report = Report::new(facts, command, run.progress.elapsed(), tests);
    if let Some(folder) = &arguments.output {
        report::write(&report, folder, &expectations, before.as_ref())?;
        println!("reports are in {}", folder.display());
    }
    Ok(report.conclude(&expectations))
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
        assert!(
            seen.take("B one\nP 0.100 \nB two\nF 2.5 a\\nb\nB three\nS 0 x\nE\n", "a").len() == 1
                && seen.ended
        );
        assert_eq!(seen.lost, None);
        let mut seen = Seen::default();
        assert_eq!(seen.take("B one\nP 0.1 \nB two\nF 2.5 a\nL\n", "a").len(), 2);
        assert_eq!((seen.lost.as_deref(), seen.ended), (Some("two"), false));
    }
}
