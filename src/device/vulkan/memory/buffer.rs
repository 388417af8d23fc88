//! Buffers: device memory for memory objects, staging and kernel arguments, and imported host memory.
//!
//! Device buffers are in DEVICE_LOCAL memory; where host and device share memory they are also mapped,
//! coherent and cached. On a discrete GPU whose memory the host can reach across the bus, device buffers are
//! mapped too, for small writes. That mapping is not exposed to callers, because reads across the bus are
//! slow.
//!
//! On a device without addresses, a buffer's address has a unique id in its high word, which is reused only
//! after the buffer is gone. A buffer is freed on drop: the caller that submits work with it keeps it alive
//! until the work is complete.

use super::allocation_cache::{Handle, Kind};
use super::bus;
use super::claim::Claim;
use super::heap::Heap;
use super::window::BoundMemory;
use crate::device::batch::{Access, BufferRange};
use crate::device::traits::{BufferDesc, DeviceError, DeviceMemory, DeviceResult, HostRange};
use crate::device::vulkan::core::conv::{self, VkResultExt};
use crate::device::vulkan::core::gpu::Gpu;
use crate::host_ptr::{self, HostPtr};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use smallvec::SmallVec;
use std::any::Any;
use std::sync::Arc;

/// A mappable device-local heap larger than this is a resizable BAR and may contain application buffers.
const SMALL_BAR: u64 = 512 << 20;
/// Alignment of every buffer's device address: the largest OpenCL type has 128 bytes.
const ADDRESS_ALIGN: u64 = 256;
/// Alignment of buffers that the host does not see, such as a program's variables with large alignments.
const HIDDEN_ALIGN: u64 = 4096;
/// Alignment of shadow copies, which represent buffers to the application.
const SHADOW_ALIGN: u64 = 4096;
/// Padding after small buffers of software devices.
const TAIL: u64 = 64 << 10;
/// Maximum size of device buffers that are mapped across the bus where that is possible.
const MAPPED_MAX: u64 = 16 << 20;

/// Use of a buffer, which selects its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Backing memory of a memory object.
    Device { host_visible: bool },
    /// Host memory that the device copies from or to.
    Staging,
    /// Host memory of the application's mappings, which the device copies from or to.
    Shadow,
    /// Small values written by the host and read by kernels.
    Args,
    /// Whole pages for an address that host and device share (see `shared`).
    Shared,
}

enum Backing {
    Pool {
        memory: Option<BoundMemory>,
        /// For the cache of freed allocations; `None` where the buffer may not be used again.
        kind: Option<Kind>,
    },
    Imported(vk::DeviceMemory),
}

/// A Vulkan buffer with its memory.
pub struct Buffer {
    heap: &'static Heap,
    pub raw: vk::Buffer,
    /// Requested bytes, and bytes of the VkBuffer (a multiple of 16, so that ranges can be rounded up).
    pub size: u64,
    pub padded: u64,
    /// Device address, or a virtual address in the compiler's sense (`PointerMode::Virtual`).
    pub address: u64,
    mapped: Option<HostPtr>,
    cached: bool,
    /// The memory is device-local.
    local: bool,
    /// The mapping is exposed to callers.
    for_host: bool,
    backing: Backing,
    /// Address claims of the process that are kept until the memory is freed.
    claims: SmallVec<[Arc<Claim>; 2]>,
}

/// Allocation flags for memory of buffers: with device addresses, if the device has them.
pub fn allocate_flags(gpu: &Gpu) -> vk::MemoryAllocateFlagsInfo<'static> {
    let flags = match gpu.adapter.features.device_addresses {
        true => vk::MemoryAllocateFlags::DEVICE_ADDRESS,
        false => vk::MemoryAllocateFlags::empty(),
    };
    vk::MemoryAllocateFlagsInfo::default().flags(flags)
}

fn has_large_bar(gpu: &Gpu) -> bool {
    let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL | vk::MemoryPropertyFlags::HOST_VISIBLE;
    let m = &gpu.adapter.memory;
    m.memory_types_as_slice()
        .iter()
        .any(|t| t.property_flags.contains(wanted) && m.memory_heaps[t.heap_index as usize].size > SMALL_BAR)
}

