//! `pyroclast doctor`: runs small kernels on every device and compares the results with the host's, each
//! group of kernels in a child process, so that a crash or a hang of a Vulkan driver is a finding. For a
//! group that fails it searches features to hide with which the group passes.

mod bench;
mod check;
mod checks;
pub mod child;
mod groups;
mod report;
mod runner;
mod search;
mod settings;

use super::info::print;
use groups::{COMMON, GROUPS, Group};
use pyroclast_runtime::config::Config;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::platform::{Platform, version_text};
use report::{DeviceFindings, GroupFindings, Report};
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `pyroclast doctor`.
#[derive(clap::Args)]
pub struct DoctorArgs {
    /// Write everything as one JSON object
    #[arg(long)]
    json: bool,
    /// Write the features to hide into the user's configuration file
    #[arg(long)]
    write: bool,
    /// Only the device of this number, as `pyroclast info` counts
    #[arg(long, value_name = "NUMBER")]
    device: Option<usize>,
    /// Only these groups of checks, separated by commas
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds after which a group of checks counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
}

/// Arguments of the child process.
#[derive(clap::Args)]
pub struct ChildArgs {
    device: usize,
    group: String,
}

/// Examines the devices; the exit status is 1 if something failed, also if a setting helps.
pub fn run(arguments: &DoctorArgs) -> Result<ExitCode, String> {
    let groups = chosen(&arguments.only)?;
    let devices = Platform::get().devices();
    let wanted = |index: &usize| arguments.device.is_none_or(|wanted| wanted == *index);
    let list: Vec<usize> = (0..devices.len()).filter(wanted).collect();
    if list.is_empty() {
        return Err("there is no such device; see `pyroclast info`".into());
    }
    let mut report = Report { version: version_text(), devices: Vec::new() };
    for index in list {
        let examination = Examination {
            index,
            limit: Duration::from_secs(arguments.limit),
            quiet: arguments.json,
            hidden: Config::get().hidden_on(&devices[index].info().name),
        };
        report.devices.push(examination.run(&devices[index], &groups)?);
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
        print(&format!("{text}\n"))?;
    }
    if arguments.write {
        write(&report, arguments.json)?;
    }
    let is_good = |d: &DeviceFindings| d.groups.iter().all(|g| g.outcome.is_good());
    Ok(if report.devices.iter().all(is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the child process's group.
pub fn run_child(arguments: &ChildArgs) -> Result<ExitCode, String> {
    child::run(arguments.device, &arguments.group)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Group>, String> {
    if only.is_empty() {
        return Ok(GROUPS.iter().collect());
    }
    let names = || GROUPS.iter().map(|g| g.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        groups::find(name.trim()).ok_or_else(|| format!("there is no group '{name}'; there are {}", names()))
    };
    only.iter().map(find).collect()
}

fn write(report: &Report, quiet: bool) -> Result<(), String> {
    let file = settings::file().ok_or("there is no home folder for the configuration file")?;
    for device in report.devices.iter().filter(|d| !d.hide.is_empty()) {
        let all = [&device.hidden[..], &device.hide].concat();
        settings::write(&file, &device.name, &all)?;
        if !quiet {
            print(&format!("Wrote the features of {} to {}\n", device.name, file.display()))?;
        }
    }
    Ok(())
}

/// The examination of one device.
struct Examination {
    index: usize,
    limit: Duration,
    quiet: bool,
    /// Features that are hidden already.
    hidden: Vec<String>,
}

impl Examination {
    fn say(&self, text: &str) -> Result<(), String> {
        if self.quiet { Ok(()) } else { print(text) }
    }

    fn run(&self, device: &Device, groups: &[&'static Group]) -> Result<DeviceFindings, String> {
        let info = device.info();
        let mut findings = DeviceFindings {
            name: info.name.clone(),
            driver: info.driver_version.clone(),
            features: device.c_features().iter().map(|f| f.name).collect(),
            extensions: device.extensions().iter().map(|f| f.name).collect(),
            notes: info.notes.clone(),
            hidden: self.hidden.clone(),
            groups: Vec::new(),
            hide: Vec::new(),
            remaining: Vec::new(),
        };
        self.say(&findings.heading())?;
        for group in groups {
            let outcome = runner::run(self.index, group.name, &self.hidden, self.limit)?;
            let helps = if outcome.is_good() { None } else { self.search(group, &findings.hide)? };
            for feature in helps.iter().flatten() {
                if !findings.hide.contains(feature) {
                    findings.hide.push(feature.clone());
                }
            }
            let found = GroupFindings { name: group.name, outcome, helps };
            self.say(&found.text())?;
            findings.groups.push(found);
        }
        self.confirm(groups, &mut findings)?;
        self.say(&findings.conclusion())?;
        Ok(findings)
    }

    /// Features with which a group passes, in addition to those that other groups need hidden.
    fn search(&self, group: &Group, hide: &[String]) -> Result<Option<Vec<String>>, String> {
        let known = [&self.hidden[..], hide].concat();
        let passes =
            |hidden: &[String]| Ok(runner::run(self.index, group.name, hidden, self.limit)?.is_good());
        if !hide.is_empty() && passes(&known)? {
            return Ok(Some(hide.to_vec()));
        }
        let own = group.hides.iter().chain(COMMON.iter().filter(|c| !group.hides.contains(c)));
        search::search(&known, &own.copied().collect::<Vec<_>>(), passes)
    }

    /// Runs every group with all features hidden that some need hidden.
    fn confirm(&self, groups: &[&'static Group], findings: &mut DeviceFindings) -> Result<(), String> {
        let failed = |g: &GroupFindings| !g.outcome.is_good();
        if !findings.groups.iter().any(failed) {
            return Ok(());
        }
        let all = [&self.hidden[..], &findings.hide].concat();
        for (group, found) in groups.iter().zip(&findings.groups) {
            // Without anything to hide, the result is known.
            let good = match findings.hide.is_empty() {
                true => found.outcome.is_good(),
                false => runner::run(self.index, group.name, &all, self.limit)?.is_good(),
            };
            if !good {
                findings.remaining.push(group.name);
            }
        }
        Ok(())
    }
}
