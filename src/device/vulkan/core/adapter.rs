//! A physical device: the driver's reported properties, and whether the device is usable.
//!
//! Everything is queried once into plain values; later code never queries the driver again. Structures of
//! Vulkan 1.3 and of extensions are only chained where the device supports them.

use super::ext::Extensions;
use super::external::External;
use super::instance::Instance;
use super::quirks::{Driver, Quirks};
use ash::vk;
use clspv_bridge::target::FloatAtomics;

/// Properties of a physical device that passed [`Adapter::open`].
pub struct Adapter {
    pub physical: vk::PhysicalDevice,
    pub api: u32,
    pub ext: Extensions,
    pub name: String,
    pub props: vk::PhysicalDeviceProperties,
    pub ids: vk::PhysicalDeviceIDProperties<'static>,
    pub driver: vk::PhysicalDeviceDriverProperties<'static>,
    pub quirks: Quirks,
    pub subgroup: vk::PhysicalDeviceSubgroupProperties<'static>,
    pub floats: vk::PhysicalDeviceFloatControlsProperties<'static>,
    pub maint3: vk::PhysicalDeviceMaintenance3Properties<'static>,
    pub max_buffer_size: u64,
    /// Smallest and largest sub-group size; both 0 if the driver does not report them.
    pub subgroup_size_range: (u32, u32),
    /// Compute pipelines may require a size in that range.
    pub subgroup_size_required: bool,
    /// Maximum sub-groups of a workgroup with a required size.
    pub max_workgroup_subgroups: u32,
    /// Accelerated dot products: signed, unsigned, mixed, then each with saturating accumulation; of byte
    /// vectors, and of packed bytes.
    pub dot_accelerated: [[bool; 6]; 2],
    pub max_push_descriptors: u32,
    pub host_import_alignment: u64,
    pub external: External,
    pub pci: Option<[u32; 4]>,
    pub sm_count: Option<u32>,
    pub amd_cus: Option<u32>,
    /// CUDA's compute capability of an NVIDIA GPU, major and minor number.
    pub cuda_capability: Option<(u32, u32)>,
    /// The device has queue families for transfers only.
    pub has_copy_engines: bool,
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Queue family, number of queues and valid timestamp bits.
    pub family: u32,
    pub family_queues: u32,
    pub timestamp_bits: u32,
    pub features: AdapterFeatures,
}

// SAFETY: the chain pointers of the property structures are null; everything else is plain data.
unsafe impl Send for Adapter {}
// SAFETY: as above.
unsafe impl Sync for Adapter {}

/// Features in use; each is enabled on the logical device exactly when true here.
#[derive(Clone, Copy, Default, Debug)]
pub struct AdapterFeatures {
    pub core: vk::PhysicalDeviceFeatures,
    pub int8: bool,
    pub float16: bool,
    pub storage8: bool,
    pub storage16: bool,
    pub buffer_int64_atomics: bool,
    pub shared_int64_atomics: bool,
    pub buffer_float_atomics: FloatAtomics,
    pub shared_float_atomics: FloatAtomics,
    /// Buffers have device addresses; otherwise kernels receive descriptors and virtual addresses (`memory`).
    pub device_addresses: bool,
    pub scalar_block_layout: bool,
    pub vulkan_memory_model: bool,
    pub vulkan_memory_model_device_scope: bool,
    pub variable_pointers: bool,
    pub variable_pointers_buffer: bool,
    /// Sub-group support, and the supported classes of operations.
    pub subgroups: bool,
    pub subgroup_arithmetic: bool,
    pub subgroup_shuffle_relative: bool,
    pub subgroup_extended_types: bool,
    pub host_query_reset: bool,
    pub uniform_buffer_standard_layout: bool,
    /// Workgroup memory can be zero-initialised.
    pub zero_workgroup: bool,
    pub workgroup_layout: bool,
    pub workgroup_layout_scalar: bool,
    pub workgroup_layout_8: bool,
    pub workgroup_layout_16: bool,
    pub integer_dot_product: bool,
    pub subgroup_clock: bool,
    pub device_clock: bool,
    pub maintenance4: bool,
    pub subgroup_size_control: bool,
    pub full_subgroups: bool,
    /// Features that are always present but can be hidden, to make any device behave like another: buffers
    /// bound to descriptors, host-visible buffers, imported host memory.
    pub bindings: bool,
    pub mapped_buffers: bool,
    /// Buffer addresses that applications see; host addresses that kernels can use; host memory at device
    /// addresses.
    pub buffer_addresses: bool,
    pub host_addresses: bool,
    pub placed_memory: bool,
    /// The driver reports the execution modes of floating-point arithmetic.
    pub float_controls: bool,
    /// Single-precision arithmetic may preserve denormals.
    pub denorms32: bool,
    /// Loops have the form that most drivers handle best (see `VulkanTarget::tests_in_continue`).
    pub tests_in_continue: bool,
    /// Images can be read and written by one kernel.
    pub read_write_images: bool,
    pub host_import: bool,
    /// Threads create pipelines ahead of the first launch.
    pub pipelines_ahead: bool,
    /// Submissions that signal a semaphore are not known to be slow (see `submit::timeline`).
    pub quick_signals: bool,
    /// The driver reports the addresses of faults.
    pub device_fault: bool,
    /// The driver has statistics on compiled pipelines.
    pub pipeline_statistics: bool,
}

