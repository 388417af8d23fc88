//! Translation of a Vulkan adapter to OpenCL: the device's facts and the compiler's target.
//!
//! Pure functions of an [`Adapter`] (and, for CPU devices, of the machine). Where Vulkan does not report a
//! fact, a comment says how it is found or estimated; an estimate also adds a line to [`DeviceInfo::notes`].

use super::adapter::Adapter;
use super::conv;
use super::nvidia;
use super::quirks;
use crate::device::info::{self, AddressSharing, DeviceInfo, DeviceKind, ImageFacts, NvidiaFacts};
use crate::device::machine;
use crate::device::nvml::{self, Nvml};
use ash::vk;
use clspv_bridge::target::{Code, Denorms32, FloatControls, SubgroupOps, Target, VulkanTarget};

/// Maximum bytes of kernel arguments. Arguments too large for push constants are passed in a buffer, so this
/// is a free choice.
const MAX_PARAMETER_SIZE: usize = 4096;
/// Minimum alignment of buffers and sub-buffers in bits: the size of the largest type, long16. Descriptors
/// may require more.
const BASE_ADDR_ALIGN_BITS: u32 = 1024;

/// Storage buffers that a stage has on every Vulkan device. A kernel with more needs as many: the window of
/// its arguments, the argument block, the data block and the print buffer.
pub const LEAST_DESCRIPTORS: u32 = 4;

/// Features that the compiler may use on the device.
pub fn target(a: &Adapter, vulkan: VulkanTarget) -> Target {
    let f = &a.features;
    let limits = &a.props.limits;
    let q = &a.quirks;
    let (size, size_range) = sub_group_size(a, vulkan.spirv_version);
    let int64 = f.core.shader_int64 != 0;
    Target {
        int8: f.int8,
        int16: f.core.shader_int16 != 0,
        int64,
        float16: f.float16,
        float64: f.core.shader_float64 != 0,
        buffer_int64_atomics: int64 && f.buffer_int64_atomics,
        shared_int64_atomics: int64 && f.shared_int64_atomics,
        buffer_float_atomics: f.buffer_float_atomics,
        shared_float_atomics: f.shared_float_atomics,
        float_controls: float_controls(a),
        denorms32: if q.flushed_denorms32
            || (a.floats.shader_denorm_flush_to_zero_float32 != 0
                && a.floats.shader_denorm_preserve_float32 == 0)
        {
            Denorms32::Flushed
        } else if f.denorms32 {
            Denorms32::Kept
        } else {
            Denorms32::MadeFlushed
        },
        exact_fma32: q.fused_fma,
        exact_fma64: q.fused_fma && f.core.shader_float64 != 0,
        exact_div32: q.exact_div_sqrt32,
        exact_sqrt32: q.exact_div_sqrt32,
        exact_div64: q.exact_div_sqrt64,
        exact_sqrt64: q.exact_div_sqrt64,
        close_exp2: q.close_exp2_log2,
        close_log2: q.close_exp2_log2,
        subgroup_size: size,
        subgroup_size_range: size_range,
        subgroup_ops: if size > 0 { sub_group_ops(a) } else { SubgroupOps::default() },
        integer_dot_product: a.dot_accelerated[1][..3].iter().all(|b| *b),
        subgroup_clock: int64 && f.subgroup_clock,
        device_clock: int64 && f.device_clock,
        max_workgroup_memory: limits.max_compute_shared_memory_size,
        max_workgroup_invocations: limits.max_compute_work_group_invocations,
        max_workgroup_size: limits.max_compute_work_group_size,
        code: Code::Vulkan(vulkan),
    }
}

