//! Runs of random sources in child processes, comparison of two implementations, and reduction.

use super::generator::Kernel;
use super::program::Program;
use super::tree::{self, Stmt};
use crate::process::run_limited_by_processor_time;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Options of clang: for extensions of the language that no device reports and the built-in front end has,
/// and against a warning about chained comparisons that is an error by default, also of vectors.
pub const CLANG_ARGS: &str = "-Xclang,-cl-ext=+__cl_clang_bitfields,-Wno-parentheses";

/// One of the two implementations.
pub struct Side {
    /// Part of the platform's name.
    pub platform: String,
    /// Environment variables that select the implementation on our platform.
    pub variables: Vec<(&'static str, String)>,
}

/// A source that a child process builds and runs.
pub struct Job {
    pub source: String,
    pub options: String,
    /// Kernels with the arguments of programs; if there are none, the kernel `k`.
    pub kernels: Vec<String>,
}

/// RunOutcome of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    Results(String),
    Failed(String),
    /// The run exceeded the time limit.
    Slow,
}

impl RunOutcome {
    /// Whether two runs show that the implementations agree: both have results. Two failures show nothing,
    /// even if they are the same.
    fn agrees_with(&self, other: &RunOutcome) -> bool {
        matches!(self, RunOutcome::Results(_)) && self == other
    }
}

/// A random source that can be made smaller.
pub trait Subject: Clone {
    fn items(&self) -> &[Stmt];
    /// A copy with other items.
    fn with_items(&self, items: Vec<Stmt>) -> Self;
    /// `options` are those of sources that have none of their own.
    fn job(&self, options: &str) -> Job;
}

impl Subject for Kernel {
    fn items(&self) -> &[Stmt] {
        &self.functions
    }
    fn with_items(&self, functions: Vec<Stmt>) -> Kernel {
        Kernel { functions }
    }
    fn job(&self, options: &str) -> Job {
        Job { source: self.source(), options: options.into(), kernels: Vec::new() }
    }
}

impl Subject for Program {
    fn items(&self) -> &[Stmt] {
        &self.items
    }
    fn with_items(&self, items: Vec<Stmt>) -> Program {
        Program { items, ..*self }
    }
    fn job(&self, _: &str) -> Job {
        let source = format!("{}{}", Program::prelude(), self.source());
        Job { source, options: self.options(), kernels: vec![self.kernel()] }
    }
}

/// Runs jobs on two implementations.
pub struct Runner {
    pub folder: PathBuf,
    pub tested: Side,
    pub trusted: Side,
    /// The trusted implementation without its optimizations. Where it agrees with the tested side, the
    /// trusted side has miscompiled the source.
    pub unoptimized: Option<Side>,
    /// Seconds of processor time that one run may take.
    pub limit: u64,
    /// Options of kernels.
    pub options: String,
}

