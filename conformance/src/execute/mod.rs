//! `execute`: runs the kernels of a corpus with generated data on two OpenCL platforms and compares what they write.
//!
//! What a kernel is given follows from its arguments' types and names ([`plan`]); a file of settings corrects that by
//! kernel. Each file runs in a process of its own on each platform, so that a crash is the result of one kernel. A kernel counts
//! only if it changed a buffer or an image; one whose results the reference itself does not repeat is told apart, and so is one whose results
//! match when both platforms compute functions of mathematics in double precision and round ([`functions`]), or
//! are as close to those in double precision as the reference's ([`exact`]). Programs are built with exact arithmetic: without relaxed
//! mathematics, without contraction, and with the usual functions in place of those whose precision is the implementation's.

mod data;
mod exact;
mod functions;
mod image;
mod plan;

use super::manifest::{Entry, Selection};
use crate::cl::{Api, Arg, Buffer, HostData, Image, Program, Sampler, Session};
use data::{Difference, compare};
use image::PlannedImage;
use plan::{KernelPlan, Plan, PlannedArg, Settings};
use pyroclast_runtime::cl::{CL_ADDRESS_CLAMP_TO_EDGE, CL_MEM_READ_WRITE};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// Arguments of `execute`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Platform under test: part of its name
    #[arg(long, default_value = "Pyroclast")]
    platform: String,
    /// Platform to compare with: part of its name
    #[arg(long, default_value = "Portable Computing Language")]
    reference: String,
    /// The driver under test; by default libpyroclast.so beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// Settings of single kernels
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// What images of floating-point numbers hold: float, half or bytes (normalised)
    #[arg(long, default_value = "float")]
    texels: String,
}

/// Arguments of `execute-one`.
#[derive(clap::Args)]
pub struct One {
    plan: PathBuf,
    /// Part of the platform's name
    platform: String,
    /// Where the buffers go
    folder: PathBuf,
}

/// What came out of one kernel.
#[derive(Clone, PartialEq, Debug)]
enum Verdict {
    /// Equal, floating-point numbers within so many units in the last place.
    Match(u64),
    /// It wrote nothing on either platform.
    NoEffect,
    /// It cannot be given data, or the settings say so.
    NotRun(String),
    /// It differs, but not when both compute functions of mathematics in double precision and round.
    SameFunctions(u64),
    /// It differs, but is about as far from the exact result as the reference: in units of the last place.
    AsExact(f64, f64),
    /// The reference's results change from run to run.
    Varies,
    /// The reference failed.
    NoReference(String),
    Differs(String),
    Failed(String),
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Verdict::Match(_) => "match",
            Verdict::SameFunctions(_) => "functions",
            Verdict::NoEffect => "no effect",
            Verdict::NotRun(_) => "not run",
            Verdict::AsExact(..) => "as exact",
            Verdict::Varies => "varies",
            Verdict::NoReference(_) => "no reference",
            Verdict::Differs(_) => "DIFFERS",
            Verdict::Failed(_) => "FAILED",
        }
    }
    fn is_bad(&self) -> bool {
        matches!(self, Verdict::Differs(_) | Verdict::Failed(_))
    }
}

