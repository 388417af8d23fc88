//! Extensions that the real driver may lack, offered if the environment has `VULKAN_FAULTS_REPORT`:
//! VK_EXT_device_fault and VK_NV_device_diagnostic_checkpoints, by which a lost device reports what it
//! executed, VK_KHR_pipeline_executable_properties, whose statistics are always the same, and
//! VK_KHR_pipeline_binary, which can switch off a cache of the driver.
//!
//! The report on a fault has a fixed text, and the address that [`vulkan_faults_address`] sets. The newest
//! checkpoint is the one recorded last: tests record one command buffer.

use super::replaced_by_wrapper;
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use vulkan_loader::{Function, each, vk, wrappers};

/// Text of the report.
const TEXT: &CStr = c"emulated page fault";
const NAMES: [&CStr; 5] = [
    ash::ext::device_fault::NAME,
    ash::nv::device_diagnostic_checkpoints::NAME,
    ash::khr::pipeline_executable_properties::NAME,
    c"VK_KHR_pipeline_binary",
    ash::khr::maintenance5::NAME,
];

static ADDRESS: AtomicU64 = AtomicU64::new(0);
static CHECKPOINT: AtomicU64 = AtomicU64::new(0);
static CACHE_IS_OFF: AtomicBool = AtomicBool::new(false);

/// VkPhysicalDevicePipelineBinaryPropertiesKHR and VkDevicePipelineBinaryInternalCacheControlKHR, which ash
/// does not have.
const BINARY_PROPERTIES: vk::StructureType = vk::StructureType::from_raw(1_000_483_004);
const CACHE_CONTROL: vk::StructureType = vk::StructureType::from_raw(1_000_483_008);

/// Sets the address of the invalid write that the next report has.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_address(address: u64) {
    ADDRESS.store(address, Ordering::SeqCst);
}

/// Whether a device was created without the driver's own cache of pipelines.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_cache_is_off() -> bool {
    CACHE_IS_OFF.load(Ordering::SeqCst)
}

fn is_on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("VULKAN_FAULTS_REPORT").is_some())
}

fn property(name: &CStr) -> vk::ExtensionProperties {
    let mut property = vk::ExtensionProperties { spec_version: 1, ..Default::default() };
    for (to, from) in property.extension_name.iter_mut().zip(name.to_bytes_with_nul()) {
        *to = *from as c_char;
    }
    property
}

