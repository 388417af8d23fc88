//! Legalisation: operations and types that the target lacks become those that it has.

pub mod expand_ints;
pub mod floats;
pub mod ints;
pub mod memory;
pub mod promote_ints;
pub mod vectors;
