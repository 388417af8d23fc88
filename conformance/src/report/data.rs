//! Results of tests with the facts of the device, and their JSON.

use super::expectations::{Expectations, Expected};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const FORMAT: &str = "pyroclast conformance 2";

/// Result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Pass,
    Fail,
    Skip,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        ["pass", "fail", "skip"][self as usize]
    }
}

/// A test with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub area: String,
    pub name: String,
    pub verdict: Verdict,
    pub seconds: f64,
    /// The failure, or why the test was skipped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl Record {
    pub fn path(&self) -> String {
        format!("{}/{}", self.area, self.name)
    }
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Command line that repeats the run, without a selection of tests.
    pub command: String,
    pub seconds: f64,
    /// Facts of device, driver and tool, as text.
    pub facts: IndexMap<String, String>,
    /// Tests, those of an area in a row.
    pub tests: Vec<Record>,
}

/// The JSON of a report. It is compact, since reports are committed: tests are below their area, each an
/// array of name, verdict, seconds and, if there is one, text.
#[derive(Deserialize)]
struct Stored {
    format: String,
    command: String,
    seconds: f64,
    facts: IndexMap<String, String>,
    tests: IndexMap<String, Vec<StoredTest>>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredTest {
    Plain(String, Verdict, f64),
    WithText(String, Verdict, f64, String),
}

impl StoredTest {
    fn of(test: &Record) -> StoredTest {
        let (name, text) = (test.name.clone(), test.text.clone());
        if text.is_empty() {
            StoredTest::Plain(name, test.verdict, test.seconds)
        } else {
            StoredTest::WithText(name, test.verdict, test.seconds, text)
        }
    }

    fn record(self, area: &str) -> Record {
        let (name, verdict, seconds, text) = match self {
            StoredTest::Plain(name, verdict, seconds) => (name, verdict, seconds, String::new()),
            StoredTest::WithText(name, verdict, seconds, text) => (name, verdict, seconds, text),
        };
        Record { area: area.to_owned(), name, verdict, seconds, text }
    }
}

/// Number of tests by result; expected failures are counted separately.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Counts {
    pub pass: usize,
    pub fail: usize,
    pub expected: usize,
    pub skip: usize,
    pub seconds: f64,
}

impl Counts {
    pub fn of<'a>(tests: impl IntoIterator<Item = &'a Record>, expectations: &Expectations) -> Counts {
        let mut counts = Counts::default();
        for test in tests {
            counts.seconds += test.seconds;
            *match test.verdict {
                Verdict::Pass => &mut counts.pass,
                Verdict::Skip => &mut counts.skip,
                Verdict::Fail if expectations.reason(test, Expected::Fail).is_some() => &mut counts.expected,
                Verdict::Fail => &mut counts.fail,
            } += 1;
        }
        counts
    }

    pub fn total(self) -> usize {
        self.pass + self.fail + self.expected + self.skip
    }
}

impl Report {
    pub fn new(facts: IndexMap<String, String>, command: String, seconds: f64, tests: Vec<Record>) -> Report {
        let mut areas: IndexMap<String, Vec<Record>> = IndexMap::new();
        for test in tests {
            areas.entry(test.area.clone()).or_default().push(test);
        }
        let tests = areas.into_values().flatten().collect();
        Report { command, seconds: (seconds * 10.0).round() / 10.0, facts, tests }
    }

    pub fn fact(&self, name: &str) -> &str {
        self.facts.get(name).map_or("", String::as_str)
    }

    /// The report as JSON, a test a line.
    pub fn to_json(&self) -> String {
        fn json(value: &impl Serialize) -> String {
            serde_json::to_string(value).unwrap_or_default()
        }
        let area = |(area, tests): (&str, Vec<&Record>)| {
            let tests: Vec<String> = tests.into_iter().map(|t| json(&StoredTest::of(t))).collect();
            format!("{}: [\n{}\n]", json(&area), tests.join(",\n"))
        };
        let tests: Vec<String> = self.areas().into_iter().map(area).collect();
        let (format, command, facts) = (json(&FORMAT), json(&self.command), json(&self.facts));
        let (seconds, tests) = (self.seconds, tests.join(",\n"));
        format!(
            "{{\n\"format\": {format},\n\"command\": {command},\n\"seconds\": {seconds},\n\
             \"facts\": {facts},\n\"tests\": {{\n{tests}\n}}\n}}\n"
        )
    }

    pub fn from_json(text: &str) -> Result<Report, String> {
        let stored: Stored = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if stored.format != FORMAT {
            return Err(format!("the format is '{}'", stored.format));
        }
        let tests = stored.tests.into_iter();
        let tests =
            tests.flat_map(|(area, list)| list.into_iter().map(|t| t.record(&area)).collect::<Vec<_>>());
        let tests = tests.collect();
        Ok(Report { command: stored.command, seconds: stored.seconds, facts: stored.facts, tests })
    }

