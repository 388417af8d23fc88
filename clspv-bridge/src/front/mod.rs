//! Front ends: clang as a child process, and the reader of OpenCL SPIR-V.

pub mod clang;
pub mod spirv;
