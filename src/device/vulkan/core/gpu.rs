//! The opened device: logical device, entry points of extensions, clock and capabilities.
//!
//! [`Gpu`] is leaked on success, so the rest of the module passes `&'static Gpu` around. The owner of a
//! handle made from it destroys the handle while the process runs; nothing is destroyed at exit.

use super::adapter::Adapter;
use super::clock::Clock;
use super::conv::VkResultExt;
use super::external;
use super::instance::Instance;
use super::internal_cache::{self, InternalCacheControl};
use super::samplers::Samplers;
use super::uploads::Uploads;
use crate::device::traits::{DeviceError, DeviceResult, Priority};
use ash::vk;
use clspv_bridge::target::{Target, VulkanTarget};
use parking_lot::Mutex;
use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An opened device: its handles and capabilities.
pub struct Gpu {
    pub instance: &'static Instance,
    pub adapter: &'static Adapter,
    pub raw: ash::Device,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
    pub memory_fd: Option<ash::khr::external_memory_fd::Device>,
    pub semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
    pub device_fault: Option<ash::ext::device_fault::Device>,
    /// Present if commands are marked in command buffers: if the log shows messages for debugging.
    pub checkpoints: Option<ash::nv::device_diagnostic_checkpoints::Device>,
    pub executables: Option<ash::khr::pipeline_executable_properties::Device>,
    pub clock: Clock,
    pub target: &'static Target,
    /// The part of `target` about SPIR-V.
    pub vulkan: &'static VulkanTarget,
    pub uploads: Uploads,
    pub samplers: Samplers,
    /// Held during submissions where they must be made one by one; under the validation layer also during
    /// calls about timeline semaphores (`sync`).
    pub submitting: Mutex<()>,
    /// See `memory::bus::quick_read`.
    pub quick_read: OnceLock<u64>,
    recordings_epoch: AtomicU64,
    lost: AtomicBool,
}

impl Gpu {
    /// Creates the logical device of an accepted adapter, without the driver's own cache of pipelines if the
    /// store `keeps_pipelines`.
    pub fn open(
        instance: &'static Instance,
        adapter: &'static Adapter,
        (target, vulkan): (&'static Target, &'static VulkanTarget),
        keeps_pipelines: bool,
    ) -> DeviceResult<&'static Gpu> {
        let raw = create_device(instance, adapter, keeps_pipelines && adapter.has_cache_control)?;
        let vki = &instance.raw;
        let has = |name| adapter.ext.has(name);
        Ok(Box::leak(Box::new(Gpu {
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
            clock: Clock::new(instance, adapter, &raw),
            target,
            vulkan,
            uploads: Uploads::default(),
            samplers: Samplers::default(),
            submitting: Mutex::new(()),
            quick_read: OnceLock::new(),
            recordings_epoch: AtomicU64::new(0),
            lost: AtomicBool::new(false),
            instance,
            adapter,
            raw,
        })))
    }

    /// The VkQueues, in the order of [`Adapter::queue_priorities`].
    pub fn queues(&self) -> impl Iterator<Item = vk::Queue> {
        let count = self.adapter.queue_priorities().len();
        // SAFETY: the device was made with this many queues of the family.
        (0..count as u32).map(|i| unsafe { self.raw.get_device_queue(self.adapter.family, i) })
    }

    /// Usage flags of the device's buffers.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        external::buffer_usage(self.adapter.features.device_addresses)
    }

    /// `Lost` if the device is lost.
    pub fn check_usable(&self) -> DeviceResult<()> {
        if self.is_lost() { Err(DeviceError::Lost) } else { Ok(()) }
    }

    /// The number of times that recordings became invalid so far.
    pub fn recordings_epoch(&self) -> u64 {
        self.recordings_epoch.load(Ordering::Acquire)
    }

    /// Ensures that no command buffer of before is submitted for a later batch: an object that it may refer
    /// to is about to be destroyed, and another may get its address; or a better pipeline exists.
    pub fn invalidate_recordings(&self) {
        self.recordings_epoch.fetch_add(1, Ordering::AcqRel);
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

fn create_device(instance: &Instance, a: &Adapter, without_cache: bool) -> DeviceResult<ash::Device> {
    let priority = |priority: &Priority| match priority {
        Priority::High => 1.0,
        Priority::Medium => 0.5,
        Priority::Low => 0.0,
    };
    let priorities: Vec<f32> = a.queue_priorities().iter().map(priority).collect();
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(a.family).queue_priorities(&priorities)];
    let mut names = a.ext.to_enable();
    let mut control = InternalCacheControl::off();
    let mut requested = a.features.requested();
    let core = *requested.core();
    let mut features = requested.chain(&a.ext);
    if without_cache {
        names.extend(internal_cache::NAMES.map(CStr::as_ptr));
    }
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
    let info = match a.ext.queries2 {
        true => info.push_next(&mut features),
        false => info.enabled_features(&core),
    };
    let info = match without_cache {
        true => info.push_next(&mut control),
        false => info,
    };
    let mut device = vk::Device::null();
    // SAFETY: the structures are valid for the call and request only what the device offers.
    unsafe {
        (instance.raw.fp_v1_0().create_device)(a.physical, &info, std::ptr::null(), &mut device)
            .result()
            .during("vkCreateDevice")?;
        Ok(ash::Device::load_with(|name| entry_point(instance, device, name), device))
    }
}

/// Address of a function of the device, NULL if it has none. Functions that later versions of Vulkan took
/// from extensions have the extension's names before.
fn entry_point(instance: &Instance, device: vk::Device, name: &CStr) -> *const c_void {
    let suffixed = |suffix: &str| CString::new([name.to_bytes(), suffix.as_bytes()].concat()).ok();
    let names = [Some(name.to_owned()), suffixed("KHR"), suffixed("EXT")];
    names
        .iter()
        .flatten()
        // SAFETY: the device is alive and the names are terminated.
        .find_map(|n| unsafe { instance.raw.get_device_proc_addr(device, n.as_ptr()) })
        .map_or(std::ptr::null(), |found| found as *const c_void)
}
