//! clang as a child process: OpenCL C in, SPIR-V out.

use crate::driver::{FrontConfig, Header, Library, Options};
use crate::error::{CompileError, Result};

/// Argument names and types of one kernel, from the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelArgInfo {
    pub kernel: String,
    pub args: Vec<crate::metadata::ArgInfo>,
}

/// Compiles a translation unit.
pub fn compile(_source: &str, _headers: &[Header], _options: &Options, _config: &FrontConfig) -> Result<Library> {
    Err(CompileError::internal("front::clang is not written yet"))
}
