//! Sub-groups of a size that the device lacks, in terms of its own.
//!
//! Smaller ones lie in the device's: ballots are masked, and numbers of work-items shifted. They may be used
//! wherever the device's may. Larger ones pass values through local memory between barriers of the
//! work-group. So they need control flow that is the same for all work-items of the group, which is checked.

use super::lanes::Lanes;
use super::{Groups, SUB};
use crate::analysis::group_uniform::{Apart, divergent_blocks};
use crate::analysis::sub_groups::is_sub_group_query;
use crate::error::{CompileError, Result};
use crate::ir::edit::{Rewrite, rewrite_insts};
use crate::ir::*;
use crate::passes::lower::state::kernel_of_parts;
use crate::passes::{Pass, PassContext};
use crate::target::Target;

/// Name of the local variable that values pass through, which no program can use.
const SCRATCH: &str = "compiler: sub-group scratch";

/// The pass `resize_sub_groups`: sub-groups of the size that the kernel requires.
pub struct ResizeSubGroups;

impl Pass for ResizeSubGroups {
    fn name(&self) -> &'static str {
        "resize_sub_groups"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let device = cx.lowering()?.abi.sub_group_size;
        let (func, info) = kernel_of_parts(&mut module.functions, module.kernels.len())?;
        let info = &module.kernels[info];
        let Some(size) = info.reqd_sub_group_size.filter(|size| device != 0 && *size != device) else {
            return Ok(false);
        };
        let sizes = Sizes { size, device, items: info.required_items() };
        run(func, &mut module.globals, cx.target, &sizes)
    }
}

/// Sizes of the groups of a kernel.
pub(crate) struct Sizes {
    /// Work-items of a full sub-group of the kernel.
    pub size: u32,
    /// Work-items of a full sub-group of the device.
    pub device: u32,
    /// Work-items of a work-group, if the kernel requires its size.
    pub items: Option<u32>,
}

/// Rewrites a kernel for sub-groups of the device.
pub(crate) fn run(
    func: &mut Function,
    globals: &mut PrimaryMap<Global, GlobalData>,
    target: &Target,
    sizes: &Sizes,
) -> Result<bool> {
    let &Sizes { size, device, items } = sizes;
    check(func, sizes)?;
    let lanes = if size < device {
        Lanes::Clusters(device)
    } else {
        let most = target.max_workgroup_invocations.max(1);
        let items = items.unwrap_or(most).clamp(1, most).next_multiple_of(size);
        Lanes::Several { device, scratch: globals.push(GlobalData::local(SCRATCH, 4 * items)) }
    };
    Ok(rewrite_insts(func, |b, inst| {
        let data = b.func.insts[inst].clone();
        let mut groups = Groups { b, target, size, lanes };
        match data.op {
            Op::Group { scope: SUB, op } => Rewrite::Replace(groups.lower(op, &data.args)),
            Op::WorkItem { query, .. } if is_sub_group_query(query) => Rewrite::Replace(groups.answer(query)),
            Op::Barrier { exec: SUB, memory, spaces, .. } if size > device => {
                let memory = if memory == SUB { Scope::WorkGroup } else { memory };
                groups.b.inst(Op::barrier(Scope::WorkGroup, memory, spaces), &[], &[]);
                Rewrite::Remove
            }
            _ => Rewrite::Keep,
        }
    }))
}

/// Checks that all work-items of a group reach the operations together if sub-groups are larger than the
/// device's.
pub(crate) fn check(func: &Function, sizes: &Sizes) -> Result<()> {
    let &Sizes { size, device, items } = sizes;
    if size <= device {
        return Ok(());
    }
    let apart = if items.is_some_and(|n| n <= size) { Apart::WorkItems } else { Apart::SubGroups };
    let divergent = divergent_blocks(func, apart);
    for block in func.layout.iter().filter(|b| divergent.contains(b)) {
        for data in func.blocks[*block].insts.iter().map(|i| &func.insts[*i]) {
            if matches!(data.op, Op::Group { scope: SUB, .. } | Op::Barrier { exec: SUB, .. }) {
                let what = format!(
                    "sub-groups of {size} work-items in control flow that may differ within the work-group, as \
                     the device's have {device}"
                );
                return Err(CompileError::unsupported(what, data.line));
            }
        }
    }
    Ok(())
}

impl Groups<'_, '_, '_> {
    /// The result of a query of sub-groups.
    fn answer(&mut self, query: WorkItemQuery) -> Value {
        use WorkItemQuery as Q;
        match query {
            Q::SubGroupId => self.group_id(),
            Q::SubGroupLocalId => self.id(),
            Q::SubGroupSize => self.members(),
            Q::SubGroupMaxSize => {
                let (items, size) = (self.items(Q::EnqueuedLocalSize), self.i32(self.size));
                self.b.bin(BinOp::Umin, items, size)
            }
            _ => {
                let of = if query == Q::NumSubGroups { Q::LocalSize } else { Q::EnqueuedLocalSize };
                let (items, rest, size) = (self.items(of), self.i32(self.size - 1), self.i32(self.size));
                let items = self.b.iadd(items, rest);
                self.b.bin(BinOp::Udiv, items, size)
            }
        }
    }
}