fn locations(gpu: &Gpu, what: Use, size: u64) -> &'static [MemoryLocation] {
    use MemoryLocation::{CpuToGpu, GpuOnly, GpuToCpu};
    match what {
        _ if gpu.adapter.is_unified() => &[GpuToCpu, CpuToGpu, GpuOnly],
        Use::Device { host_visible } if has_large_bar(gpu) && (host_visible || size <= MAPPED_MAX) => {
            &[CpuToGpu, GpuOnly]
        }
        Use::Device { .. } | Use::Shared => &[GpuOnly],
        // Cached host memory serves both directions; write-combined memory cannot be read back at speed.
        Use::Staging | Use::Shadow => &[GpuToCpu, CpuToGpu],
        Use::Args => &[CpuToGpu, GpuToCpu],
    }
}

fn align(what: Use) -> u64 {
    match what {
        Use::Shadow => SHADOW_ALIGN,
        Use::Device { host_visible: false } => HIDDEN_ALIGN,
        Use::Shared => host_ptr::page(),
        _ => ADDRESS_ALIGN,
    }
}

/// The Vulkan buffer of a range.
pub fn buffer_of(range: &BufferRange) -> DeviceResult<&Buffer> {
    let buffer = range.memory.as_any().downcast_ref::<Buffer>();
    let buffer = buffer.ok_or_else(|| DeviceError::Unexpected("memory of another kind of device".into()))?;
    match range.offset.checked_add(range.size) {
        Some(end) if end <= buffer.padded => Ok(buffer),
        _ => Err(DeviceError::Unexpected("range outside the buffer".into())),
    }
}

/// A buffer's range of memory to which images can be bound too.
pub struct MemoryRange {
    pub memory: vk::DeviceMemory,
    pub offset: u64,
    pub size: u64,
    /// Memory types with the properties of the memory's type.
    pub types: u32,
}

impl Buffer {
    /// Allocates a buffer.
    pub fn new(heap: &'static Heap, size: u64, what: Use, name: &str) -> DeviceResult<Buffer> {
        let gpu = heap.gpu;
        let unit = if what == Use::Shared { host_ptr::page() } else { 16 };
        let padded = conv::align_up(size.max(1), unit).min(gpu.adapter.max_buffer_size);
        if size > padded {
            return Err(DeviceError::OutOfDeviceMemory);
        }
        let locations = locations(gpu, what, padded);
        // Memory at an address that the host shares is allocated until the address is free.
        let kind =
            (what != Use::Shared).then_some(Kind::Buffer { size: padded, align: align(what), locations });
        let (raw, memory) = match kind.and_then(|kind| heap.reuse(kind)) {
            Some((Handle::Buffer(raw), memory)) => (raw, BoundMemory::Own(memory)),
            _ => Buffer::create(heap, padded, what, name)?,
        };
        let address = address_of(heap, raw);
        let properties = memory.allocation().memory_properties();
        // Only coherent mappings count: nothing here flushes or invalidates.
        let coherent = properties.contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        let visible =
            coherent && (gpu.adapter.features.mapped_buffers || !matches!(what, Use::Device { .. }));
        let mapped = memory.mapped().filter(|_| visible).map(HostPtr::new);
        // The memory belongs to the process, in pages as small as the driver allocated them.
        if let Some(mapped) = mapped.filter(|_| gpu.adapter.is_cpu()) {
            host_ptr::prefer_huge_pages(mapped, padded);
        }
        let hidden = matches!(what, Use::Device { .. }) && !gpu.adapter.features.unified_memory;
        let cached = properties.contains(vk::MemoryPropertyFlags::HOST_CACHED) && !hidden;
        let local = properties.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        // Reading write-combined memory across the bus is a hundred times slower than a transfer: such a
        // mapping is for the device layer's small writes only, and applications get a shadow copy.
        let for_host = gpu.adapter.is_unified() || cached;
        let (backing, claims) = (Backing::Pool { memory: Some(memory), kind }, SmallVec::new());
        Ok(Buffer { heap, raw, size, padded, address, mapped, cached, local, for_host, backing, claims })
    }

