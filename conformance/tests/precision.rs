//! The quick form of `conformance precision` on our driver: every function of the specification's table must
//! be within its bound.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A vendors folder that makes the loader use the library built with these tests.
fn vendors(name: &str) -> PathBuf {
    let exe = std::env::current_exe().expect("path of the test program");
    let library = exe.with_file_name("libpyroclast.so");
    assert!(library.is_file(), "{} is missing", library.display());
    let folder = std::env::temp_dir().join(format!("pyroclast-precision-{}{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the vendor file");
    std::fs::write(folder.join("pyroclast.icd"), format!("{}\n", library.display()))
        .expect("the vendor file");
    folder
}

/// Measures on the first Vulkan device, with features hidden.
fn measure(arguments: &[&str], hidden: &str) -> Output {
    let folder = vendors(hidden);
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(["precision", "--quick", "--modes", "default"])
        .args(arguments)
        .env("OCL_ICD_VENDORS", &folder)
        .env("PYROCLAST_FEATURES", hidden)
        .env("PYROCLAST_DEVICES", std::env::var_os("PYROCLAST_DEVICES").unwrap_or("vulkan".into()))
        .output()
        .expect("the tool runs");
    let _ = std::fs::remove_dir_all(&folder);
    output
}

/// Fails with the lines that are outside their bounds.
fn check(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let tail = text.split_once("functions measured").map_or("", |(_, tail)| tail);
    assert!(output.status.success(), "{tail}\n{}", errors.lines().last().unwrap_or_default());
    // Every device has single precision, with some eighty functions.
    assert!(text.matches("| float | default |").count() > 70, "{text}");
    text
}

#[test]
fn functions_are_within_their_bounds() {
    check(&measure(&[], ""));
}

#[test]
fn functions_are_within_their_bounds_where_denormals_are_flushed() {
    let text = check(&measure(&["--types", "float"], "-denorms32"));
    assert!(text.contains("float may be flushed"), "{text}");
}
