//! Control flow in the form that SPIR-V requires: structured, and closed over loops.

pub(crate) mod lcssa;
pub(crate) mod ssa_repair;
pub mod structurize;
