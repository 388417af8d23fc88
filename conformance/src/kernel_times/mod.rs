//! `kernel-times`: execution time of the largest kernels of a corpus on two OpenCL devices, in one process
//! for each kernel.
//!
//! The kernels are chosen by the size of their code ([`candidates`]). Data and launches follow from
//! parameters and settings, as for `execute`, with the sizes of `times.txt`. A child process builds a kernel
//! for both devices, compares what its first launches write, and measures in rounds that alternate between
//! the devices ([`measure`]). Several build at a time; one measures at a time. A crash or a hang is the
//! result of one kernel.

mod arguments;
mod candidates;
mod measure;
mod table;
mod worker;

use crate::execute::settings::Settings;
use crate::execute::vendors;
pub use arguments::KernelTimesArgs;
use candidates::Candidate;
pub use measure::{KernelTimesOneArgs, one};
use std::path::Path;
use table::KernelTimes;
use worker::Worker;

/// Settings of single kernels, in front of those of [`TIMES`].
const SETTINGS: &str = include_str!("../../settings.txt");
/// Settings of launches that fill a large device.
const TIMES: &str = include_str!("../../times.txt");

/// Chooses the kernels, measures them and prints the table.
pub fn run(arguments: &KernelTimesArgs) -> Result<bool, String> {
    let corpus = arguments.selection.read()?;
    let settings = settings(arguments.settings.as_deref())?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-kernel-times-{}", std::process::id()));
    let chosen = candidates::choose(&corpus, &settings, arguments, &scratch);
    if arguments.list {
        chosen.iter().for_each(|c| println!("{}\t{}\t{}", c.size, c.path, c.kernel));
        return Ok(!chosen.is_empty());
    }
    let result = vendors(arguments.driver.as_deref(), &scratch)
        .map(|vendors| measure_all(&chosen, arguments, &vendors, &scratch));
    let _ = std::fs::remove_dir_all(&scratch);
    let measured = result?;
    println!("\n{}", table::summary(&measured));
    Ok(!measured.is_empty() && measured.iter().all(|m| m.as_ref().is_ok_and(|m| m.results.are_good())))
}

fn settings(file: Option<&Path>) -> Result<Settings, String> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?,
        None => format!("{SETTINGS}\n{TIMES}"),
    };
    Settings::parse(&text)
}

/// Builds as many kernels at a time as there are jobs, then measures one after the other.
fn measure_all(
    chosen: &[Candidate],
    arguments: &KernelTimesArgs,
    vendors: &Path,
    scratch: &Path,
) -> Vec<Result<KernelTimes, String>> {
    let start = |(candidate, number): (&Candidate, usize)| {
        let folder = scratch.join(number.to_string());
        Worker::start(candidate, arguments, vendors, &folder).and_then(Worker::build)
    };
    let mut all = Vec::new();
    for batch in chosen.chunks(arguments.selection.jobs.max(1)) {
        let workers: Vec<Result<Worker, String>> = std::thread::scope(|scope| {
            let start = &start;
            let numbered = batch.iter().zip(all.len()..);
            let threads: Vec<_> = numbered.map(|item| scope.spawn(move || start(item))).collect();
            threads
                .into_iter()
                .map(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".into())))
                .collect()
        });
        if all.is_empty() {
            print_heading(&workers);
        }
        for (candidate, worker) in batch.iter().zip(workers) {
            let measured = worker.and_then(Worker::measure);
            println!("{}", table::line(candidate, &measured));
            all.push(measured);
        }
    }
    all
}

/// Prints the names of the devices and the head of the table.
fn print_heading(workers: &[Result<Worker, String>]) {
    if let Some([ours, reference]) = workers.iter().flatten().find_map(|worker| worker.devices.as_ref()) {
        println!("ours: {ours}\nreference: {reference}\n");
    }
    println!("{}", table::HEADING);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_this_tool_are_read() {
        let settings = settings(None).unwrap();
        assert!(settings.get("hashcat/m00500-pure.cl", "m00500_init", "bitmaps_buf_s1_a").is_some());
    }
}