impl Runner {
    /// Runs a job on one side.
    pub fn run(&self, side: &Side, job: &Job) -> Result<RunOutcome, String> {
        let file = self.folder.join("source.cl");
        std::fs::write(&file, &job.source).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.arg("one-random").arg(&side.platform).arg(&file).arg(&job.options).args(&job.kernels);
        command.env("PYROCLAST_NO_CACHE", "1").env("PYROCLAST_CLANG_ARGS", CLANG_ARGS);
        command.envs(side.variables.iter().map(|(name, value)| (name, value)));
        let (stdout, stderr) = (self.folder.join("stdout"), self.folder.join("stderr"));
        let create = |path: &PathBuf| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        command.stdin(Stdio::null()).stdout(create(&stdout)?).stderr(create(&stderr)?);
        let status = run_limited_by_processor_time(&mut command, Duration::from_secs(self.limit))
            .map_err(|e| e.to_string())?;
        let read = |path: &PathBuf| {
            std::fs::read(path).map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let (text, log) = (read(&stdout), read(&stderr));
        Ok(match status {
            Some(status) if status.success() => RunOutcome::Results(text),
            Some(status) => RunOutcome::Failed(format!("{status}\n{log}")),
            None => RunOutcome::Slow,
        })
    }

    /// `None` if both sides agree, else their outcomes: the tested side's, then the trusted one's.
    pub fn differ(&self, job: &Job) -> Result<Option<(RunOutcome, RunOutcome)>, String> {
        let wanted = self.run(&self.trusted, job)?;
        let got = self.run(&self.tested, job)?;
        Ok((!got.agrees_with(&wanted)).then_some((got, wanted)))
    }

    /// A smaller source that still differs in the same way.
    fn minimise<S: Subject>(&self, subject: S, is_failure: bool) -> Result<S, String> {
        let mut subject = subject;
        // Removing statements can make others removable: repeat until nothing changes.
        loop {
            let before = tree::removable(subject.items()).len();
            let mut i = 0;
            while let Some(path) = tree::removable(subject.items()).get(i).cloned() {
                let smaller = [false, true]
                    .into_iter()
                    .filter_map(|unwrap| tree::without(subject.items(), &path, unwrap))
                    .map(|items| subject.with_items(items));
                let mut found = None;
                for candidate in smaller {
                    let same_kind = |d: &(RunOutcome, RunOutcome)| {
                        matches!(d.0, RunOutcome::Failed(_)) == is_failure
                            && matches!(d.1, RunOutcome::Results(_))
                    };
                    if self.differ(&candidate.job(&self.options))?.as_ref().is_some_and(same_kind) {
                        found = Some(candidate);
                        break;
                    }
                }
                match found {
                    Some(smaller) => subject = smaller,
                    None => i += 1,
                }
            }
            if tree::removable(subject.items()).len() == before {
                return Ok(subject);
            }
        }
    }

    /// Judges a source by itself; the text says how it differs. `whole` leaves it as large as it is.
    pub fn judge<S: Subject>(
        &self,
        seed: u64,
        subject: S,
        whole: bool,
    ) -> Result<(SeedVerdict, String), String> {
        let different = |text: String| Ok((SeedVerdict::Different, format!("seed {seed}: {text}\n")));
        let skipped = |text: String| Ok((SeedVerdict::Skipped, format!("seed {seed}: skipped, {text}\n")));
        let difference = self.differ(&subject.job(&self.options))?;
        if let (Some((got, _)), Some(side)) = (&difference, &self.unoptimized)
            && got.agrees_with(&self.run(side, &subject.job(&self.options))?)
        {
            return skipped("the trusted side agrees when it does not optimize".into());
        }
        let (got, wanted) = match difference {
            None => return Ok((SeedVerdict::Same, String::new())),
            // A failure of the trusted side decides nothing.
            Some((_, RunOutcome::Slow)) => return skipped("the trusted side took too long".into()),
            Some((RunOutcome::Results(_), RunOutcome::Failed(why))) if !self.tested.variables.is_empty() => {
                return different(format!("only the trusted side fails: {why}"));
            }
            Some((_, RunOutcome::Failed(why))) => {
                let why: Vec<&str> = why.lines().filter(|l| l.contains("error")).take(3).collect();
                return skipped(format!("the trusted side failed: {}", why.join(" ")));
            }
            // Reducing a hanging source would take the time limit for every step.
            Some((RunOutcome::Slow, RunOutcome::Results(_))) => {
                let source = subject.job(&self.options).source;
                return different(format!("takes more than {} s of processor time\n{source}", self.limit));
            }
            Some((got, RunOutcome::Results(wanted))) => (got, wanted),
        };
        let is_failure = matches!(got, RunOutcome::Failed(_));
        let subject = if whole { subject } else { self.minimise(subject, is_failure)? };
        let job = subject.job(&self.options);
        let (got, wanted) = match self.differ(&job)? {
            Some((got, RunOutcome::Results(wanted))) => (got, wanted),
            _ => (got, wanted),
        };
        let what = if is_failure { "fails" } else { "differs" };
        let source = format!("{what}\n// options: {}\n{}", job.options, job.source);
        different(match got {
            RunOutcome::Failed(why) => format!("{source}\n{why}"),
            RunOutcome::Slow => format!("{source}\ntook too long"),
            RunOutcome::Results(got) => source + "\n" + &compared(&got, &wanted),
        })
    }
}

/// The work-items whose results differ. A line has the results of all items of a kernel, or of one.
fn compared(got: &str, wanted: &str) -> String {
    let items = |text: &str| text.split(['|', '\n']).map(|i| i.trim().to_owned()).collect::<Vec<_>>();
    let (got, wanted) = (items(got), items(wanted));
    let pairs = got.iter().zip(&wanted).enumerate().filter(|(_, (g, w))| g != w);
    pairs.map(|(i, (g, w))| format!("work-item {i}: {g}\n     expected: {w}\n")).collect()
}

/// Verdict on one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeedVerdict {
    Same,
    Different,
    Skipped,
}

/// Number of sources by verdict.
#[derive(Default)]
pub struct SeedCounts {
    pub same: u64,
    pub different: u64,
    pub skipped: u64,
}

impl SeedCounts {
    pub fn merge(&mut self, other: &SeedCounts) {
        self.same += other.same;
        self.different += other.different;
        self.skipped += other.skipped;
    }
    pub fn add(&mut self, verdict: SeedVerdict) {
        match verdict {
            SeedVerdict::Same => self.same += 1,
            SeedVerdict::Different => self.different += 1,
            SeedVerdict::Skipped => self.skipped += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_work_items_are_shown() {
        let text = compared("k1 00 11 | 22 33\n", "k1 00 11 | 22 34\n");
        assert_eq!(text, "work-item 1: 22 33\n     expected: 22 34\n");
    }

    #[test]
    fn equal_failures_show_nothing() {
        let results = RunOutcome::Results("k1 00".into());
        assert!(results.agrees_with(&results.clone()));
        assert!(!results.agrees_with(&RunOutcome::Results("k1 01".into())));
        let failed = RunOutcome::Failed("no such platform".into());
        assert!(!failed.agrees_with(&failed.clone()) && !RunOutcome::Slow.agrees_with(&RunOutcome::Slow));
    }

    #[test]
    fn verdicts_are_counted() {
        let mut counts = SeedCounts::default();
        [SeedVerdict::Same, SeedVerdict::Different, SeedVerdict::Same]
            .into_iter()
            .for_each(|v| counts.add(v));
        counts.merge(&SeedCounts { skipped: 3, ..SeedCounts::default() });
        assert_eq!((counts.same, counts.different, counts.skipped), (2, 1, 3));
    }
}
