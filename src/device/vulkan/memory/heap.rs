//! The device's memory heap: what buffers and images are allocated from.

use super::allocation_cache::{AllocationCache, Freed, Handle, Kind};
use super::window::{BoundMemory, Windows};
use crate::device::info::ImageFacts;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, Allocator, AllocatorCreateDesc};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::Instant;

/// Least and largest size of the blocks of device memory that the allocator divides: each is twice as large
/// as the one before.
const DEVICE_BLOCKS: (u64, u64) = (8 << 20, 64 << 20);
/// Least and largest size of the blocks of host memory.
const HOST_BLOCKS: (u64, u64) = (4 << 20, 16 << 20);
/// Buffers and images from this size have a dedicated allocation.
const DEDICATED: u64 = 64 << 20;
/// Least dedicated size with drivers that have large pages nowhere else (see `Quirks::small_shared_pages`).
/// Random accesses to 16 MiB in small pages take twice as long as to 8 MiB on an H200.
const DEDICATED_FOR_PAGES: u64 = 8 << 20;

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
    /// Freed buffers and images with their memory.
    freed: AllocationCache,
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
            allocation_sizes: gpu_allocator::AllocationSizes::new(DEVICE_BLOCKS.0, HOST_BLOCKS.0)
                .with_max_device_memblock_size(DEVICE_BLOCKS.1)
                .with_max_host_memblock_size(HOST_BLOCKS.1),
        })
        .map_err(conv::allocation_error)?;
        let (allocator, buffer_ids, windows) =
            (Mutex::new(allocator), BufferIds::default(), Windows::default());
        // The memory of software devices is the system's.
        let heaps = gpu.adapter.memory.memory_heaps_as_slice().iter().filter(|_| !gpu.adapter.is_cpu());
        let local = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        let freed = AllocationCache::new(local.map(|heap| heap.size).max().unwrap_or(0));
        Ok(Heap { gpu, images, allocator, buffer_ids, windows, freed })
    }

    /// Whether a buffer or image of this size has a dedicated allocation, which others cannot share.
    pub fn dedicates(&self, size: u64) -> bool {
        let adapter = &self.gpu.adapter;
        let least = if adapter.quirks.small_shared_pages { DEDICATED_FOR_PAGES } else { DEDICATED };
        size >= least && !adapter.is_cpu() && adapter.ext.provides(ash::khr::dedicated_allocation::NAME)
    }

    /// Allocates memory.
    pub fn allocate(&self, desc: &AllocationCreateDesc<'_>) -> DeviceResult<Allocation> {
        let first = self.allocator.lock().allocate(desc);
        let result = match first {
            Err(_) if self.release_unused() => self.allocator.lock().allocate(desc),
            result => result,
        };
        result.map_err(conv::allocation_error)
    }

    /// Frees the memory that is kept for later; returns whether there was any.
    fn release_unused(&self) -> bool {
        let freed = self.freed.take_all();
        let any = self.windows.release_unused() || !freed.is_empty();
        freed.into_iter().for_each(|object| self.destroy(object));
        any
    }

    /// A freed object of a kind, with its memory.
    pub fn reuse(&self, kind: Kind) -> Option<(Handle, Allocation)> {
        self.freed.take(kind).map(|freed| (freed.handle, freed.memory))
    }

    /// Takes back an object that no submitted work uses and whose only binding is this memory.
    pub fn retire(&self, kind: Kind, handle: Handle, memory: Allocation) {
        let size = memory.size();
        let freed = Freed { kind, handle, memory, size };
        self.freed.keep(freed, Instant::now()).into_iter().for_each(|object| self.destroy(object));
    }

    fn destroy(&self, freed: Freed) {
        // SAFETY: nothing uses the object.
        unsafe {
            match freed.handle {
                Handle::Buffer(buffer) => self.gpu.raw.destroy_buffer(buffer, None),
                Handle::Image(image) => self.gpu.raw.destroy_image(image, None),
            }
        }
        self.free(freed.memory);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::vulkan::tests::{device, opened};
    use gpu_allocator::MemoryLocation;
    use gpu_allocator::vulkan::AllocationScheme;

    #[test]
    fn freed_memory_is_kept_until_memory_is_needed() {
        let Some(device) = device() else { return };
        let gpu = opened(&device).heap.gpu;
        let mut heap = Heap::new(gpu, opened(&device).heap.images.clone()).unwrap();
        // On software devices, too.
        heap.freed = AllocationCache::new(1 << 40);
        let size = 1 << 20;
        let info = vk::BufferCreateInfo::default().size(size).usage(gpu.usage());
        let kind = Kind::Buffer { size, align: 256, locations: &[MemoryLocation::GpuOnly] };
        for dedicated in [false, true] {
            // SAFETY: the device is alive.
            let (raw, requirements) = unsafe {
                let raw = gpu.raw.create_buffer(&info, None).unwrap();
                (raw, gpu.raw.get_buffer_memory_requirements(raw))
            };
            let allocation_scheme = match dedicated {
                true => AllocationScheme::DedicatedBuffer(raw),
                false => AllocationScheme::GpuAllocatorManaged,
            };
            let (name, location) = ("test", MemoryLocation::GpuOnly);
            let desc = AllocationCreateDesc { name, requirements, location, linear: true, allocation_scheme };
            let memory = heap.allocate(&desc).unwrap();
            // SAFETY: the memory belongs to this device and is large enough.
            unsafe { gpu.raw.bind_buffer_memory(raw, memory.memory(), memory.offset()) }.unwrap();
            heap.retire(kind, Handle::Buffer(raw), memory);
            let (again, memory) = heap.reuse(kind).unwrap();
            assert_eq!(again, Handle::Buffer(raw));
            assert!(heap.reuse(kind).is_none());
            heap.retire(kind, again, memory);
            assert!(heap.release_unused());
            assert!(heap.reuse(kind).is_none() && !heap.release_unused());
        }
    }
}
