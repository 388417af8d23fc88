//! Child processes with a time limit.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Runs a command to its end. Returns `None` if it took longer than the limit; it and the processes that it
/// started are then killed.
pub fn run_limited(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    run_while(command, |_, elapsed| elapsed <= limit)
}

/// Like [`run_limited`], but limits the processor time of the command and of the processes that it started,
/// which does not depend on the machine's load. Commands that wait are ended after ten times the limit.
pub fn run_limited_by_processor_time(
    command: &mut Command,
    limit: Duration,
) -> std::io::Result<Option<ExitStatus>> {
    run_while(command, |process, elapsed| {
        elapsed <= limit || (elapsed <= limit * 10 && processor_time(process, 0) <= limit)
    })
}

/// Processor time of a process and of its descendants so far: zero if the system does not report it.
fn processor_time(process: u32, depth: u32) -> Duration {
    let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let stat = read(format!("/proc/{process}/stat"));
    // The name before it may contain any character.
    let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    // User and system time, of the process and of its children that have ended, in hundredths of a second.
    let times = fields.get(11..15).unwrap_or_default();
    let own = Duration::from_millis(times.iter().filter_map(|t| t.parse::<u64>().ok()).sum::<u64>() * 10);
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = threads.map(|thread| read(format!("{}/children", thread.path().display())));
    let numbers: Vec<u32> =
        children.flat_map(|c| c.split(' ').filter_map(|n| n.parse().ok()).collect::<Vec<_>>()).collect();
    own + numbers.iter().filter(|_| depth < 8).map(|child| processor_time(*child, depth + 1)).sum()
}

/// Runs a command while `may_run` holds of its process id and the elapsed time.
fn run_while(
    command: &mut Command,
    may_run: impl Fn(u32, Duration) -> bool,
) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child: Child = command.process_group(0).spawn()?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if !may_run(child.id(), start.elapsed()) {
            kill_group(&mut child)?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Ends a command that has a process group of its own, and the processes that it started.
pub fn kill_group(child: &mut Child) -> std::io::Result<()> {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    child.kill()?;
    child.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_stopped() {
        let slow = run_limited(Command::new("sleep").arg("1000"), Duration::from_millis(20));
        assert!(matches!(slow, Ok(None)));
        // Processes that the command started may hold their end of a pipe open.
        let (mut read, write) = std::io::pipe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & sleep 1000"]).stdout(write);
        assert!(matches!(run_limited(&mut command, Duration::from_millis(200)), Ok(None)));
        drop(command);
        assert_eq!(std::io::Read::read(&mut read, &mut [0]).unwrap(), 0);
        let quick = run_limited(&mut Command::new("true"), Duration::from_secs(300));
        assert!(matches!(quick, Ok(Some(status)) if status.success()));
    }

    #[test]
    fn waiting_takes_no_processor_time() {
        let limit = Duration::from_millis(300);
        let waits = run_limited_by_processor_time(Command::new("sleep").arg("0.6"), limit);
        assert!(matches!(waits, Ok(Some(status)) if status.success()));
        // The processor time of a child counts, too.
        let mut busy = Command::new("sh");
        busy.args(["-c", "sh -c 'while :; do :; done'; true"]);
        assert!(matches!(run_limited_by_processor_time(&mut busy, limit), Ok(None)));
    }
}
