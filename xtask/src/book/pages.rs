//! Pages of the book, with links that work in it.

use super::{conformance, links};
use std::collections::BTreeMap;
use std::path::Path;

/// Pages from outside of `docs/`, and their names in the book.
const OTHERS: [(&str, &str); 6] = [
    ("README.md", "README.md"),
    ("CONTRIBUTING.md", "CONTRIBUTING.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("SECURITY.md", "SECURITY.md"),
    ("conformance/results/README.md", "results.md"),
    ("conformance/results/h200/precision.md", "precision-h200.md"),
];
/// Is replaced by the tables of the results.
const CONFORMANCE: &str = "@CONFORMANCE@";

/// Files of the book's source folder.
pub fn book(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let names = names(root)?;
    let mut files = BTreeMap::new();
    for (source, name) in &names {
        let path = root.join(source);
        let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if !source.ends_with(".md") || name == "SUMMARY.md" {
            files.insert(name.clone(), bytes);
            continue;
        }
        let text = String::from_utf8(bytes).map_err(|e| format!("{source}: {e}"))?;
        let mut text = links::rewrite(&text, |target| in_book(source, target, &names));
        if text.contains(CONFORMANCE) {
            text = text.replace(CONFORMANCE, &conformance::tables(&root.join("conformance/results"))?);
        }
        files.insert(name.clone(), text.into_bytes());
    }
    Ok(files)
}

/// Paths in the repository of all pages and pictures, with their names in the book.
fn names(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut names: BTreeMap<String, String> =
        OTHERS.iter().map(|(source, name)| (source.to_string(), name.to_string())).collect();
    for (folder, prefix) in [("docs", ""), ("docs/images", "images/")] {
        let entries = std::fs::read_dir(root.join(folder)).map_err(|e| format!("{folder}: {e}"))?;
        for entry in entries.flatten().filter(|e| e.path().is_file()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            names.insert(format!("{folder}/{name}"), format!("{prefix}{name}"));
        }
    }
    Ok(names)
}

/// Pages that are not in the table of contents, and links of the book that lead nowhere.
pub fn defects(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let text =
        |name: &str| files.get(name).map(|t| String::from_utf8_lossy(t).into_owned()).unwrap_or_default();
    let summary = text("SUMMARY.md");
    let mut defects = Vec::new();
    for name in files.keys().filter(|n| n.ends_with(".md")) {
        if name != "SUMMARY.md" && !summary.contains(&format!("]({name})")) {
            defects.push(format!("{name} is not in docs/SUMMARY.md"));
        }
        for target in links::targets(&text(name)).into_iter().filter(|t| !links::is_external(t)) {
            let (path, fragment) = target.split_once('#').unwrap_or((&target, ""));
            let page = if path.is_empty() { name } else { path };
            let has_anchor = || links::anchors(&text(page)).iter().any(|a| a == fragment);
            if !files.contains_key(page) || !fragment.is_empty() && !has_anchor() {
                defects.push(format!("{name}: the link {target} leads nowhere"));
            }
        }
    }
    defects
}

/// The target of a link as the book has it; `None` if the book does not have it.
fn in_book(source: &str, target: &str, names: &BTreeMap<String, String>) -> Option<String> {
    if links::is_external(target) || target.starts_with('#') {
        return Some(target.to_string());
    }
    let (path, fragment) = target.split_once('#').map_or((target, None), |(p, f)| (p, Some(f)));
    let name = names.get(&links::resolve(source, path))?;
    Some(fragment.map_or_else(|| name.clone(), |f| format!("{name}#{f}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::root;

    #[test]
    fn the_book_is_complete() {
        let files = book(&root()).expect("the book");
        assert_eq!(defects(&files), Vec::<String>::new());
        let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
        assert!(text("conformance.md").contains("llvmpipe"));
        let mut broken = files.clone();
        broken.insert("errors.md".into(), b"[a](nowhere.md) [b](settings.md#nothing)".to_vec());
        broken.insert("unlisted.md".into(), Vec::new());
        assert_eq!(defects(&broken).len(), 3 + usize::from(text("installation.md").contains("errors.md#")));
    }

    #[test]
    fn links_out_of_the_book_become_text() {
        let names = BTreeMap::from([("docs/a.md".to_string(), "a.md".to_string())]);
        let target = |source, target| in_book(source, target, &names);
        assert_eq!(target("README.md", "docs/a.md#part").as_deref(), Some("a.md#part"));
        assert_eq!(target("docs/b.md", "a.md").as_deref(), Some("a.md"));
        assert_eq!(target("docs/b.md", "../src/lib.rs"), None);
        assert_eq!(target("docs/b.md", "https://x.org").as_deref(), Some("https://x.org"));
    }
}
