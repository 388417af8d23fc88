//! Windows: memory that buffers share on devices with few descriptors, whose kernels reach the buffers of
//! all arguments by one (`PointerMode::Windowed`).
//!
//! A window is an allocation with a VkBuffer over the whole of it. Buffers take parts of it, to which they
//! bind VkBuffers of their own: only the descriptors of such kernels name the window's. Buffers may alias
//! each other (Vulkan, memory aliasing); all barriers between commands are for all memory. A window without
//! parts is kept until memory for others is needed. Locks are not held during calls of the driver.

use super::heap::Heap;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::{self, VkResultExt};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use parking_lot::Mutex;
use std::sync::Arc;

/// Devices whose kernels have at least as many buffers rarely need windows, and make them of copies.
const MANY_DESCRIPTORS: u32 = 16;
/// Least size of a window, that of the blocks which other buffers share, and the largest. Between them a
/// window is four times as large as the buffer that it is made for.
const SIZES: (u64, u64) = (64 << 20, 256 << 20);

/// The windows of a device.
#[derive(Default)]
pub struct Windows(Mutex<Vec<Arc<Window>>>);

/// Shared memory of buffers.
pub struct Window {
    heap: &'static Heap,
    location: MemoryLocation,
    /// The buffer over the whole memory.
    pub raw: vk::Buffer,
    allocation: Allocation,
    free: Mutex<FreeRanges>,
}

/// A buffer's part of a window, freed on drop.
pub struct Part {
    pub window: Arc<Window>,
    pub offset: u64,
    pub size: u64,
}

/// Memory of one buffer.
pub enum BoundMemory {
    Own(Allocation),
    Part(Part),
}

impl BoundMemory {
    /// The allocation that the memory is, or is part of.
    pub fn allocation(&self) -> &Allocation {
        match self {
            BoundMemory::Own(allocation) => allocation,
            BoundMemory::Part(part) => &part.window.allocation,
        }
    }

    /// Where the buffer begins in its allocation.
    fn start(&self) -> u64 {
        match self {
            BoundMemory::Own(_) => 0,
            BoundMemory::Part(part) => part.offset,
        }
    }

    /// Where the buffer begins in the Vulkan memory object.
    pub fn offset(&self) -> u64 {
        self.allocation().offset() + self.start()
    }

    /// The bytes of the memory.
    pub fn size(&self) -> u64 {
        match self {
            BoundMemory::Own(allocation) => allocation.size(),
            BoundMemory::Part(part) => part.size,
        }
    }

    /// The host address of the memory, if it is mapped.
    pub fn mapped(&self) -> Option<*mut u8> {
        let base = self.allocation().mapped_ptr()?.as_ptr().cast::<u8>();
        Some(base.wrapping_add(self.start() as usize))
    }
}

impl Windows {
    /// Takes memory for a buffer. `None` where windows do not help: with many descriptors or device
    /// addresses, for buffers of more than half of a window, and where the driver has no memory for another
    /// window.
    pub fn take(
        &self,
        heap: &'static Heap,
        wanted: &vk::MemoryRequirements,
        location: MemoryLocation,
    ) -> Option<Part> {
        let vulkan = &heap.gpu.vulkan;
        let range = u64::from(heap.gpu.adapter.props.limits.max_storage_buffer_range);
        let most = range.min(SIZES.1) & !15;
        if vulkan.addresses || vulkan.max_buffer_descriptors >= MANY_DESCRIPTORS || wanted.size > most / 2 {
            return None;
        }
        if let Some(part) = self.take_existing(wanted, location) {
            return Some(part);
        }
        self.release_unused();
        let size = conv::align_up(4 * wanted.size, 16).max(SIZES.0).min(most);
        let window = Window::new(heap, size, location);
        let window = window.inspect_err(|e| tracing::debug!("no window of {size} bytes: {e}")).ok()?;
        self.0.lock().push(Arc::new(window));
        self.take_existing(wanted, location)
    }

    fn take_existing(&self, wanted: &vk::MemoryRequirements, location: MemoryLocation) -> Option<Part> {
        self.0.lock().iter().filter(|window| window.location == location).find_map(|window| {
            let offset = window.free.lock().take(wanted.size, wanted.alignment)?;
            Some(Part { window: window.clone(), offset, size: wanted.size })
        })
    }

