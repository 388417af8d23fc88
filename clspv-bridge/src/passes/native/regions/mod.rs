//! Parallel regions: a vectorised kernel becomes one that runs a work-group.
//!
//! A region is the code between group barriers. It becomes loops over the group's vectors; control flow
//! between regions stays outside of them. The *context array* in scratch memory has a frame for each vector:
//! private variables, then the values that are live from one region to another. Values that are the same for
//! all vectors stay values.
//!
//! The input is what [`super::vectorize`] describes: a block that contains a group barrier ends a region, and
//! what follows the barrier in the block is run once for the group. All vectors leave a region in one block.

mod plan;
mod rewrite;

use crate::analysis::group_uniform::REGION_END;
use crate::analysis::tree::is_barrier;
use crate::analysis::uniformity::slot_bytes;
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use plan::Plan;

/// The pass `parallel_regions`.
pub struct ParallelRegions;

impl Pass for ParallelRegions {
    fn name(&self) -> &'static str {
        "parallel_regions"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_some()
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let instrumented = cx.is_instrumented();
        let mut plans = Vec::new();
        // Functions that instrumented code calls have their parts of the frame after the kernel's.
        let mut end = 0;
        for (f, func) in module.functions.iter_mut() {
            if func.kernel.is_some() && matches!(func.extent, CallExtent::Vector(_)) {
                let plan = Plan::new(func)?;
                end = end.max(plan.frame_end);
                plans.push((f, plan));
            }
        }
        for func in module.functions.values_mut() {
            if func.kernel.is_none() && matches!(func.extent, CallExtent::Vector(_)) {
                let start = if instrumented { end } else { 0 };
                let own = frame_end(slots_end(func, start));
                func.frame = Some(Frame { start, end: own, per_vector: false });
                end = if instrumented { own } else { end };
            }
        }
        let changed = !plans.is_empty();
        for (f, plan) in plans {
            let func = &mut module.functions[f];
            let bytes = if instrumented { end } else { plan.frame_end };
            func.frame = Some(Frame { start: 0, end: plan.frame_end, per_vector: plan.has_barriers });
            rewrite::rewrite(func, &plan, bytes, instrumented)?;
        }
        Ok(changed)
    }
}

/// Whether a kernel has barriers, so that each vector of the group has a frame.
pub fn has_barriers(func: &Function) -> bool {
    let is_real = |op: &Op| is_barrier(op) && *op != REGION_END;
    func.layout.iter().flat_map(|b| &func.blocks[*b].insts).any(|i| is_real(&func.insts[*i].op))
}

/// Offsets in the frame of the private variables of a function whose part of the frame begins at `start`.
pub fn slot_offsets(func: &Function, start: u32) -> Vec<u32> {
    let width = func.extent.shape().map_or(1, |shape| u32::from(shape.width));
    let mut end = start;
    let place = |slot: &SlotData| {
        let at = end.next_multiple_of(slot.align.max(64));
        end = at + slot_bytes(slot) * width;
        at
    };
    func.slots.values().map(place).collect()
}

/// End of the private variables in the frame.
fn slots_end(func: &Function, start: u32) -> u32 {
    match (slot_offsets(func, start).last(), func.slots.values().last()) {
        (Some(at), Some(slot)) => {
            at + slot_bytes(slot) * func.extent.shape().map_or(1, |shape| u32::from(shape.width))
        }
        _ => start,
    }
}

/// End of a part of the frame whose contents end here.
fn frame_end(end: u32) -> u32 {
    end.next_multiple_of(64).max(64)
}
