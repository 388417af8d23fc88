//! Cases that run in a child process each, so that they may change or exhaust global state. A case succeeds
//! if the child exits with 0 in time. Functions here also measure the process's resources.

use libtest_mimic::{Arguments, Failed, Trial};
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Environment variable that names the child's case.
const CASE: &str = "HOST_CASE";

/// Whether all variations are tried, however long it takes.
pub fn thorough() -> bool {
    std::env::var_os("PYROCLAST_STRESS").is_some()
}

/// Time limit against hangs: other cases end in time on the busiest machine.
fn limit() -> Duration {
    Duration::from_secs(if thorough() { 7200 } else { 1200 })
}

/// A test in a child process.
pub struct Case {
    pub name: &'static str,
    /// Runs in the child.
    pub run: fn(),
    /// Changes the child's environment; the folder belongs to the case and is removed afterwards.
    pub prepare: fn(&mut Command, &Path),
}

pub fn as_is(_: &mut Command, _: &Path) {}

/// Runs the case that the environment names, or all of them, each in a child process, and `more`, which may
/// run `parts`.
pub fn main_with(lists: &[&'static [Case]], parts: &'static [Case], more: Vec<Trial>) -> ExitCode {
    let cases = || lists.iter().copied().flatten();
    if let Some(name) = std::env::var_os(CASE) {
        // SAFETY: no other thread runs yet. Children of the case must not run it again.
        unsafe { std::env::remove_var(CASE) };
        let Some(case) = cases().chain(parts).find(|c| *c.name == *name) else { return ExitCode::FAILURE };
        (case.run)();
        return ExitCode::SUCCESS;
    }
    let mut trials: Vec<Trial> = cases().map(|c| Trial::test(c.name, move || supervise(c, &[]))).collect();
    trials.extend(more);
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Like [`main_with`], without parts.
pub fn main(cases: &'static [Case], more: Vec<Trial>) -> ExitCode {
    main_with(&[cases], &[], more)
}

/// Runs a case in a child process with additional variables.
pub fn supervise(case: &Case, vars: &[(&str, &str)]) -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("pyroclast-host-{}-{}", std::process::id(), case.name));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let log = folder.join("stderr");
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    command.env("PYROCLAST_NO_CACHE", "1").env("RUST_BACKTRACE", "0");
    command.env("PYROCLAST_DEVICES", std::env::var_os("PYROCLAST_DEVICES").unwrap_or("vulkan".into()));
    (case.prepare)(&mut command, &folder);
    command.envs(vars.iter().copied());
    command.env(CASE, case.name).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(std::fs::File::create(&log).map_err(|e| e.to_string())?);
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break Some(status),
            None if start.elapsed() > limit() => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let mut text = String::new();
    let _ = std::fs::File::open(&log).and_then(|mut f| f.read_to_string(&mut text));
    let _ = std::fs::remove_dir_all(&folder);
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(Failed::from(format!("{status}\n{text}"))),
        None => Err(Failed::from(format!("no end within {} s\n{text}", limit().as_secs()))),
    }
}

pub fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Resident memory in MiB.
pub fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Runs two or more blocks of work. Resident memory may grow until it reaches the maximum in use at a time,
/// which depends on how threads are scheduled; then a block must not add more than `mib`.
pub fn memory_settles(mib: usize, mut block: impl FnMut()) {
    let mut sizes = vec![resident()];
    while sizes.len() <= 10 {
        block();
        sizes.push(resident());
        if sizes.len() > 2 && sizes[sizes.len() - 1] <= sizes[sizes.len() - 2] + mib {
            return;
        }
    }
    panic!("resident MiB after each block: {sizes:?}");
}

/// Requires that no child process is left, not even a zombie.
pub fn no_children() {
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        // Threads may end meanwhile, and some kernels lack the file.
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        assert_eq!(children.trim(), "", "child processes are left");
    }
}
