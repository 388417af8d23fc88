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
    wanted(ash::khr::get_memory_requirements2::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::dedicated_allocation::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::storage_buffer_storage_class::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::_16bit_storage::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::variable_pointers::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::maintenance3::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::external_memory::NAME, vk::API_VERSION_1_1),
    wanted(ash::khr::external_semaphore::NAME, vk::API_VERSION_1_1),
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
    wanted(ash::ext::robustness2::NAME, 0),
    wanted(ash::ext::device_fault::NAME, 0),
    wanted(ash::nv::device_diagnostic_checkpoints::NAME, 0),
    wanted(ash::ext::pci_bus_info::NAME, 0),
    wanted(ash::nv::shader_sm_builtins::NAME, 0),
    wanted(ash::amd::shader_core_properties::NAME, 0),
];

/// Extensions that are used on devices of Vulkan 1.0, each with the instance extension that it needs. Others
/// need more of Vulkan 1.1, or no such device is known to have them.
const ON_VULKAN_1_0: &[(&CStr, Option<&CStr>)] = &[
    (ash::khr::get_memory_requirements2::NAME, None),
    (ash::khr::dedicated_allocation::NAME, None),
    (ash::khr::storage_buffer_storage_class::NAME, None),
    (ash::khr::_16bit_storage::NAME, Some(PROPERTIES2)),
    (ash::khr::_8bit_storage::NAME, Some(PROPERTIES2)),
    (ash::khr::variable_pointers::NAME, Some(PROPERTIES2)),
    (ash::khr::maintenance3::NAME, Some(PROPERTIES2)),
    (ash::khr::shader_float16_int8::NAME, Some(PROPERTIES2)),
    (ash::khr::shader_float_controls::NAME, Some(PROPERTIES2)),
    (ash::khr::driver_properties::NAME, Some(PROPERTIES2)),
    (ash::khr::external_memory::NAME, Some(EXTERNAL_MEMORY)),
    (ash::khr::external_memory_fd::NAME, Some(EXTERNAL_MEMORY)),
    (ash::khr::external_semaphore::NAME, Some(EXTERNAL_SEMAPHORE)),
    (ash::khr::external_semaphore_fd::NAME, Some(EXTERNAL_SEMAPHORE)),
];
const PROPERTIES2: &CStr = ash::khr::get_physical_device_properties2::NAME;
const EXTERNAL_MEMORY: &CStr = ash::khr::external_memory_capabilities::NAME;
const EXTERNAL_SEMAPHORE: &CStr = ash::khr::external_semaphore_capabilities::NAME;

/// Instance extensions that are enabled when offered: devices of Vulkan 1.0 have their functions and
/// structures by these alone.
pub const INSTANCE_WANTED: &[&CStr] = &[PROPERTIES2, EXTERNAL_MEMORY, EXTERNAL_SEMAPHORE];

/// Extensions offered by one device.
pub struct Extensions {
    names: HashSet<CString>,
    api: u32,
    /// Whether features and properties can be queried by chains of structures.
    pub queries2: bool,
    /// Whether the driver reports the device's UUID.
    pub device_ids: bool,
}

impl Extensions {
    /// From the driver's list, the API version used with the device, and the instance extensions that are
    /// enabled.
    pub fn new(list: &[vk::ExtensionProperties], api: u32, instance: &[&CStr]) -> Self {
        let is_new = api >= vk::API_VERSION_1_1;
        let usable = |name: &CStr| {
            let known = ON_VULKAN_1_0.iter().find(|(known, _)| *known == name);
            is_new || known.is_some_and(|(_, needs)| needs.is_none_or(|needs| instance.contains(&needs)))
        };
        let names = list.iter().filter_map(|e| e.extension_name_as_c_str().ok());
        Extensions {
            names: names.filter(|name| usable(name)).map(CStr::to_owned).collect(),
            api,
            queries2: is_new || instance.contains(&PROPERTIES2),
            device_ids: is_new || instance.contains(&EXTERNAL_MEMORY),
        }
    }

    /// Whether the device offers the extension by name.
    pub fn has(&self, name: &CStr) -> bool {
        self.names.contains(name)
    }

    /// Whether the functionality of a [`WANTED`] extension is available, by name or in core.
    pub fn provides(&self, name: &CStr) -> bool {
        self.has(name) || WANTED.iter().any(|w| w.name == name && w.core != 0 && self.api >= w.core)
    }

    /// Whether the device has Vulkan 1.1.
    pub fn is_vulkan_1_1(&self) -> bool {
        self.api >= vk::API_VERSION_1_1
    }

    /// Whether the device has Vulkan 1.3.
    pub fn is_vulkan_1_3(&self) -> bool {
        self.api >= vk::API_VERSION_1_3
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

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: &CStr = ash::khr::storage_buffer_storage_class::NAME;

    #[test]
    fn vulkan_1_0_has_what_its_instance_permits() {
        let list = [ash::khr::external_semaphore_fd::NAME, ash::khr::push_descriptor::NAME, CLASS];
        let list = list.map(|name| vk::ExtensionProperties::default().extension_name(name).unwrap());
        let old = Extensions::new(&list, vk::API_VERSION_1_0, &[]);
        assert!(old.has(CLASS) && !old.queries2 && !old.device_ids);
        assert!(!old.has(ash::khr::external_semaphore_fd::NAME) && !old.has(ash::khr::push_descriptor::NAME));
        let able = Extensions::new(&list, vk::API_VERSION_1_0, INSTANCE_WANTED);
        assert!(able.has(ash::khr::external_semaphore_fd::NAME) && able.queries2 && able.device_ids);
        assert!(!able.provides(ash::khr::maintenance3::NAME) && !able.has(ash::khr::push_descriptor::NAME));
        let new = Extensions::new(&list, vk::API_VERSION_1_1, &[]);
        assert!(new.has(ash::khr::push_descriptor::NAME) && new.provides(ash::khr::maintenance3::NAME));
    }
}
