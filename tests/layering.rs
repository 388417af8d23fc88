//! Rules for the text of the sources: imports follow the rows of docs/architecture.md, files state their
//! purpose and stay short, every setting is read, packages carry their licence, names and comments are in the
//! house style.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod module_graph;

use module_graph::ModuleGraph;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of lines of a file.
const MAX_LINES: usize = 900;
/// Maximum number of columns of a line.
const MAX_COLUMNS: usize = 110;
/// Maximum number of lines of a paragraph.
const MAX_PARAGRAPH: usize = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Rust sources below a folder of the repository, with paths relative to the folder.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "target" {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let base = root().join(folder);
    let mut paths = Vec::new();
    walk(&base, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "no sources in {folder}");
    let relative = |p: &PathBuf| p.strip_prefix(&base).unwrap().to_path_buf();
    paths.iter().map(|p| (relative(p), fs::read_to_string(p).unwrap())).collect()
}

/// All Rust sources of the workspace, with paths relative to its root.
fn everything() -> Vec<(PathBuf, String)> {
    let folders =
        ["src", "clspv-bridge", "icd", "conformance", "profile", "progress", "xtask", "tests", "fuzz"];
    let all =
        folders.iter().flat_map(|f| sources(f).into_iter().map(|(p, text)| (Path::new(f).join(p), text)));
    all.chain([(PathBuf::from("build.rs"), fs::read_to_string(root().join("build.rs")).unwrap())]).collect()
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

/// Whether a program generates the source.
fn is_generated(path: &Path) -> bool {
    file_name(path).starts_with("autogen_")
}

/// Whether only tests compile the source.
fn is_test(path: &Path) -> bool {
    file_name(path) == "tests.rs"
        || file_name(path).ends_with("_tests.rs")
        || path.components().any(|c| c.as_os_str() == "tests")
}

/// The modules of the runtime with their rows, from the block in docs/architecture.md.
fn rows() -> HashMap<String, u32> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let section = text.split_once("## Runtime: rows").expect("the section about rows").1;
    let block = section.split("```").nth(1).expect("the block of rows");
    let mut rows = HashMap::new();
    for line in block.lines() {
        let Some((row, modules)) = line.split_once("  ") else { continue };
        let row: u32 = row.trim().parse().expect("a row's number");
        // Remarks stand in brackets or at the right.
        for name in modules.trim().split("   ").next().unwrap_or_default().split_whitespace() {
            let name = name.split("::").next().unwrap_or_default();
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                rows.entry(name.to_string()).or_insert(row);
            }
        }
    }
    rows
}

/// Modules that the text names as `crate::NAME` (or in `use crate::{NAME, ...}`), outside of comments and
/// unit tests.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
    let code = lines.join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let list = rest.strip_prefix('{').map(|r| r.split('}').next().unwrap_or_default()).unwrap_or(rest);
        let all = rest.starts_with('{');
        for part in list.split(',').take(if all { usize::MAX } else { 1 }) {
            let name: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.push(name);
        }
    }
    names
}

