//! Extensions and optional OpenCL C features of devices in one table, so that the queries, the compiler's
//! front end and the function lookup cannot disagree.

use super::compiler::clang_available;
use super::info::{AddressSharing, DeviceInfo};
use super::minimum;
use super::share::{MemoryHandle, SemaphoreHandle};
use crate::cl::{cl_version, make_version};

/// OpenCL version (major, minor) that platform and devices report.
pub const VERSION: (u32, u32) = (3, 1);
/// Versions of OpenCL C that every device supports.
const C_VERSIONS: &[(u32, u32)] = &[(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)];
/// The highest version of OpenCL C with mandatory backwards compatibility (CL_DEVICE_OPENCL_C_VERSION).
pub const C_VERSION: (u32, u32) = (1, 2);

/// Versions of OpenCL C that a device supports (CL_DEVICE_OPENCL_C_ALL_VERSIONS), in order. Since 3.0 all of
/// OpenCL C 2.0 is optional; it is listed where none of its features is missing.
pub fn c_versions(d: &DeviceInfo) -> Vec<(u32, u32)> {
    let has_all = C_2_0.iter().all(|name| C_FEATURES.iter().any(|f| f.name == *name && (f.when)(d)));
    let (before, after) = C_VERSIONS.split_at(3);
    [before, if has_all { &[(2, 0)] } else { &[] }, after].concat()
}

/// Features that OpenCL C 2.0 requires and later versions do not.
const C_2_0: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_work_group_collective_functions",
];

/// Whether a value of `-cl-std=` names a version of OpenCL C that a device does not support. OpenCL C 2.0 is
/// compiled for every device, listed or not, as other drivers do: most of its programs need no more than the
/// device has, and what it lacks is an error where a kernel uses it.
pub fn lacks_version(d: &DeviceInfo, std: &str) -> bool {
    let number = |part: &str| part.parse::<u32>().ok();
    let version = std
        .strip_prefix("CL")
        .and_then(|v| v.split_once('.'))
        .and_then(|(x, y)| Some((number(x)?, number(y)?)));
    version.is_some_and(|v| v != (2, 0) && !c_versions(d).contains(&v))
}

/// An extension or feature that a device may support.
pub struct Feature {
    pub name: &'static str,
    pub version: cl_version,
    /// The feature changes the kernel language: the compiler's front end needs it.
    pub language: bool,
    /// The platform reports the feature, not its devices.
    pub platform_only: bool,
    pub when: fn(&DeviceInfo) -> bool,
}

fn always(_: &DeviceInfo) -> bool {
    true
}

fn shares_semaphores(d: &DeviceInfo) -> bool {
    !d.semaphore_imports.is_empty() || !d.semaphore_exports.is_empty()
}

/// Whether memory of the process can be imported as a buffer.
pub fn imports_host(d: &DeviceInfo) -> bool {
    d.host_import_alignment > 0
}

/// Whether a dma_buf can be imported as a buffer.
pub fn imports_dma_buf(d: &DeviceInfo) -> bool {
    d.memory_imports.contains(&MemoryHandle::DmaBuf)
}

/// Whether atomics on doubles are available, as 64-bit integers.
pub fn double_atomics(d: &DeviceInfo) -> bool {
    d.fp64 && d.int64_atomics
}

/// Whether atomics on halves are available, as parts of 32-bit words.
pub fn half_atomics(d: &DeviceInfo) -> bool {
    d.fp16
}

fn srgb_writes(d: &DeviceInfo) -> bool {
    d.image.formats.iter().any(|f| f.format.is_srgb() && f.uses.iter().any(|u| u.write))
}

const fn api(name: &'static str, when: fn(&DeviceInfo) -> bool) -> Feature {
    Feature { name, version: make_version(1, 0, 0), language: false, platform_only: false, when }
}

const fn language(name: &'static str, when: fn(&DeviceInfo) -> bool) -> Feature {
    Feature { language: true, ..api(name, when) }
}

