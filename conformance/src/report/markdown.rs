//! Reports and comparisons as Markdown.

use super::compare::Comparison;
use super::data::{Counts, Record, Report, Verdict};
use super::expectations::Expectations;
use std::fmt::Write;

/// The page of a report.
pub fn page(report: &Report, expectations: &Expectations, before: Option<&Report>) -> String {
    let mut out = format!("# Conformance of {}\n\n", report.fact("device"));
    let counts = Counts::of(&report.tests, expectations);
    let _ = writeln!(
        out,
        "{} tests in {:.0} s: {} passed, {} failed ({} of them expected), {} skipped.\n",
        counts.total(),
        report.seconds,
        counts.pass,
        counts.fail + counts.expected,
        counts.expected,
        counts.skip
    );
    out.push_str("| | |\n|---|---|\n");
    for (name, text) in &report.facts {
        let _ = writeln!(out, "| {name} | {} |", cell(text));
    }
    out.push_str("\n## Areas\n\n| area | pass | fail | expected to fail | skip | seconds |\n|---|---|---|---|---|---|\n");
    for (area, tests) in report.areas() {
        let Counts { pass, fail, expected, skip, seconds } = Counts::of(tests, expectations);
        let _ = writeln!(out, "| {area} | {pass} | {fail} | {expected} | {skip} | {seconds:.1} |");
    }
    let failures: Vec<&Record> = report.failures(expectations).collect();
    if !failures.is_empty() {
        out.push_str("\n## Failures\n\n");
    }
    for t in failures {
        let text = t.text.replace('\n', "\n      ");
        let _ = writeln!(out, "* **{}** (`{}`)\n\n      {text}\n", t.path(), report.reproduction(t));
    }
    let known: Vec<(&Record, &str)> = report.known(expectations).collect();
    if !known.is_empty() {
        out.push_str("\n## Expected failures\n\n| test | reason |\n|---|---|\n");
    }
    for (t, reason) in known {
        let _ = writeln!(out, "| {} | {} |", cell(&t.path()), cell(reason));
    }
    let passes: Vec<String> = report.unexpected_passes(expectations).map(Record::path).collect();
    if !passes.is_empty() {
        let _ = writeln!(out, "\n## Expected to fail, but passed\n\n* {}", passes.join("\n* "));
    }
    let reasons = report.skipped();
    if !reasons.is_empty() {
        out.push_str("\n## Skipped\n\n| reason | tests |\n|---|---|\n");
    }
    for (reason, tests) in reasons {
        let more = if tests.len() > 8 { format!(", and {} more", tests.len() - 8) } else { String::new() };
        let _ =
            writeln!(out, "| {} | {}{more} |", cell(reason), cell(&tests[..tests.len().min(8)].join(", ")));
    }
    if let Some(before) = before {
        let _ = write!(
            out,
            "\n## Compared with another report\n\n{}",
            comparison(&Comparison::of(&[before, report]))
        );
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The tables of a comparison.
pub fn comparison(of: &Comparison) -> String {
    let count = of.facts.first().map_or(0, |f| f.1.len());
    let heads = |first: &str| {
        let numbers: Vec<String> = (1..=count).map(|i| i.to_string()).collect();
        format!("| {first} | {} |\n|---|{}\n", numbers.join(" | "), "---|".repeat(count))
    };
    let mut out = heads("");
    for (name, cells) in &of.facts {
        let cells: Vec<String> = cells.iter().map(|c| cell(c)).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    for (area, cells) in &of.areas {
        let text = |counts: &Option<[usize; 3]>| match counts {
            Some([pass, fail, skip]) => format!("{pass} pass, {fail} fail, {skip} skip"),
            None => "-".to_owned(),
        };
        let _ = writeln!(out, "| {area} | {} |", cells.iter().map(text).collect::<Vec<_>>().join(" | "));
    }
    let _ = writeln!(
        out,
        "\n{} tests end differently, {} others are not in all reports.",
        of.tests.len(),
        of.missing
    );
    if !of.tests.is_empty() {
        let _ = write!(out, "\n{}", heads("test"));
    }
    for (path, verdicts) in &of.tests {
        let cells: Vec<&str> = verdicts.iter().map(|v| v.map_or("-", Verdict::name)).collect();
        let _ = writeln!(out, "| {} | {} |", cell(path), cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::data::samples::report;
    use super::*;

    #[test]
    fn pages_show_what_matters() {
        let expectations = Expectations::parse("api/th*  a reason\napi/one\tanother").expect("expectations");
        let mut other = report();
        other.tests[0].verdict = Verdict::Fail;
        let page = page(&report(), &expectations, Some(&other));
        assert!(page.contains("1 passed, 2 failed (1 of them expected), 1 skipped"), "{page}");
        assert!(page.contains("| api | 1 | 1 | 1 | 1 | 2.0 |"), "{page}");
        assert!(
            page.contains("conformance run --only 'api/two'") && page.contains("| api/three | a reason |")
        );
        assert!(page.contains("but passed\n\n* api/one"));
        assert!(
            page.contains("1 tests end differently") && page.contains("| api/one | fail | pass |"),
            "{page}"
        );
    }
}
