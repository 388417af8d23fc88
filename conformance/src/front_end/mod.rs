//! `front-end`: compiles OpenCL C sources with the built-in front end and with clang, and compares.
//!
//! Both must accept or reject a source, and agree on the kernels with their arguments and attributes
//! ([`facts`]). With `--execute` every kernel runs with generated data, once compiled by each front end, on
//! the device that the environment chooses; results are compared as `execute` does. Each compilation and
//! each run is a child process with a time limit, so that a crash is a result.

pub mod facts;

use super::execute::{self, KernelVerdict};
use super::manifest::{CorpusEntry, Selection};
use clspv_bridge::options::FrontEnd;
use facts::{Compiled, compile, differences};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Arguments of `front-end`.
#[derive(clap::Args)]
pub struct FrontEndArgs {
    #[command(flatten)]
    selection: Selection,
    /// Build options of sources that no manifest lists and whose comment at the top names none
    /// (`//! options: ...`)
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    options: String,
    /// Run the kernels, too, on the first device (PYROCLAST_DEVICES)
    #[arg(long)]
    execute: bool,
    /// The driver that runs them; by default libpyroclast.so beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// Settings of single kernels
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
}

/// Counts of a run.
#[derive(Default, Debug, PartialEq)]
struct Totals {
    sources: usize,
    accepted: usize,
    rejected: usize,
    /// Sources whose compilations differ.
    different: usize,
    /// Kernels that ran, those whose results are equal bit for bit, and those that differ.
    ran: usize,
    bitwise: usize,
    differing: usize,
    /// Kernels that no data can be generated for, or that write nothing.
    not_run: usize,
}

impl Totals {
    fn add_compiled(&mut self, ours: &Compiled, clang: &Compiled, differs: bool) {
        self.sources += 1;
        self.different += usize::from(differs);
        match (ours, clang) {
            (Compiled::Accepted(_), Compiled::Accepted(_)) => self.accepted += 1,
            (Compiled::Rejected(_), Compiled::Rejected(_)) => self.rejected += 1,
            _ => {}
        }
    }

    fn add_run(&mut self, verdict: &KernelVerdict) {
        match verdict {
            KernelVerdict::NotRun(_) | KernelVerdict::NoEffect => return self.not_run += 1,
            KernelVerdict::Match(0) => self.bitwise += 1,
            verdict if is_different(verdict) => self.differing += 1,
            _ => {}
        }
        self.ran += 1;
    }
}

/// Whether a verdict on two front ends is a difference. Unlike with another platform, clang's failure is one,
/// too.
fn is_different(verdict: &KernelVerdict) -> bool {
    verdict.is_bad() || matches!(verdict, KernelVerdict::NoReference(_))
}

/// Compares the front ends on a folder of sources.
pub fn run(arguments: &FrontEndArgs) -> Result<bool, String> {
    let corpus = arguments.selection.read_or_walk(&arguments.options)?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-front-end-{}", std::process::id()));
    let settings = execute::read_settings(arguments.settings.as_deref(), "float")?;
    let vendors = match arguments.execute {
        true => Some(execute::vendors(arguments.driver.as_deref(), &scratch)?),
        false => None,
    };
    let executor = vendors.as_ref().map(|vendors| execute::Run::of_front_ends(&corpus, vendors, &settings));
    let totals = Mutex::new(Totals::default());
    corpus.each(&scratch, |_, entry, folder| {
        let (ours, clang) = both(entry, &corpus.dir, folder, &corpus);
        let found = differences(&ours, &clang);
        let are_accepted = matches!((&ours, &clang), (Compiled::Accepted(_), Compiled::Accepted(_)));
        let verdicts = match &executor {
            Some(run) if are_accepted => execute::verdicts(entry, run, folder),
            _ => Vec::new(),
        };
        let Ok(mut totals) = totals.lock() else { return };
        totals.add_compiled(&ours, &clang, !found.is_empty());
        found.iter().for_each(|line| corpus.print(&format!("{}: {line}", entry.path)));
        for (kernel, verdict) in &verdicts {
            totals.add_run(verdict);
            if is_different(verdict) || !arguments.selection.quiet {
                corpus.print(&execute::row(entry, kernel, verdict));
            }
        }
    });
    let _ = std::fs::remove_dir_all(&scratch);
    let totals = totals.into_inner().map_err(|_| "a worker panicked".to_string())?;
    print_totals(&totals, arguments.execute);
    Ok(totals.different == 0 && totals.differing == 0 && totals.accepted >= arguments.selection.require)
}

/// The results of both front ends for one source.
fn both(
    entry: &CorpusEntry,
    dir: &Path,
    folder: &Path,
    corpus: &super::manifest::Corpus,
) -> (Compiled, Compiled) {
    if let Err(e) = std::fs::create_dir_all(folder) {
        let failed = Compiled::Failed(format!("{}: {e}", folder.display()));
        return (failed.clone(), failed);
    }
    let file = dir.join(&entry.path);
    let by = |front_end, name| compile(&file, &entry.options, front_end, &folder.join(name), corpus.limit);
    (by(FrontEnd::BuiltIn, "built-in"), by(FrontEnd::Clang, "clang"))
}

fn print_totals(totals: &Totals, with_runs: bool) {
    println!(
        "\n{} sources: {} accepted, {} rejected by both front ends; {} differ",
        totals.sources, totals.accepted, totals.rejected, totals.different
    );
    if with_runs {
        println!(
            "{} kernels ran: {} equal bit for bit, {} differ; {} could not run or write nothing",
            totals.ran, totals.bitwise, totals.differing, totals.not_run
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted() {
        let mut totals = Totals::default();
        let (accepted, rejected) = (Compiled::Accepted(Default::default()), Compiled::Rejected("e".into()));
        totals.add_compiled(&accepted, &accepted, false);
        totals.add_compiled(&accepted, &accepted, true);
        totals.add_compiled(&rejected, &rejected, false);
        totals.add_compiled(&rejected, &accepted, true);
        for verdict in [
            KernelVerdict::Match(0),
            KernelVerdict::Match(2),
            KernelVerdict::Differs("d".into()),
            KernelVerdict::NoReference("e".into()),
            KernelVerdict::NoEffect,
        ] {
            totals.add_run(&verdict);
        }
        let expected = Totals {
            sources: 4,
            accepted: 2,
            rejected: 1,
            different: 2,
            ran: 4,
            bitwise: 1,
            differing: 2,
            not_run: 1,
        };
        assert_eq!(totals, expected);
    }
}
