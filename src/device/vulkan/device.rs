//! The opened device: logical device, hardware queues, entry points beyond core 1.2, and the device layer's
//! operations.
//!
//! [`Gpu`] is leaked on success, so the rest of the module passes `&'static Gpu` around. The owner of a
//! handle made from it destroys the handle while the process runs; nothing is destroyed at exit.

use super::core::adapter::Adapter;
use super::core::caps;
use super::core::conv::VkResultExt;
use super::core::instance::Instance;
use super::memory::buffer::{Buffer, BufferIds, Use};
use super::memory::external;
use super::memory::image::Image;
use super::memory::linear;
use super::memory::shared;
use super::memory::staging::BlockPool;
use super::program::internal_shaders::InternalShaders;
use super::program::kernel::VulkanProgram;
use super::program::variants::Variants;
use super::submit::command_allocator::CommandAllocator;
use super::submit::list::List;
use super::submit::profiling::Clock;
use super::submit::queue::VulkanQueue;
use super::submit::submit_queue::SubmitQueue;
use crate::config::Config;
use crate::device::batch::{DeviceCommand, ListItem, RectLayout};
use crate::device::info::DeviceInfo;
use crate::device::share::MemoryHandle;
use crate::device::traits::{
    BufferDesc, CompletionSink, DeviceError, DeviceList, DeviceMemory, DeviceOps, DeviceProgram, DeviceQueue,
    DeviceResult, DeviceSemaphore, HostRange, ImageDesc, Priority, QueueDesc, SemaphoreOrigin, SharedKind,
};
use crate::store::Store;
use ash::vk;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::target::Target;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use parking_lot::Mutex;
use std::any::Any;
use std::ffi::CStr;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Maximum number of VkQueues for work of medium priority: more would only add threads.
const MEDIUM: usize = 4;
/// Priorities of the VkQueues: those for medium work, then one each for high and low priority. Work of high
/// or low priority shares the medium queues where there are too few.
const PRIORITIES: [f32; MEDIUM + 2] = [0.5, 0.5, 0.5, 0.5, 1.0, 0.0];

/// An opened device.
pub struct Gpu {
    pub instance: &'static Instance,
    pub adapter: Adapter,
    pub raw: ash::Device,
    pub sync2: Sync2,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
    pub memory_fd: Option<ash::khr::external_memory_fd::Device>,
    pub semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
    pub clock: Clock,
    pub target: Target,
    facts: OnceLock<DeviceInfo>,
    pub memory_allocator: Mutex<Allocator>,
    pub staging: BlockPool,
    pub args: BlockPool,
    /// Unused print buffers.
    pub prints: Mutex<Vec<Arc<Buffer>>>,
    /// Command allocators in the recording state, and used ones that are still to be reset.
    pub command_allocators: Mutex<Vec<CommandAllocator>>,
    pub used_command_allocators: Mutex<Vec<CommandAllocator>>,
    /// Number of submissions on all submit queues so far.
    pub submissions: AtomicU64,
    /// Timestamp query pools with their number of queries.
    pub query_pools: Mutex<Vec<(vk::QueryPool, u32)>>,
    /// The disk cache of compiled pipelines.
    pub store: Store,
    /// Pipelines, shared by programs.
    pub variants: Variants,
    /// Without device addresses: ids of buffers, and the buffer that stands for NULL arguments.
    pub buffer_ids: BufferIds,
    pub null_buffer: OnceLock<Buffer>,
    pub internal_shaders: InternalShaders,
    submit_queues: OnceLock<Vec<&'static SubmitQueue>>,
    next_submit_queue: AtomicUsize,
    lost: AtomicBool,
}

/// Entry points of synchronization2, whose names differ between core and extension.
pub struct Sync2 {
    pub submit: vk::PFN_vkQueueSubmit2,
    pub barrier: vk::PFN_vkCmdPipelineBarrier2,
    pub timestamp: vk::PFN_vkCmdWriteTimestamp2,
}

