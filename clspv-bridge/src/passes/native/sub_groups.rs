//! Sub-groups of native code: vectors of work-items.

use crate::analysis::sub_groups::uses_sub_groups;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::KernelInfo;
use crate::passes::lower::groups as lower_groups;
use crate::passes::lower::groups::resize::{self, Sizes};
use crate::passes::{Pass, PassContext};
use crate::target::{CpuTarget, Target};

/// Work-items of the widest vectors: their masks are words.
const WIDEST: u32 = 32;

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
            check(func, info, cx.target, cpu)?;
            if !uses_sub_groups(func) {
                continue;
            }
            let sizes = sizes(info, cpu);
            if sizes.size != sizes.device {
                changed |= resize::run(func, &mut module.globals, cx.target, &sizes)?;
            }
            changed |= lower_groups::run(func, cx.target, sizes.device);
        }
        Ok(changed)
    }
}

fn sizes(info: &KernelInfo, cpu: &CpuTarget) -> Sizes {
    let size = info.reqd_sub_group_size.unwrap_or(cpu.width);
    Sizes { size, device: vector_width(info, cpu), items: info.required_items() }
}

/// Work-items of a vector of a kernel that uses sub-groups: those of a sub-group, if a vector can have so
/// many.
pub(crate) fn vector_width(info: &KernelInfo, cpu: &CpuTarget) -> u32 {
    info.reqd_sub_group_size.map_or(cpu.width, |size| size.min(WIDEST))
}

/// Checks that the kernel can have sub-groups of the size that it requires.
pub(crate) fn check(func: &Function, info: &KernelInfo, target: &Target, cpu: &CpuTarget) -> Result<()> {
    match info.reqd_sub_group_size {
        _ if !uses_sub_groups(func) => Ok(()),
        Some(size) if target.sub_group_size_for(size).is_none() => {
            Err(CompileError::unsupported(format!("a required sub-group size of {size} on this device"), 0))
        }
        _ => resize::check(func, &sizes(info, cpu)),
    }
}
