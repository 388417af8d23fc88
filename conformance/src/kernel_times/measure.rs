//! In a child process: builds one kernel on two devices, compares what it writes, and measures launches in
//! rounds that alternate between the devices.
//!
//! The process reports in lines on standard output and waits for a line on standard input before it measures,
//! so that only one kernel is measured at a time.

use super::table::{LaunchTimes, Results};
use crate::execute::data::{Difference, compare};
use crate::execute::plan::{ExecutionPlan, KernelPlan};
use crate::execute::prepared::PreparedKernel;
use crate::execute::{error_line, exact_source};
use std::path::PathBuf;
use std::time::Instant;
use test_support::cl::{Api, Device, Session};

/// Arguments of `kernel-times-one`.
#[derive(clap::Args)]
pub struct KernelTimesOneArgs {
    /// Plan of one kernel
    plan: PathBuf,
    /// Build options of the kernel that is measured
    #[arg(allow_hyphen_values = true)]
    options: String,
    platform: String,
    /// Empty: the first other platform
    reference: String,
    /// Seconds to measure
    seconds: f64,
}

/// Length of a round in seconds.
const ROUND: f64 = 0.015;
/// Minimum number of rounds, and maximum number of launches in one.
const MIN_ROUNDS: usize = 3;
const MAX_LAUNCHES: usize = 2000;

/// A message to the parent process, as text of one line.
#[derive(PartialEq, Debug)]
pub enum WorkerReport {
    /// The devices' names, ours first.
    Devices([String; 2]),
    /// The kernel has run on one of the devices.
    Built(usize),
    /// The outputs have been compared; the measurement waits for a line.
    Ready(Results),
    Times([LaunchTimes; 2]),
    Failed(String),
}

impl WorkerReport {
    fn print(&self) {
        let text = match self {
            WorkerReport::Devices([ours, reference]) => format!("devices\t{ours}\t{reference}"),
            WorkerReport::Built(side) => format!("built\t{side}"),
            WorkerReport::Ready(results) => {
                format!("ready\t{}", results.to_string().replace(['\n', '\t'], " "))
            }
            WorkerReport::Times([a, b]) => format!("times\t{}\t{}\t{}\t{}", a.min, a.median, b.min, b.median),
            WorkerReport::Failed(why) => format!("failed\t{}", why.replace(['\n', '\t'], " ")),
        };
        println!("{text}");
    }

    /// Parses a line; `None` for lines that a driver prints.
    pub fn parse(line: &str) -> Option<WorkerReport> {
        let number = |text: &str| text.parse::<f64>().ok();
        Some(match *line.trim_end().split('\t').collect::<Vec<_>>() {
            ["devices", ours, reference] => WorkerReport::Devices([ours.into(), reference.into()]),
            ["built", side] => WorkerReport::Built(side.parse().ok().filter(|side| *side < 2)?),
            ["ready", results] => WorkerReport::Ready(Results::parse(results)),
            ["times", a, b, c, d] => WorkerReport::Times([
                LaunchTimes { min: number(a)?, median: number(b)? },
                LaunchTimes { min: number(c)?, median: number(d)? },
            ]),
            ["failed", why] => WorkerReport::Failed(why.into()),
            _ => return None,
        })
    }
}

/// Measures a kernel and prints reports.
pub fn one(arguments: &KernelTimesOneArgs) -> Result<bool, String> {
    let outcome = measure(arguments);
    if let Err(why) = &outcome {
        WorkerReport::Failed(why.clone()).print();
    }
    Ok(outcome.is_ok())
}

fn measure(arguments: &KernelTimesOneArgs) -> Result<(), String> {
    let text = std::fs::read_to_string(&arguments.plan).map_err(|e| e.to_string())?;
    let plan = ExecutionPlan::parse(&text)?;
    let kernel = plan.kernels.first().ok_or("a plan without a kernel")?;
    let api = Api::load()?;
    let devices = api.devices()?;
    let ours = find(&devices, &arguments.platform)?;
    let reference = match arguments.reference.as_str() {
        "" => devices.iter().find(|d| d.platform != ours.platform).ok_or("no other platform")?,
        name => find(&devices, name)?,
    };
    WorkerReport::Devices([ours, reference].map(|d| format!("{} [{}]", d.name, d.platform))).print();
    let sessions = [Session::new(&api, ours)?, Session::new(&api, reference)?];
    let source = std::fs::read(&plan.source).map_err(|e| format!("{}: {e}", plan.source))?;
    let source = String::from_utf8_lossy(&source);
    let [ours, reference] = build_both(&sessions, &source, &arguments.options, kernel, true)?;
    let results = compare_results(&sessions, &plan, kernel, [&ours.written, &reference.written])?;
    WorkerReport::Ready(results).print();
    std::io::stdin().read_line(&mut String::new()).map_err(|e| e.to_string())?;
    let sides = [ours, reference].map(|built| built.prepared);
    WorkerReport::Times(alternate([&sessions[0], &sessions[1]], &sides, arguments.seconds)?).print();
    Ok(())
}

/// The first device of a platform with this part of its name, or else the first with this part of its own
/// name.
fn find<'a>(devices: &'a [Device], name: &str) -> Result<&'a Device, String> {
    let of_platform = devices.iter().find(|d| d.platform.contains(name));
    let found = of_platform.or_else(|| devices.iter().find(|d| d.name.contains(name)));
    found.ok_or_else(|| format!("no platform or device is called {name}"))
}