    fn create(
        heap: &'static Heap,
        padded: u64,
        what: Use,
        name: &str,
    ) -> DeviceResult<(vk::Buffer, BoundMemory)> {
        let gpu = heap.gpu;
        let info = vk::BufferCreateInfo::default().size(padded).usage(gpu.usage());
        // SAFETY: the device is alive.
        let raw = unsafe { gpu.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        match Buffer::bind(heap, raw, padded, what, name) {
            Ok(memory) => Ok((raw, memory)),
            Err(e) => {
                // SAFETY: nothing refers to the new buffer.
                unsafe { gpu.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    fn bind(
        heap: &'static Heap,
        raw: vk::Buffer,
        padded: u64,
        what: Use,
        name: &str,
    ) -> DeviceResult<BoundMemory> {
        let gpu = heap.gpu;
        // SAFETY: the buffer is alive.
        let mut requirements = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
        requirements.alignment = requirements.alignment.max(align(what));
        if matches!(what, Use::Device { .. }) {
            requirements.size += tail(gpu, padded);
        }
        let locations = locations(gpu, what, padded);
        if let (Use::Device { .. }, [location, ..]) = (what, locations)
            && let Some(part) = heap.windows.take(heap, &requirements, *location)
        {
            return Buffer::bind_to(heap, raw, BoundMemory::Part(part));
        }
        let mut last = DeviceError::OutOfDeviceMemory;
        for &location in locations {
            let desc = AllocationCreateDesc {
                name,
                requirements,
                location,
                linear: true,
                // Memory that is dedicated to a buffer cannot be shared with an image.
                allocation_scheme: match heap.dedicates(padded) {
                    true => AllocationScheme::DedicatedBuffer(raw),
                    false => AllocationScheme::GpuAllocatorManaged,
                },
            };
            let allocation = match heap.allocate(&desc) {
                // The allocator falls back to host memory where the mappable part of the device's is full.
                Ok(a)
                    if location == MemoryLocation::CpuToGpu
                        && matches!(what, Use::Device { .. })
                        && !is_local(&a) =>
                {
                    heap.free(a);
                    continue;
                }
                Ok(allocation) => allocation,
                Err(e) => {
                    last = e;
                    continue;
                }
            };
            return Buffer::bind_to(heap, raw, BoundMemory::Own(allocation));
        }
        Err(last)
    }

    fn bind_to(heap: &Heap, raw: vk::Buffer, memory: BoundMemory) -> DeviceResult<BoundMemory> {
        // SAFETY: the memory object is only used below, where its allocation is alive.
        let object = unsafe { memory.allocation().memory() };
        // SAFETY: the memory belongs to this device, fits the requirements, and the buffer is not bound yet.
        match unsafe { heap.gpu.raw.bind_buffer_memory(raw, object, memory.offset()) } {
            Ok(()) => Ok(memory),
            Err(e) => {
                heap.release(memory);
                Err(conv::error("vkBindBufferMemory", e))
            }
        }
    }

    /// Imports host memory as a buffer.
    pub fn import(heap: &'static Heap, range: HostRange, desc: &BufferDesc) -> DeviceResult<Buffer> {
        let gpu = heap.gpu;
        let unsupported = |why: &str| DeviceError::Unsupported(format!("import of host memory: {why}"));
        let ext = gpu.host_memory.as_ref().filter(|_| gpu.adapter.features.host_import);
        let ext = ext.ok_or_else(|| unsupported("no VK_EXT_external_memory_host"))?;
        // Only whole pages may be imported: the rest of a page may have other users.
        let page = gpu.adapter.host_import_alignment.max(1);
        if !(range.ptr.addr() as u64).is_multiple_of(page)
            || !range.size.is_multiple_of(page)
            || range.size == 0
            || desc.size > range.size
        {
            return Err(unsupported("not page-aligned"));
        }
        let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let pointer: *const std::ffi::c_void = range.ptr.as_ptr().cast();
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        // SAFETY: the pointer is aligned as the extension requires; the caller owns the range.
        unsafe {
            (ext.fp().get_memory_host_pointer_properties_ext)(
                gpu.raw.handle(),
                kind,
                pointer,
                &mut properties,
            )
            .result()
        }
        .map_err(|e| match conv::error("vkGetMemoryHostPointerPropertiesEXT", e) {
            DeviceError::Unexpected(_) => unsupported("refused by the driver"),
            other => other,
        })?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let info =
            vk::BufferCreateInfo::default().size(range.size).usage(gpu.usage()).push_next(&mut external);
        // SAFETY: the device is alive.
        let raw = unsafe { gpu.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        let memory = import_memory(gpu, raw, range, kind, properties.memory_type_bits);
        match memory {
            Ok((memory, cached)) => Ok(Buffer {
                heap,
                raw,
                size: desc.size,
                padded: range.size,
                address: address_of(heap, raw),
                mapped: Some(range.ptr),
                cached,
                local: false,
                for_host: true,
                backing: Backing::Imported(memory),
                claims: SmallVec::new(),
            }),
            Err(e) => {
                // SAFETY: nothing refers to the new buffer.
                unsafe { gpu.raw.destroy_buffer(raw, None) };
                Err(e)
            }
        }
    }

    /// Wraps a buffer that is bound to imported memory.
    pub fn of_imported(
        heap: &'static Heap,
        raw: vk::Buffer,
        (size, padded): (u64, u64),
        memory: vk::DeviceMemory,
        local: bool,
    ) -> Buffer {
        let (address, backing, claims) = (address_of(heap, raw), Backing::Imported(memory), SmallVec::new());
        Buffer {
            heap,
            raw,
            size,
            padded,
            address,
            mapped: None,
            cached: false,
            local,
            for_host: false,
            backing,
            claims,
        }
    }

    /// The host address of the buffer.
    pub fn mapped(&self) -> Option<HostPtr> {
        self.mapped
    }

    /// The buffer's memory, if images may be bound to it.
    pub fn memory_range(&self) -> Option<MemoryRange> {
        let Backing::Pool { memory: Some(memory), .. } = &self.backing else { return None };
        let allocation = memory.allocation();
        if allocation.is_dedicated() {
            return None;
        }
        // SAFETY: the buffer is alive.
        let allowed = unsafe { self.heap.gpu.raw.get_buffer_memory_requirements(self.raw) }.memory_type_bits;
        let known = self.heap.gpu.adapter.memory.memory_types_as_slice();
        let like =
            |i: &usize| allowed >> i & 1 == 1 && known[*i].property_flags == allocation.memory_properties();
        let types = (0..known.len()).filter(like).fold(0, |bits, i| bits | 1 << i);
        // SAFETY: the memory lives as long as the buffer, which images bound to it keep alive.
        let object = unsafe { allocation.memory() };
        Some(MemoryRange { memory: object, offset: memory.offset(), size: memory.size(), types })
    }

    /// A Vulkan buffer that covers this one, and where this one begins in it: a window, or the buffer itself.
    pub fn place(&self) -> (vk::Buffer, u64) {
        match &self.backing {
            Backing::Pool { memory: Some(BoundMemory::Part(part)), .. } => (part.window.raw, part.offset),
            _ => (self.raw, 0),
        }
    }

    /// Whether the mapping is exposed to the application.
    pub fn is_for_host(&self) -> bool {
        self.for_host
    }

    /// Keeps an address claim until the buffer's memory is freed.
    pub fn keep(&mut self, claim: impl Into<Arc<Claim>>) {
        self.claims.push(claim.into());
    }

    /// Sets another host address than the imported one.
    pub fn see_at(&mut self, ptr: HostPtr) {
        self.mapped = Some(ptr);
    }

    /// Stops exposing the mapping to applications.
    pub fn hide(&mut self) {
        self.for_host = false;
    }

    /// Whether the buffer is in device-local memory.
    pub fn is_local(&self) -> bool {
        self.local
    }
}

/// Padding bytes after a buffer: images in it may need more than their texels, since drivers round up the
/// number of rows (lavapipe: to four). Untouched, the padding takes no memory.
fn tail(gpu: &Gpu, size: u64) -> u64 {
    let most = gpu.adapter.maint3.max_memory_allocation_size.saturating_sub(size);
    if gpu.adapter.is_cpu() { (3 * size).min(TAIL).max(size / 16).min(most) } else { 0 }
}

fn is_local(allocation: &Allocation) -> bool {
    allocation.memory_properties().contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
}

fn import_memory(
    gpu: &Gpu,
    raw: vk::Buffer,
    range: HostRange,
    kind: vk::ExternalMemoryHandleTypeFlags,
    type_bits: u32,
) -> DeviceResult<(vk::DeviceMemory, bool)> {
    // SAFETY: the buffer is alive.
    let requirements = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
    let coherent = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let types = gpu.adapter.memory.memory_types_as_slice();
    let usable = |i: usize| {
        (type_bits & requirements.memory_type_bits) >> i & 1 == 1
            && types[i].property_flags.contains(coherent)
    };
    let index = (0..types.len())
        .find(|&i| usable(i))
        .filter(|_| requirements.size <= range.size)
        .ok_or_else(|| DeviceError::Unsupported("import of host memory: no fitting memory type".into()))?;
    let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(kind)
        .host_pointer(range.ptr.as_ptr().cast());
    let mut flags = allocate_flags(gpu);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(range.size)
        .memory_type_index(index as u32)
        .push_next(&mut flags)
        .push_next(&mut import);
    // SAFETY: the range is the caller's, aligned, and outlives the buffer.
    let memory = unsafe { gpu.raw.allocate_memory(&info, None) }
        .map_err(|e| DeviceError::Unsupported(format!("import of host memory: {e:?}")))?;
    // SAFETY: fresh buffer, fresh memory of this device.
    if let Err(e) = unsafe { gpu.raw.bind_buffer_memory(raw, memory, 0) } {
        // SAFETY: nothing is bound to the memory.
        unsafe { gpu.raw.free_memory(memory, None) };
        return Err(conv::error("vkBindBufferMemory", e));
    }
    Ok((memory, types[index].property_flags.contains(vk::MemoryPropertyFlags::HOST_CACHED)))
}

fn address_of(heap: &Heap, raw: vk::Buffer) -> u64 {
    let gpu = heap.gpu;
    if !gpu.adapter.features.device_addresses {
        return u64::from(heap.buffer_ids.take()) << 32;
    }
    // SAFETY: the buffer is bound and was made with the device-address usage.
    unsafe { gpu.raw.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(raw)) }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let gpu = self.heap.gpu;
        gpu.invalidate_recordings();
        if !gpu.adapter.features.device_addresses {
            self.heap.buffer_ids.release((self.address >> 32) as u32);
        }
        match &mut self.backing {
            Backing::Pool { memory: Some(BoundMemory::Own(memory)), kind: Some(kind) } => {
                self.heap.retire(*kind, Handle::Buffer(self.raw), std::mem::take(memory));
            }
            Backing::Pool { memory, .. } => {
                // The next user of the memory may claim its addresses too.
                self.claims.clear();
                // SAFETY: the owner has dropped the last reference, so no submitted work uses the buffer.
                unsafe { gpu.raw.destroy_buffer(self.raw, None) };
                if let Some(memory) = memory.take() {
                    self.heap.release(memory);
                }
            }
            // SAFETY: as above; the only buffer bound to the memory is gone.
            Backing::Imported(memory) => unsafe {
                gpu.raw.destroy_buffer(self.raw, None);
                gpu.raw.free_memory(*memory, None);
            },
        }
    }
}

impl DeviceMemory for Buffer {
    fn size(&self) -> u64 {
        self.size
    }

    fn host_ptr(&self) -> Option<HostPtr> {
        self.mapped.filter(|_| self.for_host)
    }

    fn host_cached(&self) -> bool {
        self.cached
    }

    fn quick_read(&self) -> u64 {
        bus::quick_read_after_work(self.quick_when_idle(Access::Read))
    }

    fn quick_when_idle(&self, access: Access) -> u64 {
        match (self.mapped.filter(|_| !self.for_host), access) {
            (Some(mapped), Access::Read) => bus::quick_read(self.heap.gpu, mapped, self.padded),
            (Some(_), Access::Write) => bus::QUICK_WRITE,
            (None, _) => 0,
        }
    }

    fn address(&self) -> Option<u64> {
        self.heap.gpu.adapter.features.device_addresses.then_some(self.address)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