impl Adapter {
    /// Queries everything, or returns why the device cannot be used.
    pub fn open(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        hidden: &[String],
    ) -> Result<Adapter, String> {
        let vki = &instance.raw;
        // SAFETY: the handle comes from this instance.
        let props = unsafe { vki.get_physical_device_properties(physical) };
        let name = props.device_name_as_c_str().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let api = props.api_version.min(instance.api);
        if api < vk::API_VERSION_1_2 {
            return Err(format!("{name}: Vulkan 1.{} only", vk::api_version_minor(props.api_version)));
        }
        // SAFETY: as above.
        let list = unsafe { vki.enumerate_device_extension_properties(physical) }
            .map_err(|e| format!("{name}: {e:?}"))?;
        let ext = Extensions::new(&list, api);
        let reported = Properties::query(instance, physical, &ext);
        let features = AdapterFeatures::query(instance, physical, &ext, hidden)
            .map_err(|missing| format!("{name}: no {missing}"))?;

        // SAFETY: as above.
        let families = unsafe { vki.get_physical_device_queue_family_properties(physical) };
        let driver = Driver { id: reported.driver.driver_id, vendor: props.vendor_id };
        let quirks = Quirks::of(driver, hidden);
        let family = compute_family(&families, !quirks.graphics_family)
            .ok_or_else(|| format!("{name}: no compute queue"))?;
        // SAFETY: as above.
        let memory = unsafe { vki.get_physical_device_memory_properties(physical) };
        let (family_queues, timestamp_bits) =
            (families[family].queue_count, families[family].timestamp_valid_bits);
        let Properties { ids, driver, subgroup, floats, maint3, sizes, .. } = reported;
        Ok(Adapter {
            physical,
            api,
            name,
            props,
            ids,
            driver,
            quirks,
            subgroup,
            floats: if features.float_controls { floats } else { Default::default() },
            maint3,
            // Without maintenance4 the guaranteed size of an allocation bounds buffers too.
            max_buffer_size: reported
                .maint4
                .map_or(maint3.max_memory_allocation_size, |maint4| maint4.max_buffer_size),
            subgroup_size_range: sizes.map_or((0, 0), |s| (s.min_subgroup_size, s.max_subgroup_size)),
            subgroup_size_required: features.subgroup_size_control
                && sizes
                    .is_some_and(|s| s.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE)),
            max_workgroup_subgroups: sizes.map_or(0, |s| s.max_compute_workgroup_subgroups),
            dot_accelerated: reported
                .dots
                .filter(|_| features.integer_dot_product)
                .map_or_else(Default::default, |dots| accelerated(&dots)),
            max_push_descriptors: reported
                .push
                .filter(|_| features.bindings)
                .map_or(0, |push| push.max_push_descriptors),
            host_import_alignment: reported.host.map_or(0, |host| host.min_imported_host_pointer_alignment),
            external: External::of(instance, physical, &ext, features.device_addresses),
            pci: reported.pci.map(|pci| [pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function]),
            sm_count: reported.sm.map(|sm| sm.shader_sm_count),
            amd_cus: reported.amd.map(|amd| {
                amd.shader_engine_count
                    * amd.shader_arrays_per_engine_count
                    * amd.compute_units_per_shader_array
            }),
            cuda_capability: reported
                .cuda
                .map(|cuda| (cuda.compute_capability_major, cuda.compute_capability_minor)),
            has_copy_engines: families.iter().any(copies_only),
            memory,
            family: family as u32,
            family_queues,
            timestamp_bits,
            ext,
            features,
        })
    }

    /// Whether the device is a software rasteriser, on the host's processors and memory.
    pub fn is_cpu(&self) -> bool {
        self.props.device_type == vk::PhysicalDeviceType::CPU
    }

    /// The size that the pipeline of a kernel with sub-groups of `size` must require; `None` where the device
    /// has only one size.
    pub fn required_sub_group_size(&self, size: u32) -> Option<u32> {
        let (low, high) = self.subgroup_size_range;
        (size > 1 && low != high && self.subgroup_size_required).then_some(size)
    }

    /// Whether VkQueues take turns rather than overlap: those of the family with graphics, where a wait for
    /// another VkQueue takes 0.2 ms (NVIDIA 580).
    pub fn has_serial_queues(&self) -> bool {
        self.quirks.graphics_family
    }

    /// Whether host and device share their memory.
    pub fn is_unified(&self) -> bool {
        self.is_cpu() || self.props.device_type == vk::PhysicalDeviceType::INTEGRATED_GPU
    }
}

