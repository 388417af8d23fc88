//! Tables of the conformance results, from the `report.json` files.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Folders of the results, in the order of the table.
const DEVICES: [&str; 5] = ["cpu", "lavapipe", "h200", "nvidia", "pocl"];
/// The format that is read.
const FORMAT: &str = "pyroclast conformance 2";

/// A device's results.
struct Report {
    /// Device, driver, mode and date.
    facts: [String; 4],
    /// Passed, failed and skipped tests by area.
    areas: BTreeMap<String, [u32; 3]>,
}

/// One table of the devices, one of the areas.
pub fn tables(folder: &Path) -> Result<String, String> {
    let mut reports = Vec::new();
    for device in DEVICES {
        let path = folder.join(device).join("report.json");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        reports.push((device, report(&text).map_err(|e| format!("{}: {e}", path.display()))?));
    }
    let mut out = String::from(
        "| | device | driver | mode | date | passed / failed / skipped |\n|---|---|---|---|---|---|\n",
    );
    for (name, report) in &reports {
        let all = report.areas.values().fold([0; 3], |sum, area| [0, 1, 2].map(|i| sum[i] + area[i]));
        let _ = writeln!(out, "| {name} | {} | {} |", report.facts.join(" | "), counts(all));
    }
    let mut areas: Vec<&String> = reports.iter().flat_map(|(_, r)| r.areas.keys()).collect();
    areas.sort();
    areas.dedup();
    let _ = writeln!(out, "\n| area | {} |\n|---{}|", DEVICES.join(" | "), "|---".repeat(DEVICES.len()));
    for area in areas {
        let cell =
            |(_, r): &(&str, Report)| r.areas.get(area).map_or_else(|| "not run".into(), |c| counts(*c));
        let cells: Vec<String> = reports.iter().map(cell).collect();
        let _ = writeln!(out, "| {area} | {} |", cells.join(" | "));
    }
    Ok(out)
}

fn counts([passed, failed, skipped]: [u32; 3]) -> String {
    format!("{passed} / {failed} / {skipped}")
}

fn report(text: &str) -> Result<Report, String> {
    let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if json["format"] != FORMAT {
        return Err(format!("the format is {}, not {FORMAT}", json["format"]));
    }
    let fact = |name: &str| json["facts"][name].as_str().unwrap_or("?").to_string();
    let mut areas = BTreeMap::new();
    for (area, tests) in json["tests"].as_object().ok_or("no tests")? {
        let mut sums = [0; 3];
        for test in tests.as_array().ok_or("an area without tests")? {
            // [name, result, seconds, ...]
            let index = match test[1].as_str() {
                Some("pass") => 0,
                Some("skip") => 2,
                Some(_) => 1,
                None => return Err(format!("{area}: a test without a result")),
            };
            sums[index] += 1;
        }
        areas.insert(area.clone(), sums);
    }
    Ok(Report { facts: ["device", "driver version", "mode", "date"].map(fact), areas })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        let text = r#"{"format": "pyroclast conformance 2", "facts": {"device": "X"},
            "tests": {"api": [["a", "pass", 1], ["b", "fail", 1, "why"], ["c", "skip", 0], ["d", "pass", 1]]}}"#;
        let report = report(text).expect("a report");
        assert_eq!(report.areas["api"], [2, 1, 1]);
        assert_eq!(report.facts[0], "X");
        assert!(super::report("{}").is_err());
    }
}
