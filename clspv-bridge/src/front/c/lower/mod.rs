//! Lowering of the typed tree to the IR, in SSA form.
//!
//! Variables that are never addressed become values at once ([`ssa`]); all others get stack slots. Aggregates
//! are always in memory: an expression of such a type is lowered to an address. The conventions are those of
//! [`crate::front::spirv`]: kernels get structures as addresses of the work-item's copy, samplers are `i32`,
//! events, queues and reservations `i64`, a pipe is the address of its memory. A construct that the compiler
//! does not support becomes a call of an import named `unsupported: <construct>`.

mod arithmetic;
mod block;
mod convert;
mod expr;
pub mod function;
mod kernel;
pub mod location;
mod memory;
mod module;
mod ssa;
mod statement;
mod static_data;
#[cfg(test)]
mod tests;
pub mod types;

use super::ast::Unit;
use super::language::Language;
use super::session::Session;
use super::types::Types;
use crate::error::{CompileError, Result};
use crate::ir::Module;
use crate::options::{Extent, Options};

/// A checked translation unit without errors, and how to lower it.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub session: &'a Session,
    pub unit: &'a Unit,
    pub types: &'a Types,
    pub options: &'a Options,
    pub language: &'a Language,
    pub extent: Extent,
    /// Whether every variable stays in memory, for instrumented code that reports uninitialised reads.
    pub in_memory: bool,
}

/// Lowers a translation unit to a module in phase Imported.
pub fn lower(input: Input<'_>) -> Result<Module> {
    let mut lowering = module::ModuleLowering::new(input);
    lowering.run()?;
    kernel::mark_unwritten(&mut lowering);
    let module = lowering.module;
    crate::ir::verify::verify_module(&module).map_err(CompileError::from)?;
    Ok(module)
}
