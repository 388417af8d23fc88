//! `cargo xtask library`: the encoded form of the built-in library, from its sources.

use clspv_bridge::{CompileError, library_compiler};
use std::path::Path;

/// Rewrites `clspv-bridge/builtins/library.ir`.
pub fn run() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clspv-bridge/builtins");
    let read = |name: &str| {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path);
        text.map_err(|e| CompileError::Diagnostics(format!("{}: {e}", path.display())))
    };
    let bytes = library_compiler::compile(read).map_err(|e| e.to_string())?;
    let path = folder.join("library.ir");
    std::fs::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