/// Facts that concern the generated SPIR-V.
pub fn vulkan_target(a: &Adapter) -> VulkanTarget {
    let f = &a.features;
    let limits = &a.props.limits;
    let q = &a.quirks;
    let largest_image = limits
        .max_image_dimension1_d
        .max(limits.max_image_dimension2_d)
        .max(limits.max_image_dimension3_d)
        .max(1);
    let buffer_descriptors = match f.many_descriptors {
        true => limits.max_per_stage_descriptor_storage_buffers,
        false => LEAST_DESCRIPTORS,
    };
    VulkanTarget {
        spirv_version: match vk::api_version_minor(a.api) {
            3.. => (1, 6),
            2 => (1, 5),
            1 if f.spirv_1_4 => (1, 4),
            1 => (1, 3),
            _ => (1, 0),
        },
        storage_buffer_class: f.storage_buffer_class,
        // Conversions to device addresses of narrow types need arithmetic on these.
        storage8: f.storage8 && (f.int8 || !f.device_addresses),
        storage16: f.storage16 && (f.core.shader_int16 != 0 || !f.device_addresses),
        fences_block: q.fences_block,
        workgroup_explicit_layout: f.workgroup_layout,
        // Device scope can be the scope of the queue family, since only one family is used.
        vulkan_memory_model: f.vulkan_memory_model,
        max_push_constants: limits.max_push_constants_size,
        addresses: f.device_addresses,
        // Where the device also has addresses, bindings only pay off if the descriptors can be pushed.
        max_buffer_descriptors: match f.device_addresses {
            true => a.max_push_descriptors.min(buffer_descriptors),
            false => buffer_descriptors,
        },
        // A CPU device loses the alias information that it vectorises with if buffers are passed by address.
        prefer_bindings: a.is_cpu(),
        max_descriptors: limits.max_per_stage_resources,
        max_storage_images: limits.max_per_stage_descriptor_storage_images,
        image_levels: largest_image.ilog2() as u8 + 1,
        storage_image_read_any: f.core.shader_storage_image_read_without_format != 0,
        storage_image_write_any: f.core.shader_storage_image_write_without_format != 0,
        storage_image_extended_formats: f.core.shader_storage_image_extended_formats != 0,
        filters_images: f.image_filters && !q.slow_filters,
        fetches_borders: f.border_fetches,
        aliased_views: q.aliased_views,
        scatters_wide_loads: q.scattered_wide_loads,
        wrong_copysign: q.wrong_copysign,
        shifts_rotations64: q.shifted_rotations64,
        wrong_division64: q.wrong_division64,
        wrong_rounding64: q.wrong_rounding64,
        unmasked_loads: q.unmasked_loads,
        scalar_accesses: q.scalar_accesses,
        tests_in_continue: f.tests_in_continue && !q.slow_tests_in_continue,
        needs_lcssa: q.needs_lcssa,
        masked_loop_exits: q.masked_loop_exits,
        max_trip_count: q.limited_loops.then_some(quirks::MAX_TRIP_COUNT),
    }
}

fn float_controls(a: &Adapter) -> FloatControls {
    FloatControls {
        preserve16: a.floats.shader_signed_zero_inf_nan_preserve_float16 != 0,
        preserve32: a.floats.shader_signed_zero_inf_nan_preserve_float32 != 0,
        preserve64: a.floats.shader_signed_zero_inf_nan_preserve_float64 != 0,
        denorm_preserve16: a.floats.shader_denorm_preserve_float16 != 0,
        denorm_preserve32: a.floats.shader_denorm_preserve_float32 != 0 && a.features.denorms32,
        denorm_preserve64: a.floats.shader_denorm_preserve_float64 != 0,
        denorm_flush32: a.floats.shader_denorm_flush_to_zero_float32 != 0,
        rte16: a.floats.shader_rounding_mode_rte_float16 != 0,
        rte32: a.floats.shader_rounding_mode_rte_float32 != 0 && !a.quirks.unrequested_rte32,
        rte64: a.floats.shader_rounding_mode_rte_float64 != 0,
    }
}

/// Size of sub-groups, 0 if they are not usable, and the sizes that a kernel may require.
fn sub_group_size(a: &Adapter, spirv_version: (u8, u8)) -> (u32, (u32, u32)) {
    let sub = &a.subgroup;
    let limits = &a.props.limits;
    // Other operations are built from these.
    let needed = vk::SubgroupFeatureFlags::BASIC
        | vk::SubgroupFeatureFlags::VOTE
        | vk::SubgroupFeatureFlags::BALLOT
        | vk::SubgroupFeatureFlags::SHUFFLE;
    // The size must be known when a kernel is compiled. In SPIR-V 1.6 modules it may vary unless it is
    // required.
    let (low, high) = a.subgroup_size_range;
    let fixed = a.subgroup_size_required || spirv_version < (1, 6) || low == high;
    // Workgroups of kernels with sub-groups are one-dimensional.
    let lines = limits.max_compute_work_group_size[0] >= limits.max_compute_work_group_invocations;
    let size = sub.subgroup_size;
    let usable = sub.supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
        && a.features.subgroups
        && sub.supported_operations.contains(needed)
        && fixed
        && lines
        && size.is_power_of_two()
        && (2..=128).contains(&size);
    match usable {
        false => (0, (0, 0)),
        true if a.subgroup_size_required => (size, (low.max(2), high.min(128))),
        true => (size, (0, 0)),
    }
}