/// Properties that the driver reports; `None` for extensions that the device lacks.
#[derive(Default)]
struct Properties {
    ids: vk::PhysicalDeviceIDProperties<'static>,
    driver: vk::PhysicalDeviceDriverProperties<'static>,
    subgroup: vk::PhysicalDeviceSubgroupProperties<'static>,
    floats: vk::PhysicalDeviceFloatControlsProperties<'static>,
    maint3: vk::PhysicalDeviceMaintenance3Properties<'static>,
    maint4: Option<vk::PhysicalDeviceMaintenance4Properties<'static>>,
    sizes: Option<vk::PhysicalDeviceSubgroupSizeControlProperties<'static>>,
    dots: Option<vk::PhysicalDeviceShaderIntegerDotProductProperties<'static>>,
    push: Option<vk::PhysicalDevicePushDescriptorPropertiesKHR<'static>>,
    host: Option<vk::PhysicalDeviceExternalMemoryHostPropertiesEXT<'static>>,
    pci: Option<vk::PhysicalDevicePCIBusInfoPropertiesEXT<'static>>,
    sm: Option<vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'static>>,
    amd: Option<vk::PhysicalDeviceShaderCorePropertiesAMD<'static>>,
    cuda: Option<vk::PhysicalDeviceCudaKernelLaunchPropertiesNV<'static>>,
}

impl Properties {
    fn query(instance: &Instance, physical: vk::PhysicalDevice, ext: &Extensions) -> Properties {
        let mut p = Properties::default();
        let mut p2 = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut p.ids)
            .push_next(&mut p.driver)
            .push_next(&mut p.subgroup)
            .push_next(&mut p.floats)
            .push_next(&mut p.maint3);
        if ext.provides(ash::khr::maintenance4::NAME) {
            p2 = p2.push_next(p.maint4.insert(Default::default()));
        }
        if ext.provides(ash::ext::subgroup_size_control::NAME) {
            p2 = p2.push_next(p.sizes.insert(Default::default()));
        }
        if ext.provides(ash::khr::shader_integer_dot_product::NAME) {
            p2 = p2.push_next(p.dots.insert(Default::default()));
        }
        if ext.has(ash::khr::push_descriptor::NAME) {
            p2 = p2.push_next(p.push.insert(Default::default()));
        }
        if ext.has(ash::ext::external_memory_host::NAME) {
            p2 = p2.push_next(p.host.insert(Default::default()));
        }
        if ext.has(ash::ext::pci_bus_info::NAME) {
            p2 = p2.push_next(p.pci.insert(Default::default()));
        }
        if ext.has(ash::nv::shader_sm_builtins::NAME) {
            p2 = p2.push_next(p.sm.insert(Default::default()));
        }
        if ext.has(ash::amd::shader_core_properties::NAME) {
            p2 = p2.push_next(p.amd.insert(Default::default()));
        }
        if ext.has(ash::nv::cuda_kernel_launch::NAME) {
            p2 = p2.push_next(p.cuda.insert(Default::default()));
        }
        // SAFETY: every chained structure belongs to the device's version or to an extension it has.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut p2) };
        // The adapter keeps these, without the chain.
        p.ids.p_next = std::ptr::null_mut();
        p.driver.p_next = std::ptr::null_mut();
        p.subgroup.p_next = std::ptr::null_mut();
        p.floats.p_next = std::ptr::null_mut();
        p.maint3.p_next = std::ptr::null_mut();
        p
    }
}

