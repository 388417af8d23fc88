//! The compilers that the process uses: of OpenCL C, and of the CPU device's code. Looked up once.

use crate::config::{Config, CpuCode};
use clspv_bridge::front::clang;
use clspv_bridge::options::{FrontConfig, FrontEnd};
use clspv_bridge::target::CodeGenerator;
use std::sync::OnceLock;

/// The compiler of OpenCL C: the one that the configuration names, else the built-in front end.
pub fn front_end() -> FrontEnd {
    Config::get().front_end.unwrap_or(FrontEnd::BuiltIn)
}

/// The generator of the CPU device's code; `None` if the one that the configuration names is missing.
pub fn code_generator() -> Option<CodeGenerator> {
    match Config::get().cpu_code {
        CpuCode::Auto | CpuCode::Optimized if clang_available() => Some(CodeGenerator::Llvm),
        CpuCode::Auto | CpuCode::Quick if CodeGenerator::Cranelift.is_available() => {
            Some(CodeGenerator::Cranelift)
        }
        _ => None,
    }
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
