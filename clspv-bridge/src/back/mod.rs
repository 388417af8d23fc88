//! Back ends.

pub mod llvm;
pub mod spirv;
pub mod validate;
