//! Message of tests that are skipped.

use std::io::Write;

/// Writes that the calling test is skipped, and the reason.
pub fn because(why: &str) {
    let test = std::thread::current();
    // Not `eprintln!`, whose text is only shown for tests that fail.
    let _ = writeln!(std::io::stderr(), "skipped, {why}: {}", test.name().unwrap_or_default());
}

/// Returns `is_skipped`, and if it is set writes that the calling test is skipped without a program.
pub fn without(program: &str, is_skipped: bool) -> bool {
    if is_skipped {
        because(&format!("without {program}"));
    }
    is_skipped
}
