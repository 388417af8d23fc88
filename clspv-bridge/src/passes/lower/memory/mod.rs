//! Pointers to accesses of variables, descriptors and addresses: points-to classes ([`classes`]), their
//! memory ([`regions`], [`reach`]), the rewriting of accesses by class ([`rewrite`], [`access`]) and devices
//! without addresses ([`virtual_addresses`]).

pub mod access;
pub mod classes;
pub mod plan;
mod reach;
pub mod regions;
pub mod rewrite;
pub mod virtual_addresses;

use crate::error::Result;
use crate::ir::{Module, Phase};
use crate::passes::lower::state::{kernel_of_parts, no_lowering};
use crate::passes::{Pass, PassContext};

/// The pass `lower_memory`: points-to analysis, and accesses through pointers to accesses of variables and
/// addresses.
pub struct LowerMemory;

impl Pass for LowerMemory {
    fn name(&self) -> &'static str {
        "lower_memory"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn gives(&self) -> Option<Phase> {
        Some(Phase::Lowered)
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let Some(mut lowering) = cx.lowering.take() else { return Err(no_lowering()) };
        let (func, index) = kernel_of_parts(&mut module.functions, module.kernels.len())?;
        let (info, globals) = (&module.kernels[index], &module.globals);
        let has_data = lowering.data.block.size() != 0;
        match regions::plan(func, info, globals, has_data, cx, &mut lowering.abi)? {
            Some(plan) => {
                rewrite::run(func, globals, lowering.data, &plan, cx.target)?;
                func.sig.params.clear();
            }
            None => lowering.fits = false,
        }
        module.phase = Phase::Lowered;
        cx.lowering = Some(lowering);
        Ok(true)
    }
}
