//! State of one dispatch: what it executes and binds.

use super::pipeline::Pipeline;
use crate::device::vulkan::memory::image::Bound;
use clspv_bridge::abi::BlockStorage;
use smallvec::SmallVec;

/// The operands of a vkCmdDispatch.
pub struct DispatchState {
    pub pipeline: Pipeline,
    /// Descriptors in binding order.
    pub bindings: SmallVec<[Bound; 8]>,
    pub storage: BlockStorage,
    /// The binding of the argument block, if it has one.
    pub block_binding: Option<usize>,
    /// The argument block.
    pub block: SmallVec<[u8; 256]>,
    /// The offset of the kernel's arguments there.
    pub args_offset: u32,
    /// Work-groups.
    pub groups: [u32; 3],
}
