//! Lowering: from one inlined, optimised kernel to a function without pointers, images, queries and
//! parameters.
//!
//! [`crate::pipeline::lower`] runs the passes on a module that holds a single kernel, once for each pointer
//! mode. [`state::Lowering`] is the state that they share; its launch contract is the second result.

pub(crate) mod arguments;
pub(crate) mod builtins;
pub(crate) mod expand_mem;
mod filter;
pub(crate) mod generic;
pub mod globals;
pub(crate) mod groups;
pub(crate) mod images;
pub(crate) mod kernel_abi;
pub(crate) mod memory;
pub(crate) mod merge_stores;
pub(crate) mod printf;
pub mod state;
mod texel_order;
pub(crate) mod widen_local;
pub(crate) mod work_item;
pub(crate) mod zero_private;

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
