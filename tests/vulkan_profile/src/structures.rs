//! The structures of features and properties that the driver asks for, and the functions of newer versions of
//! Vulkan that it uses.

use super::profile::Profile;
use ash::vk;

/// A structure of booleans: its type, the extension that brings it, and the version of Vulkan that includes
/// the extension; 0 for none.
pub struct Known {
    pub kind: vk::StructureType,
    pub extension: &'static str,
    pub core: u32,
    /// Turns off what the profile lacks. Returns the names of fields that were on and are not in the profile.
    pub mask: unsafe fn(*mut vk::BaseOutStructure<'_>, &Profile) -> Vec<&'static str>,
}

macro_rules! known {
    ($($ty:ident $extension:literal $core:expr, { $($field:ident)* })*) => {
        /// Structures of features and of boolean properties.
        pub const KNOWN: &[Known] = &[$(Known {
            kind: <vk::$ty<'static> as vk::TaggedStructure>::STRUCTURE_TYPE,
            extension: $extension,
            core: $core,
            mask: {
                unsafe fn mask(data: *mut vk::BaseOutStructure<'_>, profile: &Profile) -> Vec<&'static str> {
                    // SAFETY: the structure's type was compared.
                    let data = unsafe { &mut *data.cast::<vk::$ty<'_>>() };
                    let mut lacking = Vec::new();
                    $(if data.$field != vk::FALSE && !profile.has(stringify!($field)) {
                        data.$field = vk::FALSE;
                        lacking.push(stringify!($field));
                    })*
                    lacking
                }
                mask
            },
        }),*];
    };
}

known! {
    PhysicalDevice16BitStorageFeatures "VK_KHR_16bit_storage" vk::API_VERSION_1_1, {
        storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access storage_push_constant16
        storage_input_output16 }
    PhysicalDeviceVariablePointersFeatures "VK_KHR_variable_pointers" vk::API_VERSION_1_1, {
        variable_pointers variable_pointers_storage_buffer }
    PhysicalDevice8BitStorageFeatures "VK_KHR_8bit_storage" vk::API_VERSION_1_2, {
        storage_buffer8_bit_access uniform_and_storage_buffer8_bit_access storage_push_constant8 }
    PhysicalDeviceShaderFloat16Int8Features "VK_KHR_shader_float16_int8" vk::API_VERSION_1_2, {
        shader_float16 shader_int8 }
    PhysicalDeviceShaderAtomicInt64Features "VK_KHR_shader_atomic_int64" vk::API_VERSION_1_2, {
        shader_buffer_int64_atomics shader_shared_int64_atomics }
    PhysicalDeviceBufferDeviceAddressFeatures "VK_KHR_buffer_device_address" vk::API_VERSION_1_2, {
        buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device }
    PhysicalDeviceScalarBlockLayoutFeatures "VK_EXT_scalar_block_layout" vk::API_VERSION_1_2, {
        scalar_block_layout }
    PhysicalDeviceVulkanMemoryModelFeatures "VK_KHR_vulkan_memory_model" vk::API_VERSION_1_2, {
        vulkan_memory_model vulkan_memory_model_device_scope
        vulkan_memory_model_availability_visibility_chains }
    PhysicalDeviceShaderSubgroupExtendedTypesFeatures
        "VK_KHR_shader_subgroup_extended_types" vk::API_VERSION_1_2, { shader_subgroup_extended_types }
    PhysicalDeviceUniformBufferStandardLayoutFeatures
        "VK_KHR_uniform_buffer_standard_layout" vk::API_VERSION_1_2, { uniform_buffer_standard_layout }
    PhysicalDeviceHostQueryResetFeatures "VK_EXT_host_query_reset" vk::API_VERSION_1_2, { host_query_reset }
    PhysicalDeviceTimelineSemaphoreFeatures "VK_KHR_timeline_semaphore" vk::API_VERSION_1_2, {
        timeline_semaphore }
    PhysicalDeviceSynchronization2Features "VK_KHR_synchronization2" vk::API_VERSION_1_3, {
        synchronization2 }
    PhysicalDeviceMaintenance4Features "VK_KHR_maintenance4" vk::API_VERSION_1_3, { maintenance4 }
    PhysicalDeviceShaderIntegerDotProductFeatures
        "VK_KHR_shader_integer_dot_product" vk::API_VERSION_1_3, { shader_integer_dot_product }
    PhysicalDeviceSubgroupSizeControlFeatures "VK_EXT_subgroup_size_control" vk::API_VERSION_1_3, {
        subgroup_size_control compute_full_subgroups }
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures
        "VK_KHR_zero_initialize_workgroup_memory" vk::API_VERSION_1_3, {
        shader_zero_initialize_workgroup_memory }
    PhysicalDeviceShaderAtomicFloatFeaturesEXT "VK_EXT_shader_atomic_float" 0, {
        shader_buffer_float32_atomics shader_buffer_float32_atomic_add shader_buffer_float64_atomics
        shader_buffer_float64_atomic_add shader_shared_float32_atomics shader_shared_float32_atomic_add
        shader_shared_float64_atomics shader_shared_float64_atomic_add shader_image_float32_atomics
        shader_image_float32_atomic_add }
    PhysicalDeviceShaderAtomicFloat2FeaturesEXT "VK_EXT_shader_atomic_float2" 0, {
        shader_buffer_float16_atomics shader_buffer_float16_atomic_add shader_buffer_float16_atomic_min_max
        shader_buffer_float32_atomic_min_max shader_buffer_float64_atomic_min_max
        shader_shared_float16_atomics shader_shared_float16_atomic_add shader_shared_float16_atomic_min_max
        shader_shared_float32_atomic_min_max shader_shared_float64_atomic_min_max
        shader_image_float32_atomic_min_max }
    PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR "VK_KHR_workgroup_memory_explicit_layout" 0, {
        workgroup_memory_explicit_layout workgroup_memory_explicit_layout_scalar_block_layout
        workgroup_memory_explicit_layout8_bit_access workgroup_memory_explicit_layout16_bit_access }
    PhysicalDeviceShaderClockFeaturesKHR "VK_KHR_shader_clock" 0, {
        shader_subgroup_clock shader_device_clock }
    PhysicalDeviceFaultFeaturesEXT "VK_EXT_device_fault" 0, { device_fault device_fault_vendor_binary }
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR "VK_KHR_pipeline_executable_properties" 0, {
        pipeline_executable_info }
    PhysicalDeviceFloatControlsProperties "VK_KHR_shader_float_controls" vk::API_VERSION_1_2, {
        shader_signed_zero_inf_nan_preserve_float16 shader_signed_zero_inf_nan_preserve_float32
        shader_signed_zero_inf_nan_preserve_float64 shader_denorm_preserve_float16
        shader_denorm_preserve_float32 shader_denorm_preserve_float64 shader_denorm_flush_to_zero_float16
        shader_denorm_flush_to_zero_float32 shader_denorm_flush_to_zero_float64
        shader_rounding_mode_rte_float16 shader_rounding_mode_rte_float32 shader_rounding_mode_rte_float64
        shader_rounding_mode_rtz_float16 shader_rounding_mode_rtz_float32
        shader_rounding_mode_rtz_float64 }
}

/// Structures of properties that stay as the device has them, with the extension and its version of Vulkan.
pub const KEPT: &[(vk::StructureType, &str, u32)] = &[
    (
        vk::StructureType::PHYSICAL_DEVICE_ID_PROPERTIES,
        "VK_KHR_external_memory_capabilities",
        vk::API_VERSION_1_1,
    ),
    (vk::StructureType::PHYSICAL_DEVICE_DRIVER_PROPERTIES, "VK_KHR_driver_properties", vk::API_VERSION_1_2),
    (vk::StructureType::PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, "VK_KHR_maintenance4", vk::API_VERSION_1_3),
    (
        vk::StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
        "VK_EXT_subgroup_size_control",
        vk::API_VERSION_1_3,
    ),
    (
        vk::StructureType::PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES,
        "VK_KHR_shader_integer_dot_product",
        vk::API_VERSION_1_3,
    ),
    (vk::StructureType::PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, "VK_KHR_push_descriptor", 0),
    (
        vk::StructureType::PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
        "VK_EXT_external_memory_host",
        0,
    ),
    (vk::StructureType::PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, "VK_EXT_pci_bus_info", 0),
];

macro_rules! booleans {
    ($data:expr, $profile:expr, $($field:ident)*) => {{
        let (mut lacking, data) = (Vec::new(), $data);
        $(if data.$field != vk::FALSE && !$profile.has(stringify!($field)) {
            data.$field = vk::FALSE;
            lacking.push(stringify!($field));
        })*
        lacking
    }};
}

/// Turns off features of Vulkan 1.0 that the profile lacks, and returns the names of those that were on.
/// Features of draws do not matter.
pub fn mask_core(data: &mut vk::PhysicalDeviceFeatures, profile: &Profile) -> Vec<&'static str> {
    booleans!(
        data,
        profile,
        shader_int16 shader_int64 shader_float64 shader_storage_image_extended_formats
        shader_storage_image_read_without_format shader_storage_image_write_without_format
        robust_buffer_access
    )
}

macro_rules! numbers {
    ($limits:expr, $profile:expr, $($field:ident $ty:ty;)*) => {
        $($limits.$field = $profile.bound(stringify!($field), $limits.$field as f64) as $ty;)*
    };
}

/// Bounds the limits that matter to compute.
pub fn bound_limits(limits: &mut vk::PhysicalDeviceLimits, profile: &Profile) {
    numbers! { limits, profile,
        max_image_dimension1_d u32; max_image_dimension2_d u32; max_image_dimension3_d u32;
        max_image_array_layers u32; max_texel_buffer_elements u32; max_uniform_buffer_range u32;
        max_storage_buffer_range u32; max_push_constants_size u32; max_memory_allocation_count u32;
        max_sampler_allocation_count u32; max_bound_descriptor_sets u32;
        max_per_stage_descriptor_samplers u32; max_per_stage_descriptor_uniform_buffers u32;
        max_per_stage_descriptor_storage_buffers u32; max_per_stage_descriptor_sampled_images u32;
        max_per_stage_descriptor_storage_images u32; max_per_stage_resources u32;
        max_descriptor_set_samplers u32; max_descriptor_set_storage_buffers u32;
        max_descriptor_set_sampled_images u32; max_descriptor_set_storage_images u32;
        max_compute_shared_memory_size u32; max_compute_work_group_invocations u32;
        min_memory_map_alignment usize; min_texel_buffer_offset_alignment u64;
        min_uniform_buffer_offset_alignment u64; min_storage_buffer_offset_alignment u64;
        buffer_image_granularity u64; non_coherent_atom_size u64; timestamp_period f32;
    }
    profile.bound_all("max_compute_work_group_count", &mut limits.max_compute_work_group_count);
    profile.bound_all("max_compute_work_group_size", &mut limits.max_compute_work_group_size);
}

const PROPERTIES2: &str = "VK_KHR_get_physical_device_properties2";

/// Functions that need a version of Vulkan or an extension, whose suffixed name exists then.
pub const NEWER: &[(&str, u32, &str)] = &[
    ("vkEnumerateInstanceVersion", vk::API_VERSION_1_1, ""),
    ("vkGetPhysicalDeviceFeatures2", vk::API_VERSION_1_1, PROPERTIES2),
    ("vkGetPhysicalDeviceProperties2", vk::API_VERSION_1_1, PROPERTIES2),
    ("vkGetPhysicalDeviceFormatProperties2", vk::API_VERSION_1_1, PROPERTIES2),
    ("vkGetPhysicalDeviceImageFormatProperties2", vk::API_VERSION_1_1, PROPERTIES2),
    (
        "vkGetPhysicalDeviceExternalBufferProperties",
        vk::API_VERSION_1_1,
        "VK_KHR_external_memory_capabilities",
    ),
    (
        "vkGetPhysicalDeviceExternalSemaphoreProperties",
        vk::API_VERSION_1_1,
        "VK_KHR_external_semaphore_capabilities",
    ),
    ("vkGetImageMemoryRequirements2", vk::API_VERSION_1_1, "VK_KHR_get_memory_requirements2"),
    ("vkWaitSemaphores", vk::API_VERSION_1_2, "VK_KHR_timeline_semaphore"),
    ("vkSignalSemaphore", vk::API_VERSION_1_2, "VK_KHR_timeline_semaphore"),
    ("vkGetSemaphoreCounterValue", vk::API_VERSION_1_2, "VK_KHR_timeline_semaphore"),
    ("vkGetBufferDeviceAddress", vk::API_VERSION_1_2, "VK_KHR_buffer_device_address"),
    ("vkResetQueryPool", vk::API_VERSION_1_2, "VK_EXT_host_query_reset"),
    ("vkQueueSubmit2", vk::API_VERSION_1_3, "VK_KHR_synchronization2"),
    ("vkCmdPipelineBarrier2", vk::API_VERSION_1_3, "VK_KHR_synchronization2"),
    ("vkCmdWriteTimestamp2", vk::API_VERSION_1_3, "VK_KHR_synchronization2"),
    ("vkCmdPushDescriptorSet", u32::MAX, "VK_KHR_push_descriptor"),
    ("vkGetMemoryHostPointerProperties", u32::MAX, "VK_EXT_external_memory_host"),
    ("vkGetCalibratedTimestamps", u32::MAX, "VK_EXT_calibrated_timestamps"),
    ("vkGetMemoryFd", u32::MAX, "VK_KHR_external_memory_fd"),
];
