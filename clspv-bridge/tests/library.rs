//! The committed built-in library is up to date with its sources.

use clspv_bridge::builtin_library;
use std::path::Path;
use std::process::Command;

#[test]
fn library_is_built_from_its_sources() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("builtins");
    if Command::new("clang-22").arg("--version").output().is_err() {
        eprintln!("clang-22 is not installed: nothing to compare with");
        return;
    }
    let fresh = std::env::temp_dir().join(format!("pyroclast-library-{}.spv", std::process::id()));
    let status = Command::new("sh").arg(dir.join("build.sh")).arg(&fresh).status().expect("build.sh runs");
    assert!(status.success(), "the library's sources do not compile");
    let spirv = std::fs::read(&fresh).expect("output");
    let _ = std::fs::remove_file(&fresh);
    let committed = std::fs::read(dir.join("library.ir")).expect("library.ir");
    assert!(
        builtin_library::from_spirv(&spirv).expect("a module") == committed,
        "clspv-bridge/builtins/library.ir is stale: run `cargo xtask library` and commit the result"
    );
}
