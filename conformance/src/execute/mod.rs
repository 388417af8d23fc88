//! `execute`: runs the kernels of a corpus with generated data on two OpenCL platforms and compares what they
//! write.
//!
//! Arguments follow from the types and names of a kernel's parameters ([`plan`]); a file of settings corrects
//! that by kernel. Each file runs in a process of its own on each platform, so that a crash is the result of
//! one kernel. A kernel counts only if it changes a buffer or an image, and if the reference repeats its
//! results.
//!
//! Kernels whose results match when both platforms compute mathematical functions in double precision and
//! round ([`functions`]) are counted separately. So are those as close to the double-precision results as the
//! reference's ([`exact`]).
//!
//! Programs are built with exact arithmetic: without relaxed mathematics, without contraction, and with the
//! usual functions instead of those of implementation-defined precision.

pub mod data;
mod exact;
mod functions;
mod image;
pub mod plan;
pub mod prepared;
pub mod settings;

use super::front_end::facts::variable;
use super::manifest::{Corpus, CorpusEntry, Selection};
use clspv_bridge::options::FrontEnd;
use data::{Difference, compare};
use plan::{ExecutionPlan, KernelPlan};
use prepared::PreparedKernel;
use settings::Settings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use test_support::cl::{Api, Session};

/// Arguments of `execute`.
#[derive(clap::Args)]
pub struct ExecuteArgs {
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
    /// Texels of images of floating-point numbers: float, half or bytes (normalised)
    #[arg(long, default_value = "float")]
    texels: String,
}

/// Arguments of `execute-one`.
#[derive(clap::Args)]
pub struct ExecuteOneArgs {
    plan: PathBuf,
    /// Part of the platform's name
    platform: String,
    /// Folder for the buffers
    folder: PathBuf,
}

/// Result of comparing one kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelVerdict {
    /// Equal; the largest difference of floating-point numbers in units in the last place.
    Match(u64),
    /// It wrote nothing on either platform.
    NoEffect,
    /// No data can be generated for it, or the settings exclude it.
    NotRun(String),
    /// It differs, except when both platforms compute mathematical functions in double precision and round.
    SameFunctions(u64),
    /// It differs, about as far from the exact result as the reference: both distances in units in the last
    /// place.
    AsExact(f64, f64),
    /// The reference's results change from run to run.
    Varies,
    /// The reference failed.
    NoReference(String),
    Differs(String),
    Failed(String),
}

impl KernelVerdict {
    fn name(&self) -> &'static str {
        match self {
            KernelVerdict::Match(_) => "match",
            KernelVerdict::SameFunctions(_) => "functions",
            KernelVerdict::NoEffect => "no effect",
            KernelVerdict::NotRun(_) => "not run",
            KernelVerdict::AsExact(..) => "as exact",
            KernelVerdict::Varies => "varies",
            KernelVerdict::NoReference(_) => "no reference",
            KernelVerdict::Differs(_) => "DIFFERS",
            KernelVerdict::Failed(_) => "FAILED",
        }
    }
    /// Whether the kernel differs or failed.
    pub fn is_bad(&self) -> bool {
        matches!(self, KernelVerdict::Differs(_) | KernelVerdict::Failed(_))
    }
}

/// Runs a plan's kernels on one platform and writes their buffers and images, or an error, to a folder.
pub fn one(arguments: &ExecuteOneArgs) -> Result<bool, String> {
    let text =
        std::fs::read_to_string(&arguments.plan).map_err(|e| format!("{}: {e}", arguments.plan.display()))?;
    let plan = ExecutionPlan::parse(&text)?;
    let source = exact_source(&plan)?;
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
        match PreparedKernel::new(&session, &program, kernel).and_then(|prepared| prepared.run()) {
            Ok(results) => put(format!("{}.bin", kernel.name), &results)?,
            Err(error) => put(format!("{}.error", kernel.name), error.as_bytes())?,
        }
    }
    Ok(true)
}