/// All extensions.
pub const EXTENSIONS: &[Feature] = &[
    Feature { version: make_version(2, 0, 0), platform_only: true, ..api("cl_khr_icd", always) },
    language("cl_khr_byte_addressable_store", always),
    language("cl_khr_global_int32_base_atomics", always),
    language("cl_khr_global_int32_extended_atomics", always),
    language("cl_khr_local_int32_base_atomics", always),
    language("cl_khr_local_int32_extended_atomics", always),
    language("cl_khr_int64_base_atomics", |d| d.int64_atomics),
    language("cl_khr_int64_extended_atomics", |d| d.int64_atomics),
    language("cl_ext_float_atomics", always),
    language("cles_khr_int64", |d| !minimum::is_full(d)),
    language("cl_khr_fp64", |d| d.fp64),
    language("cl_khr_fp16", |d| d.fp16),
    language("cl_khr_3d_image_writes", |d| d.images),
    language("cl_khr_depth_images", |d| d.images),
    language("cl_khr_mipmap_image", |d| d.image.levels),
    language("cl_khr_mipmap_image_writes", |d| d.image.level_writes),
    language("cl_khr_srgb_image_writes", srgb_writes),
    api("cl_khr_image2d_from_buffer", |d| d.images),
    api("cl_ext_image_unorm_int_2_101010", |d| d.images),
    Feature { version: make_version(0, 5, 0), ..api("cl_ext_image_requirements_info", |d| d.images) },
    api("cl_ext_image_from_buffer", |d| d.images),
    api("cl_khr_il_program", always),
    api("cl_khr_initialize_memory", |d| d.zero_local),
    api("cl_khr_spirv_queries", always),
    api("cl_khr_spirv_no_integer_wrap_decoration", always),
    api("cl_khr_spirv_linkonce_odr", always),
    api("cl_khr_spirv_extended_debug_info", always),
    api("cl_khr_expect_assume", always),
    // By clang alone. Such programs are compiled like any other: the extension has no macro.
    api("cl_ext_cxx_for_opencl", |_| clang_available()),
    api("cl_khr_extended_versioning", always),
    api("cl_khr_create_command_queue", always),
    api("cl_khr_priority_hints", always),
    api("cl_khr_throttle_hints", always),
    api("cl_khr_device_uuid", always),
    api("cl_nv_device_attribute_query", |d| d.nvidia.is_some()),
    api("cl_khr_pci_bus_info", |d| d.pci.is_some()),
    Feature { version: make_version(0, 9, 8), ..api("cl_khr_command_buffer", always) },
    Feature { version: make_version(0, 9, 2), ..api("cl_khr_command_buffer_multi_device", always) },
    api("cl_khr_semaphore", always),
    Feature { version: make_version(1, 0, 1), ..api("cl_khr_external_semaphore", shares_semaphores) },
    Feature {
        version: make_version(1, 0, 1),
        ..api("cl_khr_external_memory", |d| !d.memory_imports.is_empty())
    },
    api("cl_khr_external_memory_opaque_fd", |d| d.memory_imports.contains(&MemoryHandle::OpaqueFd)),
    api("cl_khr_external_memory_dma_buf", imports_dma_buf),
    Feature {
        version: make_version(1, 1, 0),
        ..api("cl_arm_import_memory", |d| imports_host(d) || imports_dma_buf(d))
    },
    api("cl_arm_import_memory_host", imports_host),
    api("cl_arm_import_memory_dma_buf", imports_dma_buf),
    api("cl_khr_external_semaphore_opaque_fd", |d| d.semaphore_imports.contains(&SemaphoreHandle::OpaqueFd)),
    api("cl_khr_external_semaphore_sync_fd", |d| d.semaphore_imports.contains(&SemaphoreHandle::SyncFd)),
    Feature { version: make_version(0, 9, 5), ..api("cl_khr_command_buffer_mutable_dispatch", always) },
    api("cl_khr_suggested_local_work_size", always),
    language("cl_khr_extended_bit_ops", always),
    Feature { version: make_version(2, 0, 0), ..language("cl_khr_integer_dot_product", always) },
    language("cl_khr_kernel_clock", |d| d.device_clock || d.subgroup_clock),
    language("cl_khr_work_group_uniform_arithmetic", always),
    language("cl_khr_extended_async_copies", always),
    language("cl_khr_async_work_group_copy_fence", always),
    language("cl_intel_subgroups", always),
    language("cl_intel_subgroups_char", always),
    language("cl_intel_subgroups_short", always),
    language("cl_intel_subgroups_long", always),
    language("cl_intel_required_subgroup_size", |d| d.sub_group_size > 1),
    language("cl_khr_subgroup_ballot", always),
    language("cl_khr_subgroup_clustered_reduce", always),
    language("cl_khr_subgroup_extended_types", always),
    language("cl_khr_subgroup_non_uniform_arithmetic", always),
    language("cl_khr_subgroup_non_uniform_vote", always),
    language("cl_khr_subgroup_rotate", always),
    language("cl_khr_subgroup_shuffle", always),
    language("cl_khr_subgroup_shuffle_relative", always),
    Feature { version: make_version(2, 0, 0), ..api("cl_arm_printf", always) },
    Feature {
        version: make_version(1, 2, 0),
        ..api("cl_intel_unified_shared_memory", |d| d.sharing != AddressSharing::None)
    },
    Feature {
        version: make_version(0, 9, 0),
        ..api("cl_khr_unified_svm", |d| d.sharing != AddressSharing::None)
    },
    api("cl_ext_immutable_memory_objects", always),
    Feature { version: make_version(1, 0, 2), ..api("cl_ext_buffer_device_address", |d| d.buffer_addresses) },
];

