//! Whether clang is installed, which some tests need and others compare with.

use pyroclast_runtime::device::compiler::clang_available;
use std::io::Write;

/// Whether clang is missing, with a message: the caller is a test that is skipped then.
pub fn is_missing() -> bool {
    let is_missing = !clang_available();
    if is_missing {
        let test = std::thread::current();
        // Not `eprintln!`, whose text is only shown for tests that fail.
        let _ = writeln!(std::io::stderr(), "skipped without clang: {}", test.name().unwrap_or_default());
    }
    is_missing
}
