//! Lowering of the typed tree to the IR, in SSA form.
//!
//! Variables that are never addressed become values at once ([`ssa`]); all others get stack slots. Aggregates
//! are always in memory: an expression of such a type is lowered to an address. The conventions are those of
//! [`crate::front::spirv`]: kernels get structures as addresses of the work-item's copy, samplers are `i32`,
//! events, queues and reservations `i64`, a pipe is the address of its memory. A construct that the compiler
//! does not support becomes a call of an import named `unsupported: <construct>`.

mod alignment;
mod arithmetic;
mod bit_field;
pub mod block;
mod convert;
mod expr;
mod flow;
pub mod function;
pub mod input;
mod kernel;
pub mod location;
mod memory;
mod module;
pub mod object;
mod ssa;
mod statement;
mod static_data;
#[cfg(test)]
mod tests;
pub mod types;

use super::ast::FuncId;
use crate::error::{CompileError, Result};
use crate::ir::Module;
use crate::options::Extent;
use input::LoweringInput;
use module::{ModuleLowering, Pending};

/// Lowers a translation unit to a module in phase Imported.
pub fn lower(input: LoweringInput<'_>) -> Result<Module> {
    let mut lowering = ModuleLowering::new(input);
    run(&mut lowering)?;
    kernel::mark_unwritten(&mut lowering);
    let module = lowering.module;
    crate::ir::verify::verify_module(&module).map_err(CompileError::from)?;
    Ok(module)
}

/// Lowers what other modules or launches may reach, and all that it refers to.
fn run(lowering: &mut ModuleLowering<'_>) -> Result<()> {
    let unit = lowering.input.unit;
    let part = lowering.input.extent == Extent::Part;
    for (i, decl) in unit.functions.iter().enumerate().filter(|(_, f)| f.body.is_some()) {
        let id = FuncId(i as u32);
        if decl.is_kernel {
            let func = kernel::declare(lowering, decl)?;
            lowering.pending.push(Pending::Kernel(id, func));
        }
        // Kernels of other modules may call this one.
        if part && !decl.is_internal {
            lowering.function(id)?;
        }
    }
    for id in unit.statics.iter().filter(|_| part) {
        if unit.vars.get(id.0 as usize).is_some_and(|v| v.is_exported) {
            lowering.global(*id)?;
        }
    }
    while let Some(next) = lowering.pending.pop() {
        match next {
            Pending::Function(id, func) => function::lower(lowering, id, func, false)?,
            Pending::Kernel(id, func) => function::lower(lowering, id, func, true)?,
            Pending::Initializer(id, global) => static_data::initialize(lowering, id, global)?,
            Pending::Block(id, func) => block::lower(lowering, id, func)?,
        }
    }
    Ok(())
}
