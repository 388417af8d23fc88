//! The report of `pyroclast doctor`, as data and as text.

use super::child::DeviceFacts;
use super::runner::{Failure, Outcome};
use serde::Serialize;
use std::fmt::Write;

/// Findings on all devices.
#[derive(Serialize)]
pub struct Report {
    pub version: String,
    /// Failures while the devices are opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<GroupFindings>,
    pub devices: Vec<DeviceFindings>,
}

/// Findings on one device.
#[derive(Serialize)]
pub struct DeviceFindings {
    #[serde(flatten)]
    pub facts: DeviceFacts,
    pub groups: Vec<GroupFindings>,
    /// Features to hide, with which every group that can pass does.
    pub hide: Vec<String>,
    /// Groups that fail with these features hidden.
    pub remaining: Vec<&'static str>,
}

/// The results of a group.
#[derive(Serialize)]
pub struct GroupFindings {
    pub name: &'static str,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Features that the group needs hidden; `None` if none help, or if nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub helps: Option<Vec<String>>,
}

/// Details that are printed for a group, at most.
const SHOWN: usize = 5;

impl GroupFindings {
    /// Lines for people.
    pub fn text(&self) -> String {
        let outcome = &self.outcome;
        if let Some(why) = &outcome.skipped {
            return format!("  {:<18} skipped: {why}\n", self.name);
        }
        let failed = outcome.findings.len();
        let mut out = match failed {
            0 => format!("  {:<18} {} passed\n", self.name, outcome.passed),
            _ => format!("  {:<18} {} passed, {failed} FAILED\n", self.name, outcome.passed),
        };
        for finding in outcome.findings.iter().take(SHOWN) {
            let how = match finding.failure {
                Failure::Wrong => "wrong",
                Failure::Error => "error",
                Failure::Crash => "crash",
                Failure::Hang => "hang",
            };
            let detail = finding.detail.lines().next().unwrap_or_default();
            let _ = writeln!(out, "    {how}: {}: {detail}", finding.check);
        }
        if failed > SHOWN {
            let _ = writeln!(out, "    and {} more", failed - SHOWN);
        }
        match &self.helps {
            Some(list) => {
                let _ = writeln!(out, "    passes with {}", signed(list));
            }
            None if failed > 0 => out.push_str("    no setting helps\n"),
            None => {}
        }
        out
    }
}

/// Features as PYROCLAST_FEATURES names them.
pub fn signed(features: &[String]) -> String {
    features.iter().map(|name| format!("-{name}")).collect::<Vec<_>>().join(",")
}

impl DeviceFindings {
    /// The lines before those of the groups.
    pub fn heading(&self) -> String {
        let mut out = format!("{}\n  driver {}\n", self.facts.name, self.facts.driver);
        if !self.facts.hidden.is_empty() {
            let _ = writeln!(out, "  hidden {}", signed(&self.facts.hidden));
        }
        out
    }

    /// The lines after those of the groups.
    pub fn conclusion(&self) -> String {
        let mut out = String::new();
        if !self.hide.is_empty() {
            let _ = writeln!(out, "  To hide: PYROCLAST_FEATURES={}", signed(&self.hide));
        }
        if !self.remaining.is_empty() {
            let _ = writeln!(out, "  Fails whatever is hidden: {}", self.remaining.join(", "));
        }
        if out.is_empty() {
            out.push_str("  Nothing failed.\n");
        }
        out
    }
}
