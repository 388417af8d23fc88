//! Properties of memory accesses.

use super::entity::Var;
use serde::{Deserialize, Serialize};

/// Form of the address operand of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Root {
    /// The operand is a pointer value (before lowering).
    Ptr,
    /// The operand is a device address: an `i64`, or its two words (`expand_ints`).
    Addr,
    /// The operand is an `i32` element index into this variable, whose element type is exactly the accessed
    /// type.
    Var(Var),
}

/// Properties of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    /// Known alignment of the address in bytes, a power of two.
    pub align: u32,
    pub volatile: bool,
    pub nontemporal: bool,
    /// The memory is not written during the kernel (`const restrict`, `__constant`).
    pub readonly: bool,
    /// Load whose value is only stored to another memory location (padding and uninitialised bytes included).
    pub copied: bool,
    pub root: Root,
}

impl Access {
    /// A plain access through a pointer with the given alignment.
    pub const fn aligned(align: u32) -> Access {
        Access { align, volatile: false, nontemporal: false, readonly: false, copied: false, root: Root::Ptr }
    }
}