impl Gpu {
    /// Creates the logical device of an accepted adapter.
    pub fn open(instance: &'static Instance, adapter: Adapter) -> DeviceResult<&'static Gpu> {
        let raw = create_device(instance, &adapter)?;
        let vki = &instance.raw;
        let lookup = |names: [&CStr; 2]| {
            names
                .iter()
                // SAFETY: the device is alive and the names are terminated.
                .find_map(|n| unsafe { vki.get_device_proc_addr(raw.handle(), n.as_ptr()) })
                .ok_or_else(|| DeviceError::Unexpected(format!("the driver lacks {:?}", names[0])))
        };
        let (submit, barrier, timestamp) = (
            lookup([c"vkQueueSubmit2KHR", c"vkQueueSubmit2"])?,
            lookup([c"vkCmdPipelineBarrier2KHR", c"vkCmdPipelineBarrier2"])?,
            lookup([c"vkCmdWriteTimestamp2KHR", c"vkCmdWriteTimestamp2"])?,
        );
        // SAFETY: these are the entry points of those names; core and extension versions have the same
        // signature.
        let sync2 = unsafe {
            Sync2 {
                submit: std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkQueueSubmit2>(submit),
                barrier: std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCmdPipelineBarrier2>(
                    barrier,
                ),
                timestamp: std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCmdWriteTimestamp2>(
                    timestamp,
                ),
            }
        };
        let has = |name| adapter.ext.has(name);
        let mut debug_settings = gpu_allocator::AllocatorDebugSettings::default();
        debug_settings.log_leaks_on_shutdown = false;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: vki.clone(),
            device: raw.clone(),
            physical_device: adapter.physical,
            debug_settings,
            buffer_device_address: adapter.features.device_addresses,
            allocation_sizes: gpu_allocator::AllocationSizes::new(64 << 20, 16 << 20),
        })
        .map_err(super::core::conv::allocation_error)?;
        let target = caps::target(&adapter);
        let info = caps::device_info(instance, &adapter, &target);
        let gpu: &'static Gpu = Box::leak(Box::new(Gpu {
            sync2,
            push_descriptor: has(ash::khr::push_descriptor::NAME)
                .then(|| ash::khr::push_descriptor::Device::new(vki, &raw)),
            host_memory: has(ash::ext::external_memory_host::NAME)
                .then(|| ash::ext::external_memory_host::Device::new(vki, &raw)),
            memory_fd: has(ash::khr::external_memory_fd::NAME)
                .then(|| ash::khr::external_memory_fd::Device::new(vki, &raw)),
            semaphore_fd: has(ash::khr::external_semaphore_fd::NAME)
                .then(|| ash::khr::external_semaphore_fd::Device::new(vki, &raw)),
            clock: Clock::new(instance, &adapter, &raw),
            target,
            facts: OnceLock::new(),
            memory_allocator: Mutex::new(allocator),
            staging: BlockPool::new(Use::Staging),
            args: BlockPool::new(Use::Args),
            prints: Mutex::default(),
            command_allocators: Mutex::default(),
            used_command_allocators: Mutex::default(),
            submissions: AtomicU64::new(0),
            query_pools: Mutex::default(),
            store: Store::from_config(Config::get()),
            variants: Variants::default(),
            buffer_ids: BufferIds::default(),
            null_buffer: OnceLock::new(),
            internal_shaders: InternalShaders::default(),
            submit_queues: OnceLock::new(),
            next_submit_queue: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
            instance,
            adapter,
            raw,
        }));
        let count = gpu.adapter.family_queues.min(PRIORITIES.len() as u32);
        let mut submit_queues: Vec<&'static SubmitQueue> = Vec::new();
        for i in 0..count {
            // SAFETY: the device was made with this many queues of the family.
            let queue = unsafe { gpu.raw.get_device_queue(gpu.adapter.family, i) };
            submit_queues.push(Box::leak(Box::new(SubmitQueue::new(gpu, queue)?)));
        }
        let _ = gpu.submit_queues.set(submit_queues);
        let sharing = shared::probe(gpu);
        let mut image = info.image.clone();
        if let Some((pitch, start)) = linear::alignment(gpu) {
            (image.pitch_alignment, image.base_alignment) = (pitch, start);
        }
        let _ = gpu.facts.set(DeviceInfo {
            sharing,
            host_import_alignment: shared::import_alignment(gpu),
            image,
            ..info
        });
        let memory = &gpu.adapter.memory;
        for t in memory.memory_types_as_slice() {
            tracing::debug!(
                "memory type {:?} in heap of {}",
                t.property_flags,
                memory.memory_heaps[t.heap_index as usize].size
            );
        }
        tracing::debug!("opened Vulkan device {}", gpu.adapter.name);
        Ok(gpu)
    }

    /// The device's facts, complete once the device is open.
    pub fn info(&self) -> &DeviceInfo {
        self.facts.get_or_init(DeviceInfo::default)
    }

    /// The submit queues for medium priority, in turn.
    pub fn next_submit_queue(&self) -> DeviceResult<&'static SubmitQueue> {
        let submit_queues = self.submit_queues.get().map(Vec::as_slice).unwrap_or_default();
        let submit_queues = &submit_queues[..submit_queues.len().min(MEDIUM)];
        let turn = self.next_submit_queue.fetch_add(1, Ordering::Relaxed);
        submit_queues
            .get(turn % submit_queues.len().max(1))
            .copied()
            .ok_or_else(|| DeviceError::Unexpected("no queue".into()))
    }

    /// The submit queue for work of a priority.
    pub fn submit_queue_for(&self, priority: Priority) -> DeviceResult<&'static SubmitQueue> {
        let own = match priority {
            Priority::High => Some(MEDIUM),
            Priority::Low => Some(MEDIUM + 1),
            Priority::Medium => None,
        };
        let submit_queue = own.and_then(|at| self.submit_queues.get()?.get(at).copied());
        submit_queue.map_or_else(|| self.next_submit_queue(), Ok)
    }

    /// A submit queue that is idle, if there is one, so that work starts immediately.
    pub fn idle_submit_queue(&self) -> DeviceResult<&'static SubmitQueue> {
        let submit_queues = self.submit_queues.get().map(Vec::as_slice).unwrap_or_default();
        submit_queues
            .iter()
            .copied()
            .find(|submit_queue| submit_queue.is_idle())
            .map_or_else(|| self.next_submit_queue(), Ok)
    }

    /// `Lost` if the device is lost.
    pub fn check_usable(&self) -> DeviceResult<()> {
        if self.is_lost() { Err(DeviceError::Lost) } else { Ok(()) }
    }

    /// Whether the driver has reported the loss of the device.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Marks the device as lost; logged once.
    pub fn set_lost(&self) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            tracing::error!("Vulkan device {} is lost", self.adapter.name);
        }
    }
}

