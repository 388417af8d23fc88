//! The device's memory heap: what buffers and images are allocated from.

use super::window::{BoundMemory, Windows};
use crate::device::info::ImageFacts;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv;
use crate::device::vulkan::core::gpu::Gpu;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, Allocator, AllocatorCreateDesc};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Size of the blocks that the allocator divides: of device memory and of host memory.
const BLOCKS: (u64, u64) = (64 << 20, 16 << 20);

/// The memory allocator of a device, and what allocations depend on.
pub struct Heap {
    pub gpu: &'static Gpu,
    /// Formats and uses of images.
    pub images: ImageFacts,
    allocator: Mutex<Allocator>,
    /// Without device addresses: ids of buffers.
    pub buffer_ids: BufferIds,
    /// Memory that buffers share on devices with few descriptors.
    pub windows: Windows,
}

impl Heap {
    /// An empty heap of a device with this image support.
    pub fn new(gpu: &'static Gpu, images: ImageFacts) -> DeviceResult<Heap> {
        let mut debug_settings = gpu_allocator::AllocatorDebugSettings::default();
        debug_settings.log_leaks_on_shutdown = false;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: gpu.instance.raw.clone(),
            device: gpu.raw.clone(),
            physical_device: gpu.adapter.physical,
            debug_settings,
            buffer_device_address: gpu.adapter.features.device_addresses,
            allocation_sizes: gpu_allocator::AllocationSizes::new(BLOCKS.0, BLOCKS.1),
        })
        .map_err(conv::allocation_error)?;
        let (allocator, buffer_ids, windows) =
            (Mutex::new(allocator), BufferIds::default(), Windows::default());
        Ok(Heap { gpu, images, allocator, buffer_ids, windows })
    }

    /// Allocates memory.
    pub fn allocate(&self, desc: &AllocationCreateDesc<'_>) -> DeviceResult<Allocation> {
        let first = self.allocator.lock().allocate(desc);
        let result = match first {
            Err(_) if self.windows.release_unused() => self.allocator.lock().allocate(desc),
            result => result,
        };
        result.map_err(conv::allocation_error)
    }

    /// Frees a buffer's memory that nothing is bound to any more.
    pub fn release(&self, memory: BoundMemory) {
        match memory {
            BoundMemory::Own(allocation) => self.free(allocation),
            BoundMemory::Part(part) => drop(part),
        }
    }

    /// Frees memory that nothing is bound to any more.
    pub fn free(&self, allocation: Allocation) {
        if let Err(e) = self.allocator.lock().free(allocation) {
            tracing::warn!("freeing device memory: {e}");
        }
    }
}

/// Allocator of buffer ids on devices without addresses. Ids start at 1; a released id is not reused for a
/// while.
#[derive(Default)]
pub struct BufferIds(Mutex<(u32, VecDeque<u32>)>);

/// Virtual addresses have their two highest bits clear.
const MAX_BUFFER_ID: u32 = (1 << 30) - 1;
/// Number of released ids that are kept from reuse.
const RETIRED_BUFFER_IDS: usize = 1 << 16;

impl BufferIds {
    /// Takes an id that no buffer has.
    pub fn take(&self) -> u32 {
        let (next, free) = &mut *self.0.lock();
        // There are never more buffers than ids.
        if free.len() > RETIRED_BUFFER_IDS || *next == MAX_BUFFER_ID {
            return free.pop_front().unwrap_or(MAX_BUFFER_ID);
        }
        *next += 1;
        *next
    }
    /// Returns the id of a buffer that is gone.
    pub fn release(&self, id: u32) {
        self.0.lock().1.push_back(id);
    }
}