/// The source of a plan with exact arithmetic.
pub fn exact_source(plan: &ExecutionPlan) -> Result<String, String> {
    let source = std::fs::read(&plan.source).map_err(|e| format!("{}: {e}", plan.source))?;
    // Contraction of products and sums would be implementation-defined.
    let pragma = "#pragma OPENCL FP_CONTRACT OFF";
    Ok(format!("{}{pragma}\n{}", functions::prelude(plan.rounded), String::from_utf8_lossy(&source)))
}

/// A vendors folder in `scratch` with the system's drivers and the one under test, by default the one beside
/// this tool.
pub fn vendors(driver: Option<&Path>, scratch: &Path) -> Result<PathBuf, String> {
    let library = match driver {
        Some(path) => path.to_path_buf(),
        None => std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("libpyroclast.so"),
    };
    let folder = scratch.join("vendors");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let library = library.canonicalize().map_err(|e| format!("{}: {e}", library.display()))?;
    let system = std::env::var("OCL_ICD_VENDORS").unwrap_or_else(|_| "/etc/OpenCL/vendors".into());
    for entry in std::fs::read_dir(system).into_iter().flatten().flatten() {
        let _ = std::fs::copy(entry.path(), folder.join(entry.file_name()));
    }
    std::fs::write(folder.join("00-under-test.icd"), format!("{}\n", library.display()))
        .map_err(|e| e.to_string())?;
    Ok(folder)
}

