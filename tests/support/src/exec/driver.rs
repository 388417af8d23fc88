//! Selection of the driver for kernel tests: the one built with them, or with `PYROCLAST_EXEC_VENDORS` the
//! installed ones. Also runs of a whole test program on devices with hidden features, and under the checker.

use libtest_mimic::Failed;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub use super::offer::offer;

/// Whether the driver under test is ours with all its features, so that runs with hidden features and checks
/// make sense.
pub fn is_whole() -> bool {
    ["PYROCLAST_EXEC_VENDORS", "PYROCLAST_FEATURES", "PYROCLAST_CHECK"]
        .iter()
        .all(|name| std::env::var_os(name).is_none())
}

/// Whether all variations are tested instead of a quick selection.
pub fn wants_matrix() -> bool {
    std::env::var_os("PYROCLAST_EXEC_MATRIX").is_some()
}

static RUNS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Outcome of every run on a device with hidden features, a line each.
#[allow(clippy::print_stdout)] // printed after the harness ends, on request
pub fn print_runs() {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    runs.sort();
    for line in runs.drain(..) {
        println!("{line}");
    }
}

/// Runs all tests whose names contain the filter in a process that hides features of the device and may
/// enable fallback.
pub fn run_without(hidden: &str, filter: &str, falls_back: bool) -> Result<(), Failed> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = std::process::Command::new(exe);
    command.arg(filter).env("PYROCLAST_FEATURES", hidden).env("PYROCLAST_DEVICES", "vulkan");
    if falls_back {
        command.env("PYROCLAST_FALLBACK", "cpu");
    }
    outcome(command, &format!("without {hidden}{}", if falls_back { ", falling back" } else { "" }))
}

/// Runs all tests whose names contain the filter in a process whose kernels are checked. The checker must
/// report nothing.
pub fn run_checked(filter: &str) -> Result<(), Failed> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let name = format!("pyroclast-exec-checked-{filter}-{}.jsonl", std::process::id());
    let log = std::env::temp_dir().join(name);
    let mut command = std::process::Command::new(exe);
    command
        .arg(filter)
        .env("PYROCLAST_CHECK", "all")
        .env("PYROCLAST_CHECK_LOG", &log)
        .env("PYROCLAST_DEVICES", "cpu");
    // Messages are overwritten while other work-items read them, which is a data race whatever the flags
    // contain.
    command.args(["--skip", "litmus_message_passing"]);
    let outcome = outcome(command, &format!("checked {filter}"));
    let reported = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(log);
    if reported.is_empty() { outcome } else { Err(Failed::from(reported)) }
}

/// Runs all tests on the CPU device with code of a kind: "baseline", "quick" or "optimized".
pub fn run_with_code(kind: &str) -> Result<(), Failed> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = std::process::Command::new(exe);
    command.env("PYROCLAST_CPU_CODE", kind).env("PYROCLAST_DEVICES", "cpu");
    command.args(["--skip", "without::", "--skip", "checked::"]);
    outcome(command, &format!("{kind} code"))
}

/// Runs all tests whose names contain the filter in a process with an empty cache that cannot write files of
/// more than 512 bytes, as on a full disk.
pub fn run_on_full_disk(filter: &str) -> Result<(), Failed> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let cache = std::env::temp_dir().join(format!("pyroclast-exec-full-{}", std::process::id()));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$1\""]).arg(exe).arg(filter);
    command.env("PYROCLAST_CACHE_DIR", &cache).env("PYROCLAST_DEVICES", "cpu");
    let outcome = outcome(command, "full disk");
    let _ = std::fs::remove_dir_all(cache);
    outcome
}

/// Emulator of x86-64 processors: QEMU's user mode.
const EMULATOR: &str = "qemu-x86_64";

/// Whether the emulator of processors is missing.
pub fn emulator_is_missing() -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    cfg!(not(target_arch = "x86_64")) || !std::env::split_paths(&folders).any(|f| f.join(EMULATOR).is_file())
}

/// Runs all tests whose names contain the filter on the CPU device of an emulated processor with code of a
/// kind. An instruction that the processor lacks ends the process.
pub fn run_on_processor(model: &str, kind: &str, filter: &str) -> Result<(), Failed> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = std::process::Command::new(EMULATOR);
    command.args(["-cpu", model]).arg(exe).arg(filter).env("PYROCLAST_DEVICES", "cpu");
    command.env("PYROCLAST_CPU_CODE", kind);
    command.args(["--skip", "without::", "--skip", "checked::"]);
    outcome(command, &format!("{kind} code on {model}"))
}

/// Whether a run of tests succeeds; records it with its counts and time.
fn outcome(mut command: std::process::Command, what: &str) -> Result<(), Failed> {
    let start = Instant::now();
    let output = command.output().map_err(|e| e.to_string())?;
    let counts = String::from_utf8_lossy(&output.stdout);
    let counts = counts.lines().find_map(|l| l.strip_prefix("test result: ")).unwrap_or("no result");
    let counts = counts.split("; 0 measured").next().unwrap_or(counts);
    let line = format!("{what}: {counts}, {} s", start.elapsed().as_secs());
    RUNS.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).join("\n");
    if output.status.success() { Ok(()) } else { Err(Failed::from(format!("{}\n{text}", output.status))) }
}
