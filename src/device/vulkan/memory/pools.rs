//! The memory that a device's programs and command buffers share.

use super::buffer::{Buffer, Use};
use super::heap::Heap;
use super::staging::BlockPool;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::gpu::Gpu;
use std::sync::OnceLock;

/// Pools of buffers.
pub struct MemoryPools {
    pub gpu: &'static Gpu,
    pub heap: &'static Heap,
    pub staging: BlockPool,
    pub args: BlockPool,
    null_buffer: OnceLock<Buffer>,
}

impl MemoryPools {
    /// Empty pools.
    pub fn new(heap: &'static Heap) -> MemoryPools {
        MemoryPools {
            gpu: heap.gpu,
            heap,
            staging: BlockPool::new(heap, Use::Staging),
            args: BlockPool::new(heap, Use::Args),
            null_buffer: OnceLock::new(),
        }
    }

    /// The buffer bound to descriptors of NULL arguments.
    pub fn null_buffer(&self) -> DeviceResult<&Buffer> {
        if let Some(buffer) = self.null_buffer.get() {
            return Ok(buffer);
        }
        let buffer = Buffer::new(self.heap, 256, Use::Device { host_visible: false }, "nothing")?;
        Ok(self.null_buffer.get_or_init(|| buffer))
    }
}