/// Results of a plan's kernels on one platform, each with an error instead if it failed. A crash ends the
/// process with the kernel it runs; another process continues after it.
fn run_plan(plan: &ExecutionPlan, side: Side<'_>, run: &Run<'_>, folder: &Path) -> Results {
    let mut results = BTreeMap::new();
    let mut rest = plan.clone();
    while !rest.kernels.is_empty() {
        let (ended, signalled) = run_process(&rest, side, run, folder).unwrap_or_else(|e| (e, false));
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

/// Runs a plan's kernels in a process until it ends. Returns the reason why it ended, empty on success, and
/// whether it was a signal.
fn run_process(
    plan: &ExecutionPlan,
    side: Side<'_>,
    run: &Run<'_>,
    folder: &Path,
) -> Result<(String, bool), String> {
    let (log, file) = (folder.join("log"), folder.join("plan"));
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    std::fs::write(&file, plan.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let stderr = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut command = Command::new(own);
    command.arg("execute-one").arg(file).arg(side.platform).arg(folder).current_dir(run.dir);
    command.envs(side.front_end.map(variable));
    command.env("OCL_ICD_VENDORS", run.vendors).env_remove("OCL_ICD_FILENAMES");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    match crate::process::run_limited(&mut command, run.limit).map_err(|e| e.to_string())? {
        Some(status) if status.success() => Ok((String::new(), false)),
        Some(status) => {
            let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
            Ok((
                format!("{status}: {}", error_line(&text).chars().take(160).collect::<String>()),
                status.code().is_none(),
            ))
        }
        None => Ok((format!("more than {} s", run.limit.as_secs()), false)),
    }
}

/// The line of a log that tells what is wrong, or else the first one.
pub fn error_line(text: &str) -> &str {
    text.lines().find(|line| line.contains("error")).or(text.lines().next()).unwrap_or_default()
}

/// One of the two implementations that are compared.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// Part of the platform's name.
    platform: &'a str,
    /// Compiler of OpenCL C on our platform; `None` leaves the choice to the environment.
    front_end: Option<FrontEnd>,
}

/// Parameters shared by all entries.
pub struct Run<'a> {
    dir: &'a Path,
    vendors: &'a Path,
    limit: Duration,
    tested: Side<'a>,
    reference: Side<'a>,
    settings: &'a Settings,
}

impl<'a> Run<'a> {
    /// A comparison of the built-in front end with clang on one device.
    pub fn of_front_ends(corpus: &'a Corpus, vendors: &'a Path, settings: &'a Settings) -> Run<'a> {
        let side = |front_end| Side { platform: "Pyroclast", front_end: Some(front_end) };
        Run {
            dir: &corpus.dir,
            vendors,
            limit: corpus.limit,
            tested: side(FrontEnd::BuiltIn),
            reference: side(FrontEnd::Clang),
            settings,
        }
    }
}

/// Verdicts on the kernels of one entry.
pub fn verdicts(entry: &CorpusEntry, run: &Run<'_>, scratch: &Path) -> Vec<(String, KernelVerdict)> {
    attempt(entry, run, scratch).unwrap_or_else(|e| {
        vec![(String::new(), KernelVerdict::NotRun(e.lines().next().unwrap_or_default().into()))]
    })
}

/// Plans, runs and compares one entry.
fn attempt(
    entry: &CorpusEntry,
    run: &Run<'_>,
    scratch: &Path,
) -> Result<Vec<(String, KernelVerdict)>, String> {
    let (plan, mut verdicts) = plan::derive(entry, run.dir, run.settings)?;
    if plan.kernels.is_empty() {
        return Ok(verdicts.drain(..).map(|(k, why)| (k, KernelVerdict::NotRun(why))).collect());
    }
    let ours = run_plan(&plan, run.tested, run, &scratch.join("ours"));
    let theirs = run_plan(&plan, run.reference, run, &scratch.join("reference"));
    let mut again = None;
    let mut rounded = None;
    let mut opinion = None;
    let mut out: Vec<(String, KernelVerdict)> =
        verdicts.drain(..).map(|(k, why)| (k, KernelVerdict::NotRun(why))).collect();
    for kernel in &plan.kernels {
        let verdict = match (&ours[&kernel.name], &theirs[&kernel.name]) {
            (_, Err(e)) => KernelVerdict::NoReference(e.clone()),
            (Err(e), _) => KernelVerdict::Failed(e.clone()),
            (Ok(a), Ok(b)) => match compare(kernel.memories(), a, b) {
                Difference::None(_) if *b == kernel.initial() => KernelVerdict::NoEffect,
                Difference::None(ulps) => KernelVerdict::Match(ulps),
                Difference::At(text) => {
                    let again = again
                        .get_or_insert_with(|| run_plan(&plan, run.reference, run, &scratch.join("again")));
                    if again[&kernel.name].as_ref() != Ok(b) {
                        KernelVerdict::Varies
                    } else if let Some(ulps) =
                        rounded.get_or_insert_with(|| with_same_functions(&plan, run, scratch)).within(kernel)
                    {
                        KernelVerdict::SameFunctions(ulps)
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

/// Results of both platforms with mathematical functions computed alike.
struct SameFunctions {
    ours: Results,
    theirs: Results,
}

fn with_same_functions(plan: &ExecutionPlan, run: &Run<'_>, scratch: &Path) -> SameFunctions {
    let plan = ExecutionPlan { rounded: true, ..plan.clone() };
    SameFunctions {
        ours: run_plan(&plan, run.tested, run, &scratch.join("ours-rounded")),
        theirs: run_plan(&plan, run.reference, run, &scratch.join("reference-rounded")),
    }
}

impl SameFunctions {
    /// Largest difference of a kernel's results, if they match.
    fn within(&self, kernel: &KernelPlan) -> Option<u64> {
        let (Ok(a), Ok(b)) = (&self.ours[&kernel.name], &self.theirs[&kernel.name]) else { return None };
        match compare(kernel.memories(), a, b) {
            Difference::None(ulps) if *b != kernel.initial() => Some(ulps),
            _ => None,
        }
    }
}

/// An entry's plan in double precision, and the reference's results for it.
type Opinion = (ExecutionPlan, Results);

fn third_opinion(entry: &CorpusEntry, run: &Run<'_>, scratch: &Path) -> Result<Opinion, String> {
    let plan = exact::plan(entry, run.dir, run.settings, &scratch.join("source"))?;
    let results = run_plan(&plan, run.reference, run, scratch);
    Ok((plan, results))
}

/// Verdict on differing results of ours and of the reference.
fn judge(
    kernel: &KernelPlan,
    results: [&[u8]; 2],
    opinion: &Result<Opinion, String>,
    text: String,
) -> KernelVerdict {
    let distances = || -> Result<(f64, f64), String> {
        let (plan, exact) = opinion.as_ref().map_err(String::clone)?;
        let wide = plan.kernels.iter().find(|k| k.name == kernel.name).ok_or("the kernel is gone")?;
        let exact = exact.get(&kernel.name).ok_or("no result")?.as_ref().map_err(String::clone)?;
        let [ours, reference] = exact::distances(kernel, results, wide, exact).ok_or("other arguments")?;
        Ok((ours, reference))
    };
    match distances() {
        Ok((ours, reference)) if exact::is_as_good(ours, reference) => {
            KernelVerdict::AsExact(ours, reference)
        }
        Ok((ours, reference)) => {
            KernelVerdict::Differs(format!("{text}; {ours:.1} ulp from exact, the reference {reference:.1}"))
        }
        Err(why) => KernelVerdict::Differs(format!("{text}; in double precision: {}", error_line(&why))),
    }
}

/// Settings of single kernels, from a file or those of this tool, with the texels of images.
pub fn read_settings(file: Option<&Path>, texels: &str) -> Result<Settings, String> {
    let mut settings = match file {
        Some(path) => {
            Settings::parse(&std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?)?
        }
        None => Settings::parse(include_str!("../../settings.txt"))?,
    };
    settings.set_texels(texels)?;
    Ok(settings)
}

/// Runs the corpus.
pub fn run(arguments: &ExecuteArgs) -> Result<bool, String> {
    let selection = &arguments.selection;
    let corpus = selection.read()?;
    let settings = read_settings(arguments.settings.as_deref(), &arguments.texels)?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-execute-{}", std::process::id()));
    let vendors = vendors(arguments.driver.as_deref(), &scratch)?;
    let run = Run {
        dir: &corpus.dir,
        vendors: &vendors,
        limit: corpus.limit,
        tested: Side { platform: &arguments.platform, front_end: None },
        reference: Side { platform: &arguments.reference, front_end: None },
        settings: &settings,
    };
    let all: Mutex<Vec<(usize, String, KernelVerdict)>> = Mutex::new(Vec::new());
    corpus.each(&scratch, |index, entry, folder| {
        let verdicts = verdicts(entry, &run, folder);
        let Ok(mut all) = all.lock() else { return };
        for (kernel, verdict) in verdicts {
            if !selection.quiet || verdict.is_bad() {
                corpus.print(&row(entry, &kernel, &verdict));
            }
            all.push((index, kernel, verdict));
        }
    });
    let all = all.into_inner().map_err(|_| "a worker panicked".to_string())?;
    let matching = summary(&all);
    Ok(all.iter().all(|(_, _, v)| !v.is_bad()) && matching >= selection.require)
}

/// The line of a report for one kernel.
pub fn row(entry: &CorpusEntry, kernel: &str, verdict: &KernelVerdict) -> String {
    let text = match verdict {
        KernelVerdict::Match(ulps) => format!("{ulps} ulp"),
        KernelVerdict::SameFunctions(ulps) => {
            format!("{ulps} ulp with functions of mathematics in double precision")
        }
        KernelVerdict::AsExact(ours, reference) => {
            format!("{ours:.1} ulp from exact, the reference {reference:.1}")
        }
        KernelVerdict::NoEffect | KernelVerdict::Varies => String::new(),
        KernelVerdict::NotRun(t)
        | KernelVerdict::NoReference(t)
        | KernelVerdict::Differs(t)
        | KernelVerdict::Failed(t) => t.lines().collect::<Vec<_>>().join(" ").chars().take(240).collect(),
    };
    format!("{:<12} {:<40} {kernel:<32} {text}", verdict.name(), entry.path)
}

/// Prints the counts. Returns the number of entries that have a matching kernel and no differing one.
fn summary(all: &[(usize, String, KernelVerdict)]) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut entries: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut exact = 0;
    let mut worst = 0;
    for (index, _, verdict) in all {
        *counts.entry(verdict.name()).or_default() += 1;
        let entry = entries.entry(*index).or_default();
        match verdict {
            KernelVerdict::Match(ulps) => {
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
        let v = |i: usize, v: KernelVerdict| (i, String::from("k"), v);
        let all = [
            v(0, KernelVerdict::Match(0)),
            v(0, KernelVerdict::Match(2)),
            v(1, KernelVerdict::Match(0)),
            v(1, KernelVerdict::Differs("x".into())),
            v(2, KernelVerdict::NoEffect),
        ];
        assert_eq!(summary(&all), 1);
    }
}