/// Operations of usable sub-groups.
fn sub_group_ops(a: &Adapter) -> SubgroupOps {
    let f = &a.features;
    let ops = |bit| a.subgroup.supported_operations.contains(bit);
    SubgroupOps {
        basic: true,
        vote: ops(vk::SubgroupFeatureFlags::VOTE),
        arithmetic: f.subgroup_arithmetic && ops(vk::SubgroupFeatureFlags::ARITHMETIC),
        ballot: ops(vk::SubgroupFeatureFlags::BALLOT),
        shuffle: ops(vk::SubgroupFeatureFlags::SHUFFLE),
        shuffle_relative: f.subgroup_shuffle_relative && ops(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
        clustered: ops(vk::SubgroupFeatureFlags::CLUSTERED),
        // Extended types include 64-bit ones.
        extended_types: f.core.shader_int64 != 0 && f.subgroup_extended_types,
    }
}

/// The facts that clGetDeviceInfo is answered from. `images` is the image support, or the reason why there is
/// none; `nvml` are the results of [`begin_query`].
pub fn device_info(
    a: &Adapter,
    t: &Target,
    vulkan: &VulkanTarget,
    images: Result<ImageFacts, String>,
    nvml: Nvml,
) -> DeviceInfo {
    let limits = &a.props.limits;
    let mut notes = Vec::new();
    let image = images.unwrap_or_else(|why| {
        notes.push(format!("images: {why}"));
        ImageFacts::default()
    });
    let kind = match a.props.device_type {
        vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
        vk::PhysicalDeviceType::OTHER => DeviceKind::Accelerator,
        _ => DeviceKind::Gpu,
    };
    let compute_units = compute_units(a, &mut notes);
    if let Some(count) = vulkan.max_trip_count {
        notes.push(format!("loops: the driver ends those of a work-item after {count} iterations in all"));
    }
    let (clock_mhz, nvidia) = clock_and_nvidia(a, nvml, &mut notes);
    let (global_mem_size, max_alloc_size) = memory_sizes(a, &mut notes);
    note_absent(a, t, vulkan, &mut notes);
    let (cache_size, cache_line) = if a.is_cpu() { machine::cpu_cache() } else { (0, 128) };
    // On devices without usable sub-groups each work-item is a sub-group.
    let sub_group_size = t.subgroup_size.max(1);
    let keeps_denormals = a.quirks.kept_denorms;
    DeviceInfo {
        divisible: false,
        enqueue: None,
        affinity_domains: 0,
        kind,
        name: a.name.clone(),
        vendor: conv::vendor_name(a.props.vendor_id).into(),
        vendor_id: a.props.vendor_id,
        driver_version: info::driver_version(vulkan_driver(a).trim()),
        uuid: a.ids.device_uuid,
        driver_uuid: a.ids.driver_uuid,
        luid: (a.ids.device_luid_valid != 0).then_some((a.ids.device_luid, a.ids.device_node_mask)),
        pci: a.pci,
        semaphore_imports: a.external.semaphore_imports.clone(),
        semaphore_exports: a.external.semaphore_exports.clone(),
        memory_imports: a.external.memory_imports.clone(),
        compute_units,
        clock_mhz,
        max_work_group_size: limits.max_compute_work_group_invocations,
        max_work_item_sizes: limits.max_compute_work_group_size.map(u64::from),
        local_mem_size: u64::from(limits.max_compute_shared_memory_size),
        local_mem_dedicated: kind != DeviceKind::Cpu,
        global_mem_size,
        max_alloc_size,
        max_constant_buffer_size: max_alloc_size,
        max_constant_args: 64,
        cache_size,
        cache_line,
        base_addr_align_bits: BASE_ADDR_ALIGN_BITS
            .max(limits.min_storage_buffer_offset_alignment.min(4096) as u32 * 8),
        host_unified_memory: a.is_unified(),
        max_parameter_size: MAX_PARAMETER_SIZE,
        max_num_sub_groups: limits.max_compute_work_group_invocations.div_ceil(sub_group_size),
        sub_group_size,
        sub_group_sizes: t.sub_group_sizes().into_iter().map(|size| size as usize).collect(),
        timer_resolution_ns: (limits.timestamp_period.ceil() as u64).max(1),
        fp16: t.float16,
        fp64: t.float64,
        dot_accelerated: a.dot_accelerated,
        subgroup_clock: t.subgroup_clock,
        device_clock: t.device_clock,
        int64_atomics: t.buffer_int64_atomics && t.shared_int64_atomics,
        zero_local: a.features.zero_workgroup,
        denorm16: t.float_controls.denorm_preserve16 || keeps_denormals,
        denorm32: t.denorms32 == Denorms32::Kept && (t.float_controls.denorm_preserve32 || keeps_denormals),
        denorm64: t.float_controls.denorm_preserve64 || (t.float64 && a.quirks.kept_denorms64),
        fast_fma32: t.exact_fma32,
        correctly_rounded_div_sqrt: t.exact_div32 && t.exact_sqrt32,
        little_endian: cfg!(target_endian = "little"),
        ecc: false,
        buffer_addresses: a.features.buffer_addresses,
        // Determined when the device is open.
        sharing: AddressSharing::None,
        host_import_alignment: 0,
        images: !image.formats.is_empty(),
        nvidia,
        image,
        elsewhere: Vec::new(),
        notes,
    }
}

fn compute_units(a: &Adapter, notes: &mut Vec<String>) -> u32 {
    if a.is_cpu() {
        return machine::cores();
    }
    a.sm_count.or(a.amd_cus).filter(|n| *n > 0).unwrap_or_else(|| {
        notes.push("compute units: not reported by the driver, 1 assumed".into());
        1
    })
}

fn is_nvidia(a: &Adapter) -> bool {
    a.quirks.cuda_attributes && !a.is_cpu()
}

/// Begins to query what Vulkan does not report about the device.
pub fn begin_query(a: &Adapter) -> Option<nvml::Query> {
    a.pci.filter(|_| is_nvidia(a)).map(nvml::Query::begin)
}

/// The clock frequency in MHz, 0 if unknown, and the facts about NVIDIA's devices.
fn clock_and_nvidia(a: &Adapter, nvml: Nvml, notes: &mut Vec<String>) -> (u32, Option<NvidiaFacts>) {
    let clock_mhz = match nvml.clock_mhz {
        Some(mhz) => mhz,
        None if a.is_cpu() => machine::cpu_mhz(),
        None => machine::gpu_mhz(a.props.vendor_id, a.pci),
    };
    let sources = nvidia::NvidiaSources {
        capability: a.cuda_capability,
        nvml,
        sub_group_size: a.subgroup.subgroup_size,
        has_copy_engines: a.has_copy_engines,
        integrated: a.is_unified(),
    };
    let facts = is_nvidia(a).then(|| nvidia::facts(&sources)).flatten();
    if is_nvidia(a) && facts.is_none() {
        notes.push("cl_nv_device_attribute_query: compute capability or display unknown".into());
    }
    if clock_mhz == 0 {
        notes.push("clock frequency: unknown".into());
    }
    (clock_mhz, facts)
}

/// Bytes of global memory, and of the largest allocation.
fn memory_sizes(a: &Adapter, notes: &mut Vec<String>) -> (u64, u64) {
    let heaps = a.memory.memory_heaps_as_slice();
    let local = heaps.iter().filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL)).map(|h| h.size);
    // A multiple of four pages: the largest allocation is whole pages and at least a quarter.
    let mut global = local.clone().sum::<u64>() & !0x3fff;
    // maxMemoryAllocationSize is a lower bound of what drivers accept; OpenCL requires at least a quarter of
    // the memory.
    let mut largest = a
        .maint3
        .max_memory_allocation_size
        .min(a.max_buffer_size)
        .min(local.max().unwrap_or(global))
        .max(global / 4)
        & !0xfff;
    if !a.features.device_addresses {
        // A buffer must fit a descriptor, and offsets into it 31 bits. A device with less than 1 GiB per
        // allocation must not report more than four times that as its memory.
        let range = u64::from(a.props.limits.max_storage_buffer_range);
        largest = largest.min(range).min((1 << 31) - 4096) & !0xfff;
        if largest < 1 << 30 {
            global = global.min(4 * largest);
            notes.push(
                "global memory: reported as four times what a buffer can have without device addresses"
                    .into(),
            );
        }
    }
    (global, largest)
}

