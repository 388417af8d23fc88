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
use child::DeviceFacts;
use groups::{COMMON, GROUPS, Group};
use pyroclast_runtime::platform::version_text;
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
    let limit = Duration::from_secs(arguments.limit);
    let quiet = arguments.json;
    let (opening, devices) = open(limit)?;
    if let (Some(opening), false) = (&opening, quiet) {
        print(&opening.text())?;
    }
    let needed: Vec<String> = opening.iter().flat_map(|o| o.helps.clone().unwrap_or_default()).collect();
    let mut report = Report { version: version_text(), opening, devices: Vec::new() };
    let wanted = |index: &usize| arguments.device.is_none_or(|wanted| wanted == *index);
    for (index, facts) in devices.into_iter().enumerate().filter(|(index, _)| wanted(index)) {
        let mut findings =
            DeviceFindings { facts, groups: Vec::new(), hide: needed.clone(), remaining: Vec::new() };
        findings.facts.hidden.retain(|feature| !needed.contains(feature));
        let examination = Examination { index, limit, quiet };
        examination.run(&groups, &mut findings)?;
        report.devices.push(findings);
    }
    if report.devices.is_empty() && report.opening.is_none() {
        return Err("there is no such device; see `pyroclast info`".into());
    }
    if quiet {
        let text = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
        print(&format!("{text}\n"))?;
    }
    if arguments.write {
        write(&report, quiet)?;
    }
    let is_good = |d: &DeviceFindings| d.groups.iter().all(|g| g.outcome.is_good());
    let good = report.opening.is_none() && report.devices.iter().all(is_good);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Lists the devices. If that fails, also returns how, and the devices are those with features hidden that
/// make it succeed.
fn open(limit: Duration) -> Result<(Option<GroupFindings>, Vec<DeviceFacts>), String> {
    let (outcome, devices) = runner::devices(None, limit)?;
    if outcome.is_good() {
        return Ok((None, devices));
    }
    let mut candidates: Vec<&str> = Vec::new();
    for feature in GROUPS.iter().flat_map(|group| group.hides).chain(COMMON) {
        if !candidates.contains(feature) {
            candidates.push(feature);
        }
    }
    let helps =
        search::search(&[], &candidates, |hidden| Ok(runner::devices(Some(hidden), limit)?.0.is_good()))?;
    let devices = match &helps {
        Some(hidden) => runner::devices(Some(hidden), limit)?.1,
        None => Vec::new(),
    };
    Ok((Some(GroupFindings { name: child::DEVICES, outcome, helps }), devices))
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
        let name = &device.facts.name;
        settings::write(&file, name, &[&device.facts.hidden[..], &device.hide].concat())?;
        if !quiet {
            print(&format!("Wrote the features of {name} to {}\n", file.display()))?;
        }
    }
    Ok(())
}

/// The examination of one device.
struct Examination {
    index: usize,
    limit: Duration,
    quiet: bool,
}

impl Examination {
    fn say(&self, text: &str) -> Result<(), String> {
        if self.quiet { Ok(()) } else { print(text) }
    }

    fn run(&self, groups: &[&'static Group], findings: &mut DeviceFindings) -> Result<(), String> {
        self.say(&findings.heading())?;
        for group in groups {
            let all = [&findings.facts.hidden[..], &findings.hide].concat();
            let outcome = runner::run(self.index, group.name, &all, self.limit)?;
            let helps = if outcome.is_good() { None } else { self.search(group, &all)? };
            findings.hide.extend(helps.iter().flatten().cloned());
            let found = GroupFindings { name: group.name, outcome, helps };
            self.say(&found.text())?;
            findings.groups.push(found);
        }
        self.confirm(groups, findings)?;
        self.say(&findings.conclusion())
    }

    /// Features with which a group passes, in addition to those that are hidden.
    fn search(&self, group: &Group, hidden: &[String]) -> Result<Option<Vec<String>>, String> {
        let own = group.hides.iter().chain(COMMON.iter().filter(|c| !group.hides.contains(c)));
        search::search(hidden, &own.copied().collect::<Vec<_>>(), |hidden| {
            Ok(runner::run(self.index, group.name, hidden, self.limit)?.is_good())
        })
    }

    /// Runs every group with all features hidden that some need hidden.
    fn confirm(&self, groups: &[&'static Group], findings: &mut DeviceFindings) -> Result<(), String> {
        let failed = |g: &GroupFindings| !g.outcome.is_good();
        if !findings.groups.iter().any(failed) {
            return Ok(());
        }
        let all = [&findings.facts.hidden[..], &findings.hide].concat();
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
