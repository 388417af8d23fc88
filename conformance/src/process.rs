//! Child processes with a time limit.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Runs a command to its end; `None` if it had to be stopped.
pub fn run_limited(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child: Child = command.spawn()?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
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
        let quick = run_limited(&mut Command::new("true"), Duration::from_secs(300));
        assert!(matches!(quick, Ok(Some(status)) if status.success()));
    }
}