#[test]
fn the_runtime_imports_downwards() {
    let rows = rows();
    assert!(rows.len() >= 15, "{rows:?}");
    let mut wrong = Vec::new();
    for (path, text) in sources("src") {
        let module = path
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_string();
        if module == "bin" || module == "lib" || is_test(&path) {
            continue;
        }
        let Some(own) = rows.get(&module) else {
            wrong.push(format!("{module} has no row in docs/architecture.md"));
            continue;
        };
        for import in imports(&text) {
            match rows.get(&import) {
                Some(row) if row > own => {
                    wrong.push(format!("{}: row {own} imports {import} of row {row}", path.display()))
                }
                Some(_) => {}
                // Macros and re-exports of the crate's root.
                None if import == "err" => {}
                None => {
                    wrong.push(format!("{}: {import} has no row in docs/architecture.md", path.display()))
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_compiler_knows_nothing_of_the_runtime() {
    let manifest = fs::read_to_string(root().join("clspv-bridge/Cargo.toml")).unwrap();
    for name in ["pyroclast", "ash", "libloading"] {
        let names = |l: &&str| l.split(['=', '.', ' ']).next() == Some(name);
        let dependencies = manifest.split_once("[dependencies]").expect("dependencies").1;
        assert!(!dependencies.lines().any(|l| names(&l)), "clspv-bridge depends on {name}");
    }
    for (path, text) in sources("clspv-bridge") {
        for name in ["pyroclast_runtime", "pyroclast::", "ash::"] {
            let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
            let is_start = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let names = |l: &str| l.match_indices(name).any(|(at, _)| is_start(l[..at].chars().next_back()));
            assert!(!code.into_iter().any(names), "{} names {name}", path.display());
        }
    }
}

#[test]
fn files_say_what_they_are_for_and_stay_short() {
    let mut wrong = Vec::new();
    for (path, text) in everything() {
        if is_generated(&path) {
            continue;
        }
        // Sources that only tests include may begin with attributes.
        if !text.starts_with("//!") && !is_test(&path) {
            wrong.push(format!("{} does not start with `//!`", path.display()));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES {
            wrong.push(format!("{} has {lines} lines", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_setting_is_read() {
    let config = fs::read_to_string(root().join("src/config.rs")).unwrap();
    let texts: Vec<(PathBuf, String)> = everything()
        .into_iter()
        .filter(|(p, _)| p != Path::new("src/config.rs") && !p.ends_with("layering.rs"))
        .collect();
    let mut count = 0;
    for line in config.lines() {
        // "PYROCLAST_X" => field: type,
        let Some((variable, rest)) = line.trim().strip_prefix('"').and_then(|l| l.split_once("\" => "))
        else {
            continue;
        };
        let Some((field, _)) = rest.split_once(": ") else { continue };
        count += 1;
        // Fields with an accessor in config.rs are read through it.
        let method = match field {
            "dump" => ".dumps(",
            "validate" => ".validates(",
            _ => "",
        };
        let reads = |text: &str| {
            let code: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            let code = code.join("\n");
            let follows =
                |at: usize| code[at..].starts_with(|c: char| !c.is_alphanumeric() && c != '_' && c != '(');
            let by_field = code.match_indices(&format!("onfig.{field}")).any(|(at, m)| follows(at + m.len()));
            let by_get = code.match_indices(&format!("get().{field}")).any(|(at, m)| follows(at + m.len()));
            by_field
                || by_get
                || !method.is_empty() && code.contains(method)
                || code.contains(&format!("\"{variable}\""))
        };
        let through_config = config.contains(&format!("config.{field}.as_deref()"));
        assert!(through_config || texts.iter().any(|(_, t)| reads(t)), "{variable} is never read");
    }
    assert!(count >= 10, "the table of settings was not found");
}

#[test]
fn licences_are_there() {
    for (file, words) in
        [("LICENSE-MIT", "Permission is hereby granted"), ("LICENSE-APACHE", "Apache License")]
    {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(words), "{file}");
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(workspace.contains("license = \"MIT OR Apache-2.0\""));
    for package in
        [".", "clspv-bridge", "icd", "conformance", "profile", "profile/recording", "progress", "xtask"]
    {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        let section = manifest.split_once("[package]").unwrap().1.split("\n[").next().unwrap();
        let carries = section.contains("license.workspace = true")
            || section.contains("license = \"MIT OR Apache-2.0\"");
        assert!(carries, "{package}/Cargo.toml states no licence");
    }
}

/// Folders of the Vulkan device, from the lowest.
const VULKAN_LAYERS: [&str; 4] = ["core", "memory", "program", "submit"];

#[test]
fn the_vulkan_device_imports_downwards() {
    let layer = |module: &str| {
        let rest = module.strip_prefix("device::vulkan::")?;
        let folder = rest.split("::").next()?;
        // The modules beside the folders are above them.
        Some(VULKAN_LAYERS.iter().position(|l| *l == folder).unwrap_or(VULKAN_LAYERS.len()))
    };
    let edges = ModuleGraph::read(&root().join("src")).edges();
    let upwards = edges.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let upwards: Vec<_> =
        upwards.filter(|(from, to)| layer(from).is_some() && layer(from) < layer(to)).collect();
    assert!(edges.keys().filter_map(|m| layer(m)).count() > 30);
    assert!(upwards.is_empty(), "{upwards:?}");
}

/// Crates, with the modules of the largest ring that each may have. The goal is 3: a limit is only ever
/// lowered.
const MAX_RING: &[(&str, usize)] =
    &[("src", 3), ("clspv-bridge/src", 3), ("icd/src", 3), ("conformance/src", 3), ("profile/src", 3)];

/// Imports of modules lead one way; modules that belong together may form a small ring.
#[test]
fn modules_form_no_large_rings() {
    let mut too_large = Vec::new();
    for (folder, limit) in MAX_RING {
        let rings = ModuleGraph::read(&root().join(folder)).rings();
        println!("{folder}: {} rings", rings.len());
        for ring in rings.iter().take(5) {
            println!("  {} modules: {}", ring.len(), ring.join(" "));
        }
        let largest = rings.first().map_or(0, Vec::len);
        if largest > *limit {
            too_large.push(format!("{folder}: {}", rings[0].join(" ")));
        }
        assert!(largest.max(3) == *limit || largest > *limit, "{folder}: lower the limit to {largest}");
    }
    assert!(too_large.is_empty(), "rings that are too large:\n{}", too_large.join("\n"));
}

/// Whether each line's column [`MAX_COLUMNS`] lies in a string literal, where rustfmt cannot break the line.
fn ends_in_string(text: &str) -> Vec<bool> {
    #[derive(PartialEq)]
    enum State {
        Code,
        Comment,
        /// Nesting depth.
        Block(u32),
        String,
        /// Number of `#` around the literal.
        Raw(usize),
    }
    let chars: Vec<char> = text.chars().collect();
    let (mut state, mut lines, mut column, mut at) = (State::Code, vec![false], 0, 0);
    while at < chars.len() {
        let (c, next) = (chars[at], chars.get(at + 1).copied());
        let hashes = |from: usize| chars[from..].iter().take_while(|c| **c == '#').count();
        let mut width = 1;
        match state {
            State::Code => match c {
                '/' if next == Some('/') => state = State::Comment,
                '/' if next == Some('*') => (state, width) = (State::Block(1), 2),
                '"' => state = State::String,
                'r' if matches!(next, Some('"' | '#'))
                    && chars.get(at + 1 + hashes(at + 1)) == Some(&'"') =>
                {
                    (state, width) = (State::Raw(hashes(at + 1)), 2 + hashes(at + 1))
                }
                // Character literals, not lifetimes.
                '\'' if next == Some('\\') => width = 3,
                '\'' if chars.get(at + 2) == Some(&'\'') => width = 3,
                _ => {}
            },
            State::Comment if c == '\n' => state = State::Code,
            State::Block(depth) if c == '*' && next == Some('/') => {
                (state, width) = (if depth == 1 { State::Code } else { State::Block(depth - 1) }, 2)
            }
            State::Block(depth) if c == '/' && next == Some('*') => {
                (state, width) = (State::Block(depth + 1), 2)
            }
            State::String if c == '\\' && next != Some('\n') => width = 2,
            State::String if c == '"' => state = State::Code,
            State::Raw(n) if c == '"' && hashes(at + 1) >= n => (state, width) = (State::Code, 1 + n),
            _ => {}
        }
        for c in chars.iter().skip(at).take(width) {
            column += 1;
            if *c == '\n' {
                (column, _) = (0, lines.push(false));
            } else if column == MAX_COLUMNS && matches!(state, State::String | State::Raw(_)) {
                lines.pop();
                lines.push(true);
            }
        }
        at += width;
    }
    lines
}

/// Prose of the project: README.md and the pages in docs, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![root().join("README.md")];
    let docs = fs::read_dir(root().join("docs")).unwrap().flatten().map(|e| e.path());
    paths.extend(docs.filter(|p| p.extension().is_some_and(|e| e == "md")));
    paths.sort();
    let relative = |p: &PathBuf| p.strip_prefix(root()).unwrap().to_path_buf();
    paths.iter().map(|p| (relative(p), fs::read_to_string(p).unwrap())).collect()
}

/// Numbers of the lines at which a paragraph exceeds [`MAX_PARAGRAPH`]. `prose` returns the text of a line of
/// prose; lists, tables, headings and code blocks are not counted.
fn long_paragraphs(text: &str, prose: fn(&str) -> Option<&str>) -> Vec<usize> {
    let (mut length, mut in_code, mut found) = (0, false, Vec::new());
    for (i, line) in text.lines().enumerate() {
        let Some(prose) = prose(line) else {
            (length, in_code) = (0, false);
            continue;
        };
        let fence = prose.starts_with("```");
        in_code ^= fence;
        let list = ["* ", "- ", "| ", "#"].iter().any(|mark| prose.trim_start().starts_with(mark));
        if fence || in_code || prose.trim().is_empty() || list || prose.starts_with("    ") {
            length = 0;
            continue;
        }
        length += 1;
        if length == MAX_PARAGRAPH + 1 {
            found.push(i + 1);
        }
    }
    found
}

/// The text of a line that is only a comment.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix("//")?;
    let line = line.strip_prefix(['/', '!']).unwrap_or(line);
    Some(line.strip_prefix(' ').unwrap_or(line))
}

/// A line of a page.
fn prose(line: &str) -> Option<&str> {
    Some(line)
}

#[test]
fn public_types_have_distinct_names() {
    let mut wrong = Vec::new();
    for folder in ["src", "clspv-bridge/src", "icd/src", "conformance/src", "profile/src"] {
        let mut first: HashMap<String, String> = HashMap::new();
        for (path, text) in sources(folder) {
            if is_generated(&path) || is_test(&path) || path.starts_with("bin") {
                continue;
            }
            for (i, line) in text.lines().enumerate() {
                let Some(rest) = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) "))
                else {
                    continue;
                };
                let kinds = ["struct ", "enum ", "trait ", "type ", "unsafe trait ", "union "];
                let Some(rest) = kinds.iter().find_map(|kind| rest.strip_prefix(kind)) else { continue };
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let at = format!("{folder}/{}:{}", path.display(), i + 1);
                match first.entry(name) {
                    Entry::Occupied(e) => {
                        wrong.push(format!("{at}: {} is also the name of {}", e.key(), e.get()))
                    }
                    Entry::Vacant(e) => _ = e.insert(at),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn doc_comments_name_their_subject() {
    let mut wrong = Vec::new();
    for (path, text) in everything().into_iter().filter(|(p, _)| !is_generated(p)) {
        let mut in_doc = false;
        for (i, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let doc = line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "));
            let begins = doc
                .filter(|_| !in_doc)
                .is_some_and(|d| ["The same", "What "].iter().any(|w| d.starts_with(w)));
            if begins {
                wrong.push(format!("{}:{}: {line}", path.display(), i + 1));
            }
            in_doc = line.starts_with("///") || line.starts_with("//!");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lines_are_short() {
    let mut wrong = Vec::new();
    let long = |line: &str| line.chars().count() > MAX_COLUMNS;
    for (path, text) in everything().into_iter().filter(|(p, _)| !is_generated(p)) {
        for ((i, line), in_string) in text.lines().enumerate().zip(ends_in_string(&text)) {
            if long(line) && !in_string {
                wrong.push(format!("{}:{}", path.display(), i + 1));
            }
        }
    }
    for (path, text) in pages() {
        let mut in_code = false;
        for (i, line) in text.lines().enumerate() {
            in_code ^= line.starts_with("```");
            let excepted =
                in_code || line.starts_with(['|', ' ']) || line.contains("](") || line.contains("://");
            if long(line) && !excepted {
                wrong.push(format!("{}:{}", path.display(), i + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paragraphs_are_short() {
    let mut wrong = Vec::new();
    for (path, text) in everything().into_iter().filter(|(p, _)| !is_generated(p)) {
        wrong.extend(long_paragraphs(&text, comment).iter().map(|n| format!("{}:{n}", path.display())));
    }
    for (path, text) in pages() {
        wrong.extend(long_paragraphs(&text, prose).iter().map(|n| format!("{}:{n}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Paths of sources in the pages, as `src/queue/graph.rs`; words in capitals are placeholders.
#[test]
fn pages_name_sources_that_exist() {
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, text) in pages().into_iter().chain([("CONTRIBUTING.md".into(), contributing)]) {
        let is_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
        for word in text.split(|c| !is_path(c)).filter(|w| w.ends_with(".rs")) {
            let folder = word.split('/').next().unwrap_or_default();
            let is_source = ["src", "clspv-bridge", "icd", "conformance", "tests", "xtask"].contains(&folder);
            if is_source && !word.chars().any(|c| c.is_ascii_uppercase()) {
                count += 1;
                if !root().join(word).exists() {
                    wrong.push(format!("{}: {word} does not exist", path.display()));
                }
            }
        }
    }
    assert!(count > 50, "{count} paths were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