/// See [`Adapter::dot_accelerated`].
fn accelerated(p: &vk::PhysicalDeviceShaderIntegerDotProductProperties<'_>) -> [[bool; 6]; 2] {
    [
        [
            p.integer_dot_product8_bit_signed_accelerated,
            p.integer_dot_product8_bit_unsigned_accelerated,
            p.integer_dot_product8_bit_mixed_signedness_accelerated,
            p.integer_dot_product_accumulating_saturating8_bit_signed_accelerated,
            p.integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated,
            p.integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated,
        ],
        [
            p.integer_dot_product4x8_bit_packed_signed_accelerated,
            p.integer_dot_product4x8_bit_packed_unsigned_accelerated,
            p.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated,
            p.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
            p.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
            p.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
        ],
    ]
    .map(|list| list.map(|b| b != vk::FALSE))
}

/// Features that the driver reports; none of extensions that the device lacks.
#[derive(Default)]
struct Reported {
    core: vk::PhysicalDeviceFeatures,
    f11: vk::PhysicalDeviceVulkan11Features<'static>,
    f12: vk::PhysicalDeviceVulkan12Features<'static>,
    sync2: vk::PhysicalDeviceSynchronization2Features<'static>,
    maint4: vk::PhysicalDeviceMaintenance4Features<'static>,
    dot: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    sizes: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    atomics: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    atomics2: vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>,
    layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    zeros: vk::PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures<'static>,
    fault: vk::PhysicalDeviceFaultFeaturesEXT<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
}

/// Whether a reported feature is in use, by its name in `PYROCLAST_FEATURES`.
type IsOn<'a> = dyn Fn(&str, vk::Bool32) -> bool + 'a;

impl Reported {
    fn query(instance: &Instance, physical: vk::PhysicalDevice, ext: &Extensions) -> Reported {
        let mut r = Reported::default();
        let mut f2 = vk::PhysicalDeviceFeatures2::default().push_next(&mut r.f11).push_next(&mut r.f12);
        if ext.provides(ash::khr::synchronization2::NAME) {
            f2 = f2.push_next(&mut r.sync2);
        }
        if ext.provides(ash::khr::maintenance4::NAME) {
            f2 = f2.push_next(&mut r.maint4);
        }
        if ext.provides(ash::khr::shader_integer_dot_product::NAME) {
            f2 = f2.push_next(&mut r.dot);
        }
        if ext.provides(ash::ext::subgroup_size_control::NAME) {
            f2 = f2.push_next(&mut r.sizes);
        }
        if ext.has(ash::ext::shader_atomic_float::NAME) {
            f2 = f2.push_next(&mut r.atomics);
        }
        if ext.has(ash::ext::shader_atomic_float2::NAME) {
            f2 = f2.push_next(&mut r.atomics2);
        }
        if ext.has(ash::khr::workgroup_memory_explicit_layout::NAME) {
            f2 = f2.push_next(&mut r.layout);
        }
        if ext.has(ash::khr::shader_clock::NAME) {
            f2 = f2.push_next(&mut r.clock);
        }
        if ext.provides(ash::khr::zero_initialize_workgroup_memory::NAME) {
            f2 = f2.push_next(&mut r.zeros);
        }
        if ext.has(ash::khr::pipeline_executable_properties::NAME) {
            f2 = f2.push_next(&mut r.executables);
        }
        if ext.has(ash::ext::device_fault::NAME) {
            f2 = f2.push_next(&mut r.fault);
        }
        // SAFETY: every chained structure belongs to the device's version or to an extension it has.
        unsafe { instance.raw.get_physical_device_features2(physical, &mut f2) };
        r.core = f2.features;
        r
    }

