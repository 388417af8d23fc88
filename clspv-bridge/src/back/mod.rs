//! Back ends.

pub(crate) mod llvm;
pub mod spirv;
pub(crate) mod validate;
