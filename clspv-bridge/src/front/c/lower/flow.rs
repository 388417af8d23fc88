//! Statements that jumps refer to.

use crate::ir::Block;

/// An enclosing statement that `break`, `continue` or cases refer to.
pub enum Flow {
    Loop { end: Block, next: Block },
    Switch(Switch),
}

/// A switch whose body is being lowered.
pub struct Switch {
    pub end: Block,
    pub default: Option<Block>,
    pub cases: Vec<(u64, Block)>,
    /// First and last value.
    pub ranges: Vec<(u64, u64, Block)>,
}
