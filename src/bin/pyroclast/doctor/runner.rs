//! Runs groups in child processes: a crash or a hang of the Vulkan driver ends the child only.

use super::child::{DEVICES, DeviceFacts, Line};
use serde::Serialize;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Name of the hidden subcommand.
pub const SUBCOMMAND: &str = "doctor-group";

/// How a check failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    Wrong,
    Error,
    Crash,
    Hang,
}

/// A check that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    pub check: String,
    pub failure: Failure,
    pub detail: String,
}

/// The result of a group.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Outcome {
    pub passed: usize,
    /// Why the group did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// Whether nothing failed.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Runs a group on a device with these features hidden, for at most `limit`.
pub fn run(device: usize, group: &str, hidden: &[String], limit: Duration) -> Result<Outcome, String> {
    Ok(child(device, group, Some(hidden), limit)?.0)
}

/// Lists the devices, with the features hidden that the settings hide unless others are given.
pub fn devices(hidden: Option<&[String]>, limit: Duration) -> Result<(Outcome, Vec<DeviceFacts>), String> {
    child(0, DEVICES, hidden, limit)
}

fn child(
    device: usize,
    group: &str,
    hidden: Option<&[String]>,
    limit: Duration,
) -> Result<(Outcome, Vec<DeviceFacts>), String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(own);
    if let Some(hidden) = hidden {
        command.env("PYROCLAST_FEATURES", super::report::signed(hidden));
    }
    command
        .args([SUBCOMMAND, &device.to_string(), group])
        .env("PYROCLAST_NO_CACHE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if std::env::var_os("PYROCLAST_LOG").is_none() {
        command.stderr(Stdio::null());
    }
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let output = child.stdout.take().ok_or("no output")?;
    let (send, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut outcome = Progress::default();
    let end = Instant::now() + limit;
    let hung = loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => outcome.take(serde_json::from_str(&line).ok()),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if hung {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    let _ = reader.join();
    let devices = std::mem::take(&mut outcome.devices);
    Ok((outcome.end(hung.then_some(limit), status), devices))
}

/// A group that runs, as far as it is known.
#[derive(Default)]
struct Progress {
    outcome: Outcome,
    devices: Vec<DeviceFacts>,
    /// The check under way.
    current: Option<String>,
    ended: bool,
}

impl Progress {
    fn take(&mut self, line: Option<Line>) {
        let mut find = |failure, detail| {
            let check = self.current.take().unwrap_or_default();
            self.outcome.findings.push(Finding { check, failure, detail });
        };
        match line {
            Some(Line::Begun(name)) => self.current = Some(name),
            Some(Line::Passed) => {
                self.current = None;
                self.outcome.passed += 1;
            }
            Some(Line::Wrong(detail)) => find(Failure::Wrong, detail),
            Some(Line::Error(detail)) => find(Failure::Error, detail),
            Some(Line::Skipped(why)) => {
                self.outcome.skipped = Some(why);
                self.ended = true;
            }
            Some(Line::Devices(list)) => {
                self.current = None;
                self.devices = list;
            }
            Some(Line::Ended) => self.ended = true,
            None => {}
        }
    }

    fn end(mut self, hung: Option<Duration>, status: ExitStatus) -> Outcome {
        // A crash while the process ends counts, too.
        let check = self.current.take().unwrap_or_else(|| "end of the process".into());
        let finding = match (hung, status.signal()) {
            (Some(limit), _) => Some((Failure::Hang, format!("still running after {} s", limit.as_secs()))),
            (None, Some(signal)) => Some((Failure::Crash, format!("signal {signal}"))),
            (None, None) if !self.ended || !status.success() => {
                Some((Failure::Crash, format!("the process ended with status {:?}", status.code())))
            }
            (None, None) => None,
        };
        let finding = finding.map(|(failure, detail)| Finding { check, failure, detail });
        self.outcome.findings.extend(finding);
        self.outcome
    }
}
