//! The pipeline cache that a driver keeps by itself, which VK_KHR_pipeline_binary can switch off: compilation
//! results are on disk already (`program::pipeline_entries`), and the first pipeline of a process waits until
//! the driver has read its own files (8 ms on NVIDIA's 580). Ash does not have the extension.

use super::ext::Extensions;
use ash::vk;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// VK_KHR_pipeline_binary and the extension that it requires, which is part of Vulkan 1.4.
pub const NAMES: [&CStr; 2] = [c"VK_KHR_pipeline_binary", ash::khr::maintenance5::NAME];

/// Whether the device has the extension, and the version of Vulkan that it is used with.
pub fn is_known(ext: &Extensions) -> bool {
    ext.is_vulkan_1_3() && NAMES.iter().all(|name| ext.has(name))
}

/// VkPhysicalDevicePipelineBinaryPropertiesKHR.
#[repr(C)]
pub struct PipelineBinaryProperties {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    pub internal_cache: vk::Bool32,
    pub internal_cache_control: vk::Bool32,
    prefers_internal_cache: vk::Bool32,
    precompiled_internal_cache: vk::Bool32,
    compressed_data: vk::Bool32,
}

impl Default for PipelineBinaryProperties {
    fn default() -> Self {
        PipelineBinaryProperties {
            s_type: vk::StructureType::from_raw(1_000_483_004),
            p_next: null_mut(),
            internal_cache: vk::FALSE,
            internal_cache_control: vk::FALSE,
            prefers_internal_cache: vk::FALSE,
            precompiled_internal_cache: vk::FALSE,
            compressed_data: vk::FALSE,
        }
    }
}

// SAFETY: the extension defines the structure for this chain.
unsafe impl vk::ExtendsPhysicalDeviceProperties2 for PipelineBinaryProperties {}

/// VkDevicePipelineBinaryInternalCacheControlKHR.
#[repr(C)]
pub struct InternalCacheControl {
    s_type: vk::StructureType,
    p_next: *const c_void,
    disable_internal_cache: vk::Bool32,
}

impl InternalCacheControl {
    /// Switches the cache off.
    pub fn off() -> Self {
        InternalCacheControl {
            s_type: vk::StructureType::from_raw(1_000_483_008),
            p_next: null(),
            disable_internal_cache: vk::TRUE,
        }
    }
}

// SAFETY: the extension defines the structure for this chain.
unsafe impl vk::ExtendsDeviceCreateInfo for InternalCacheControl {}
