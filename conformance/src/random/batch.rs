//! Random programs in batches: several are built as one source, which takes a fraction of the time of single
//! builds. Only programs of a batch that differs, or cannot be built, run by themselves.

use super::program::Program;
use super::runner::{Job, RunOutcome, Runner, SeedCounts, SeedVerdict};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Result lines by kernel.
fn by_kernel(results: &str) -> BTreeMap<&str, &str> {
    results.lines().filter_map(|line| line.split_once(' ')).collect()
}

/// The kernels whose results differ, or are missing on one side.
fn differing<'k>(kernels: &'k [String], ours: &RunOutcome, trusted: &RunOutcome) -> Vec<&'k str> {
    let (RunOutcome::Results(ours), RunOutcome::Results(trusted)) = (ours, trusted) else {
        return kernels.iter().map(String::as_str).collect();
    };
    let (ours, trusted) = (by_kernel(ours), by_kernel(trusted));
    let result = |side: &BTreeMap<&str, &str>, kernel: &str| side.get(kernel).map(|text| (*text).to_owned());
    let differs = |kernel: &&String| {
        let (a, b) = (result(&ours, kernel), result(&trusted, kernel));
        a.is_none() || a != b
    };
    kernels.iter().filter(differs).map(String::as_str).collect()
}

/// Programs of consecutive seeds in batches, each of one version of OpenCL C.
fn batches(first: u64, count: u64, size: usize) -> Vec<Vec<Program>> {
    let mut by_standard: BTreeMap<&str, Vec<Vec<Program>>> = BTreeMap::new();
    for seed in first..first.saturating_add(count) {
        let program = Program::new(seed);
        let batches = by_standard.entry(program.standard).or_default();
        match batches.last_mut().filter(|batch| batch.len() < size.max(1)) {
            Some(batch) => batch.push(program),
            None => batches.push(vec![program]),
        }
    }
    by_standard.into_values().flatten().collect()
}

/// The programs of a batch as one job.
fn job(batch: &[Program]) -> Job {
    let sources: String = batch.iter().map(Program::source).collect();
    let options = batch.first().map(Program::options).unwrap_or_default();
    let kernels = batch.iter().map(Program::kernel).collect();
    Job { source: format!("{}{sources}", Program::prelude()), options, kernels }
}

/// Runs a batch; the text says what differs.
fn judge(runner: &Runner, batch: &[Program], whole: bool) -> Result<(SeedCounts, String), String> {
    let job = job(batch);
    let trusted = runner.run(&runner.trusted, &job)?;
    let tested = runner.run(&runner.tested, &job)?;
    let have_results = matches!((&tested, &trusted), (RunOutcome::Results(_), RunOutcome::Results(_)));
    let (mut counts, mut report) = (SeedCounts::default(), String::new());
    let suspects = differing(&job.kernels, &tested, &trusted);
    for program in batch {
        if !suspects.contains(&program.kernel().as_str()) {
            counts.add(SeedVerdict::Same);
            continue;
        }
        let (verdict, text) = runner.judge(program.seed, program.clone(), whole)?;
        report += &text;
        if verdict == SeedVerdict::Same && have_results {
            report += &format!("seed {}: differs in a batch only\n{}", program.seed, job.source);
            counts.add(SeedVerdict::Different);
        } else {
            counts.add(verdict);
        }
    }
    Ok((counts, report))
}

/// Runs programs in batches, several at a time. Returns the number of programs by verdict.
pub fn run(
    seeds: (u64, u64),
    size: usize,
    jobs: usize,
    whole: bool,
    runner: impl Fn(usize) -> Result<Runner, String> + Sync,
) -> Result<SeedCounts, String> {
    let batches = batches(seeds.0, seeds.1, size);
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Ok(SeedCounts::default())));
    std::thread::scope(|scope| {
        for worker in 0..jobs.clamp(1, 64) {
            let (next, total, batches, runner) = (&next, &total, &batches, &runner);
            scope.spawn(move || {
                let runner = runner(worker);
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judged = runner.as_ref().map_err(String::clone).and_then(|r| judge(r, batch, whole));
                    let Ok(mut total) = total.lock() else { return };
                    match (&mut *total, judged) {
                        (Ok(total), Ok((counts, report))) => {
                            total.merge(&counts);
                            print!("{report}");
                        }
                        (total, Err(e)) => *total = Err(e),
                        _ => {}
                    }
                }
            });
        }
    });
    total.into_inner().map_err(|_| "a worker panicked".to_string())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_kernels_are_found() {
        let kernels = ["k1", "k2", "k3"].map(String::from);
        let results = |text: &str| RunOutcome::Results(text.into());
        let ours = results("k1 00 11\nk2 22 33\n");
        assert_eq!(differing(&kernels, &ours, &results("k1 00 11\nk2 22 34\nk3 1\n")), ["k2", "k3"]);
        assert_eq!(differing(&kernels, &ours, &ours), ["k3"]);
        assert_eq!(differing(&kernels, &RunOutcome::Slow, &ours).len(), 3);
    }

    #[test]
    fn batches_have_one_version() {
        let batches = batches(1, 40, 8);
        assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), 40);
        assert!(batches.iter().all(|b| b.len() <= 8 && b.iter().all(|p| p.standard == b[0].standard)));
    }
}
