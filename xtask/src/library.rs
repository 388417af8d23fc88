//! `cargo xtask library`: the encoded form of the built-in library, from its sources.

use clspv_bridge::builtin_library;
use std::path::Path;
use std::process::Command;

/// Rewrites `clspv-bridge/builtins/library.ir`. clang compiles the sources.
pub fn run() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clspv-bridge/builtins");
    let scratch = std::env::temp_dir().join(format!("pyroclast-library-{}.spv", std::process::id()));
    let status = Command::new("sh").arg(folder.join("build.sh")).arg(&scratch).status();
    let spirv = std::fs::read(&scratch);
    let _ = std::fs::remove_file(&scratch);
    if !status.map_err(|e| format!("sh: {e}"))?.success() {
        return Err("the library's sources do not compile".into());
    }
    let spirv = spirv.map_err(|e| format!("{}: {e}", scratch.display()))?;
    let bytes = builtin_library::from_spirv(&spirv).map_err(|e| e.to_string())?;
    let path = folder.join("library.ir");
    std::fs::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}: {} bytes", path.display(), bytes.len());
    Ok(())
}