    pub fn read(path: &Path) -> Result<Report, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Report::from_json(&text).map_err(|e| format!("{} is not a report: {e}", path.display()))
    }

    /// Areas with their tests, in the order of the report.
    pub fn areas(&self) -> IndexMap<&str, Vec<&Record>> {
        let mut areas: IndexMap<&str, Vec<&Record>> = IndexMap::new();
        for test in &self.tests {
            areas.entry(&test.area).or_default().push(test);
        }
        areas
    }

    /// Unexpected failures.
    pub fn failures<'a>(&'a self, expectations: &'a Expectations) -> impl Iterator<Item = &'a Record> {
        self.ended(Verdict::Fail).filter(|t| expectations.reason(t, Expected::Fail).is_none())
    }

    /// Expected failures, with the reasons.
    pub fn known<'a>(
        &'a self,
        expectations: &'a Expectations,
    ) -> impl Iterator<Item = (&'a Record, &'a str)> {
        self.ended(Verdict::Fail).filter_map(|t| Some((t, expectations.reason(t, Expected::Fail)?)))
    }

    pub fn unexpected_passes<'a>(
        &'a self,
        expectations: &'a Expectations,
    ) -> impl Iterator<Item = &'a Record> {
        self.ended(Verdict::Pass).filter(|t| expectations.reason(t, Expected::Fail).is_some())
    }

    /// Skipped tests that the expectations do not list.
    pub fn unexpected_skips<'a>(
        &'a self,
        expectations: &'a Expectations,
    ) -> impl Iterator<Item = &'a Record> {
        self.ended(Verdict::Skip).filter(|t| expectations.reason(t, Expected::Skip).is_none())
    }

    /// Reasons why tests were skipped, with the tests' names.
    pub fn skipped(&self) -> BTreeMap<&str, Vec<String>> {
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        self.ended(Verdict::Skip).for_each(|t| reasons.entry(&t.text).or_default().push(t.path()));
        reasons
    }

    fn ended(&self, verdict: Verdict) -> impl Iterator<Item = &Record> {
        self.tests.iter().filter(move |t| t.verdict == verdict)
    }

    /// Command line that repeats a test.
    pub fn reproduction(&self, test: &Record) -> String {
        format!("{} --only '{}'", self.command, test.path())
    }

    /// Prints a summary to standard output. Returns true if everything is as expected. Skipped tests count
    /// only if there are expectations.
    pub fn conclude(&self, expectations: &Expectations) -> bool {
        let mut good = true;
        for t in self.failures(expectations) {
            good = false;
            println!("FAILED {}: {}", t.path(), t.text);
        }
        for t in self.unexpected_skips(expectations).filter(|_| expectations.given) {
            good = false;
            println!("skipped, which was not expected: {}: {}", t.path(), t.text);
        }
        for t in self.unexpected_passes(expectations) {
            println!("passed although expected to fail: {}", t.path());
        }
        let counts = Counts::of(&self.tests, expectations);
        println!(
            "{}: {} passed, {} failed ({} of them expected), {} skipped in {:.0} s",
            self.fact("device"),
            counts.pass,
            counts.fail + counts.expected,
            counts.expected,
            counts.skip,
            self.seconds
        );
        good
    }
}

/// Reports for the tests of this folder.
#[cfg(test)]
pub mod samples {
    use super::*;

    pub fn record(name: &str, verdict: Verdict) -> Record {
        Record {
            area: "api".into(),
            name: name.into(),
            verdict,
            text: "te|xt <b>\nmore".into(),
            seconds: 0.5,
        }
    }

    pub fn report() -> Report {
        let tests = vec![
            record("one", Verdict::Pass),
            record("two", Verdict::Fail),
            record("three", Verdict::Fail),
            record("four", Verdict::Skip),
        ];
        Report::new([("device".to_owned(), "D".to_owned())].into(), "conformance run".into(), 2.04, tests)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::report;
    use super::*;

    #[test]
    fn reports_survive() {
        let report = report();
        assert_eq!(Report::from_json(&report.to_json()).as_ref(), Ok(&report));
        let other = report.to_json().replace(FORMAT, "another");
        assert!(Report::from_json(&other).is_err() && Report::from_json("{}").is_err());
    }

    #[test]
    fn what_is_expected_is_counted_apart() {
        let report = report();
        let expectations = Expectations::parse("api/th*  a reason\napi/one\tanother").expect("expectations");
        let counts = Counts::of(&report.tests, &expectations);
        assert_eq!((counts.pass, counts.fail, counts.expected, counts.skip), (1, 1, 1, 1));
        assert_eq!(report.unexpected_passes(&expectations).count(), 1);
        assert_eq!(report.unexpected_skips(&expectations).count(), 1);
        assert!(!report.conclude(&expectations));
        let all = Expectations::parse("api/t*  a reason\nskip api/four  not offered").expect("expectations");
        assert!(report.conclude(&all));
        let without_skip = Expectations::parse("api/t*  a reason").expect("expectations");
        assert!(!report.conclude(&without_skip));
    }
}