const fn c_feature(name: &'static str, when: fn(&DeviceInfo) -> bool) -> Feature {
    Feature { version: make_version(3, 0, 0), ..language(name, when) }
}

/// Optional features of OpenCL C 3.0.
pub const C_FEATURES: &[Feature] = &[
    c_feature("__opencl_c_int64", always),
    c_feature("__opencl_c_fp64", |d| d.fp64),
    c_feature("__opencl_c_generic_address_space", always),
    c_feature("__opencl_c_program_scope_global_variables", always),
    c_feature("__opencl_c_atomic_order_acq_rel", always),
    c_feature("__opencl_c_atomic_order_seq_cst", always),
    c_feature("__opencl_c_atomic_scope_device", always),
    // Vulkan has no memory scope across devices: only devices that share the host's memory have it.
    c_feature("__opencl_c_atomic_scope_all_devices", |d| d.sharing == AddressSharing::Host),
    // cl_ext_float_atomics: operations that the device lacks are emulated by compare-and-exchange.
    c_feature("__opencl_c_ext_fp16_global_atomic_load_store", half_atomics),
    c_feature("__opencl_c_ext_fp16_local_atomic_load_store", half_atomics),
    c_feature("__opencl_c_ext_fp16_global_atomic_add", half_atomics),
    c_feature("__opencl_c_ext_fp16_local_atomic_add", half_atomics),
    c_feature("__opencl_c_ext_fp16_global_atomic_min_max", half_atomics),
    c_feature("__opencl_c_ext_fp16_local_atomic_min_max", half_atomics),
    c_feature("__opencl_c_ext_fp32_global_atomic_add", always),
    c_feature("__opencl_c_ext_fp32_local_atomic_add", always),
    c_feature("__opencl_c_ext_fp32_global_atomic_min_max", always),
    c_feature("__opencl_c_ext_fp32_local_atomic_min_max", always),
    c_feature("__opencl_c_ext_fp64_global_atomic_add", double_atomics),
    c_feature("__opencl_c_ext_fp64_local_atomic_add", double_atomics),
    c_feature("__opencl_c_ext_fp64_global_atomic_min_max", double_atomics),
    c_feature("__opencl_c_ext_fp64_local_atomic_min_max", double_atomics),
    // The device's clock also serves the work-group scope.
    c_feature("__opencl_c_kernel_clock_scope_device", |d| d.device_clock),
    c_feature("__opencl_c_kernel_clock_scope_work_group", |d| d.device_clock),
    c_feature("__opencl_c_kernel_clock_scope_sub_group", |d| d.subgroup_clock),
    c_feature("__opencl_c_integer_dot_product_input_4x8bit", always),
    c_feature("__opencl_c_integer_dot_product_input_4x8bit_packed", always),
    c_feature("__opencl_c_subgroups", always),
    c_feature("__opencl_c_work_group_collective_functions", always),
    // Implemented by library code over global memory and 32-bit atomics.
    c_feature("__opencl_c_pipes", always),
    c_feature("__opencl_c_device_enqueue", |d| d.enqueue.is_some()),
    c_feature("__opencl_c_images", |d| d.images),
    c_feature("__opencl_c_read_write_images", |d| d.image.max_read_write_args > 0),
    c_feature("__opencl_c_3d_image_writes", |d| d.images),
    c_feature("__opencl_c_ext_image_unorm_int_2_101010", |d| d.images),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The extensions that section 4.2 of the API specification requires of every OpenCL 3.1 device, and the
    /// features of OpenCL C 3.1.
    #[test]
    fn every_device_has_what_3_1_requires() {
        let least = DeviceInfo::default();
        let has = |table: &[Feature], name: &str| table.iter().any(|f| f.name == name && (f.when)(&least));
        for name in [
            "cl_khr_device_uuid",
            "cl_khr_extended_bit_ops",
            "cl_khr_integer_dot_product",
            "cl_khr_spirv_queries",
            "cl_khr_subgroup_extended_types",
            "cl_khr_subgroup_rotate",
            "cl_khr_subgroup_shuffle",
            "cl_khr_subgroup_shuffle_relative",
            "cl_khr_suggested_local_work_size",
        ] {
            assert!(has(EXTENSIONS, name), "{name}");
        }
        for name in ["__opencl_c_subgroups", "__opencl_c_integer_dot_product_input_4x8bit_packed"] {
            assert!(has(C_FEATURES, name), "{name}");
        }
        assert_eq!(c_versions(&least), [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)]);
        let lacks = |std: &str| lacks_version(&least, std);
        assert!(lacks("CL2.1") && !lacks("CL2.0") && !lacks("CL3.1") && !lacks("CLC++2021") && !lacks(""));
    }
}
