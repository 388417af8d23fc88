//! Front ends: clang as a child process, and the reader of OpenCL SPIR-V.

mod arg_info;
pub mod clang;
pub(crate) mod cycles;
pub(crate) mod enqueue;
mod lines;
pub(crate) mod local_sizes;
pub mod locate;
mod prelude;
pub(crate) mod process;
mod rename;
pub mod spirv;