/// A kernel that has run once, and what it wrote.
struct Built<'a> {
    prepared: PreparedKernel<'a>,
    written: Vec<u8>,
}

fn build<'a>(
    session: &'a Session<'a>,
    source: &str,
    options: &str,
    kernel: &'a KernelPlan,
) -> Result<Built<'a>, String> {
    let built = || {
        let program = session.build(source, options)?;
        let prepared = PreparedKernel::new(session, &program, kernel)?;
        let written = prepared.run()?;
        Ok(Built { prepared, written })
    };
    built().map_err(|error: String| format!("{}: {}", session.device.platform, error_line(&error)))
}

/// Builds and runs the kernel on both devices at a time.
fn build_both<'a>(
    sessions: &'a [Session<'a>; 2],
    source: &str,
    options: &str,
    kernel: &'a KernelPlan,
    reports: bool,
) -> Result<[Built<'a>; 2], String> {
    let side = |side: usize| -> Result<Built<'a>, String> {
        let built = build(&sessions[side], source, options, kernel)?;
        if reports {
            WorkerReport::Built(side).print();
        }
        Ok(built)
    };
    std::thread::scope(|scope| {
        let reference = scope.spawn(move || side(1));
        let ours = side(0);
        let reference = reference.join().map_err(|_| "a build panicked".to_string())?;
        Ok([ours?, reference?])
    })
}

/// Compares what the kernel wrote. Where options allow inexact results, and where they differ, it is built
/// again with exact arithmetic, and then with functions of mathematics in double precision.
fn compare_results(
    sessions: &[Session<'_>; 2],
    plan: &ExecutionPlan,
    kernel: &KernelPlan,
    [ours, reference]: [&[u8]; 2],
) -> Result<Results, String> {
    match compare(kernel.memories(), ours, reference) {
        Difference::None(_) if *reference == kernel.initial() => return Ok(Results::NoEffect),
        Difference::None(_) => return Ok(Results::Match),
        Difference::At(_) => {}
    }
    let mut difference = String::new();
    for (rounded, results) in [(false, Results::MatchExact), (true, Results::MatchRounded)] {
        let source = exact_source(&ExecutionPlan { rounded, ..plan.clone() })?;
        let [ours, reference] = build_both(sessions, &source, &plan.options, kernel, false)?;
        match compare(kernel.memories(), &ours.written, &reference.written) {
            Difference::None(_) => return Ok(results),
            Difference::At(text) => difference = text,
        }
    }
    let source = exact_source(plan)?;
    let [once, again] = [(); 2].map(|()| build(&sessions[1], &source, &plan.options, kernel));
    Ok(if once?.written == again?.written { Results::Differ(difference) } else { Results::Vary })
}

/// Times of launches on both devices, in rounds that alternate.
fn alternate(
    sessions: [&Session<'_>; 2],
    kernels: &[PreparedKernel<'_>; 2],
    seconds: f64,
) -> Result<[LaunchTimes; 2], String> {
    let round = |side: usize, launches: usize| -> Result<f64, String> {
        let start = Instant::now();
        (0..launches).try_for_each(|_| kernels[side].launch())?;
        sessions[side].finish()?;
        Ok(start.elapsed().as_secs_f64() / launches as f64)
    };
    let launches = |side: usize| -> Result<usize, String> {
        let mut launches = 1;
        loop {
            let time = round(side, launches)?;
            if time * launches as f64 > ROUND / 2.0 || launches == MAX_LAUNCHES {
                return Ok(((ROUND / time) as usize).clamp(1, MAX_LAUNCHES));
            }
            launches = ((ROUND / time) as usize).clamp(launches + 1, 4 * launches).min(MAX_LAUNCHES);
        }
    };
    let launches = [launches(0)?, launches(1)?];
    let begin = Instant::now();
    let mut times = [Vec::new(), Vec::new()];
    while times[0].len() < MIN_ROUNDS || begin.elapsed().as_secs_f64() < seconds {
        for side in [0, 1] {
            times[side].push(round(side, launches[side])?);
        }
    }
    Ok(times.map(LaunchTimes::of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_back() {
        let times = |min, median| LaunchTimes { min, median };
        assert_eq!(
            WorkerReport::parse("times\t1\t2e-6\t3\t4"),
            Some(WorkerReport::Times([times(1.0, 2e-6), times(3.0, 4.0)]))
        );
        assert_eq!(WorkerReport::parse("ready\tmatch\n"), Some(WorkerReport::Ready(Results::Match)));
        assert_eq!(WorkerReport::parse("built\t2"), None);
        assert_eq!(WorkerReport::parse("a driver's message"), None);
    }

    #[test]
    fn platforms_come_before_devices() {
        let device = |platform: &str, name: &str| Device {
            id: std::ptr::null_mut(),
            platform: platform.into(),
            name: name.into(),
        };
        let devices = [device("Pyroclast", "NVIDIA H200"), device("NVIDIA CUDA", "NVIDIA H200")];
        let of = |name| find(&devices, name).map(|d| d.platform.as_str());
        assert_eq!(of("NVIDIA"), Ok("NVIDIA CUDA"));
        assert_eq!(of("H200"), Ok("Pyroclast"));
        assert!(of("Portable").is_err());
    }
}
