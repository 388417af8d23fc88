//! Features of a device: what its driver reports, what is used, and what the logical device is made with.
//!
//! Each extension has its own structure, also where a later version of Vulkan includes the extension: devices
//! of Vulkan 1.1 know no others. Those of Vulkan 1.0 may know none ([`Extensions::queries2`]).

use super::ext::Extensions;
use super::instance::Instance;
use ash::vk;
use clspv_bridge::target::FloatAtomics;
use std::ffi::CStr;

/// Features in use; each is enabled on the logical device exactly when true here.
#[derive(Clone, Copy, Default, Debug)]
pub struct AdapterFeatures {
    pub core: vk::PhysicalDeviceFeatures,
    pub synchronization2: bool,
    /// Without it there is one VkQueue, and fences show what is complete (`submit::timeline`).
    pub timeline_semaphore: bool,
    /// Vulkan 1.1 with SPIR-V 1.4; later versions have newer ones.
    pub spirv_1_4: bool,
    /// SPIR-V has the storage class of storage buffers.
    pub storage_buffer_class: bool,
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
    pub integer_dot_product: bool,
    pub subgroup_clock: bool,
    pub device_clock: bool,
    pub maintenance4: bool,
    pub subgroup_size_control: bool,
    pub full_subgroups: bool,
    /// Features that are always present but can be hidden, to make any device behave like another: buffers
    /// bound to descriptors, host-visible buffers, imported host memory.
    pub bindings: bool,
    /// Kernels may have more buffer descriptors than every Vulkan device has.
    pub many_descriptors: bool,
    pub mapped_buffers: bool,
    /// Processors and integrated GPUs share their memory with the host; hidden, it is as if across a bus.
    pub unified_memory: bool,
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
    /// Texture units read images with a linear filter.
    pub image_filters: bool,
    /// Reads of texels outside of an image return the border of its format.
    pub border_fetches: bool,
    pub host_import: bool,
    /// New views and pipelines can be used at once, as far as is known.
    pub immediate_uploads: bool,
    /// Submissions to several VkQueues may be made at the same time, as far as is known.
    pub parallel_submissions: bool,
    /// Threads create pipelines ahead of the first launch.
    pub pipelines_ahead: bool,
    /// Submissions that signal a semaphore are not known to be slow (see `submit::timeline`).
    pub quick_signals: bool,
    /// The driver reports the addresses of faults.
    pub device_fault: bool,
    /// Images of the format B8G8R8A8 have every use, that of storage images included, which Vulkan does not
    /// require.
    pub bgra_images: bool,
    /// The driver has statistics on compiled pipelines.
    pub pipeline_statistics: bool,
}

macro_rules! structures {
    ($($name:ident: $ty:ident, $extension:expr;)*) => {
        /// The structures of features, as reported or requested.
        #[derive(Default)]
        pub struct FeatureStructures {
            core: vk::PhysicalDeviceFeatures,
            $($name: vk::$ty<'static>,)*
        }

        impl FeatureStructures {
            /// The features of Vulkan 1.0.
            pub fn core(&self) -> &vk::PhysicalDeviceFeatures {
                &self.core
            }

            /// The head of the chain of the structures that the device knows.
            pub fn chain(&mut self, ext: &Extensions) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut head = vk::PhysicalDeviceFeatures2::default().features(self.core);
                $(
                    let extension: &CStr = $extension;
                    if ext.provides(extension) {
                        head = head.push_next(&mut self.$name);
                    }
                )*
                head
            }
        }
    };
}