fn create_device(instance: &Instance, a: &Adapter) -> DeviceResult<ash::Device> {
    let f = &a.features;
    let core13 = a.api >= vk::API_VERSION_1_3;
    let mut f11 = vk::PhysicalDeviceVulkan11Features::default()
        .storage_buffer16_bit_access(f.storage16)
        .variable_pointers(f.variable_pointers)
        .variable_pointers_storage_buffer(f.variable_pointers_buffer);
    let mut f12 = vk::PhysicalDeviceVulkan12Features::default()
        .buffer_device_address(f.device_addresses)
        .timeline_semaphore(true)
        .shader_int8(f.int8)
        .shader_float16(f.float16)
        .storage_buffer8_bit_access(f.storage8)
        .shader_buffer_int64_atomics(f.buffer_int64_atomics)
        .shader_shared_int64_atomics(f.shared_int64_atomics)
        .scalar_block_layout(f.scalar_block_layout)
        .vulkan_memory_model(f.vulkan_memory_model)
        .vulkan_memory_model_device_scope(f.vulkan_memory_model_device_scope)
        .shader_subgroup_extended_types(f.subgroup_extended_types)
        .uniform_buffer_standard_layout(f.uniform_buffer_standard_layout)
        .host_query_reset(f.host_query_reset);
    let mut sync2 = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let mut maint4 = vk::PhysicalDeviceMaintenance4Features::default().maintenance4(f.maintenance4);
    let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures::default()
        .shader_integer_dot_product(f.integer_dot_product);
    let mut sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
        .subgroup_size_control(f.subgroup_size_control)
        .compute_full_subgroups(f.full_subgroups);
    let (buffer, shared) = (f.buffer_float_atomics, f.shared_float_atomics);
    let mut atomics = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
        .shader_buffer_float32_atomic_add(buffer.add32)
        .shader_buffer_float64_atomic_add(buffer.add64)
        .shader_shared_float32_atomic_add(shared.add32)
        .shader_shared_float64_atomic_add(shared.add64);
    let mut atomics2 = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default()
        .shader_buffer_float16_atomic_add(buffer.add16)
        .shader_buffer_float16_atomic_min_max(buffer.min_max16)
        .shader_buffer_float32_atomic_min_max(buffer.min_max32)
        .shader_buffer_float64_atomic_min_max(buffer.min_max64)
        .shader_shared_float16_atomic_add(shared.add16)
        .shader_shared_float16_atomic_min_max(shared.min_max16)
        .shader_shared_float32_atomic_min_max(shared.min_max32)
        .shader_shared_float64_atomic_min_max(shared.min_max64);
    let mut layout = vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR::default()
        .workgroup_memory_explicit_layout(f.workgroup_layout)
        .workgroup_memory_explicit_layout_scalar_block_layout(f.workgroup_layout_scalar)
        .workgroup_memory_explicit_layout8_bit_access(f.workgroup_layout_8)
        .workgroup_memory_explicit_layout16_bit_access(f.workgroup_layout_16);

    let mut zeros = vk::PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures::default()
        .shader_zero_initialize_workgroup_memory(f.zero_workgroup);
    let mut clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default()
        .shader_subgroup_clock(f.subgroup_clock)
        .shader_device_clock(f.device_clock);

    let count = PRIORITIES.len().min(a.family_queues as usize);
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(a.family)
        .queue_priorities(&PRIORITIES[..count])];
    let names = a.ext.to_enable();
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(&f.core)
        .push_next(&mut f11)
        .push_next(&mut f12)
        .push_next(&mut sync2);
    if core13 || a.ext.has(ash::khr::maintenance4::NAME) {
        info = info.push_next(&mut maint4);
    }
    if core13 || a.ext.has(ash::khr::shader_integer_dot_product::NAME) {
        info = info.push_next(&mut dot);
    }
    if core13 || a.ext.has(ash::ext::subgroup_size_control::NAME) {
        info = info.push_next(&mut sizes);
    }
    if a.ext.has(ash::ext::shader_atomic_float::NAME) {
        info = info.push_next(&mut atomics);
    }
    if a.ext.has(ash::ext::shader_atomic_float2::NAME) {
        info = info.push_next(&mut atomics2);
    }
    if a.ext.has(ash::khr::workgroup_memory_explicit_layout::NAME) {
        info = info.push_next(&mut layout);
    }
    if a.ext.has(ash::khr::shader_clock::NAME) {
        info = info.push_next(&mut clock);
    }
    if a.ext.provides(ash::khr::zero_initialize_workgroup_memory::NAME) {
        info = info.push_next(&mut zeros);
    }
    // SAFETY: the structures are valid for the call and request only what the device offers.
    unsafe { instance.raw.create_device(a.physical, &info, None) }.during("vkCreateDevice")
}

