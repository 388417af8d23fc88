//! Kernel compiler: OpenCL C and OpenCL SPIR-V in, Vulkan compute SPIR-V out.
//!
//! ```text
//! OpenCL C --clang child--> OpenCL SPIR-V --front::spirv--> ir::Module
//!   --passes (link, inline, sroa, mem2reg, simplify, ...)--> one optimised kernel function
//!   --lowering (arguments, globals, local, private, addresses or bindings)--> no pointers left
//!   --legalize, structurize--> structured control flow --back::spirv--> Vulkan SPIR-V
//! ```
//!
//! The crate has no OpenCL objects and no Vulkan handles; it contains no unsafe code. [`driver`] connects the
//! steps.

#![forbid(unsafe_code)]

pub mod abi;
pub mod analysis;
pub mod back;
pub mod builtin_library;
pub mod driver;
pub mod error;
pub mod front;
pub mod ir;
pub mod library_compiler;
pub mod metadata;
pub mod native;
pub mod observers;
pub mod options;
pub mod parallel;
pub mod passes;
pub mod pipeline;
pub mod printf;
pub mod target;
pub mod texel_format;
pub mod texel_order;

pub use error::CompileError;
pub use target::Target;
