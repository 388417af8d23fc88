//! Reports of `conformance run`: results of tests with what is known of the device, as JSON for programs and as a Markdown
//! page for people; expectations, and comparison of reports.

use crate::json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Verdict {
    Pass,
    Fail,
    Skip,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        ["pass", "fail", "skip"][self as usize]
    }
    fn parse(text: &str) -> Option<Verdict> {
        [Verdict::Pass, Verdict::Fail, Verdict::Skip].into_iter().find(|v| v.name() == text)
    }
}

/// A test's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub area: String,
    pub name: String,
    pub verdict: Verdict,
    /// What failed, or why it was skipped.
    pub text: String,
    pub seconds: f64,
}

impl Record {
    pub fn path(&self) -> String {
        format!("{}/{}", self.area, self.name)
    }
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What is known of device, driver and tool, in words.
    pub facts: Vec<(String, String)>,
    /// How the run can be repeated, without a choice of tests.
    pub command: String,
    pub seconds: f64,
    pub tests: Vec<Record>,
}

impl Report {
    pub fn fact(&self, name: &str) -> &str {
        self.facts.iter().find(|f| f.0 == name).map_or("", |f| &f.1)
    }

    pub fn to_json(&self) -> String {
        let facts = self.facts.iter().map(|(name, text)| (name.clone(), Value::text(text))).collect();
        let test = |t: &Record| {
            let mut members = vec![
                ("area".to_owned(), Value::text(&t.area)),
                ("name".to_owned(), Value::text(&t.name)),
                ("verdict".to_owned(), Value::text(t.verdict.name())),
                ("seconds".to_owned(), Value::Number(t.seconds)),
            ];
            if !t.text.is_empty() {
                members.push(("text".to_owned(), Value::text(&t.text)));
            }
            Value::Object(members)
        };
        let members = vec![
            ("format".to_owned(), Value::text("pyroclast conformance 1")),
            ("command".to_owned(), Value::text(&self.command)),
            ("seconds".to_owned(), Value::Number((self.seconds * 10.0).round() / 10.0)),
            ("facts".to_owned(), Value::Object(facts)),
            ("tests".to_owned(), Value::List(self.tests.iter().map(test).collect())),
        ];
        Value::Object(members).write()
    }

    pub fn from_json(text: &str) -> Option<Report> {
        let value = Value::read(text)?;
        let Some(Value::Object(facts)) = value.get("facts") else { return None };
        let member = |v: &Value, name: &str| v.get(name).and_then(Value::as_text).map(str::to_owned);
        let test = |v: &Value| {
            Some(Record {
                area: member(v, "area")?,
                name: member(v, "name")?,
                verdict: Verdict::parse(v.get("verdict")?.as_text()?)?,
                text: member(v, "text").unwrap_or_default(),
                seconds: v.get("seconds")?.as_number()?,
            })
        };
        Some(Report {
            facts: facts.iter().filter_map(|(name, v)| Some((name.clone(), v.as_text()?.to_owned()))).collect(),
            command: member(&value, "command")?,
            seconds: value.get("seconds")?.as_number()?,
            tests: value.get("tests")?.as_list().iter().map(test).collect::<Option<_>>()?,
        })
    }

