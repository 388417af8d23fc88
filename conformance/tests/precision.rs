//! The quick form of `conformance precision` on our driver: every function of the specification's table is within its bound.

use std::path::PathBuf;
use std::process::Command;

/// A folder that makes the loader take the library built with these tests.
fn vendors() -> PathBuf {
    let exe = std::env::current_exe().expect("path of the test program");
    let library = exe.with_file_name("libpyroclast.so");
    assert!(library.is_file(), "{} is missing", library.display());
    let folder = std::env::temp_dir().join(format!("pyroclast-precision-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the vendor file");
    std::fs::write(folder.join("pyroclast.icd"), format!("{}\n", library.display())).expect("the vendor file");
    folder
}

#[test]
fn functions_are_within_their_bounds() {
    let folder = vendors();
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(["precision", "--quick", "--modes", "default"])
        .env("OCL_ICD_VENDORS", &folder)
        .output()
        .expect("the tool runs");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let tail = text.split_once("functions measured").map_or("", |(_, tail)| tail);
    assert!(output.status.success(), "{tail}\n{}", errors.lines().last().unwrap_or_default());
    // Single precision is there on every device, with some eighty functions.
    assert!(text.matches("| float | default |").count() > 70, "{text}");
}
