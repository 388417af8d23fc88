//! Passes of native code: from an optimised kernel with pointers to what `back::llvm` prints.

pub mod checks;
pub mod close_loops;
pub mod regions;
pub mod structure;
pub mod sub_groups;
pub mod thread_masks;
pub mod vectorize;
pub mod word_accesses;
