//! The committed built-in library is up to date with its sources.

use clspv_bridge::library_compiler;
use std::fs;
use std::path::Path;

#[test]
fn library_is_built_from_its_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("builtins");
    let read = |name: &str| Ok(fs::read_to_string(folder.join(name)).expect("a source of the library"));
    let fresh = library_compiler::compile(read).expect("the library compiles");
    let committed = fs::read(folder.join("library.ir")).expect("library.ir");
    assert!(
        fresh == committed,
        "clspv-bridge/builtins/library.ir is stale: run `cargo xtask library` and commit the result"
    );
}
