//! Emits a structured kernel as a Vulkan compute module.
//!
//! [`emit()`] takes one function in phase [`Structured`](crate::ir::Phase::Structured) and writes SPIR-V
//! words: entry point [`ENTRY_POINT`](crate::abi::ENTRY_POINT), one push-constant block of 32-bit words,
//! specialisation constants for the workgroup size, and the function's variables. Capabilities follow from
//! what is emitted; one that the target lacks is an error that names the construct.
//!
//! The words are written directly (`module`), because a kernel's module has a fixed shape and most ids are
//! known ahead. The filetests run `spirv-val` on every module.
//!
//! Memory model: GLSL450 by default. A kernel that synchronises through global memory at device scope
//! (acquire or release) uses the Vulkan memory model if the target has it, with non-private accesses and
//! availability operations at queue family scope. Elsewhere, ordering at device scope is as strong as the
//! driver's GLSL450 barriers.
//!
//! Legalisation comes first: the emitter accepts no vectors of more than four lanes, no float remainder and
//! no 64-bit bit counting, and float atomics only if the target has them.

mod control;
mod emit;
mod groups;
mod image;
mod interface;
mod memory;
mod module;
mod ops;
mod workgroup;

use crate::abi::LaunchAbi;
use crate::error::{CompileError, Result};
use crate::ir::{FuncRef, Module};
use crate::target::Target;

/// Emits a kernel function as a Vulkan SPIR-V module. With `zero_local` workgroup memory is zero when the
/// kernel begins, which needs the feature shaderZeroInitializeWorkgroupMemory.
pub fn emit(
    module: &Module,
    func: FuncRef,
    abi: &LaunchAbi,
    target: &Target,
    zero_local: bool,
) -> Result<Vec<u32>> {
    let Some(function) = module.functions.get(func) else {
        return Err(CompileError::internal(format!("emit: {func} does not exist")));
    };
    let kernel = function.kernel.and_then(|k| module.kernels.get(k));
    let mut emitter = emit::Emitter::new(function, kernel, abi, target)?;
    emitter.zero_local = zero_local;
    emitter.run()
}

#[cfg(test)]
mod tests;
