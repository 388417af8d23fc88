//! Control flow in the form that SPIR-V requires: structured, and closed over loops.

pub mod lcssa;
pub mod ssa_repair;
pub mod structurize;
