//! Analyses of one function: each computes its tables from a `&Function` and is dropped when the function changes.

pub mod cfg;
pub mod domtree;
pub mod loops;

pub use cfg::Cfg;
pub use domtree::DomTree;
pub use loops::{Loop, LoopForest};
