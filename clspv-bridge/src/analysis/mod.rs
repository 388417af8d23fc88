//! Analyses of one function. Each computes its tables from a `&Function`; they become invalid when the
//! function changes.

pub mod cfg;
pub mod domtree;
pub mod group_uniform;
pub mod joins;
pub mod loops;
pub mod sub_groups;
pub mod tree;
pub mod trip_count;
pub mod uniformity;

pub use cfg::Cfg;
pub use domtree::DomTree;
pub use joins::Joins;
pub use loops::{Loop, LoopForest};
