//! Reader of OpenCL SPIR-V: words to [`crate::ir::Module`].

use crate::error::{CompileError, Result};
use crate::ir::Module;

/// Reads a module. Malformed input is an error, never a panic.
pub fn read(_words: &[u32], _specs: &crate::driver::SpecConstants) -> Result<Module> {
    Err(CompileError::internal("front::spirv is not written yet"))
}
