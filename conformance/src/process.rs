//! Child processes with a time limit.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Runs a command to its end. Returns `None` if it exceeded the limit; it and the processes that it started
/// are then killed.
pub fn run_limited(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child: Child = command.process_group(0).spawn()?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
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
}
