//! Message of tests that are skipped.

use std::io::Write;

/// Returns `is_skipped`, and if it is set writes that the calling test is skipped without a program.
pub fn without(program: &str, is_skipped: bool) -> bool {
    if is_skipped {
        let test = std::thread::current();
        // Not `eprintln!`, whose text is only shown for tests that fail.
        let _ = writeln!(std::io::stderr(), "skipped without {program}: {}", test.name().unwrap_or_default());
    }
    is_skipped
}