    /// Frees the windows that have no parts; returns whether there were any.
    pub fn release_unused(&self) -> bool {
        let unused: Vec<_> = self.0.lock().extract_if(.., |window| Arc::strong_count(window) == 1).collect();
        !unused.is_empty()
    }
}

impl Window {
    fn new(heap: &'static Heap, size: u64, location: MemoryLocation) -> DeviceResult<Window> {
        let gpu = heap.gpu;
        let info = vk::BufferCreateInfo::default().size(size).usage(gpu.usage());
        // SAFETY: the device is alive.
        let raw = unsafe { gpu.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        // SAFETY: the buffer is alive.
        let requirements = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
        let desc = AllocationCreateDesc {
            name: "window",
            requirements,
            location,
            linear: true,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let bound = heap.allocate(&desc).and_then(|allocation| {
            // SAFETY: the memory belongs to this device, fits the requirements, and the buffer is not bound
            // yet.
            match unsafe { gpu.raw.bind_buffer_memory(raw, allocation.memory(), allocation.offset()) } {
                Ok(()) => Ok(allocation),
                Err(e) => {
                    heap.free(allocation);
                    Err(conv::error("vkBindBufferMemory", e))
                }
            }
        });
        match bound {
            Ok(allocation) => {
                let free = Mutex::new(FreeRanges(vec![(0, size)]));
                Ok(Window { heap, location, raw, allocation, free })
            }
            Err(e) => {
                // SAFETY: nothing refers to the new buffer.
                unsafe { gpu.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.heap.gpu.invalidate_recordings();
        // SAFETY: every buffer with a part is gone, and with it the work that uses the window.
        unsafe { self.heap.gpu.raw.destroy_buffer(self.raw, None) };
        self.heap.free(std::mem::take(&mut self.allocation));
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.window.free.lock().put(self.offset, self.size);
    }
}

/// The free ranges of a window (start, end), in order and with used bytes between them. Pure.
struct FreeRanges(Vec<(u64, u64)>);

impl FreeRanges {
    /// Takes `size` bytes at a multiple of `align` from the first range that has them.
    fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        let fit = |&(start, end): &(u64, u64)| {
            let at = conv::align_up(start, align.max(1));
            at.checked_add(size).filter(|last| *last <= end).map(|_| at)
        };
        let (i, at) = self.0.iter().enumerate().find_map(|(i, range)| Some((i, fit(range)?)))?;
        let (start, end) = self.0[i];
        let rest = [(start, at), (at + size, end)].into_iter().filter(|(start, end)| start < end);
        self.0.splice(i..=i, rest);
        Some(at)
    }

    /// Returns a range, and joins it with free neighbours.
    fn put(&mut self, start: u64, size: u64) {
        let i = self.0.partition_point(|(other, _)| *other < start);
        self.0.insert(i, (start, start + size));
        if self.0.get(i + 1).is_some_and(|next| next.0 == start + size) {
            self.0[i].1 = self.0.remove(i + 1).1;
        }
        if i > 0 && self.0[i - 1].1 == start {
            self.0[i - 1].1 = self.0.remove(i).1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_and_joined_again() {
        let mut free = FreeRanges(vec![(0, 1024)]);
        assert_eq!(
            [free.take(100, 256), free.take(300, 256), free.take(16, 16)],
            [Some(0), Some(256), Some(112)]
        );
        assert_eq!(free.0, [(100, 112), (128, 256), (556, 1024)]);
        assert_eq!(free.take(512, 256), None);
        assert_eq!(free.take(468, 4), Some(556));
        free.put(256, 300);
        assert_eq!(free.0, [(100, 112), (128, 556)]);
        free.put(112, 16);
        assert_eq!(free.0, [(100, 556)]);
        free.put(556, 468);
        free.put(0, 100);
        assert_eq!(free.0, [(0, 1024)]);
        assert_eq!(free.take(1024, 4096), Some(0));
        assert!(free.0.is_empty());
        assert_eq!(free.take(1, 1), None);
    }
}
