//! The opened device: logical device, entry points beyond core 1.2, clock and capabilities.
//!
//! [`Gpu`] is leaked on success, so the rest of the module passes `&'static Gpu` around. The owner of a
//! handle made from it destroys the handle while the process runs; nothing is destroyed at exit.

use super::adapter::Adapter;
use super::caps;
use super::clock::Clock;
use super::conv::VkResultExt;
use super::external;
use super::instance::Instance;
use crate::device::traits::{DeviceError, DeviceResult};
use ash::vk;
use clspv_bridge::target::{Target, VulkanTarget};
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of VkQueues for work of medium priority: more would only add threads.
pub const MEDIUM_QUEUES: usize = 4;
/// Priorities of the VkQueues: those for medium work, then one each for high and low priority. Work of high
/// or low priority shares the medium queues where there are too few.
const PRIORITIES: [f32; MEDIUM_QUEUES + 2] = [0.5, 0.5, 0.5, 0.5, 1.0, 0.0];

/// An opened device: its handles and capabilities.
pub struct Gpu {
    pub instance: &'static Instance,
    pub adapter: Adapter,
    pub raw: ash::Device,
    pub sync2: Sync2,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
    pub memory_fd: Option<ash::khr::external_memory_fd::Device>,
    pub semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
    pub device_fault: Option<ash::ext::device_fault::Device>,
    /// Present if commands are marked in command buffers: if the log shows messages for debugging.
    pub checkpoints: Option<ash::nv::device_diagnostic_checkpoints::Device>,
    pub executables: Option<ash::khr::pipeline_executable_properties::Device>,
    pub clock: Clock,
    pub target: Target,
    /// The part of `target` about SPIR-V.
    pub vulkan: VulkanTarget,
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
        let vulkan = caps::vulkan_target(&adapter);
        Ok(Box::leak(Box::new(Gpu {
            sync2,
            push_descriptor: has(ash::khr::push_descriptor::NAME)
                .then(|| ash::khr::push_descriptor::Device::new(vki, &raw)),
            host_memory: has(ash::ext::external_memory_host::NAME)
                .then(|| ash::ext::external_memory_host::Device::new(vki, &raw)),
            memory_fd: has(ash::khr::external_memory_fd::NAME)
                .then(|| ash::khr::external_memory_fd::Device::new(vki, &raw)),
            semaphore_fd: has(ash::khr::external_semaphore_fd::NAME)
                .then(|| ash::khr::external_semaphore_fd::Device::new(vki, &raw)),
            device_fault: adapter
                .features
                .device_fault
                .then(|| ash::ext::device_fault::Device::new(vki, &raw)),
            executables: adapter
                .features
                .pipeline_statistics
                .then(|| ash::khr::pipeline_executable_properties::Device::new(vki, &raw)),
            checkpoints: (has(ash::nv::device_diagnostic_checkpoints::NAME)
                && tracing::enabled!(tracing::Level::DEBUG))
            .then(|| ash::nv::device_diagnostic_checkpoints::Device::new(vki, &raw)),
            clock: Clock::new(instance, &adapter, &raw),
            target: caps::target(&adapter, vulkan.clone()),
            vulkan,
            lost: AtomicBool::new(false),
            instance,
            adapter,
            raw,
        })))
    }

    /// The VkQueues, in the order of [`PRIORITIES`].
    pub fn queues(&self) -> impl Iterator<Item = vk::Queue> {
        let count = self.adapter.family_queues.min(PRIORITIES.len() as u32);
        // SAFETY: the device was made with this many queues of the family.
        (0..count).map(|i| unsafe { self.raw.get_device_queue(self.adapter.family, i) })
    }

    /// Usage flags of the device's buffers.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        external::buffer_usage(self.adapter.features.device_addresses)
    }

    /// `Lost` if the device is lost.
    pub fn check_usable(&self) -> DeviceResult<()> {
        if self.is_lost() { Err(DeviceError::Lost) } else { Ok(()) }
    }

    /// Whether the driver has reported the loss of the device.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Marks the device as lost. The queues report what they were executing.
    pub fn set_lost(&self) {
        self.lost.store(true, Ordering::Release);
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
    let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
        .pipeline_executable_info(f.pipeline_statistics);
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(f.device_fault);
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
    if f.pipeline_statistics {
        info = info.push_next(&mut executables);
    }
    if f.device_fault {
        info = info.push_next(&mut fault);
    }
    if a.ext.provides(ash::khr::zero_initialize_workgroup_memory::NAME) {
        info = info.push_next(&mut zeros);
    }
    // SAFETY: the structures are valid for the call and request only what the device offers.
    unsafe { instance.raw.create_device(a.physical, &info, None) }.during("vkCreateDevice")
}
