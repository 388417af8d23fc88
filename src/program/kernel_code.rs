//! Code of single kernels of a program that is built already, for devices that compile kernels one by one.

use super::cache::ProgramHasher;
use super::code;
use crate::device::traits::KernelCompiler;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::options::{Kernels, Library, Options};
use clspv_bridge::{CompileError, Target};
use std::sync::{Arc, OnceLock};

/// Compiles kernels of a program.
pub struct ProgramKernels {
    libraries: Vec<Arc<Library>>,
    options: Options,
    specs: Vec<(u32, Vec<u8>)>,
    /// The start of all kernels' keys; `None` if the libraries have no encoding.
    hasher: OnceLock<Option<ProgramHasher>>,
}

impl ProgramKernels {
    /// `options` are those of code generation.
    pub fn new(libraries: Vec<Arc<Library>>, options: Options, specs: Vec<(u32, Vec<u8>)>) -> ProgramKernels {
        ProgramKernels { libraries, options, specs, hasher: OnceLock::new() }
    }
}

impl KernelCompiler for ProgramKernels {
    fn cached(&self, kernel: &str, target: &Target) -> Option<Arc<CompiledProgram>> {
        let libraries = || self.libraries.iter().map(|l| &**l).collect::<Vec<_>>();
        let new = || ProgramHasher::new(&libraries(), &self.options, &self.specs).ok();
        let hasher = self.hasher.get_or_init(new).as_ref()?;
        code::cached(hasher.key(&only(kernel), target))
    }

    fn compile(&self, kernel: &str, target: &Target) -> Result<Arc<CompiledProgram>, CompileError> {
        code::back_end(&only(kernel), &self.libraries, &self.options, &self.specs, target)
    }
}

fn only(kernel: &str) -> Kernels {
    Kernels::Named(vec![kernel.to_owned()])
}
