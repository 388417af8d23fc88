//! The child processes of `pyroclast doctor`: one lists the devices, the others run a group of checks on a
//! device. Each line of their output is a [`Line`], written at once, so that the parent knows what was under
//! way when the process ended.

use super::bench::Bench;
use super::check::Verdict;
use super::groups;
use pyroclast_runtime::config::Config;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::platform::Platform;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// The name that stands for the list of devices instead of a group.
pub const DEVICES: &str = "devices";

/// Facts of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceFacts {
    pub name: String,
    pub driver: String,
    /// Features and extensions of OpenCL, and why others are missing.
    pub features: Vec<String>,
    pub extensions: Vec<String>,
    pub notes: Vec<String>,
    /// Features that are hidden by settings.
    pub hidden: Vec<String>,
}

/// A line of a child process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Devices(Vec<DeviceFacts>),
    /// The group does not apply to the device.
    Skipped(String),
    /// A check begins.
    Begun(String),
    Passed,
    Wrong(String),
    Error(String),
    /// All checks ran.
    Ended,
}

fn say(line: &Line) -> Result<(), String> {
    let text = serde_json::to_string(line).map_err(|e| e.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|e| e.to_string())
}

fn list() -> Vec<DeviceFacts> {
    let facts = |device: &Arc<Device>| {
        let info = device.info();
        DeviceFacts {
            name: info.name.clone(),
            driver: info.driver_version.clone(),
            features: device.c_features().iter().map(|f| f.name.to_string()).collect(),
            extensions: device.extensions().iter().map(|f| f.name.to_string()).collect(),
            notes: info.notes.clone(),
            hidden: Config::get().hidden_on(&info.name),
        }
    };
    Platform::get().devices().iter().map(facts).collect()
}

/// Runs the group on the device of this index. The exit status does not depend on the results.
pub fn run(device: usize, group: &str) -> Result<ExitCode, String> {
    if group == DEVICES {
        say(&Line::Begun("opening the devices".into()))?;
        say(&Line::Devices(list()))?;
        say(&Line::Ended)?;
        return Ok(ExitCode::SUCCESS);
    }
    let group = groups::find(group).ok_or_else(|| format!("there is no group '{group}'"))?;
    let devices = Platform::get().devices();
    let device = devices.get(device).ok_or_else(|| format!("there is no device {device}"))?;
    if let Some(why) = (group.lacks)(device.info()) {
        say(&Line::Skipped(why.into()))?;
        return Ok(ExitCode::SUCCESS);
    }
    say(&Line::Begun("context".into()))?;
    let bench = Bench::new(device).map_err(|e| e.to_string())?;
    let tell = |verdict: Verdict| {
        say(&match verdict {
            Verdict::Passed => Line::Passed,
            Verdict::Wrong(text) => Line::Wrong(text),
            Verdict::Error(text) => Line::Error(text),
        })
    };
    for check in (group.checks)() {
        say(&Line::Begun(check.name.clone()))?;
        tell(bench.run(&check))?;
    }
    for (name, procedure) in group.procedures {
        say(&Line::Begun(name.to_string()))?;
        tell(procedure(&bench).unwrap_or_else(|error| Verdict::Error(error.to_string())))?;
    }
    say(&Line::Ended)?;
    Ok(ExitCode::SUCCESS)
}
