//! Links of pages in Markdown: their targets, the anchors of headings, and their replacement.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use std::path::{Component, Path};

/// Targets of all links and pictures.
pub fn targets(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(target, _)| target).collect()
}

/// Links and pictures with their places in the text.
fn found(text: &str) -> Vec<(String, Range<usize>)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let link = |(event, range): (Event, Range<usize>)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some((dest_url.to_string(), range))
        }
        _ => None,
    };
    events.filter_map(link).collect()
}

/// Replaces the targets of links. A link for which `replace` has no target becomes its text.
pub fn rewrite(text: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut end = 0;
    for (target, range) in found(text) {
        let old = format!("]({target})");
        let Some(at) = text[range.clone()].rfind(&old).map(|at| range.start + at) else { continue };
        // Links in links do not exist, and pictures in links keep the order of their ends.
        if at < end {
            continue;
        }
        match replace(&target) {
            Some(new) => out.extend([&text[end..at], "](", &new, ")"]),
            None => {
                out.push_str(&text[end..range.start.max(end)]);
                let start = range.start.max(end);
                out.push_str(text[start..at].strip_prefix('[').unwrap_or(&text[start..at]));
            }
        }
        end = at + old.len();
    }
    out.push_str(&text[end..]);
    out
}

/// Anchors of the headings, as mdBook and forges derive them.
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::SoftBreak => heading.iter_mut().for_each(|h| h.push(' ')),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let count = anchors.iter().filter(|a| **a == slug).count();
                anchors.push(if count == 0 { slug } else { format!("{slug}-{count}") });
            }
            _ => {}
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let letter = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.trim().chars().filter_map(letter).collect()
}

/// Whether a link leaves the project.
pub fn is_external(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The path in the repository to which a link in the page `source` leads.
pub fn resolve(source: &str, target: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    for component in folder.join(target).components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::root;

    #[test]
    fn links_are_replaced_or_removed() {
        let text = "See [a](x.md), [`b`](y.md#z) and ![p](q.png).\n\n    [code](x.md)\n";
        let new = rewrite(text, |t| (t != "x.md").then(|| format!("new/{t}")));
        assert_eq!(new, "See a, [`b`](new/y.md#z) and ![p](new/q.png).\n\n    [code](x.md)\n");
    }

    #[test]
    fn anchors_are_those_of_the_headings() {
        assert_eq!(
            anchors("# A `b_c` of D's\n\ntext\n\n## Two\n\n## Two\n"),
            ["a-b_c-of-ds", "two", "two-1"]
        );
    }

    /// Every relative link in the pages of the repository leads to a file, and to a heading if it names one.
    #[test]
    fn every_link_works() {
        let docs = std::fs::read_dir(root().join("docs")).expect("docs").flatten();
        let docs = docs.map(|e| format!("docs/{}", e.file_name().to_string_lossy()));
        let mut pages: Vec<String> = docs.filter(|p| p.ends_with(".md") && p != "docs/SUMMARY.md").collect();
        let others =
            ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "conformance/results/README.md"];
        pages.extend(others.map(str::to_string));
        let mut wrong = Vec::new();
        let mut count = 0;
        for page in &pages {
            let text = std::fs::read_to_string(root().join(page)).expect("a page");
            for target in targets(&text).into_iter().filter(|t| !is_external(t)) {
                count += 1;
                let (path, fragment) = target.split_once('#').unwrap_or((&target, ""));
                let path = if path.is_empty() { page.clone() } else { resolve(page, path) };
                let has_anchor = || {
                    let text = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
                    anchors(&text).iter().any(|a| a == fragment)
                };
                if !root().join(&path).exists() || !fragment.is_empty() && !has_anchor() {
                    wrong.push(format!("{page}: {target}"));
                }
            }
        }
        assert!(count > 50, "{count} links");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
