//! The compilers that the process uses: of OpenCL C, and of the CPU device's code. Looked up once.

use super::code_memory::CodeMemory;
use crate::config::{Config, CpuCode};
use clspv_bridge::front::clang;
use clspv_bridge::options::{FrontConfig, FrontEnd};
use clspv_bridge::target::CodeGenerator;
use std::sync::OnceLock;

/// The compiler of OpenCL C: the one that the configuration names, else the built-in front end.
pub fn front_end() -> FrontEnd {
    Config::get().front_end.unwrap_or(FrontEnd::BuiltIn)
}

/// Generators of the CPU device's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuGenerators {
    /// For every kernel, when it is created.
    pub first: CodeGenerator,
    /// For kernels that run long, in the background, one after the other.
    pub hot: &'static [CodeGenerator],
}

/// The generators of the CPU device's code; `None` if the one that the configuration names is missing.
pub fn cpu_generators() -> Option<CpuGenerators> {
    use CodeGenerator::{Baseline, Cranelift, Llvm};
    let has_quick = Cranelift.is_available() && permits_code();
    let all = |first, hot| Some(CpuGenerators { first, hot });
    match (Config::get().cpu_code, has_quick) {
        (CpuCode::Baseline, true) => all(Baseline, &[]),
        (CpuCode::Quick, true) => all(Cranelift, &[]),
        (CpuCode::Baseline | CpuCode::Quick, false) => None,
        (CpuCode::Auto, true) if clang_available() => all(Baseline, &[Cranelift, Llvm]),
        (CpuCode::Auto, true) => all(Baseline, &[Cranelift]),
        (CpuCode::Auto, false) | (CpuCode::Optimized, _) => all(Llvm, &[]).filter(|_| clang_available()),
    }
}

/// Whether the system permits code that the process has generated itself.
pub fn permits_code() -> bool {
    CodeMemory::is_permitted()
}

/// Whether clang is installed, which compiles C++ for OpenCL and optimized code.
pub fn clang_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let clang = Config::get().clang.clone().unwrap_or_default();
        clang::find(&FrontConfig { clang, ..FrontConfig::default() }).is_some()
    })
}

/// Whether programs can be built from source.
pub fn compiler_available() -> bool {
    front_end() == FrontEnd::BuiltIn || clang_available()
}
