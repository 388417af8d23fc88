//! Floating-point types that the target lacks.
//!
//! Doubles are never emulated: a kernel that uses them on a device without them is refused. Half values without float16
//! arithmetic exist only in memory (`vload_half`, `vstore_half` go through `lower_builtins`).

use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::target::Target;

/// Refuses types the target has not.
pub fn check(func: &Function, target: &Target) -> Result<()> {
    for &block in &func.layout {
        for &i in &func.blocks[block].insts {
            let d = &func.insts[i];
            for &v in d.args.iter().chain(&d.results) {
                match func.ty(v).scalar() {
                    Some(Scalar::F64) if !target.float64 => return Err(CompileError::unsupported("double precision", d.line)),
                    Some(Scalar::F16) if !target.float16 => {
                        return Err(CompileError::unsupported("half precision arithmetic", d.line));
                    }
                    Some(Scalar::I64) if !target.int64 => return Err(CompileError::unsupported("64-bit integers", d.line)),
                    Some(Scalar::I16) if !target.int16 => return Err(CompileError::unsupported("16-bit integers", d.line)),
                    Some(Scalar::I8) if !target.int8 => return Err(CompileError::unsupported("8-bit integers", d.line)),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}
