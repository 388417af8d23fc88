//! Runs a tool as a child process inside any host, with limits of time and memory.
//!
//! The time limit is one of processor time, enforced by the system, so a busy machine does not fail a build.
//! A tool that waits as long without using the processor at all is killed too. If this process ends, the tool
//! is killed ([`Watch`]). A tool that was killed by the system or lacked memory is run once more, while no
//! other tool of this process runs.
//!
//! The host may have closed its standard descriptors (pipes could then take their numbers, which the spawn
//! cannot pass on). It may ignore SIGCHLD (then the exit status is not available), and may change directory
//! or environment at any time. Threads move output and input, so no pipe can fill up and block the other
//! side.

use super::descriptors::reserve_standard_descriptors;
use super::watch::Watch;
use crate::error::{CompileError, Result};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{PoisonError, RwLock, mpsc};
use std::time::{Duration, Instant};

/// Maximum number of bytes read from a tool's output and from its messages. A tool that writes more finds its
/// pipe closed.
const MAX_OUTPUT: u64 = 512 << 20;
const MAX_MESSAGES: u64 = 8 << 20;

/// Output of a tool that has ended.
pub struct Output {
    /// `None` if the host hides the status.
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

/// Held by running tools, and exclusively by one that is run once more.
static RUNNING: RwLock<()> = RwLock::new(());

/// Runs `program` with `input` on its standard input; `limit` is one of processor time.
pub fn run(program: &Path, args: &[OsString], input: &[u8], limit: Duration) -> Result<Output> {
    let with_others = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
    let output = run_once(program, args, input, limit)?;
    if !lacked_resources(&output) {
        return Ok(output);
    }
    drop(with_others);
    let _alone = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
    run_once(program, args, input, limit)
}

/// Whether a tool was killed, as by a system without free memory, or reported that it lacked memory.
fn lacked_resources(output: &Output) -> bool {
    #[cfg(unix)]
    let signal = output.status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
    #[cfg(not(unix))]
    let signal = None;
    const SIGKILL: i32 = 9;
    let failed = output.status.is_none_or(|status| !status.success());
    let messages = ["out of memory", "bad_alloc", "Cannot allocate memory"];
    signal == Some(SIGKILL) || failed && messages.iter().any(|m| output.stderr.contains(m))
}

fn run_once(program: &Path, args: &[OsString], input: &[u8], limit: Duration) -> Result<Output> {
    let name = program.display();
    let failed = |what: &str, e: std::io::Error| CompileError::ToolFailed(format!("{name}: {what}: {e}"));
    let (mut child, stdin) = start(program, args, limit).map_err(|e| failed("cannot start", e))?;
    let _watch = Watch::of_group(child.id());
    let receive = match move_bytes(&mut child, stdin, input.to_vec()) {
        Ok(receive) => receive,
        Err(e) => {
            end(&mut child);
            return Err(failed("cannot start a thread", e));
        }
    };
    let (mut out, mut err) = (None, None);
    let mut activity = Activity::of(child.id());
    while out.is_none() || err.is_none() {
        match receive.recv_timeout((limit / 8).clamp(Duration::from_millis(10), Duration::from_secs(1))) {
            Ok(Stream::Out(bytes)) => out = Some(bytes),
            Ok(Stream::Err(bytes)) => err = Some(bytes),
            Err(_) if activity.pause() < limit => {}
            Err(_) => {
                end(&mut child);
                let text = format!("{name} did nothing for {} s and was ended", limit.as_secs());
                return Err(CompileError::ToolFailed(text));
            }
        }
    }
    // Both pipes are at their end, so the child is ending too. With SIGCHLD ignored there is no status to
    // collect.
    let status = child.wait().ok();
    if status.is_some_and(was_too_slow) {
        let text = format!("{name} used more than {} s of processor time", limit.as_secs());
        return Err(CompileError::ToolFailed(text));
    }
    let stderr = String::from_utf8_lossy(&err.unwrap_or_default()).into_owned();
    Ok(Output { status, stdout: out.unwrap_or_default(), stderr })
}

/// Starts a tool; returns it with a stream to its standard input.
fn start(
    program: &Path,
    args: &[OsString],
    limit: Duration,
) -> std::io::Result<(Child, Box<dyn Write + Send>)> {
    let _reserved = reserve_standard_descriptors();
    let mut command = limited(program, limit);
    command.args(args).env("LC_ALL", "C").stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in REMOVED_ENV {
        command.env_remove(name);
    }
    #[cfg(unix)]
    {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // Writing to a socket whose other end is closed raises no SIGPIPE, which would kill the host.
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        command.stdin(std::os::fd::OwnedFd::from(theirs));
        Ok((command.spawn()?, Box::new(ours)))
    }
    #[cfg(not(unix))]
    {
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok((child, Box::new(stdin)))
    }
}

/// Moves input and output by threads; returns the streams once they are at their end.
fn move_bytes(
    child: &mut Child,
    mut stdin: Box<dyn Write + Send>,
    input: Vec<u8>,
) -> std::io::Result<mpsc::Receiver<Stream>> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let (send, receive) = mpsc::channel();
    let send_err = send.clone();
    spawn(move || {
        // A tool that stops reading early reports the reason on its standard error.
        let _ = stdin.write_all(&input);
    })?;
    spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut bytes);
        let _ = send.send(Stream::Out(bytes));
    })?;
    spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.take(MAX_MESSAGES).read_to_end(&mut bytes);
        let _ = send_err.send(Stream::Err(bytes));
    })?;
    Ok(receive)
}

