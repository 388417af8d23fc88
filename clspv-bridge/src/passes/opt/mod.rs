//! Optimisations: SSA construction, inlining, simplification, address spaces. They apply to any target.

pub mod dce;
pub mod demanded_bits;
pub mod gvn;
pub mod infer_space;
pub mod inline;
mod inline_policy;
pub mod instrumentation;
pub mod mem2reg;
pub mod private_volatile;
pub mod simplify;
pub mod simplify_cfg;
mod simplify_int;
mod simplify_other;
pub mod sroa;
pub mod unroll;
