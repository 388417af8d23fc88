//! Objects in memory.

use crate::ir::Value;

/// An object in memory.
#[derive(Clone, Copy, Debug)]
pub struct ObjectRef {
    pub addr: Value,
    /// Known alignment in bytes.
    pub align: u32,
    pub is_volatile: bool,
    /// Whether accesses are atomic (sequentially consistent).
    pub is_atomic: bool,
}

impl ObjectRef {
    /// An object that is accessed plainly.
    pub const fn new(addr: Value, align: u32) -> ObjectRef {
        ObjectRef { addr, align, is_volatile: false, is_atomic: false }
    }
}