structures! {
    storage16: PhysicalDevice16BitStorageFeatures, ash::khr::_16bit_storage::NAME;
    pointers: PhysicalDeviceVariablePointersFeatures, ash::khr::variable_pointers::NAME;
    storage8: PhysicalDevice8BitStorageFeatures, ash::khr::_8bit_storage::NAME;
    small: PhysicalDeviceShaderFloat16Int8Features, ash::khr::shader_float16_int8::NAME;
    atomics64: PhysicalDeviceShaderAtomicInt64Features, ash::khr::shader_atomic_int64::NAME;
    addresses: PhysicalDeviceBufferDeviceAddressFeatures, ash::khr::buffer_device_address::NAME;
    scalars: PhysicalDeviceScalarBlockLayoutFeatures, ash::ext::scalar_block_layout::NAME;
    memory_model: PhysicalDeviceVulkanMemoryModelFeatures, ash::khr::vulkan_memory_model::NAME;
    subgroup_types: PhysicalDeviceShaderSubgroupExtendedTypesFeatures,
        ash::khr::shader_subgroup_extended_types::NAME;
    uniform_layout: PhysicalDeviceUniformBufferStandardLayoutFeatures,
        ash::khr::uniform_buffer_standard_layout::NAME;
    query_reset: PhysicalDeviceHostQueryResetFeatures, ash::ext::host_query_reset::NAME;
    timeline: PhysicalDeviceTimelineSemaphoreFeatures, ash::khr::timeline_semaphore::NAME;
    sync2: PhysicalDeviceSynchronization2Features, ash::khr::synchronization2::NAME;
    maintenance4: PhysicalDeviceMaintenance4Features, ash::khr::maintenance4::NAME;
    dot: PhysicalDeviceShaderIntegerDotProductFeatures, ash::khr::shader_integer_dot_product::NAME;
    sizes: PhysicalDeviceSubgroupSizeControlFeatures, ash::ext::subgroup_size_control::NAME;
    zeros: PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures,
        ash::khr::zero_initialize_workgroup_memory::NAME;
    atomics: PhysicalDeviceShaderAtomicFloatFeaturesEXT, ash::ext::shader_atomic_float::NAME;
    atomics2: PhysicalDeviceShaderAtomicFloat2FeaturesEXT, ash::ext::shader_atomic_float2::NAME;
    layout: PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR,
        ash::khr::workgroup_memory_explicit_layout::NAME;
    clock: PhysicalDeviceShaderClockFeaturesKHR, ash::khr::shader_clock::NAME;
    robust: PhysicalDeviceRobustness2FeaturesEXT, ash::ext::robustness2::NAME;
    fault: PhysicalDeviceFaultFeaturesEXT, ash::ext::device_fault::NAME;
    executables: PhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
        ash::khr::pipeline_executable_properties::NAME;
}

/// Whether a reported feature is in use, by its name in `PYROCLAST_FEATURES`.
type IsOn<'a> = dyn Fn(&str, vk::Bool32) -> bool + 'a;

