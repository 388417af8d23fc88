//! Back ends.

pub(crate) mod cranelift;
pub(crate) mod llvm;
mod native;
pub mod spirv;
pub(crate) mod validate;
