//! Embeds the execution tests of `tests/exec`, so that the tool runs on machines without the sources, and the
//! commit hash that reports contain.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exec");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "cl")).collect();
    files.sort();
    let mut text = String::from("pub const KERNELS: &[(&str, &str)] = &[\n");
    for file in files {
        let (name, path) = (file.file_stem().unwrap_or_default().to_string_lossy(), file.to_string_lossy());
        let _ = writeln!(text, "    ({name:?}, include_str!({path:?})),");
    }
    text.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").map(|dir| Path::new(&dir).join("kernels.rs"));
    let written = out.map(|path| std::fs::write(path, text));
    // Git appends every commit to this file, in work trees too.
    let log = std::process::Command::new("git").args(["rev-parse", "--git-path", "logs/HEAD"]).output();
    if let Some(log) = log.ok().filter(|o| o.status.success()) {
        println!("cargo::rerun-if-changed={}", String::from_utf8_lossy(&log.stdout).trim());
    }
    let commit = std::process::Command::new("git").args(["describe", "--always", "--abbrev=10"]).output();
    let commit = commit
        .ok()
        .filter(|o| o.status.success())
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    println!(
        "cargo::rustc-env=CONFORMANCE_COMMIT={}",
        commit.filter(|c| !c.is_empty()).unwrap_or_else(|| "an unknown commit".into())
    );
    assert!(matches!(written, Some(Ok(()))), "the list of kernels cannot be written");
}
