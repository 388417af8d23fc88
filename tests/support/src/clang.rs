//! Whether clang is installed, which some tests need and others compare with.

use crate::skipped;
use pyroclast_runtime::device::compiler::clang_available;

/// Whether clang is missing, with a message: the caller is a test that is skipped then.
pub fn is_missing() -> bool {
    skipped::without("clang", !clang_available())
}
