//! Sub-groups of native code: vectors of work-items.

use crate::analysis::sub_groups::uses_sub_groups;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::passes::lower::groups as lower_groups;
use crate::passes::{Pass, PassContext};
use crate::target::CpuTarget;

/// The pass `native_sub_groups`: sub-group operations in terms of those that vectors have.
pub struct NativeSubGroups;

impl Pass for NativeSubGroups {
    fn name(&self) -> &'static str {
        "native_sub_groups"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_some()
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let Some(cpu) = cx.target.cpu() else { return Ok(false) };
        let mut changed = false;
        for func in module.functions.values_mut() {
            let Some(info) = func.kernel.and_then(|k| module.kernels.get(k)) else { continue };
            check(func, info, cpu)?;
            if !uses_sub_groups(func) {
                continue;
            }
            changed |= lower_groups::run(func, cx.target, cpu.width);
        }
        Ok(changed)
    }
}

/// Checks that the kernel's required sub-group size is the processor's, if it uses sub-groups.
pub(crate) fn check(kernel: &Function, info: &KernelInfo, cpu: &CpuTarget) -> Result<()> {
    match info.reqd_sub_group_size.filter(|n| *n != cpu.width && uses_sub_groups(kernel)) {
        Some(n) => {
            Err(CompileError::unsupported(format!("a required sub-group size of {n} on this device"), 0))
        }
        None => Ok(()),
    }
}