/// Memory limit of each process of a tool in KiB: `PYROCLAST_CLANG_MEMORY` in MiB.
fn memory_limit() -> u64 {
    let set = std::env::var("PYROCLAST_CLANG_MEMORY").ok().and_then(|v| v.trim().parse::<u64>().ok());
    set.filter(|mib| *mib > 0).unwrap_or(8192).saturating_mul(1024)
}

/// Whether the system ended a tool because of its processor time.
fn was_too_slow(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        const SIGXCPU: i32 = 24;
        std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGXCPU)
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

/// The last time a process and its descendants used the processor, or were ready to.
struct Activity {
    process: u32,
    /// Processor time used by then.
    used: u64,
    last: Instant,
}

impl Activity {
    fn of(process: u32) -> Activity {
        Activity { process, used: 0, last: Instant::now() }
    }

    /// Time for which the process has waited for something other than the processor.
    fn pause(&mut self) -> Duration {
        let (used, waits) = usage(self.process, 0);
        if used != self.used || !waits {
            (self.used, self.last) = (used, Instant::now());
        }
        self.last.elapsed()
    }
}

/// Processor time of a process and its descendants, in the system's unit, and whether all of them wait. If
/// the system does not report it, the process counts as waiting: then the limit is one of elapsed time.
fn usage(process: u32, depth: u32) -> (u64, bool) {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name before it may contain any character.
    let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    // User and system time, of the process and of its children that have ended.
    let times = fields.get(11..15).unwrap_or_default();
    let mut used = times.iter().filter_map(|t| t.parse::<u64>().ok()).sum();
    // A stopped process is not idle: its parent or a debugger will continue it.
    let mut waits = fields.first().is_none_or(|state| !["R", "T", "t"].contains(state));
    let children =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|c| c.parse().ok()).filter(|_| depth < 8) {
        let (more, idle) = usage(child, depth + 1);
        (used, waits) = (used + more, waits && idle);
    }
    (used, waits)
}

/// The command of a tool: a shell that sets the limits and then executes the tool. A file that is not
/// executable is passed to the system directly, for its error message.
fn limited(program: &Path, limit: Duration) -> Command {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let runs = |path: &Path| {
            std::fs::metadata(path).is_ok_and(|d| d.is_file() && d.permissions().mode() & 0o111 != 0)
        };
        let shell = Path::new("/bin/sh");
        if runs(shell) && runs(program) && program.is_absolute() {
            let mut command = Command::new(shell);
            // Lower limits of the host stay in force. The end of the time is a signal, without a core dump.
            let seconds = limit.as_millis().div_ceil(1000).max(1);
            let limits = format!("ulimit -c 0; ulimit -S -t {seconds}; ulimit -v {}", memory_limit());
            command.arg("-c").arg(format!("{{ {limits}; }} 2>/dev/null; exec \"$0\" \"$@\"")).arg(program);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Against hangs; much longer than any busy machine needs.
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

    /// Input reaches the tool unchanged, and so does its end.
    #[test]
    fn arguments_are_passed_on() {
        let args = [
            "-c".into(),
            "printf '%s|' \"$@\"; kill -9 $$".into(),
            "name".into(),
            "a b".into(),
            "$x\"'*".into(),
            "".into(),
        ];
        let out = run(Path::new("/bin/sh"), &args, b"", PATIENCE).unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stdout), "a b|$x\"'*||");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&out.status.unwrap()), Some(9));
        let limit = run(Path::new("/bin/sh"), &["-c".into(), "ulimit -v".into()], b"", PATIENCE).unwrap();
        assert_ne!(String::from_utf8_lossy(&limit.stdout).trim(), "unlimited");
    }

    fn shell(script: &str, limit: Duration) -> Result<Output> {
        run(Path::new("/bin/sh"), &["-c".into(), script.into()], b"", limit)
    }

    /// Tools that fail in their first run only.
    #[test]
    fn a_killed_tool_is_run_once_more() {
        let mark = std::env::temp_dir().join(format!("pyroclast-killed-{}", std::process::id()));
        let first_only = |failure: &str| {
            let path = mark.display();
            shell(
                &format!("[ -e '{path}' ] || {{ : > '{path}'; {failure}; }}; rm '{path}'; cat; echo ok"),
                PATIENCE,
            )
        };
        for failure in ["kill -9 $$", "echo 'LLVM ERROR: out of memory' >&2; exit 1"] {
            assert_eq!(first_only(failure).unwrap().stdout, b"ok\n", "{failure}");
        }
        // Other failures are final.
        assert!(!first_only("exit 1").unwrap().status.unwrap().success());
        std::fs::remove_file(&mark).unwrap();
        let killed = shell("kill -9 $$", PATIENCE).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&killed.status.unwrap()), Some(9));
    }

    #[test]
    fn a_child_that_does_nothing_is_ended() {
        let start = Instant::now();
        let result = run(Path::new("/bin/sleep"), &["1000".into()], b"", Duration::from_millis(100));
        assert!(matches!(result, Err(CompileError::ToolFailed(text)) if text.contains("did nothing")));
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn processor_time_is_limited_and_not_the_clock() {
        let result = shell("while :; do :; done", Duration::from_secs(1));
        assert!(matches!(result, Err(CompileError::ToolFailed(text)) if text.contains("processor time")));
        // Stopped for longer than the limit, as if other processes had the processors.
        let stopped = "(sleep 1; kill -CONT $$) & kill -STOP $$; wait; echo done";
        assert_eq!(shell(stopped, Duration::from_millis(200)).unwrap().stdout, b"done\n");
        // A tool may be a script whose children do the work.
        let work = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; echo done";
        assert_eq!(
            shell(&format!("sh -c '{work}'; true"), Duration::from_millis(200)).unwrap().stdout,
            b"done\n"
        );
    }
}