    pub fn read(path: &Path) -> Result<Report, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Report::from_json(&text).ok_or_else(|| format!("{} is no report", path.display()))
    }

    /// The page.
    pub fn to_markdown(&self, expectations: &Expectations, before: Option<&Report>) -> String {
        let mut out = format!("# Conformance of {}\n\n", self.fact("device"));
        let count = |v: Verdict| self.tests.iter().filter(|t| t.verdict == v).count();
        let unexpected: Vec<&Record> = self.failures(expectations).collect();
        let failed = count(Verdict::Fail);
        let _ = writeln!(
            out,
            "{} tests in {:.0} s: {} passed, {failed} failed ({} of them expected), {} skipped.\n",
            self.tests.len(),
            self.seconds,
            count(Verdict::Pass),
            failed - unexpected.len(),
            count(Verdict::Skip)
        );
        out.push_str("| | |\n|---|---|\n");
        for (name, text) in &self.facts {
            let _ = writeln!(out, "| {name} | {} |", cell(text));
        }
        out.push_str("\n## Areas\n\n| area | pass | fail | expected to fail | skip | seconds |\n|---|---|---|---|---|---|\n");
        for (area, tests) in self.areas() {
            let count = |v: Verdict| tests.iter().filter(|t| t.verdict == v).count();
            let expected = tests.iter().filter(|t| t.verdict == Verdict::Fail && expectations.reason(t).is_some()).count();
            let seconds: f64 = tests.iter().map(|t| t.seconds).sum();
            let (pass, fail, skip) = (count(Verdict::Pass), count(Verdict::Fail) - expected, count(Verdict::Skip));
            let _ = writeln!(out, "| {area} | {pass} | {fail} | {expected} | {skip} | {seconds:.1} |");
        }
        if !unexpected.is_empty() {
            out.push_str("\n## Failures\n\n");
        }
        for t in &unexpected {
            let (path, text) = (t.path(), t.text.replace('\n', "\n      "));
            let _ = writeln!(out, "* **{path}** (`{} --only '{path}'`)\n\n      {text}\n", self.command);
        }
        let known: Vec<(&Record, &str)> =
            self.tests.iter().filter(|t| t.verdict == Verdict::Fail).filter_map(|t| Some((t, expectations.reason(t)?))).collect();
        if !known.is_empty() {
            out.push_str("\n## Expected failures\n\n| test | reason |\n|---|---|\n");
        }
        for (t, reason) in known {
            let _ = writeln!(out, "| {} | {} |", cell(&t.path()), cell(reason));
        }
        let passes: Vec<String> = self.unexpected_passes(expectations).map(Record::path).collect();
        if !passes.is_empty() {
            let _ = writeln!(out, "\n## Expected to fail, but passed\n\n* {}", passes.join("\n* "));
        }
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for t in self.tests.iter().filter(|t| t.verdict == Verdict::Skip) {
            reasons.entry(&t.text).or_default().push(t.path());
        }
        if !reasons.is_empty() {
            out.push_str("\n## Skipped\n\n| reason | tests |\n|---|---|\n");
        }
        for (reason, tests) in reasons {
            let more = if tests.len() > 8 { format!(", and {} more", tests.len() - 8) } else { String::new() };
            let _ = writeln!(out, "| {} | {}{more} |", cell(reason), cell(&tests[..tests.len().min(8)].join(", ")));
        }
        if let Some(before) = before {
            let _ = write!(out, "\n## Compared with another report\n\n{}", compare(&[before, self]));
        }
        out
    }

    fn areas(&self) -> Vec<(&str, Vec<&Record>)> {
        let mut areas: Vec<(&str, Vec<&Record>)> = Vec::new();
        for t in &self.tests {
            match areas.iter_mut().find(|a| a.0 == t.area) {
                Some(area) => area.1.push(t),
                None => areas.push((&t.area, vec![t])),
            }
        }
        areas
    }

    /// Failures that are not expected.
    pub fn failures<'a>(&'a self, expectations: &'a Expectations) -> impl Iterator<Item = &'a Record> {
        self.tests.iter().filter(|t| t.verdict == Verdict::Fail && expectations.reason(t).is_none())
    }

    pub fn unexpected_passes<'a>(&'a self, expectations: &'a Expectations) -> impl Iterator<Item = &'a Record> {
        self.tests.iter().filter(|t| t.verdict == Verdict::Pass && expectations.reason(t).is_some())
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Reports side by side: counts for each area, and the tests that ended differently.
pub fn compare(reports: &[&Report]) -> String {
    let mut out = String::from("| |");
    reports.iter().enumerate().for_each(|(i, _)| out.push_str(&format!(" {} |", i + 1)));
    out.push_str(&format!("\n|---|{}\n", "---|".repeat(reports.len())));
    for name in ["device", "platform", "device version", "driver version", "mode", "date"] {
        let cells: Vec<String> = reports.iter().map(|r| cell(r.fact(name))).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    let mut areas: Vec<&str> = Vec::new();
    for area in reports.iter().flat_map(|r| &r.tests).map(|t| t.area.as_str()) {
        if !areas.contains(&area) {
            areas.push(area);
        }
    }
    for area in areas {
        let cells = reports.iter().map(|r| {
            let count = |v: Verdict| r.tests.iter().filter(|t| t.area == area && t.verdict == v).count();
            format!("{} pass, {} fail, {} skip", count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skip))
        });
        let _ = writeln!(out, "| {area} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let mut all: BTreeMap<String, Vec<Option<Verdict>>> = BTreeMap::new();
    for (i, report) in reports.iter().enumerate() {
        for t in &report.tests {
            all.entry(t.path()).or_insert_with(|| vec![None; reports.len()])[i] = Some(t.verdict);
        }
    }
    all.retain(|_, verdicts| verdicts.iter().any(|v| *v != verdicts[0]));
    let _ = writeln!(out, "\n{} tests end differently.", all.len());
    if !all.is_empty() {
        let heads: Vec<String> = (1..=reports.len()).map(|i| i.to_string()).collect();
        let _ = writeln!(out, "\n| test | {} |\n|---|{}", heads.join(" | "), "---|".repeat(reports.len()));
    }
    for (path, verdicts) in all {
        let cells: Vec<&str> = verdicts.iter().map(|v| v.map_or("-", Verdict::name)).collect();
        let _ = writeln!(out, "| {} | {} |", cell(&path), cells.join(" | "));
    }
    out
}

/// Failures that are known, with their reasons: lines of `area/test<tab or two blanks>reason`, `#` for comments; a `*` at the
/// end of a name stands for anything.
#[derive(Default)]
pub struct Expectations(Vec<(String, String)>);

impl Expectations {
    pub fn parse(text: &str) -> Result<Expectations, String> {
        let mut list = Vec::new();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let parts = line.split_once('\t').or_else(|| line.split_once("  "));
            let (name, reason) = parts
                .map(|(n, r)| (n.trim(), r.trim()))
                .filter(|p| !p.1.is_empty())
                .ok_or_else(|| format!("no reason in '{line}'"))?;
            list.push((name.to_owned(), reason.to_owned()));
        }
        Ok(Expectations(list))
    }

    /// Why the test is expected to fail.
    pub fn reason(&self, test: &Record) -> Option<&str> {
        let path = test.path();
        let fits = |name: &str| name.strip_suffix('*').map_or(path == name, |start| path.starts_with(start));
        self.0.iter().find(|(name, _)| fits(name)).map(|(_, reason)| reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, verdict: Verdict) -> Record {
        Record { area: "api".into(), name: name.into(), verdict, text: "te|xt\nmore".into(), seconds: 0.5 }
    }

    #[test]
    fn reports_survive_and_show_what_matters() {
        let tests = vec![
            record("one", Verdict::Pass),
            record("two", Verdict::Fail),
            record("three", Verdict::Fail),
            record("four", Verdict::Skip),
        ];
        let report =
            Report { facts: vec![("device".into(), "D".into())], command: "conformance run".into(), seconds: 2.0, tests };
        assert_eq!(Report::from_json(&report.to_json()), Some(report.clone()));
        let expectations = Expectations::parse("# known\napi/th*  a reason\napi/one\tanother").expect("expectations");
        let page = report.to_markdown(&expectations, None);
        assert!(page.contains("1 passed, 2 failed (1 of them expected), 1 skipped"), "{page}");
        assert!(page.contains("| api | 1 | 1 | 1 | 1 | 2.0 |"), "{page}");
        assert!(page.contains("conformance run --only 'api/two'") && page.contains("| api/three | a reason |"));
        assert!(page.contains("but passed\n\n* api/one"));
        assert!(Expectations::parse("api/one").is_err());
        let mut other = report.clone();
        other.tests[0].verdict = Verdict::Fail;
        let text = compare(&[&report, &other]);
        assert!(text.contains("1 tests end differently") && text.contains("| api/one | pass | fail |"), "{text}");
    }
}
