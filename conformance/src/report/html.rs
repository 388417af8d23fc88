//! Reports and comparisons as HTML pages: one file each, without scripts and external resources.

use super::compare::Comparison;
use super::data::{Counts, Record, Report, Verdict};
use super::expectations::Expectations;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
/// Texts longer than this are folded.
const LONG: usize = 300;
/// Maximum number of failures that are shown unfolded.
const FEW: usize = 10;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn document(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// The page of a report.
pub fn page(report: &Report, expectations: &Expectations, before: Option<&Report>) -> String {
    let counts = Counts::of(&report.tests, expectations);
    let mut out = format!(
        "<p class=\"lead\">{} tests in {}, {}; {} mode; {}</p>\n",
        counts.total(),
        duration(report.seconds),
        escape(report.fact("date")),
        escape(report.fact("mode")),
        escape(report.fact("tool"))
    );
    out.push_str("<div class=\"tiles\">\n");
    let tiles = [
        ("pass", "passed", counts.pass),
        ("fail", "failed", counts.fail),
        ("expected", "failed as expected", counts.expected),
        ("skip", "skipped", counts.skip),
    ];
    for (class, words, count) in tiles.into_iter().filter(|t| t.0 != "expected" || t.2 > 0) {
        let _ = writeln!(out, "<div class=\"tile {class}\"><b>{count}</b><span>{words}</span></div>");
    }
    out.push_str("</div>\n");
    areas(&mut out, report, expectations);
    failures(&mut out, report, expectations);
    lists(&mut out, report, expectations);
    if let Some(before) = before {
        out.push_str("<h2>Compared with another report</h2>\n");
        comparison(&mut out, &Comparison::of(&[before, report]));
    }
    facts(&mut out, report);
    every_test(&mut out, report, expectations);
    document(&format!("Conformance of {}", report.fact("device")), &out)
}

/// The page of a comparison.
pub fn comparison_page(of: &Comparison) -> String {
    let mut out = String::new();
    comparison(&mut out, of);
    document("Devices compared", &out)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s => format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0 / 60.0).floor()),
    }
}

fn number(out: &mut String, class: &str, count: usize) {
    let class = if count == 0 { "zero" } else { class };
    let _ = write!(out, "<td class=\"number {class}\">{count}</td>");
}

fn bar(counts: [(&str, usize); 4]) -> String {
    let parts = counts.iter().filter(|c| c.1 > 0);
    let parts: String =
        parts.map(|(class, n)| format!("<i class=\"{class}\" style=\"flex:{n}\"></i>")).collect();
    format!("<div class=\"bar\">{parts}</div>")
}

fn areas(out: &mut String, report: &Report, expectations: &Expectations) {
    out.push_str(
        "<h2>Areas</h2>\n<table>\n<tr><th>area</th><th></th><th class=\"number\">passed</th><th class=\"number\">failed</th>\
         <th class=\"number\">as expected</th><th class=\"number\">skipped</th><th class=\"number\">time</th></tr>\n",
    );
    for (area, tests) in report.areas() {
        let Counts { pass, fail, expected, skip, seconds } = Counts::of(tests, expectations);
        let bar = bar([("pass", pass), ("expected", expected), ("fail", fail), ("skip", skip)]);
        let _ = write!(out, "<tr><td>{}</td><td class=\"wide\">{bar}</td>", escape(area));
        for (class, count) in [("pass", pass), ("fail", fail), ("expected", expected), ("skip", skip)] {
            number(out, class, count);
        }
        let _ = writeln!(out, "<td class=\"number\">{}</td></tr>", duration(seconds));
    }
    out.push_str("</table>\n");
}

fn failures(out: &mut String, report: &Report, expectations: &Expectations) {
    let list: Vec<&Record> = report.failures(expectations).collect();
    if list.is_empty() {
        return;
    }
    out.push_str("<h2>Failures</h2>\n");
    let open = if list.len() > FEW { "" } else { " open" };
    for t in list {
        let (path, text, command) = (escape(&t.path()), escape(&t.text), escape(&report.reproduction(t)));
        let _ = writeln!(
            out,
            "<details{open}><summary><b class=\"fail\">{path}</b></summary>\n<pre>{text}</pre>\n<p>Again: <code>{command}</code></p></details>"
        );
    }
}

/// Tables of expected failures and of skipped tests.
fn lists(out: &mut String, report: &Report, expectations: &Expectations) {
    let mut table = |title: &str, heads: [&str; 2], rows: Vec<(String, String)>| {
        if rows.is_empty() {
            return;
        }
        let _ =
            writeln!(out, "<h2>{title}</h2>\n<table>\n<tr><th>{}</th><th>{}</th></tr>", heads[0], heads[1]);
        for (left, right) in rows {
            let _ = writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", escape(&left), folded(&right));
        }
        out.push_str("</table>\n");
    };
    let known = report.known(expectations).map(|(t, reason)| (t.path(), reason.to_owned()));
    table("Expected failures", ["test", "reason"], known.collect());
    let passes = report.unexpected_passes(expectations).map(|t| (t.path(), "passed".to_owned()));
    table("Expected to fail, but passed", ["test", ""], passes.collect());
    let skipped = report.skipped().into_iter().map(|(reason, tests)| (reason.to_owned(), tests.join(", ")));
    table("Skipped", ["reason", "tests"], skipped.collect());
}

