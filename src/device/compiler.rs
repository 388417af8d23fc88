//! The compiler of OpenCL C that the process uses. Looked up once.

use crate::config::Config;
use clspv_bridge::front::clang;
use clspv_bridge::options::{FrontConfig, FrontEnd};
use std::sync::OnceLock;

/// The compiler of OpenCL C: the one that the configuration names, else the built-in front end.
pub fn front_end() -> FrontEnd {
    Config::get().front_end.unwrap_or(FrontEnd::BuiltIn)
}

/// Whether clang is installed, which compiles C++ for OpenCL and native code.
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
