//! `pyroclast check`: runs a program on the CPU device with `PYROCLAST_CHECK`, and summarises the findings.
//!
//! The exit status is the program's own if it failed, else 1 if there are findings.

use super::run::RunArgs;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `pyroclast check`.
#[derive(clap::Args)]
pub struct CheckArgs {
    /// Checks: memory, race, uninit, separated by commas
    #[arg(long, value_name = "CHECKS", default_value = "all")]
    only: String,
    /// Write the findings to this file, a line of JSON for each location in a launch
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    program: RunArgs,
}

/// Runs the program and prints the summary.
pub fn run(arguments: &CheckArgs) -> Result<ExitCode, String> {
    let known = |word: &str| ["memory", "race", "uninit", "all"].contains(&word);
    if let Some(word) = arguments.only.split(',').map(str::trim).find(|word| !known(word)) {
        return Err(format!("there is no check '{word}'"));
    }
    let mut command = arguments.program.command()?;
    let own = std::env::temp_dir().join(format!("pyroclast-check-{}.jsonl", std::process::id()));
    let log = arguments.log.as_deref().unwrap_or(&own);
    // The file is truncated: at the end it holds this run's findings.
    let mut open = std::fs::OpenOptions::new();
    if arguments.log.is_some() {
        open.create(true).truncate(true)
    } else {
        open.create_new(true)
    };
    open.write(true).open(log).map_err(|e| format!("{}: {e}", log.display()))?;
    command
        .env("PYROCLAST_CHECK", &arguments.only)
        .env("PYROCLAST_CHECK_LOG", log)
        .env("PYROCLAST_DEVICES", "cpu");
    let status = command.status().map_err(|e| arguments.program.failure(&e));
    let sums = summary(log);
    if arguments.log.is_none() {
        let _ = std::fs::remove_file(&own);
    }
    let status = status?;
    for (fault, count) in &sums {
        eprintln!("pyroclast check: {count} x {fault}");
    }
    if sums.is_empty() {
        eprintln!("pyroclast check: nothing found");
    }
    Ok(match status.code() {
        Some(0) if sums.is_empty() => ExitCode::SUCCESS,
        Some(0) | None => ExitCode::FAILURE,
        Some(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
    })
}

/// Number of findings of each kind for each line of each kernel.
fn summary(log: &Path) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap_or_default().lines() {
        let field = |name: &str| line.split_once(&format!("\"{name}\":")).map_or("", |(_, rest)| rest);
        let text = |name| field(name).trim_start_matches('"').split('"').next().unwrap_or_default();
        let number =
            |name| field(name).split([',', '}']).next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        let fault = format!("{} in kernel '{}', line {}", text("kind"), text("kernel"), number("line"));
        *sums.entry(fault).or_default() += number("count");
    }
    sums
}
