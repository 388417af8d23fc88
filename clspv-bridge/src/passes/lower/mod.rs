//! Lowering: from one inlined, optimised kernel to a function without pointers, images, queries and
//! parameters.
//!
//! [`crate::pipeline::lower`] runs the passes on a module that holds a single kernel, once for each pointer
//! mode. [`Lowering`] is the state that they share; its launch contract is the second result.

pub mod arguments;
pub mod builtins;
pub mod expand_mem;
pub mod generic;
pub mod globals;
pub mod groups;
pub mod images;
pub mod kernel_abi;
pub mod memory;
pub mod printf;
pub mod state;
mod texel_order;
pub mod work_item;
pub mod zero_private;

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