/// Notes the features that the device lacks.
fn note_absent(a: &Adapter, t: &Target, vulkan: &VulkanTarget, notes: &mut Vec<String>) {
    for (have, what) in [
        (t.int8, "8-bit integers"),
        (t.int16, "16-bit integers"),
        (t.float16, "half"),
        (t.float64, "double"),
        (vulkan.storage8, "8-bit storage"),
        (vulkan.storage16, "16-bit storage"),
        (t.buffer_int64_atomics && t.shared_int64_atomics, "64-bit atomics"),
        (vulkan.vulkan_memory_model, "Vulkan memory model"),
        (vulkan.addresses, "device addresses of buffers"),
        (a.max_push_descriptors > 0, "push descriptors"),
        (t.subgroup_size > 0, "sub-groups of more than one work-item"),
        (a.host_import_alignment > 0, "import of host memory"),
    ] {
        if !have {
            notes.push(format!("{what}: not offered by the Vulkan device, or hidden"));
        }
    }
}

/// Name and version of the Vulkan driver.
fn vulkan_driver(a: &Adapter) -> String {
    let text =
        |t: Result<&std::ffi::CStr, _>| t.map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
    let name = text(a.driver.driver_name_as_c_str().map_err(|_| ()));
    let info = text(a.driver.driver_info_as_c_str().map_err(|_| ()));
    if info.is_empty() {
        format!("{name} {}", conv::driver_version(a.quirks.four_part_version, a.props.driver_version))
    } else {
        format!("{name} {info}")
    }
}
