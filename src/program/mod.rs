//! Programs.
pub mod binary;
pub mod cache;
pub mod codec;
pub mod includes;
pub mod options;
