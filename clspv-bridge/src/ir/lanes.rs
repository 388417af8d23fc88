//! Operations and attributes of vectorised native code.

use super::access::Access;
use serde::{Deserialize, Serialize};

/// Operation on the work-items of a vector. Comments give `args -> results`; without the operand `mask`
/// (`i1xW` for vectors of W), all lanes are active.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum LaneOp {
    /// Contiguous load: with n results, lane l of result i is element `n * l + i`. Inactive lanes are not
    /// accessed and give 0. `ptr, [mask] -> T ...`
    Load(Access),
    /// The inverse of [`LaneOp::Load`]. `T ..., ptr, [mask] ->`
    Store(Access),
    /// Load from the addresses of the active lanes; 0 for the others. `ptrs, [mask] -> T`
    Gather(Access),
    /// Store to the addresses of the active lanes. `T, ptrs, [mask] ->`
    Scatter(Access),
    /// One bit for each lane, that of lane 0 the lowest. `i1xW -> i32`
    MaskBits,
    /// The operand, whose undefined bits take any value. `T -> T`
    Freeze,
}

/// Value that the caller of a work-group function provides in [`crate::native::context`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ContextField {
    /// Address of scratch memory. `-> ptr.private`
    Scratch,
    /// 0 if streams may go past the caches, else 1. `-> i64`
    NoStream,
}

/// Vectors of a function: their width, whether they are consecutive local linear ids, and whether groups
/// consist of whole vectors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct VectorShape {
    pub width: u8,
    pub linear: bool,
    pub whole: bool,
}

/// Work-items that a call of a function runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum CallExtent {
    #[default]
    WorkItem,
    /// One vector. A stack slot has a copy for each work-item, one after the other. In a kernel, `local_id`
    /// queries are those of the vector's first work-item, and `sub_group_id` is the vector's number.
    Vector(VectorShape),
    /// The work-group.
    WorkGroup(VectorShape),
}

impl CallExtent {
    /// The shape of the function's vectors, if it has any.
    pub fn shape(self) -> Option<VectorShape> {
        match self {
            CallExtent::WorkItem => None,
            CallExtent::Vector(shape) | CallExtent::WorkGroup(shape) => Some(shape),
        }
    }
}