    fn core_features(&self, on: &IsOn<'_>) -> vk::PhysicalDeviceFeatures {
        let flag = |name: &str, have: vk::Bool32| u32::from(on(name, have));
        vk::PhysicalDeviceFeatures {
            shader_int64: flag("int64", self.core.shader_int64),
            shader_int16: flag("int16", self.core.shader_int16),
            shader_float64: flag("float64", self.core.shader_float64),
            shader_storage_image_read_without_format: flag(
                "images",
                flag("formatless_reads", self.core.shader_storage_image_read_without_format),
            ),
            shader_storage_image_extended_formats: flag(
                "images",
                self.core.shader_storage_image_extended_formats,
            ),
            shader_storage_image_write_without_format: flag(
                "images",
                self.core.shader_storage_image_write_without_format,
            ),
            ..Default::default()
        }
    }

    fn buffer_float_atomics(&self, on: &IsOn<'_>) -> FloatAtomics {
        FloatAtomics {
            add16: on("float_atomics", self.atomics2.shader_buffer_float16_atomic_add),
            add32: on("float_atomics", self.atomics.shader_buffer_float32_atomic_add),
            add64: on("float_atomics", self.atomics.shader_buffer_float64_atomic_add),
            min_max16: on("float_atomics", self.atomics2.shader_buffer_float16_atomic_min_max),
            min_max32: on("float_atomics", self.atomics2.shader_buffer_float32_atomic_min_max),
            min_max64: on("float_atomics", self.atomics2.shader_buffer_float64_atomic_min_max),
        }
    }

    fn shared_float_atomics(&self, on: &IsOn<'_>) -> FloatAtomics {
        FloatAtomics {
            add16: on("float_atomics", self.atomics2.shader_shared_float16_atomic_add),
            add32: on("float_atomics", self.atomics.shader_shared_float32_atomic_add),
            add64: on("float_atomics", self.atomics.shader_shared_float64_atomic_add),
            min_max16: on("float_atomics", self.atomics2.shader_shared_float16_atomic_min_max),
            min_max32: on("float_atomics", self.atomics2.shader_shared_float32_atomic_min_max),
            min_max64: on("float_atomics", self.atomics2.shader_shared_float64_atomic_min_max),
        }
    }
}

