//! Analyses of one function. Each computes its tables from a `&Function`; they become invalid when the
//! function changes.

pub(crate) mod bounds;
pub(crate) mod cfg;
pub(crate) mod cross_uses;
pub(crate) mod dependents;
pub(crate) mod domtree;
pub(crate) mod group_uniform;
pub(crate) mod joins;
pub(crate) mod local_parts;
pub(crate) mod loops;
pub(crate) mod memory_values;
pub mod sub_groups;
pub mod tree;
pub(crate) mod trip_count;
pub mod uniformity;
pub(crate) mod waits;
pub mod work;
pub(crate) mod work_groups;

pub use cfg::Cfg;
pub use cross_uses::CrossUses;
pub use domtree::DomTree;
pub use joins::Joins;
pub use loops::{ExitBranch, Loop, LoopForest};
