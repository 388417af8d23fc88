//! Writes `docs/coverage.md`: every core entry point and its state, read from the sources of the driver.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Reads `icd/src/api/*.rs` and writes the table.
pub fn run() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace root")?;
    let dir = root.join("icd/src/api");
    let mut defined: HashMap<String, String> = HashMap::new();
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(entry.path()).map_err(|e| format!("{file}: {e}"))?;
        for (at, _) in text.match_indices("fn cl") {
            let name: String = text[at + 3..].chars().take_while(char::is_ascii_alphanumeric).collect();
            defined.insert(name, file.clone());
        }
    }
    let mut out = String::from(
        "# API coverage\n\nEvery entry point of the core API up to OpenCL 3.1, in the order of the dispatch table. Written by \
         `cargo xtask coverage`.\n\n* **done**: implemented; which parameters and flags are taken is in the file's comments\n\
         * **absent**: answered the way the specification provides for a device without the feature\n\
         * **missing**: answers CL_INVALID_OPERATION\n\n| function | state | source |\n|---|---|---|\n",
    );
    let (mut done, mut absent, mut missing) = (0, 0, 0);
    for name in crate::gen_cl::DISPATCH_ORDER.split_whitespace().filter(|n| crate::gen_cl::is_core(n)) {
        let (state, file) = match defined.get(name) {
            Some(file) if file == "absent.rs" => (count(&mut absent, "absent"), file.as_str()),
            Some(file) => (count(&mut done, "done"), file.as_str()),
            None => (count(&mut missing, "missing"), ""),
        };
        let _ = writeln!(out, "| {name} | {state} | {file} |");
    }
    let _ = writeln!(out, "\n{done} done, {absent} absent, {missing} missing.");
    let path = root.join("docs/coverage.md");
    std::fs::create_dir_all(root.join("docs")).map_err(|e| e.to_string())?;
    std::fs::write(&path, out).map_err(|e| format!("{}: {e}", path.display()))?;
    eprintln!("{done} done, {absent} absent, {missing} missing");
    Ok(())
}

fn count(n: &mut u32, state: &'static str) -> &'static str {
    *n += 1;
    state
}
