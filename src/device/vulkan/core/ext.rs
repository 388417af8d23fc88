//! Device extensions that are used when present, and the set that a device has.
//!
//! Extensions promoted to core are listed too: below the Vulkan version that promoted them they must be
//! enabled by name.

use ash::vk;
use std::collections::HashSet;
use std::ffi::{CStr, CString};

/// An extension worth enabling, with the core version that includes it (0: none).
pub struct Wanted {
    pub name: &'static CStr,
    pub core: u32,
}

const fn wanted(name: &'static CStr, core: u32) -> Wanted {
    Wanted { name, core }
}

/// Extensions that are enabled when the device offers them.
pub const WANTED: &[Wanted] = &[
    wanted(ash::khr::timeline_semaphore::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::_8bit_storage::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::shader_float16_int8::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::shader_atomic_int64::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::shader_float_controls::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::spirv_1_4::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::buffer_device_address::NAME, vk::API_VERSION_1_2),
    wanted(ash::ext::scalar_block_layout::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::vulkan_memory_model::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::shader_subgroup_extended_types::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::uniform_buffer_standard_layout::NAME, vk::API_VERSION_1_2),
    wanted(ash::ext::host_query_reset::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::driver_properties::NAME, vk::API_VERSION_1_2),
    wanted(ash::khr::synchronization2::NAME, vk::API_VERSION_1_3),
    wanted(ash::khr::maintenance4::NAME, vk::API_VERSION_1_3),
    wanted(ash::khr::shader_integer_dot_product::NAME, vk::API_VERSION_1_3),
    wanted(ash::ext::subgroup_size_control::NAME, vk::API_VERSION_1_3),
    wanted(ash::khr::zero_initialize_workgroup_memory::NAME, vk::API_VERSION_1_3),
    wanted(ash::khr::push_descriptor::NAME, 0),
    wanted(ash::khr::workgroup_memory_explicit_layout::NAME, 0),
    wanted(ash::ext::shader_atomic_float::NAME, 0),
    wanted(ash::ext::shader_atomic_float2::NAME, 0),
    wanted(ash::khr::shader_clock::NAME, 0),
    wanted(ash::ext::external_memory_host::NAME, 0),
    wanted(ash::khr::external_memory_fd::NAME, 0),
    wanted(ash::ext::external_memory_dma_buf::NAME, 0),
    wanted(ash::khr::external_semaphore_fd::NAME, 0),
    wanted(ash::khr::calibrated_timestamps::NAME, 0),
    wanted(ash::ext::calibrated_timestamps::NAME, 0),
    wanted(ash::khr::pipeline_executable_properties::NAME, 0),
    wanted(ash::ext::device_fault::NAME, 0),
    wanted(ash::nv::device_diagnostic_checkpoints::NAME, 0),
    wanted(ash::ext::pci_bus_info::NAME, 0),
    wanted(ash::nv::shader_sm_builtins::NAME, 0),
    wanted(ash::amd::shader_core_properties::NAME, 0),
];

/// Extensions offered by one device.
pub struct Extensions {
    names: HashSet<CString>,
    api: u32,
}

impl Extensions {
    /// From the driver's list and the API version used with the device.
    pub fn new(list: &[vk::ExtensionProperties], api: u32) -> Self {
        let names =
            list.iter().filter_map(|e| e.extension_name_as_c_str().ok().map(CStr::to_owned)).collect();
        Extensions { names, api }
    }

    /// Whether the device offers the extension by name.
    pub fn has(&self, name: &CStr) -> bool {
        self.names.contains(name)
    }

    /// Whether the functionality of a [`WANTED`] extension is available, by name or in core.
    pub fn provides(&self, name: &CStr) -> bool {
        self.has(name) || WANTED.iter().any(|w| w.name == name && w.core != 0 && self.api >= w.core)
    }

    /// Extension names for device creation.
    pub fn to_enable(&self) -> Vec<*const std::ffi::c_char> {
        let ext_clock = self.has(ash::ext::calibrated_timestamps::NAME);
        WANTED
            .iter()
            .filter(|w| self.has(w.name))
            // Two extensions with the same functionality: more layers support the older name.
            .filter(|w| !(ext_clock && w.name == ash::khr::calibrated_timestamps::NAME))
            .map(|w| w.name.as_ptr())
            .collect()
    }
}