/// Sets the extensions' features in a chain of structures.
///
/// # Safety
/// The chain is valid.
unsafe fn set_features(chain: *mut vk::BaseOutStructure<'_>, value: vk::Bool32) {
    use vk::StructureType as S;
    // SAFETY: the caller's promise; the types are those of the structures.
    unsafe {
        each(chain, |at| match (*at).s_type {
            S::PHYSICAL_DEVICE_FAULT_FEATURES_EXT => {
                (*at.cast::<vk::PhysicalDeviceFaultFeaturesEXT<'_>>()).device_fault = value;
            }
            S::PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR => {
                let features = at.cast::<vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'_>>();
                (*features).pipeline_executable_info = value;
            }
            _ => {}
        });
    }
}

wrappers! {
    vkEnumerateDeviceExtensionProperties as PFN_vkEnumerateDeviceExtensionProperties: (
        device: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        list: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        let more = NAMES.len() as u32;
        // SAFETY: the caller's arguments; the arrays are as long as the counts say.
        unsafe {
            if list.is_null() {
                let result = real()(device, layer, count, list);
                *count += more;
                return result;
            }
            *count = (*count).saturating_sub(more);
            let result = real()(device, layer, count, list);
            for name in NAMES {
                list.add(*count as usize).write(property(name));
                *count += 1;
            }
            result
        }
    }
    vkGetPhysicalDeviceFeatures2 as PFN_vkGetPhysicalDeviceFeatures2:
        (device: vk::PhysicalDevice, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, features);
            set_features(features.cast(), vk::TRUE);
        }
    }
    vkGetPhysicalDeviceProperties2 as PFN_vkGetPhysicalDeviceProperties2:
        (device: vk::PhysicalDevice, properties: *mut vk::PhysicalDeviceProperties2<'_>) {
        // SAFETY: the caller's arguments; the structure begins with the two members that are set.
        unsafe {
            real()(device, properties);
            each(properties.cast(), |at| {
                if (*at).s_type == BINARY_PROPERTIES {
                    at.add(1).cast::<[vk::Bool32; 2]>().write([vk::TRUE; 2]);
                }
            });
        }
    }
    vkCreateDevice as PFN_vkCreateDevice: (
        device: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Device,
    ) -> vk::Result {
        // SAFETY: the caller's structure, of which this is a copy with fewer names. The driver under test
        // keeps the chain in memory that it may write.
        unsafe {
            let mut own = *info;
            set_features(own.p_next.cast_mut().cast(), vk::FALSE);
            let count = own.enabled_extension_count as usize;
            let names = std::slice::from_raw_parts(own.pp_enabled_extension_names, count);
            let is_enabled = names.iter().any(|name| CStr::from_ptr(*name) == NAMES[3]);
            each(own.p_next.cast_mut().cast(), |at| {
                if (*at).s_type == CACHE_CONTROL {
                    let is_off = is_enabled && at.add(1).cast::<vk::Bool32>().read() != vk::FALSE;
                    CACHE_IS_OFF.store(is_off, Ordering::SeqCst);
                }
            });
            let real_ones = |name: &&*const c_char| !NAMES.contains(&CStr::from_ptr(**name));
            let names: Vec<*const c_char> = names.iter().filter(real_ones).copied().collect();
            own.enabled_extension_count = names.len() as u32;
            own.pp_enabled_extension_names = names.as_ptr();
            real()(device, &own, callbacks, out)
        }
    }
    // Compilation takes a while, as on graphics cards.
    vkCreateComputePipelines as PFN_vkCreateComputePipelines: (
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        list: *const vk::ComputePipelineCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Pipeline,
    ) -> vk::Result {
        std::thread::sleep(std::time::Duration::from_millis(5));
        // SAFETY: the caller's arguments.
        unsafe { real()(device, cache, count, list, callbacks, out) }
    }
    vkGetDeviceFaultInfoEXT as PFN_vkGetDeviceFaultInfoEXT: (
        _device: vk::Device,
        counts: *mut vk::DeviceFaultCountsEXT<'_>,
        info: *mut vk::DeviceFaultInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: the caller's structures; the array has room for as many addresses as the count says.
        unsafe {
            if info.is_null() {
                (*counts).address_info_count = 1;
                return vk::Result::SUCCESS;
            }
            for (to, from) in (*info).description.iter_mut().zip(TEXT.to_bytes_with_nul()) {
                *to = *from as c_char;
            }
            if (*counts).address_info_count > 0 {
                (*info).p_address_infos.write(vk::DeviceFaultAddressInfoEXT {
                    address_type: vk::DeviceFaultAddressTypeEXT::WRITE_INVALID,
                    reported_address: ADDRESS.load(Ordering::SeqCst),
                    address_precision: 1,
                });
            }
        }
        vk::Result::SUCCESS
    }
    vkCmdSetCheckpointNV as PFN_vkCmdSetCheckpointNV: (_commands: vk::CommandBuffer, marker: *const c_void) {
        CHECKPOINT.store(marker as u64, Ordering::SeqCst);
    }
    vkGetQueueCheckpointDataNV as PFN_vkGetQueueCheckpointDataNV:
        (_queue: vk::Queue, count: *mut u32, list: *mut vk::CheckpointDataNV<'_>) {
        // SAFETY: the caller's count, and an element if it is not zero.
        unsafe {
            if let Some(data) = list.as_mut().filter(|_| *count > 0) {
                data.stage = vk::PipelineStageFlags::TOP_OF_PIPE;
                data.p_checkpoint_marker = CHECKPOINT.load(Ordering::SeqCst) as *mut c_void;
            }
            *count = 1;
        }
    }
    vkGetPipelineExecutablePropertiesKHR as PFN_vkGetPipelineExecutablePropertiesKHR: (
        _device: vk::Device,
        _pipeline: *const vk::PipelineInfoKHR<'_>,
        count: *mut u32,
        list: *mut vk::PipelineExecutablePropertiesKHR<'_>,
    ) -> vk::Result {
        // SAFETY: the caller's count, and an element if it is not zero.
        unsafe {
            if let Some(executable) = list.as_mut().filter(|_| *count > 0) {
                executable.subgroup_size = 32;
            }
            *count = 1;
        }
        vk::Result::SUCCESS
    }
    vkGetPipelineExecutableStatisticsKHR as PFN_vkGetPipelineExecutableStatisticsKHR: (
        _device: vk::Device,
        _executable: *const vk::PipelineExecutableInfoKHR<'_>,
        count: *mut u32,
        list: *mut vk::PipelineExecutableStatisticKHR<'_>,
    ) -> vk::Result {
        use vk::PipelineExecutableStatisticFormatKHR as Format;
        use vk::PipelineExecutableStatisticValueKHR as Value;
        let all = [
            (c"Register Count", Format::UINT64, Value { u64: 40 }),
            (c"Spills", Format::BOOL32, Value { b32: vk::FALSE }),
        ];
        // SAFETY: the caller's count, and as many elements.
        unsafe {
            if !list.is_null() {
                for (i, (name, format, value)) in all.iter().enumerate().take(*count as usize) {
                    let to = &mut *list.add(i);
                    for (to, from) in to.name.iter_mut().zip(name.to_bytes_with_nul()) {
                        *to = *from as c_char;
                    }
                    (to.format, to.value) = (*format, *value);
                }
            }
            *count = all.len() as u32;
        }
        vk::Result::SUCCESS
    }
}

/// Our function of a name, if there is one. It may use the real one, which `found` is.
pub fn function(name: &CStr, found: Option<Function>) -> Option<Function> {
    if !is_on() {
        return None;
    }
    let (own, real) = wrapper(name.to_str().ok()?)?;
    real.store(replaced_by_wrapper(name, found).map_or(0, |f| f as usize), Ordering::Relaxed);
    Some(own)
}
