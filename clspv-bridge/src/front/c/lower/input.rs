//! Input of the lowering.

use crate::front::c::ast::Unit;
use crate::front::c::language::Language;
use crate::front::c::session::Session;
use crate::front::c::types::Types;
use crate::options::{Extent, Options};

/// A checked translation unit without errors, and how to lower it.
#[derive(Clone, Copy)]
pub struct LoweringInput<'a> {
    pub session: &'a Session,
    pub unit: &'a Unit,
    pub types: &'a Types,
    pub options: &'a Options,
    pub language: &'a Language,
    pub extent: Extent,
    /// Whether every variable stays in memory, for instrumented code that reports uninitialised reads.
    pub in_memory: bool,
}
