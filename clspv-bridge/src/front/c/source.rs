//! Texts of a translation unit and positions in them.
//!
//! All buffers share one space of positions, so a position is four bytes and names its file. A token that
//! comes from a macro also names the expansion, from which diagnostics print the chain of macros.

use super::symbol::Symbol;

/// Byte position in the texts of a translation unit; 0 is no position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pos(pub u32);

/// Handle of a macro expansion; 0 for a token that is not from a macro.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExpansionId(pub u32);

/// Location of a token: where it is spelled, and the macro expansion that produced it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Loc {
    pub pos: Pos,
    pub expansion: ExpansionId,
}

/// Expansion of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpansionData {
    pub name: Symbol,
    /// The macro's name where it is expanded.
    pub at: Loc,
}

/// Line, column and file of a position, with `#line` directives applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presumed<'a> {
    pub file: &'a str,
    /// 1-based.
    pub line: u32,
    /// 1-based, in bytes.
    pub column: u32,
}

/// Texts of a translation unit.
#[derive(Debug, Default)]
pub struct SourceMap {}
