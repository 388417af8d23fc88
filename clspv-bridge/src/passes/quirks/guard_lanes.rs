//! Ends the lanes that execute no work-item, for llvmpipe.
//!
//! It executes a group in whole vectors, and in loops forgets which lanes of the last vector belong to no
//! work-item. What these read is zero, so that a loop may never end for them (`while (i != -1) i = next[i]`).
//! The driver ends it after its limit of iterations ([`VulkanTarget::max_trip_count`]), which is for all
//! loops together: later ones end after one iteration in every lane of the vector.
//!
//! The test is a constant where groups fill their vectors.
//!
//! [`VulkanTarget::max_trip_count`]: crate::target::VulkanTarget::max_trip_count

use crate::analysis::{Cfg, DomTree, LoopForest};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};

/// The pass `guard_lanes`.
pub struct GuardLanes;

impl Pass for GuardLanes {
    fn name(&self) -> &'static str {
        "guard_lanes"
    }
    fn needs(&self) -> Phase {
        Phase::Lowered
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.vulkan().is_some_and(|vulkan| vulkan.max_trip_count.is_some())
    }
    fn run(&self, module: &mut Module, _cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        for func in module.functions.values_mut().filter(|f| f.kernel.is_some()) {
            let cfg = Cfg::new(func);
            let has_loops = !LoopForest::new(&cfg, &DomTree::new(&cfg)).loops().is_empty();
            if let Some(entry) = func.entry().filter(|_| has_loops) {
                guard(func, entry);
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// Leads lanes of no work-item from the beginning of a kernel, which has no parameters any more, to its end.
fn guard(func: &mut Function, entry: Block) {
    let [first, last] = [0; 2].map(|_| func.new_block_detached());
    func.layout.insert(0, first);
    func.layout.push(last);
    let mut b = Builder::new(func, first);
    let is_work_item = b.value(Op::Input { input: ShaderInput::IsWorkItem, dim: 0 }, &[], I32);
    let zero = b.i32(0);
    let runs = b.icmp(IntCc::Ne, is_work_item, zero);
    b.brif(runs, BlockCall::new(entry, &[]), BlockCall::new(last, &[]));
    Builder::new(func, last).ret(&[]);
}
