//! The child process of one kernel, as seen by its parent: it builds beside others and measures alone.

use super::arguments::KernelTimesArgs;
use super::candidates::Candidate;
use super::measure::WorkerReport;
use super::table::{KernelTimes, Results};
use crate::process::kill_group;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time that a process has to end after its measurement.
const END: Duration = Duration::from_secs(5);

/// A child process, killed with its own children when it is dropped.
pub struct Worker {
    child: Child,
    reports: Receiver<WorkerReport>,
    limit: Duration,
    /// Names of the devices, once they are known.
    pub devices: Option<[String; 2]>,
    built: [bool; 2],
    results: Option<Results>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = kill_group(&mut self.child);
        }
    }
}

impl Worker {
    /// Starts the process of a kernel, with a folder for its plan.
    pub fn start(
        candidate: &Candidate,
        arguments: &KernelTimesArgs,
        vendors: &Path,
        folder: &Path,
    ) -> Result<Worker, String> {
        let file = folder.join("plan");
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        std::fs::write(&file, candidate.plan.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.arg("kernel-times-one").arg(&file).arg(&candidate.options);
        command.args([&arguments.platform, &arguments.reference, &arguments.seconds.to_string()]);
        command.env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let (sender, reports) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            let _ = lines
                .filter_map(|line| WorkerReport::parse(&line))
                .try_for_each(|report| sender.send(report));
        });
        let limit = Duration::from_secs(arguments.selection.limit);
        Ok(Worker { child, reports, limit, devices: None, built: [false; 2], results: None })
    }

    /// Waits until the kernel has run on both devices.
    pub fn build(mut self) -> Result<Worker, String> {
        let deadline = Instant::now() + self.limit;
        loop {
            match self.next(deadline) {
                Ok(WorkerReport::Devices(names)) => self.devices = Some(names),
                Ok(WorkerReport::Built(side)) => self.built[side] = true,
                Ok(WorkerReport::Ready(results)) => {
                    self.results = Some(results);
                    return Ok(self);
                }
                Ok(_) => {}
                Err(why) => return Err(format!("{why} {}", self.stage())),
            }
        }
    }

    /// Where the process was when it failed.
    fn stage(&self) -> &'static str {
        match self.built {
            [true, true] => "in the comparison",
            [true, false] => "in the build or first launch of the reference",
            [false, true] => "in the build or first launch of ours",
            [false, false] => "in the build or first launch of both",
        }
    }

    /// Measures the kernel.
    pub fn measure(mut self) -> Result<KernelTimes, String> {
        let mut input = self.child.stdin.take().ok_or("no standard input")?;
        input.write_all(b"\n").map_err(|e| e.to_string())?;
        let deadline = Instant::now() + self.limit;
        loop {
            match self.next(deadline) {
                Ok(WorkerReport::Times(times)) => {
                    let results = self.results.take().ok_or("no results")?;
                    // Its end may report, too.
                    let _ = self.next(Instant::now() + END);
                    return Ok(KernelTimes { times, results });
                }
                Ok(_) => {}
                Err(why) => return Err(format!("{why} in the measurement")),
            }
        }
    }

    /// The next report of success.
    fn next(&mut self, deadline: Instant) -> Result<WorkerReport, String> {
        match self.reports.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(WorkerReport::Failed(why)) => Err(why),
            Ok(report) => Ok(report),
            Err(RecvTimeoutError::Timeout) => Err(format!("more than {} s", self.limit.as_secs())),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map_err(|e| e.to_string())?;
                Err(status.to_string())
            }
        }
    }
}