/// Runs a plan's kernels on one platform and writes their buffers and images, or an error, to a folder.
pub fn one(arguments: &One) -> Result<bool, String> {
    let text =
        std::fs::read_to_string(&arguments.plan).map_err(|e| format!("{}: {e}", arguments.plan.display()))?;
    let plan = Plan::parse(&text)?;
    let source = std::fs::read(&plan.source).map_err(|e| format!("{}: {e}", plan.source))?;
    // Whether products and sums are fused is up to the implementation otherwise.
    let pragma = "#pragma OPENCL FP_CONTRACT OFF";
    let source =
        format!("{}{pragma}\n{}", functions::prelude(plan.rounded), String::from_utf8_lossy(&source));
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.iter().find(|d| d.platform.contains(&arguments.platform));
    let device = device.ok_or_else(|| format!("no platform is called {}", arguments.platform))?;
    let session = Session::new(&api, device)?;
    let program = session.build(&source, &plan.options)?;
    let put = |name: String, bytes: &[u8]| {
        let path = arguments.folder.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    for kernel in &plan.kernels {
        let outcome = launch(&session, &program, kernel);
        match outcome {
            Ok(results) => put(format!("{}.bin", kernel.name), &results.concat())?,
            Err(error) => put(format!("{}.error", kernel.name), error.as_bytes())?,
        }
    }
    Ok(true)
}

/// An argument's object.
enum Object<'a> {
    Buffer(Buffer<'a>),
    Image(Image<'a>),
    Sampler(Sampler<'a>),
    None,
}

/// Runs one kernel; the contents of its buffers and images afterwards.
fn launch(session: &Session<'_>, program: &Program<'_>, kernel: &KernelPlan) -> Result<Vec<Vec<u8>>, String> {
    let handle = program.kernel(&kernel.name)?;
    let mut objects = Vec::new();
    for (seed, arg) in kernel.args.iter().enumerate() {
        objects.push(match arg {
            PlannedArg::Buffer(contents) => {
                let buffer = session.buffer(contents.bytes)?;
                session.write(&buffer, &contents.generate(seed as u32))?;
                Object::Buffer(buffer)
            }
            PlannedArg::Image(image) => {
                let bytes = image.contents().generate(seed as u32);
                let data = HostData { bytes: &bytes, row_pitch: 0, slice_pitch: 0 };
                let (kind, size) = (PlannedImage::KIND, PlannedImage::SIZE);
                let texel = image.texel_bytes();
                Object::Image(session.image(
                    CL_MEM_READ_WRITE,
                    image.format(),
                    kind,
                    size,
                    texel,
                    Some(data),
                )?)
            }
            PlannedArg::Sampler(s) => {
                Object::Sampler(session.sampler(s.normalized, CL_ADDRESS_CLAMP_TO_EDGE, s.filter())?)
            }
            _ => Object::None,
        });
    }
    let args: Vec<Arg<'_>> = kernel
        .args
        .iter()
        .zip(&objects)
        .map(|(arg, object)| match (arg, object) {
            (_, Object::Buffer(b)) => Arg::Buffer(b),
            (_, Object::Image(i)) => Arg::Image(i),
            (_, Object::Sampler(s)) => Arg::Sampler(s),
            (PlannedArg::Value(bytes), _) => Arg::Bytes(bytes),
            (PlannedArg::Local(bytes), _) => Arg::Local(*bytes),
            _ => Arg::Null,
        })
        .collect();
    handle.set(&args)?;
    handle.launch(&kernel.global, kernel.local.as_deref())?;
    session.finish()?;
    let mut results = Vec::new();
    let memories = objects.iter().filter(|o| matches!(o, Object::Buffer(_) | Object::Image(_)));
    for (object, memory) in memories.zip(kernel.memories()) {
        let mut bytes = vec![0u8; memory.contents.bytes];
        match object {
            Object::Buffer(buffer) => session.read(buffer, &mut bytes)?,
            Object::Image(image) => session.read_image(image, [0; 3], image.size, [0, 0], &mut bytes)?,
            _ => {}
        }
        results.push(bytes);
    }
    Ok(results)
}

/// A vendors folder with the system's drivers and the one under test.
fn offer_driver(library: &Path, folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let library = library.canonicalize().map_err(|e| format!("{}: {e}", library.display()))?;
    let system = std::env::var("OCL_ICD_VENDORS").unwrap_or_else(|_| "/etc/OpenCL/vendors".into());
    for entry in std::fs::read_dir(system).into_iter().flatten().flatten() {
        let _ = std::fs::copy(entry.path(), folder.join(entry.file_name()));
    }
    std::fs::write(folder.join("00-under-test.icd"), format!("{}\n", library.display()))
        .map_err(|e| e.to_string())
}

/// Results of the kernels of a plan on one platform; an error for a kernel that has none. A process that crashes ends
/// with the kernel it runs: another one goes on behind it.
fn run_plan(plan: &Plan, platform: &str, run: &Run<'_>, folder: &Path) -> Results {
    let mut results = BTreeMap::new();
    let mut rest = plan.clone();
    while !rest.kernels.is_empty() {
        let (ended, signalled) = run_process(&rest, platform, run, folder).unwrap_or_else(|e| (e, false));
        let mut crashed = false;
        rest.kernels.retain(|kernel| {
            let result = match std::fs::read(folder.join(format!("{}.bin", kernel.name))) {
                Ok(bytes) => Ok(bytes),
                Err(_) => match std::fs::read_to_string(folder.join(format!("{}.error", kernel.name))) {
                    Ok(error) => Err(error),
                    Err(_) if crashed => return true,
                    Err(_) => {
                        crashed = signalled;
                        Err(ended.clone())
                    }
                },
            };
            results.insert(kernel.name.clone(), result);
            false
        });
    }
    results
}

/// Runs a plan's kernels in a process until it ends; how it ended, empty if well, and whether by a signal.
fn run_process(plan: &Plan, platform: &str, run: &Run<'_>, folder: &Path) -> Result<(String, bool), String> {
    let (log, file) = (folder.join("log"), folder.join("plan"));
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    std::fs::write(&file, plan.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let stderr = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut command = Command::new(own);
    command.arg("execute-one").arg(file).arg(platform).arg(folder).current_dir(run.dir);
    command.env("OCL_ICD_VENDORS", run.vendors).env_remove("OCL_ICD_FILENAMES");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    match crate::process::run_limited(&mut command, run.limit).map_err(|e| e.to_string())? {
        Some(status) if status.success() => Ok((String::new(), false)),
        Some(status) => {
            let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
            let line = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or_default();
            Ok((format!("{status}: {}", line.chars().take(160).collect::<String>()), status.code().is_none()))
        }
        None => Ok((format!("more than {} s", run.limit.as_secs()), false)),
    }
}

/// What all entries share.
struct Run<'a> {
    dir: &'a Path,
    vendors: &'a Path,
    limit: Duration,
    platform: &'a str,
    reference: &'a str,
    settings: &'a Settings,
}

/// Plans, runs and compares one entry.
fn attempt(entry: &Entry, run: &Run<'_>, scratch: &Path) -> Result<Vec<(String, Verdict)>, String> {
    let (plan, mut verdicts) = plan::derive(entry, run.dir, run.settings)?;
    if plan.kernels.is_empty() {
        return Ok(verdicts.drain(..).map(|(k, why)| (k, Verdict::NotRun(why))).collect());
    }
    let ours = run_plan(&plan, run.platform, run, &scratch.join("ours"));
    let theirs = run_plan(&plan, run.reference, run, &scratch.join("reference"));
    let mut again = None;
    let mut rounded = None;
    let mut opinion = None;
    let mut out: Vec<(String, Verdict)> =
        verdicts.drain(..).map(|(k, why)| (k, Verdict::NotRun(why))).collect();
    for kernel in &plan.kernels {
        let verdict = match (&ours[&kernel.name], &theirs[&kernel.name]) {
            (_, Err(e)) => Verdict::NoReference(e.clone()),
            (Err(e), _) => Verdict::Failed(e.clone()),
            (Ok(a), Ok(b)) => match compare(kernel, a, b) {
                Difference::None(_) if *b == kernel.initial() => Verdict::NoEffect,
                Difference::None(ulps) => Verdict::Match(ulps),
                Difference::At(text) => {
                    let again = again
                        .get_or_insert_with(|| run_plan(&plan, run.reference, run, &scratch.join("again")));
                    if again[&kernel.name].as_ref() != Ok(b) {
                        Verdict::Varies
                    } else if let Some(ulps) =
                        rounded.get_or_insert_with(|| with_same_functions(&plan, run, scratch)).within(kernel)
                    {
                        Verdict::SameFunctions(ulps)
                    } else {
                        let exact =
                            opinion.get_or_insert_with(|| third_opinion(entry, run, &scratch.join("exact")));
                        judge(kernel, [a, b], exact, text)
                    }
                }
            },
        };
        out.push((kernel.name.clone(), verdict));
    }
    Ok(out)
}

/// Results of kernels on one platform, or errors.
type Results = BTreeMap<String, Result<Vec<u8>, String>>;

/// Results of both platforms with the same functions of mathematics.
struct SameFunctions {
    ours: Results,
    theirs: Results,
}

fn with_same_functions(plan: &Plan, run: &Run<'_>, scratch: &Path) -> SameFunctions {
    let plan = Plan { rounded: true, ..plan.clone() };
    SameFunctions {
        ours: run_plan(&plan, run.platform, run, &scratch.join("ours-rounded")),
        theirs: run_plan(&plan, run.reference, run, &scratch.join("reference-rounded")),
    }
}

impl SameFunctions {
    /// How far the results of a kernel are apart, if they match.
    fn within(&self, kernel: &KernelPlan) -> Option<u64> {
        let (Ok(a), Ok(b)) = (&self.ours[&kernel.name], &self.theirs[&kernel.name]) else { return None };
        match compare(kernel, a, b) {
            Difference::None(ulps) if *b != kernel.initial() => Some(ulps),
            _ => None,
        }
    }
}

/// The plan of an entry in double precision, and what the reference makes of it.
type Opinion = (Plan, Results);

fn third_opinion(entry: &Entry, run: &Run<'_>, scratch: &Path) -> Result<Opinion, String> {
    let plan = exact::plan(entry, run.dir, run.settings, &scratch.join("source"))?;
    let results = run_plan(&plan, run.reference, run, scratch);
    Ok((plan, results))
}

/// The verdict about results of ours and of the reference that differ.
fn judge(
    kernel: &KernelPlan,
    results: [&[u8]; 2],
    opinion: &Result<Opinion, String>,
    text: String,
) -> Verdict {
    let distances = || -> Result<(f64, f64), String> {
        let (plan, exact) = opinion.as_ref().map_err(String::clone)?;
        let wide = plan.kernels.iter().find(|k| k.name == kernel.name).ok_or("the kernel is gone")?;
        let exact = exact.get(&kernel.name).ok_or("no result")?.as_ref().map_err(String::clone)?;
        let [ours, reference] = exact::distances(kernel, results, wide, exact).ok_or("other arguments")?;
        Ok((ours, reference))
    };
    match distances() {
        Ok((ours, reference)) if exact::is_as_good(ours, reference) => Verdict::AsExact(ours, reference),
        Ok((ours, reference)) => {
            Verdict::Differs(format!("{text}; {ours:.1} ulp from exact, the reference {reference:.1}"))
        }
        Err(why) => Verdict::Differs(format!(
            "{text}; in double precision: {}",
            why.lines().find(|l| l.contains("error")).unwrap_or(&why)
        )),
    }
}

/// Runs the corpus.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let selection = &arguments.selection;
    let corpus = selection.read()?;
    let driver = match &arguments.driver {
        Some(path) => path.clone(),
        None => std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("libpyroclast.so"),
    };
    let mut settings = match &arguments.settings {
        Some(path) => {
            Settings::parse(&std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?)?
        }
        None => Settings::parse(include_str!("../../settings.txt"))?,
    };
    settings.set_texels(&arguments.texels)?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-execute-{}", std::process::id()));
    let vendors = scratch.join("vendors");
    offer_driver(&driver, &vendors)?;
    let run = Run {
        dir: &corpus.dir,
        vendors: &vendors,
        limit: corpus.limit,
        platform: &arguments.platform,
        reference: &arguments.reference,
        settings: &settings,
    };
    let all: Mutex<Vec<(usize, String, Verdict)>> = Mutex::new(Vec::new());
    corpus.each(&scratch, |index, entry, folder| {
        let verdicts = attempt(entry, &run, folder).unwrap_or_else(|e| {
            vec![(String::new(), Verdict::NotRun(e.lines().next().unwrap_or_default().into()))]
        });
        let Ok(mut all) = all.lock() else { return };
        for (kernel, verdict) in verdicts {
            if !selection.quiet || verdict.is_bad() {
                println!("{}", row(entry, &kernel, &verdict));
            }
            all.push((index, kernel, verdict));
        }
    });
    let all = all.into_inner().map_err(|_| "a worker panicked".to_string())?;
    let matching = summary(&all);
    Ok(all.iter().all(|(_, _, v)| !v.is_bad()) && matching >= selection.require)
}

fn row(entry: &Entry, kernel: &str, verdict: &Verdict) -> String {
    let text = match verdict {
        Verdict::Match(ulps) => format!("{ulps} ulp"),
        Verdict::SameFunctions(ulps) => {
            format!("{ulps} ulp with functions of mathematics in double precision")
        }
        Verdict::AsExact(ours, reference) => {
            format!("{ours:.1} ulp from exact, the reference {reference:.1}")
        }
        Verdict::NoEffect | Verdict::Varies => String::new(),
        Verdict::NotRun(t) | Verdict::NoReference(t) | Verdict::Differs(t) | Verdict::Failed(t) => {
            t.lines().collect::<Vec<_>>().join(" ").chars().take(240).collect()
        }
    };
    format!("{:<12} {:<40} {kernel:<32} {text}", verdict.name(), entry.path)
}

/// Prints the counts; the number of entries with a matching kernel and none that differs.
fn summary(all: &[(usize, String, Verdict)]) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut entries: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut exact = 0;
    let mut worst = 0;
    for (index, _, verdict) in all {
        *counts.entry(verdict.name()).or_default() += 1;
        let entry = entries.entry(*index).or_default();
        match verdict {
            Verdict::Match(ulps) => {
                entry.0 += 1;
                exact += usize::from(*ulps == 0);
                worst = worst.max(*ulps);
            }
            v if v.is_bad() => entry.1 += 1,
            _ => {}
        }
    }
    let matching = entries.values().filter(|(good, bad)| *good > 0 && *bad == 0).count();
    println!("\n{} kernels of {} entries", all.len(), entries.len());
    for (name, n) in counts {
        println!("  {name:<14} {n}");
    }
    println!("{exact} kernels match bit for bit, the worst of the others by {worst} ulp");
    println!("{matching} entries have kernels that match and none that differs");
    matching
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_count_when_nothing_differs() {
        let v = |i: usize, v: Verdict| (i, String::from("k"), v);
        let all = [
            v(0, Verdict::Match(0)),
            v(0, Verdict::Match(2)),
            v(1, Verdict::Match(0)),
            v(1, Verdict::Differs("x".into())),
            v(2, Verdict::NoEffect),
        ];
        assert_eq!(summary(&all), 1);
    }
}