impl AdapterFeatures {
    fn query(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        ext: &Extensions,
        hidden: &[String],
    ) -> Result<AdapterFeatures, &'static str> {
        let reported = Reported::query(instance, physical, ext);
        let Reported { f11, f12, sync2, maint4, dot, sizes, layout, clock, zeros, fault, .. } = &reported;
        let needed =
            [(f12.timeline_semaphore, "timelineSemaphore"), (sync2.synchronization2, "synchronization2")];
        if let Some((_, missing)) = needed.iter().find(|(have, _)| *have == vk::FALSE) {
            return Err(missing);
        }
        let on = &|name: &str, have: vk::Bool32| {
            have != 0 && !hidden.iter().any(|h| h.trim_start_matches('-') == name)
        };
        Ok(AdapterFeatures {
            core: reported.core_features(on),
            int8: on("int8", f12.shader_int8),
            float16: on("float16", f12.shader_float16),
            storage8: on("storage8", f12.storage_buffer8_bit_access),
            storage16: on("storage16", f11.storage_buffer16_bit_access),
            buffer_int64_atomics: on("int64_atomics", f12.shader_buffer_int64_atomics),
            shared_int64_atomics: on("int64_atomics", f12.shader_shared_int64_atomics),
            buffer_float_atomics: reported.buffer_float_atomics(on),
            shared_float_atomics: reported.shared_float_atomics(on),
            device_addresses: on("buffer_device_address", f12.buffer_device_address),
            scalar_block_layout: on("scalar_block_layout", f12.scalar_block_layout),
            vulkan_memory_model: on("vulkan_memory_model", f12.vulkan_memory_model),
            vulkan_memory_model_device_scope: on("vulkan_memory_model", f12.vulkan_memory_model_device_scope),
            variable_pointers: on(
                "variable_pointers",
                f11.variable_pointers & f11.variable_pointers_storage_buffer,
            ),
            variable_pointers_buffer: on("variable_pointers", f11.variable_pointers_storage_buffer),
            subgroups: on("subgroups", vk::TRUE),
            subgroup_arithmetic: on("subgroup_arithmetic", vk::TRUE),
            subgroup_shuffle_relative: on("subgroup_shuffle_relative", vk::TRUE),
            subgroup_extended_types: on("subgroup_extended_types", f12.shader_subgroup_extended_types),
            host_query_reset: f12.host_query_reset != 0,
            uniform_buffer_standard_layout: f12.uniform_buffer_standard_layout != 0,
            zero_workgroup: on("zero_workgroup", zeros.shader_zero_initialize_workgroup_memory),
            workgroup_layout: on("workgroup_explicit_layout", layout.workgroup_memory_explicit_layout),
            workgroup_layout_scalar: on(
                "workgroup_explicit_layout",
                layout.workgroup_memory_explicit_layout_scalar_block_layout,
            ),
            workgroup_layout_8: on(
                "workgroup_explicit_layout",
                layout.workgroup_memory_explicit_layout8_bit_access,
            ),
            workgroup_layout_16: on(
                "workgroup_explicit_layout",
                layout.workgroup_memory_explicit_layout16_bit_access,
            ),
            integer_dot_product: on("integer_dot_product", dot.shader_integer_dot_product),
            subgroup_clock: on("shader_clock", clock.shader_subgroup_clock),
            device_clock: on("shader_clock", clock.shader_device_clock),
            maintenance4: on("maintenance4", maint4.maintenance4),
            subgroup_size_control: on("subgroup_size_control", sizes.subgroup_size_control),
            full_subgroups: on("subgroup_size_control", sizes.compute_full_subgroups),
            bindings: on("bindings", vk::TRUE),
            float_controls: on("float_controls", vk::TRUE),
            denorms32: on("denorms32", vk::TRUE),
            tests_in_continue: on("tests_in_continue", vk::TRUE),
            read_write_images: on("read_write_images", vk::TRUE),
            mapped_buffers: on("mapped_buffers", vk::TRUE),
            host_import: on("host_import", vk::TRUE),
            buffer_addresses: on("buffer_addresses", vk::TRUE)
                && on("buffer_device_address", f12.buffer_device_address),
            host_addresses: on("host_addresses", vk::TRUE),
            placed_memory: on("placed_memory", vk::TRUE),
            pipelines_ahead: on("pipelines_ahead", vk::TRUE),
            quick_signals: on("quick_signals", vk::TRUE),
            device_fault: fault.device_fault != 0,
            pipeline_statistics: reported.executables.pipeline_executable_info != 0,
        })
    }
}

fn computes(family: &vk::QueueFamilyProperties) -> bool {
    family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0
}

fn copies_only(family: &vk::QueueFamilyProperties) -> bool {
    let kinds = vk::QueueFlags::TRANSFER | vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
    family.queue_flags & kinds == vk::QueueFlags::TRANSFER
}

/// The queue family to use. One without graphics is scheduled `apart` from the desktop's rendering, but see
/// [`Quirks::graphics_family`].
fn compute_family(families: &[vk::QueueFamilyProperties], apart: bool) -> Option<usize> {
    let graphics = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    let wanted =
        |f: &vk::QueueFamilyProperties| computes(f) && graphics(f) != apart && f.timestamp_valid_bits > 0;
    families.iter().position(wanted).or_else(|| families.iter().position(computes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_of_the_family_that_works() {
        let family = |queue_flags, timestamp_valid_bits| vk::QueueFamilyProperties {
            queue_flags,
            queue_count: 8,
            timestamp_valid_bits,
            ..Default::default()
        };
        let (compute, graphics) =
            (vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER, vk::QueueFlags::GRAPHICS);
        let all = [family(vk::QueueFlags::TRANSFER, 64), family(compute | graphics, 64), family(compute, 64)];
        assert_eq!((compute_family(&all, true), compute_family(&all, false)), (Some(2), Some(1)));
        assert_eq!((compute_family(&all[2..], false), compute_family(&all[..2], true)), (Some(0), Some(1)));
        let untimed = [family(compute | graphics, 64), family(compute, 0)];
        assert_eq!(compute_family(&untimed, true), Some(0));
        assert_eq!(compute_family(&all[..1], true), None);
        assert!(copies_only(&all[0]) && !copies_only(&all[2]));
    }
}
