//! Structured control flow for native code, whose phase stays Inlined.

use crate::error::Result;
use crate::ir::{Module, Phase};
use crate::passes::structure::structurize::structurize;
use crate::passes::{Pass, PassContext};

/// The pass `native_structure`: like `structurize`, for functions with pointers and calls.
pub struct NativeStructure;

impl Pass for NativeStructure {
    fn name(&self) -> &'static str {
        "native_structure"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        for func in module.functions.values_mut() {
            structurize(func, true)?;
        }
        Ok(true)
    }
}
