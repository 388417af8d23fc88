//! Optimisations: SSA construction, inlining, simplification, address spaces. They apply to any target.

pub(crate) mod compact;
pub mod dce;
pub(crate) mod demanded_bits;
pub mod dot_products;
pub(crate) mod gvn;
pub(crate) mod infer_space;
pub(crate) mod inline;
mod inline_policy;
pub(crate) mod instrumentation;
pub(crate) mod licm;
pub(crate) mod mem2reg;
pub(crate) mod private_volatile;
mod rewriter;
pub(crate) mod rotate_loops;
pub(crate) mod separate_offsets;
pub mod simplify;
pub(crate) mod simplify_cfg;
mod simplify_float;
mod simplify_int;
mod simplify_lanes;
mod simplify_other;
pub(crate) mod sroa;
pub(crate) mod thread_branches;
pub(crate) mod thread_headers;
pub(crate) mod unroll;
pub(crate) mod unroll_reads;
pub(crate) mod unroll_while;