/// The device as the runtime sees it.
pub struct VulkanDevice(pub &'static Gpu);

impl DeviceOps for VulkanDevice {
    fn info(&self) -> &DeviceInfo {
        self.0.info()
    }

    fn target(&self) -> &Target {
        &self.0.target
    }

    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Buffer::new(
            self.0,
            desc.size,
            Use::Device { host_visible: desc.host_visible },
            desc.name,
        )?))
    }

    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Buffer::import(self.0, range, desc)?))
    }

    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Buffer::new(self.0, size, Use::Shadow, "shadow")?))
    }

    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(shared::alloc(self.0, self.info().sharing, size, kind)?))
    }

    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        self.0.check_usable()?;
        let mut gpus = vec![self.0];
        for other in others {
            let other = other.as_any().downcast_ref::<VulkanDevice>();
            gpus.push(
                other
                    .ok_or_else(|| {
                        DeviceError::Unsupported("memory shared with another kind of device".into())
                    })?
                    .0,
            );
        }
        let buffers = shared::concurrent_together(&gpus, size)?;
        Ok(buffers.into_iter().map(|buffer| Arc::new(buffer) as Arc<dyn DeviceMemory>).collect())
    }

    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Image::new(self.0, desc)?))
    }

    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Image::of_buffer(self.0, buffer, layout, desc)?))
    }

    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(Image::of_image(self.0, image, desc)?))
    }

    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>> {
        self.0.check_usable()?;
        Ok(Arc::new(VulkanProgram::load(self.0, program)?))
    }

    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        self.0.check_usable()?;
        Ok(Arc::new(VulkanQueue::new(self.0, desc, sink)?))
    }

    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        self.0.check_usable()?;
        super::submit::one_shot::transfer(self.0, command)
    }

    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.0.check_usable()?;
        Ok(Arc::new(external::import_memory(self.0, handle, fd, size)?))
    }

    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        self.0.check_usable()?;
        Ok(Arc::new(external::VulkanSemaphore::new(self.0, origin)?))
    }

    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        self.0.check_usable()?;
        Ok(Arc::new(List::record(self.0, items)?))
    }

    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        self.0.check_usable()?;
        self.0.clock.now(&self.0.raw)
    }

    fn device_now(&self) -> DeviceResult<u64> {
        self.0.clock.device_now(&self.0.raw)
    }

    fn available(&self) -> bool {
        !self.0.is_lost()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
