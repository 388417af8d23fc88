//! Reports side by side: their headings, counts for each area, and the tests that ended differently.

use super::data::{Report, Verdict};
use std::collections::BTreeMap;

/// Several reports as tables; each row has a cell for each report.
pub struct Comparison {
    pub facts: Vec<(&'static str, Vec<String>)>,
    /// Passed, failed and skipped; `None` if the report lacks the area.
    pub areas: Vec<(String, Vec<Option<[usize; 3]>>)>,
    /// Tests whose verdicts differ; `None` if the report lacks the test.
    pub tests: Vec<(String, Vec<Option<Verdict>>)>,
    /// Tests that are missing in some reports and end alike in the others.
    pub missing: usize,
}

impl Comparison {
    pub fn of(reports: &[&Report]) -> Comparison {
        let names = ["device", "platform", "device version", "driver version", "mode", "date", "tool"];
        let facts =
            names.map(|name| (name, reports.iter().map(|r| r.fact(name).to_owned()).collect())).into();
        let mut areas: Vec<(String, Vec<Option<[usize; 3]>>)> = Vec::new();
        let mut tests: BTreeMap<String, Vec<Option<Verdict>>> = BTreeMap::new();
        for (at, report) in reports.iter().enumerate() {
            for test in &report.tests {
                let row = areas.iter().position(|a| a.0 == test.area).unwrap_or_else(|| {
                    areas.push((test.area.clone(), vec![None; reports.len()]));
                    areas.len() - 1
                });
                areas[row].1[at].get_or_insert_default()[test.verdict as usize] += 1;
                tests.entry(test.path()).or_insert_with(|| vec![None; reports.len()])[at] =
                    Some(test.verdict);
            }
        }
        let missing = tests.values().filter(|v| v.contains(&None) && !differ(v)).count();
        tests.retain(|_, verdicts| differ(verdicts));
        Comparison { facts, areas, tests: tests.into_iter().collect(), missing }
    }
}

/// Whether two of the present verdicts differ.
fn differ(verdicts: &[Option<Verdict>]) -> bool {
    let mut there = verdicts.iter().flatten();
    let first = there.next();
    there.any(|v| Some(v) != first)
}

#[cfg(test)]
mod tests {
    use super::super::data::samples::{record, report};
    use super::*;

    #[test]
    fn differences_are_found() {
        let (first, mut second) = (report(), report());
        assert!(Comparison::of(&[&first, &second]).tests.is_empty());
        second.tests[0].verdict = Verdict::Fail;
        second.tests.push(record("five", Verdict::Pass));
        let both = Comparison::of(&[&first, &second]);
        assert_eq!(both.areas, [("api".to_owned(), vec![Some([1, 2, 1]), Some([1, 3, 1])])]);
        assert_eq!(both.tests, [("api/one".to_owned(), vec![Some(Verdict::Pass), Some(Verdict::Fail)])]);
        assert_eq!(both.missing, 1);
    }
}
