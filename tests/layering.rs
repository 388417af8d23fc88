//! What the text of the sources must obey: imports follow the rows of docs/architecture.md, files say what
//! they are for and stay readable in one go, every setting is read by someone, packages carry their licence.

#![allow(clippy::unwrap_used, clippy::panic)]

mod module_graph;

use module_graph::ModuleGraph;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file, at most.
const MAX_LINES: usize = 900;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Rust sources below a folder of the repository, with their paths relative to it.
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

fn everything() -> Vec<(PathBuf, String)> {
    let folders = ["src", "clspv-bridge", "icd", "conformance", "xtask", "tests"];
    let all =
        folders.iter().flat_map(|f| sources(f).into_iter().map(|(p, text)| (Path::new(f).join(p), text)));
    all.chain([(PathBuf::from("build.rs"), fs::read_to_string(root().join("build.rs")).unwrap())]).collect()
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

/// Sources that a program generates, and those that only tests see.
fn is_generated(path: &Path) -> bool {
    file_name(path).starts_with("autogen_")
}

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
            assert!(!code.into_iter().any(|l| l.contains(name)), "{} names {name}", path.display());
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
        // Generated code may be named otherwise too; what only tests include may begin with attributes.
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
        // A field that has a function of its own in config.rs is read through it.
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
        assert!(through_config || texts.iter().any(|(_, t)| reads(t)), "nobody reads {variable}");
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
    for package in [".", "clspv-bridge", "icd", "conformance", "xtask"] {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        let section = manifest.split_once("[package]").unwrap().1.split("\n[").next().unwrap();
        let carries = section.contains("license.workspace = true")
            || section.contains("license = \"MIT OR Apache-2.0\"");
        assert!(carries, "{package}/Cargo.toml states no licence");
    }
}

/// Crates, with the modules of the largest ring that each may have. The goal is 3: a limit is only ever lowered.
const MAX_RING: &[(&str, usize)] =
    &[("src", 25), ("clspv-bridge/src", 10), ("icd/src", 7), ("conformance/src", 5)];

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
