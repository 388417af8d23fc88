//! Reports of `conformance run` and `conformance cts`.
//!
//! [`data`] holds the results and their JSON. [`markdown`] and [`html`] write pages, [`compare`] puts several
//! reports side by side, and [`expectations`] holds the expected results of a device.

pub mod compare;
pub mod data;
pub mod expectations;
pub mod html;
pub mod markdown;

pub use data::{Record, Report, Verdict};
use expectations::Expectations;
use std::path::Path;

/// Writes `report.json`, `report.md` and `report.html` to a folder.
pub fn write(
    report: &Report,
    folder: &Path,
    expectations: &Expectations,
    before: Option<&Report>,
) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (name, text) in [
        ("report.json", report.to_json()),
        ("report.md", markdown::page(report, expectations, before)),
        ("report.html", html::page(report, expectations, before)),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