impl FeatureStructures {
    fn query(instance: &Instance, physical: vk::PhysicalDevice, ext: &Extensions) -> FeatureStructures {
        let mut r = FeatureStructures::default();
        if !ext.queries2 {
            // SAFETY: the handle comes from this instance.
            r.core = unsafe { instance.raw.get_physical_device_features(physical) };
            return r;
        }
        let mut head = r.chain(ext);
        // SAFETY: every chained structure belongs to the device's version or to an extension it has.
        unsafe { instance.raw.get_physical_device_features2(physical, &mut head) };
        r.core = head.features;
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
                flag("formatless_writes", self.core.shader_storage_image_write_without_format),
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

/// See [`AdapterFeatures::bgra_images`].
fn has_bgra_images(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    let format = vk::Format::B8G8R8A8_UNORM;
    // SAFETY: the handle comes from this instance.
    let properties = unsafe { instance.raw.get_physical_device_format_properties(physical, format) };
    properties
        .optimal_tiling_features
        .contains(vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::STORAGE_IMAGE)
}

impl AdapterFeatures {
    /// The features that the driver reports, without hidden ones.
    pub fn query(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        ext: &Extensions,
        hidden: &[String],
    ) -> AdapterFeatures {
        let r = &FeatureStructures::query(instance, physical, ext);
        let on = &|name: &str, have: vk::Bool32| {
            have != 0 && !hidden.iter().any(|h| h.trim_start_matches('-') == name)
        };
        let storage_buffer_class =
            on("storage_buffer_class", u32::from(ext.provides(ash::khr::storage_buffer_storage_class::NAME)));
        // Features whose extensions require that of the storage class.
        let of_class = |name: &str, have: vk::Bool32| storage_buffer_class && on(name, have);
        AdapterFeatures {
            core: r.core_features(on),
            synchronization2: on("synchronization2", r.sync2.synchronization2),
            timeline_semaphore: on("timeline_semaphore", r.timeline.timeline_semaphore),
            spirv_1_4: on("spirv_1_4", u32::from(ext.has(ash::khr::spirv_1_4::NAME))),
            storage_buffer_class,
            int8: on("int8", r.small.shader_int8),
            float16: on("float16", r.small.shader_float16),
            storage8: of_class("storage8", r.storage8.storage_buffer8_bit_access),
            storage16: of_class("storage16", r.storage16.storage_buffer16_bit_access),
            buffer_int64_atomics: on("int64_atomics", r.atomics64.shader_buffer_int64_atomics),
            shared_int64_atomics: on("int64_atomics", r.atomics64.shader_shared_int64_atomics),
            buffer_float_atomics: r.buffer_float_atomics(on),
            shared_float_atomics: r.shared_float_atomics(on),
            device_addresses: on("buffer_device_address", r.addresses.buffer_device_address),
            scalar_block_layout: on("scalar_block_layout", r.scalars.scalar_block_layout),
            vulkan_memory_model: on("vulkan_memory_model", r.memory_model.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(
                "vulkan_memory_model",
                r.memory_model.vulkan_memory_model_device_scope,
            ),
            variable_pointers: of_class(
                "variable_pointers",
                r.pointers.variable_pointers & r.pointers.variable_pointers_storage_buffer,
            ),
            variable_pointers_buffer: of_class(
                "variable_pointers",
                r.pointers.variable_pointers_storage_buffer,
            ),
            subgroups: on("subgroups", vk::TRUE),
            subgroup_arithmetic: on("subgroup_arithmetic", vk::TRUE),
            subgroup_shuffle_relative: on("subgroup_shuffle_relative", vk::TRUE),
            subgroup_extended_types: on(
                "subgroup_extended_types",
                r.subgroup_types.shader_subgroup_extended_types,
            ),
            host_query_reset: r.query_reset.host_query_reset != 0,
            uniform_buffer_standard_layout: r.uniform_layout.uniform_buffer_standard_layout != 0,
            zero_workgroup: on("zero_workgroup", r.zeros.shader_zero_initialize_workgroup_memory),
            workgroup_layout: on("workgroup_explicit_layout", r.layout.workgroup_memory_explicit_layout),
            integer_dot_product: on("integer_dot_product", r.dot.shader_integer_dot_product),
            subgroup_clock: on("shader_clock", r.clock.shader_subgroup_clock),
            device_clock: on("shader_clock", r.clock.shader_device_clock),
            maintenance4: on("maintenance4", r.maintenance4.maintenance4),
            subgroup_size_control: on("subgroup_size_control", r.sizes.subgroup_size_control),
            full_subgroups: on("subgroup_size_control", r.sizes.compute_full_subgroups),
            bindings: on("bindings", vk::TRUE),
            many_descriptors: on("many_descriptors", vk::TRUE),
            float_controls: on("float_controls", vk::TRUE),
            denorms32: on("denorms32", vk::TRUE),
            tests_in_continue: on("tests_in_continue", vk::TRUE),
            read_write_images: on("read_write_images", vk::TRUE),
            image_filters: on("image_filters", vk::TRUE),
            border_fetches: on("border_fetches", r.robust.robust_image_access2),
            mapped_buffers: on("mapped_buffers", vk::TRUE),
            unified_memory: on("unified_memory", vk::TRUE),
            host_import: on("host_import", vk::TRUE),
            buffer_addresses: on("buffer_addresses", vk::TRUE)
                && on("buffer_device_address", r.addresses.buffer_device_address),
            host_addresses: on("host_addresses", vk::TRUE),
            placed_memory: on("placed_memory", vk::TRUE),
            immediate_uploads: on("immediate_uploads", vk::TRUE),
            parallel_submissions: on("parallel_submissions", vk::TRUE),
            pipelines_ahead: on("pipelines_ahead", vk::TRUE),
            quick_signals: on("quick_signals", vk::TRUE),
            device_fault: r.fault.device_fault != 0,
            bgra_images: on("bgra_images", has_bgra_images(instance, physical).into()),
            pipeline_statistics: r.executables.pipeline_executable_info != 0,
        }
    }

    /// The structures that request the features of a logical device.
    pub fn requested(&self) -> FeatureStructures {
        let mut r = FeatureStructures { core: self.core, ..Default::default() };
        r.storage16 = r.storage16.storage_buffer16_bit_access(self.storage16);
        r.pointers = r
            .pointers
            .variable_pointers(self.variable_pointers)
            .variable_pointers_storage_buffer(self.variable_pointers_buffer);
        r.storage8 = r.storage8.storage_buffer8_bit_access(self.storage8);
        r.small = r.small.shader_int8(self.int8).shader_float16(self.float16);
        r.atomics64 = r
            .atomics64
            .shader_buffer_int64_atomics(self.buffer_int64_atomics)
            .shader_shared_int64_atomics(self.shared_int64_atomics);
        r.addresses = r.addresses.buffer_device_address(self.device_addresses);
        r.scalars = r.scalars.scalar_block_layout(self.scalar_block_layout);
        r.memory_model = r
            .memory_model
            .vulkan_memory_model(self.vulkan_memory_model)
            .vulkan_memory_model_device_scope(self.vulkan_memory_model_device_scope);
        r.subgroup_types = r.subgroup_types.shader_subgroup_extended_types(self.subgroup_extended_types);
        r.uniform_layout =
            r.uniform_layout.uniform_buffer_standard_layout(self.uniform_buffer_standard_layout);
        r.query_reset = r.query_reset.host_query_reset(self.host_query_reset);
        r.timeline = r.timeline.timeline_semaphore(self.timeline_semaphore);
        r.sync2 = r.sync2.synchronization2(self.synchronization2);
        r.maintenance4 = r.maintenance4.maintenance4(self.maintenance4);
        r.dot = r.dot.shader_integer_dot_product(self.integer_dot_product);
        r.sizes = r
            .sizes
            .subgroup_size_control(self.subgroup_size_control)
            .compute_full_subgroups(self.full_subgroups);
        r.zeros = r.zeros.shader_zero_initialize_workgroup_memory(self.zero_workgroup);
        r.layout = r.layout.workgroup_memory_explicit_layout(self.workgroup_layout);
        r.clock = r.clock.shader_subgroup_clock(self.subgroup_clock).shader_device_clock(self.device_clock);
        r.robust = r.robust.robust_image_access2(self.border_fetches);
        r.fault = r.fault.device_fault(self.device_fault);
        r.executables = r.executables.pipeline_executable_info(self.pipeline_statistics);
        self.request_float_atomics(&mut r);
        r
    }

    fn request_float_atomics(&self, r: &mut FeatureStructures) {
        let (buffer, shared) = (self.buffer_float_atomics, self.shared_float_atomics);
        r.atomics = r
            .atomics
            .shader_buffer_float32_atomic_add(buffer.add32)
            .shader_buffer_float64_atomic_add(buffer.add64)
            .shader_shared_float32_atomic_add(shared.add32)
            .shader_shared_float64_atomic_add(shared.add64);
        r.atomics2 = r
            .atomics2
            .shader_buffer_float16_atomic_add(buffer.add16)
            .shader_buffer_float16_atomic_min_max(buffer.min_max16)
            .shader_buffer_float32_atomic_min_max(buffer.min_max32)
            .shader_buffer_float64_atomic_min_max(buffer.min_max64)
            .shader_shared_float16_atomic_add(shared.add16)
            .shader_shared_float16_atomic_min_max(shared.min_max16)
            .shader_shared_float32_atomic_min_max(shared.min_max32)
            .shader_shared_float64_atomic_min_max(shared.min_max64);
    }
}