/// A text; a long list shows only its length.
fn folded(list: &str) -> String {
    let words = escape(list);
    if list.len() <= LONG {
        return words;
    }
    let count = if list.contains(", ") { list.split(", ").count() } else { list.split_whitespace().count() };
    format!("<details><summary>{count} of them</summary>\n<p>{words}</p></details>")
}

fn facts(out: &mut String, report: &Report) {
    out.push_str("<h2>Device</h2>\n<table class=\"side\">\n");
    for (name, text) in &report.facts {
        let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(name), folded(text));
    }
    out.push_str("</table>\n");
}

fn every_test(out: &mut String, report: &Report, expectations: &Expectations) {
    out.push_str("<h2>Every test</h2>\n");
    for (area, tests) in report.areas() {
        let counts = Counts::of(tests.iter().copied(), expectations);
        let _ =
            writeln!(out, "<details><summary>{}: {} tests</summary>\n<table>", escape(area), counts.total());
        for t in tests {
            let (name, verdict) = (escape(&t.name), t.verdict.name());
            let _ = writeln!(
                out,
                "<tr><td>{name}</td><td class=\"{verdict}\">{verdict}</td><td class=\"number\">{:.2} s</td></tr>",
                t.seconds
            );
        }
        out.push_str("</table></details>\n");
    }
}

/// The tables of a comparison.
fn comparison(out: &mut String, of: &Comparison) {
    let row = |out: &mut String, head: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|c| format!("<td>{c}</td>")).collect();
        let _ = writeln!(out, "<tr><th>{}</th>{cells}</tr>", escape(head));
    };
    out.push_str("<table class=\"side\">\n");
    for (name, cells) in &of.facts {
        row(out, name, &cells.iter().map(|c| escape(c)).collect::<Vec<_>>());
    }
    out.push_str("</table>\n<h2>Areas side by side</h2>\n<table class=\"side\">\n");
    let devices: Vec<String> =
        of.facts.first().map(|f| f.1.iter().map(|c| escape(c)).collect()).unwrap_or_default();
    row(out, "", &devices);
    for (area, cells) in &of.areas {
        let text = |counts: &Option<[usize; 3]>| {
            let Some([pass, fail, skip]) = *counts else { return "not run".to_owned() };
            let words = [("pass", pass, "passed"), ("fail", fail, "failed"), ("skip", skip, "skipped")];
            let words: Vec<String> = words
                .iter()
                .filter(|w| w.1 > 0)
                .map(|(class, n, word)| format!("<b class=\"{class}\">{n}</b> {word}"))
                .collect();
            format!(
                "{}{}",
                words.join(", "),
                bar([("pass", pass), ("fail", fail), ("skip", skip), ("expected", 0)])
            )
        };
        row(out, area, &cells.iter().map(text).collect::<Vec<_>>());
    }
    let _ = writeln!(out, "</table>\n<h2>{} tests end differently</h2>", of.tests.len());
    if of.missing > 0 {
        let _ = writeln!(out, "<p class=\"lead\">{} others are not in all reports.</p>", of.missing);
    }
    if of.tests.is_empty() {
        return;
    }
    out.push_str("<table class=\"side\">\n");
    row(out, "", &devices);
    for (path, verdicts) in &of.tests {
        let cell = |v: &Option<Verdict>| {
            v.map_or("not run".to_owned(), |v| format!("<b class=\"{0}\">{0}</b>", v.name()))
        };
        row(out, path, &verdicts.iter().map(cell).collect::<Vec<_>>());
    }
    out.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::super::data::samples::report;
    use super::*;

    /// Every opened element is closed, in the right order.
    fn check(page: &str) {
        let mut open: Vec<&str> = Vec::new();
        let body = page.split_once("</style>").map_or("", |p| p.1);
        for tag in body.split('<').skip(1) {
            let name = tag.split([' ', '>', '\n']).next().unwrap_or_default();
            match name.strip_prefix('/') {
                Some(name) if ["head", "body", "html"].contains(&name) => {}
                Some(name) => assert_eq!(open.pop(), Some(name), "{tag}"),
                None if name == "body" => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn pages_show_what_matters() {
        let expectations =
            Expectations::parse("api/th*  a < reason\napi/one  another").expect("expectations");
        let mut other = report();
        other.tests[0].verdict = Verdict::Fail;
        let page = page(&report(), &expectations, Some(&other));
        check(&page);
        for part in [
            "<b>1</b><span>failed</span>",
            "<b>1</b><span>failed as expected</span>",
            "conformance run --only 'api/two'",
            "<td>api/three</td><td>a &lt; reason</td>",
            "te|xt &lt;b&gt;",
            "1 tests end differently",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        check(&comparison_page(&Comparison::of(&[&report(), &other, &report()])));
    }

    #[test]
    fn durations() {
        assert_eq!([1.4, 61.0, 3725.0].map(duration), ["1 s", "1 min 01 s", "1 h 02 min"]);
    }
}
