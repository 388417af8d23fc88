//! The command-line tool.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

/// Runs `pyroclast compile` on a file with this text.
fn compile(name: &str, source: &str) -> (Output, std::path::PathBuf) {
    let file = std::env::temp_dir().join(format!("pyroclast-tool-{}-{name}.cl", std::process::id()));
    std::fs::write(&file, source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["compile", "-e", "info"])
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    (output, file)
}

#[test]
fn diagnostics_name_the_file() {
    let wrong = "kernel void k(global int *p)\n{\n    *p = nothing;\n}\n";
    let (output, file) = compile("error", wrong);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        text.contains(&format!("{}:3:10: error:", file.display())) && !text.contains("<stdin>"),
        "{text}"
    );
    let (output, file) = compile(
        "warning",
        "kernel void k(global int *p) { int unused = 1 ? *p = 2 : 3; if (*p = 1) *p = 2; }",
    );
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success());
    assert!(text.contains(&format!("{}:1:", file.display())) && !text.contains("<stdin>"), "{text}");
}
