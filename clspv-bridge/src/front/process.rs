//! Runs a tool as a child process inside any host: input and output through pipes, with limits of time and memory.
//!
//! The host may have closed its standard descriptors (then pipes could land on them, which the spawn cannot pass on), may
//! ignore SIGCHLD (then nobody can tell how the child ended), and may change directory or environment at any time. Output
//! and input are moved by threads, so no pipe can fill up and block the other side.

use crate::error::{CompileError, Result};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Most bytes that are taken of a tool's output and of its messages; a tool that writes more finds its pipe closed.
const MAX_OUTPUT: u64 = 512 << 20;
const MAX_MESSAGES: u64 = 8 << 20;

/// What a tool left behind.
pub struct Output {
    /// `None` if the host keeps the status from us.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

enum Stream {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

/// Environment variables that would change what clang reads or does.
const REMOVED_ENV: &[&str] = &[
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_CONFIG_PATH",
    "LD_PRELOAD",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_OPTIONS_FILE",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
];

/// Runs `program` with `input` on its standard input.
pub fn run(program: &Path, args: &[OsString], input: &[u8], limit: Duration) -> Result<Output> {
    let failed = |what: &str, e: std::io::Error| CompileError::ToolFailed(format!("{}: {what}: {e}", program.display()));
    let mut command = limited(program);
    command.args(args).env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in REMOVED_ENV {
        command.env_remove(name);
    }
    let mut child = {
        let _reserved = reserve_standard_descriptors();
        command.spawn().map_err(|e| failed("cannot start", e))?
    };
    let deadline = Instant::now() + limit;
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take()) else {
        end(&mut child);
        return Err(CompileError::internal("a child process without pipes"));
    };
    let (send, receive) = mpsc::channel();
    let send_err = send.clone();
    let input = input.to_vec();
    let spawned = spawn(move || {
        // A tool that stops reading early says why on its standard error.
        let _ = stdin.write_all(&input);
    })
    .and_then(|()| {
        spawn(move || {
            let mut bytes = Vec::new();
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = send.send(Stream::Out(bytes));
        })
    })
    .and_then(|()| {
        spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.take(MAX_MESSAGES).read_to_end(&mut bytes);
            let _ = send_err.send(Stream::Err(bytes));
        })
    });
    if let Err(e) = spawned {
        end(&mut child);
        return Err(failed("cannot start a thread", e));
    }
    let (mut out, mut err) = (None, None);
    while out.is_none() || err.is_none() {
        match receive.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Stream::Out(bytes)) => out = Some(bytes),
            Ok(Stream::Err(bytes)) => err = Some(bytes),
            Err(_) => {
                end(&mut child);
                let text = format!("{} did not finish within {} s", program.display(), limit.as_secs());
                return Err(CompileError::ToolFailed(text));
            }
        }
    }
    // Both pipes are at their end, so the child is ending too. With SIGCHLD ignored there is no status to collect.
    let status = child.wait().ok();
    let stderr = String::from_utf8_lossy(&err.unwrap_or_default()).into_owned();
    Ok(Output { status, stdout: out.unwrap_or_default(), stderr })
}

/// Memory of each process of a tool in KiB: `PYROCLAST_CLANG_MEMORY` in MiB.
fn memory_limit() -> u64 {
    let set = std::env::var("PYROCLAST_CLANG_MEMORY").ok().and_then(|v| v.trim().parse::<u64>().ok());
    set.filter(|mib| *mib > 0).unwrap_or(8192).saturating_mul(1024)
}

/// The command of a tool, by a shell that sets the limit of memory and becomes the tool. A file that cannot be run is left
/// to the system, which says so best.
fn limited(program: &Path) -> Command {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let runs = |path: &Path| std::fs::metadata(path).is_ok_and(|d| d.is_file() && d.permissions().mode() & 0o111 != 0);
        let shell = Path::new("/bin/sh");
        if runs(shell) && runs(program) && program.is_absolute() {
            let mut command = Command::new(shell);
            // A lower limit of the host's stays.
            command.arg("-c").arg(format!("ulimit -v {} 2>/dev/null; exec \"$0\" \"$@\"", memory_limit())).arg(program);
            return command;
        }
    }
    Command::new(program)
}

fn spawn(f: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("pyroclast-tool".into()).stack_size(128 << 10).spawn(f).map(drop)
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Occupies the descriptors 0 to 2 that the host has closed, until the child is started.
fn reserve_standard_descriptors() -> Vec<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd;
        let mut held = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            if file.as_raw_fd() > 2 {
                break;
            }
            held.push(file);
        }
        held
    }
    #[cfg(not(unix))]
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against hangs: no machine is so busy.
    const PATIENCE: Duration = Duration::from_secs(300);

    #[test]
    fn large_input_and_output_do_not_block() {
        let input = vec![b'x'; 1 << 20];
        let out = run(Path::new("/bin/cat"), &[], &input, PATIENCE).unwrap();
        assert_eq!(out.stdout.len(), input.len());
        assert!(out.status.unwrap().success());
    }

    #[test]
    fn endless_messages_end() {
        let args = ["-c".into(), "yes nonsense >&2".into()];
        let out = run(Path::new("/bin/sh"), &args, b"", PATIENCE).unwrap();
        assert_eq!(out.stderr.len() as u64, MAX_MESSAGES);
        assert!(!out.status.unwrap().success());
    }

    /// What a tool is given arrives as it was, and so does its end.
    #[test]
    fn arguments_are_passed_on() {
        let args =
            ["-c".into(), "printf '%s|' \"$@\"; kill -9 $$".into(), "name".into(), "a b".into(), "$x\"'*".into(), "".into()];
        let out = run(Path::new("/bin/sh"), &args, b"", PATIENCE).unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stdout), "a b|$x\"'*||");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&out.status.unwrap()), Some(9));
        let limit = run(Path::new("/bin/sh"), &["-c".into(), "ulimit -v".into()], b"", PATIENCE).unwrap();
        assert_ne!(String::from_utf8_lossy(&limit.stdout).trim(), "unlimited");
    }

    #[test]
    fn time_limit_ends_the_child() {
        let start = Instant::now();
        let result = run(Path::new("/bin/sleep"), &["1000".into()], b"", Duration::from_millis(100));
        assert!(matches!(result, Err(CompileError::ToolFailed(_))));
        assert!(start.elapsed() < PATIENCE);
    }
}
