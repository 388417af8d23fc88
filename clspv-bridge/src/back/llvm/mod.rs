//! Native code for the host's processor: one function per kernel that runs a work-group, as textual LLVM IR.
//!
//! ```text
//! kernel of parallel regions (pipeline::NATIVE) --print--> LLVM IR --clang child--> shared object
//! ```
//!
//! The IR is vectorised already, so each operation is printed once, in a few lines. `crate::native` is the
//! contract with the runtime.

mod memory;
mod names;
mod ops;
mod print;
mod runtime;
mod tool;

use super::native;
use crate::error::Result;
use crate::ir::*;
use crate::native::NativeKernel;
use crate::passes::PassContext;
use crate::passes::lower::globals::DataLayout;

pub use tool::{Effort, shared_object};

/// A module's text: the functions with what precedes and follows them.
fn module_text(functions: &[&str]) -> String {
    let mut text = String::from("source_filename = \"pyroclast\"\n\n");
    for f in functions {
        text.push_str(f);
    }
    // The code consists of wide vectors.
    text.push_str("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" }\n!0 = !{}\n!1 = !{i32 1}\n");
    text
}

/// The text of a kernel's functions, in pieces that need not be in one module. `module` holds a single kernel
/// and what it calls, after [`crate::pipeline::NATIVE`]; `number` makes its symbols unique.
pub fn kernel(
    module: &Module,
    data: &DataLayout,
    number: usize,
    cx: &PassContext<'_>,
) -> Result<(NativeKernel, Vec<String>)> {
    let all = native::functions(module, data, number, cx)?;
    let texts = all.functions.iter().map(|f| print::function(&all.program, f));
    let mut texts = texts.collect::<Result<Vec<String>>>()?;
    if all.has_callees {
        // Functions stay in one module with both of their callers.
        texts = vec![texts.concat()];
    }
    Ok((all.kernel, texts))
}
