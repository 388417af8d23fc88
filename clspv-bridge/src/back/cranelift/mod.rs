//! Native code for the host's processor by Cranelift: in the process and in milliseconds, without clang.
//!
//! ```text
//! kernel of parallel regions (pipeline::NATIVE)
//!   --lower--> Cranelift's IR --> machine code --link--> flat code
//! ```
//!
//! Vectors become 128-bit vectors or scalars ([`lanes`]), masked accesses select addresses ([`memory`]),
//! halves are computed in single precision ([`half`]). `crate::native` is the contract with the runtime. The
//! code calls nothing but the runtime, so it can be mapped anywhere.
//!
//! Where passes are verified, Cranelift's verifier checks every function. A panic of the code generator is
//! contained here: a program must not crash the application.

mod arith;
mod atomics;
mod casts;
mod half;
mod isa;
mod lanes;
mod link;
mod lower;
mod memory;
mod narrow;
mod ops;
mod runtime;
#[cfg(test)]
mod tests;
mod transpose;

use super::native::{self, NativeFunction, Program};
use crate::error::{CompileError, Invariant, Result};
use crate::ir::{Function, Module, Type};
use crate::native::NativeKernel;
use crate::parallel;
use crate::passes::PassContext;
use crate::passes::lower::globals::DataLayout;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::TargetIsa;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use link::{MachineCode, link};

/// The machine code of a kernel's functions. `module` holds a single kernel and what it calls, after
/// [`crate::pipeline::NATIVE`]; `number` makes its symbols unique.
pub fn kernel(
    module: &Module,
    data: &DataLayout,
    number: usize,
    cx: &PassContext<'_>,
) -> Result<(NativeKernel, Vec<MachineCode>)> {
    let all = native::functions(module, data, number, cx)?;
    let cpu = cx.target.cpu().invariant("no processor to make code for")?;
    let isa = isa::isa(cpu)?;
    let features = isa::Features::new(cpu);
    let functions = all.functions.iter().collect();
    let codes = parallel::map(functions, |f| machine_code(&all.program, f, features, &*isa));
    Ok((all.kernel.clone(), codes.into_iter().collect::<Result<_>>()?))
}

/// Registers of a function from which Cranelift may refuse it: half of its limit.
const LARGE: u64 = 1 << 20;

/// Whether a kernel, before it is optimised, has a function that may have too many registers.
pub fn may_be_too_large(module: &Module) -> bool {
    // A vector of four work-items: lanes of small integers are scalars.
    let registers = |ty: Type| {
        let bytes = u64::from(ty.lane().access_bytes().unwrap_or(8));
        u64::from(ty.lanes()) * if bytes < 4 { 4 } else { bytes / 4 }
    };
    let results = |f: &Function| -> u64 {
        f.data_in_order().flat_map(|data| &data.results).map(|v| registers(f.ty(*v))).sum()
    };
    module.functions.values().any(|f| results(f) > LARGE)
}

/// Compiles a function.
fn machine_code(
    program: &Program<'_>,
    function: &NativeFunction<'_>,
    features: isa::Features,
    isa: &dyn TargetIsa,
) -> Result<MachineCode> {
    let generate = || {
        let func = lower::lower(program, function, features, isa.default_call_conv())?;
        let mut context = Context::for_function(func);
        if let Err(error) = context.compile(isa, &mut ControlPlane::default()) {
            return Err(CompileError::internal(format!("the code generator: {}", error.inner)));
        }
        let compiled = context.compiled_code().invariant("a function without machine code")?;
        MachineCode::new(&function.name, &context.func, compiled, &program.symbols)
    };
    let contained = catch_unwind(AssertUnwindSafe(generate));
    contained.unwrap_or_else(|_| Err(CompileError::internal("the code generator failed")))
}
