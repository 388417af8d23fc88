//! Back ends.

pub mod spirv;
pub mod validate;
