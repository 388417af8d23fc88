//! A physical device: the driver's reported properties, and whether the device is usable.
//!
//! Everything is queried once into plain values; later code never queries the driver again. Structures of
//! Vulkan 1.3 and of extensions are only chained where the device supports them.

use super::ext::Extensions;
use super::external::External;
use super::features::AdapterFeatures;
use super::instance::Instance;
use super::internal_cache::{self, PipelineBinaryProperties};
use super::quirks::{Driver, Quirks};
use crate::config::Config;
use crate::device::traits::Priority;
use ash::vk;

/// Priorities of the VkQueues of a device; more queues would only add threads.
const PRIORITIES: &[Priority] =
    &[Priority::Medium, Priority::Medium, Priority::Medium, Priority::Medium, Priority::High, Priority::Low];
/// Priorities of the VkQueues of a device with [`Quirks::costly_queues`].
const FEW_PRIORITIES: &[Priority] = &[Priority::Medium, Priority::Medium, Priority::Medium];

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
    /// The driver keeps a cache of pipelines that can be switched off.
    pub has_cache_control: bool,
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

impl Adapter {
    /// Queries everything, or returns why the device cannot be used.
    pub fn open(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        config: &Config,
    ) -> Result<Adapter, String> {
        let vki = &instance.raw;
        // SAFETY: the handle comes from this instance.
        let props = unsafe { vki.get_physical_device_properties(physical) };
        let name = props.device_name_as_c_str().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let hidden = &config.hidden_on(&name);
        let is_hidden = |feature: &str| hidden.iter().any(|h| h.trim_start_matches('-') == feature);
        let api = props.api_version.min(instance.api).min(match () {
            _ if is_hidden("vulkan_1_1") => vk::API_VERSION_1_0,
            _ if is_hidden("vulkan_1_2") => vk::API_VERSION_1_1,
            _ if is_hidden("vulkan_1_3") => vk::API_VERSION_1_2,
            _ => u32::MAX,
        });
        // SAFETY: as above.
        let list = unsafe { vki.enumerate_device_extension_properties(physical) }
            .map_err(|e| format!("{name}: {e:?}"))?;
        let ext = Extensions::new(&list, api, &instance.extensions);
        let reported = Properties::query(instance, physical, &props, &ext);
        let features = AdapterFeatures::query(instance, physical, &ext, hidden);

        // SAFETY: as above.
        let families = unsafe { vki.get_physical_device_queue_family_properties(physical) };
        let driver = Driver::new(reported.driver.driver_id, props.vendor_id, props.driver_version, &name);
        let quirks = Quirks::of(driver, hidden);
        let family = compute_family(&families).ok_or_else(|| format!("{name}: no compute queue"))?;
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
            has_cache_control: !is_hidden("cache_control")
                && reported.binaries.is_some_and(|b| b.internal_cache & b.internal_cache_control != 0),
            has_copy_engines: families.iter().any(copies_only),
            memory,
            family: family as u32,
            family_queues,
            timestamp_bits,
            ext,
            features,
        })
    }

    /// Hashes what identifies device and driver, for keys of entries on disk.
    pub fn identify(&self, hasher: &mut blake3::Hasher) {
        let props = &self.props;
        for word in [
            props.vendor_id,
            props.device_id,
            props.driver_version,
            props.api_version,
            self.driver.driver_id.as_raw() as u32,
        ] {
            hasher.update(&word.to_le_bytes());
        }
        hasher.update(&props.pipeline_cache_uuid);
    }

    /// Priorities of the VkQueues to make: those for medium work, then those for high and low priority. Work
    /// of a priority without a queue shares the medium ones. Work on several queues is ordered by timeline
    /// semaphores.
    pub fn queue_priorities(&self) -> &'static [Priority] {
        let all = if self.quirks.costly_queues { FEW_PRIORITIES } else { PRIORITIES };
        let most = if self.features.timeline_semaphore { all.len() } else { 1 };
        &all[..most.min(self.family_queues as usize)]
    }

    /// The priority of the VkQueues that work of a priority is submitted to.
    pub fn priority(&self, wanted: Priority) -> Priority {
        available(self.queue_priorities(), wanted)
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

    /// Whether new views and pipelines must not be used, nor images copied, before a submission that began
    /// after their creation or the recording is complete.
    pub fn has_late_uploads(&self) -> bool {
        self.quirks.late_uploads || !self.features.immediate_uploads
    }

    /// Whether submissions to several VkQueues must not be made at the same time.
    pub fn has_serial_submissions(&self) -> bool {
        self.quirks.serial_submissions || !self.features.parallel_submissions
    }

    /// Whether host and device share their memory.
    pub fn is_unified(&self) -> bool {
        let integrated = self.props.device_type == vk::PhysicalDeviceType::INTEGRATED_GPU;
        self.features.unified_memory && (self.is_cpu() || integrated)
    }
}

/// A priority if some VkQueue has it, else medium.
fn available(priorities: &[Priority], wanted: Priority) -> Priority {
    if priorities.contains(&wanted) { wanted } else { Priority::Medium }
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
    binaries: Option<PipelineBinaryProperties>,
}

impl Properties {
    fn query(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        props: &vk::PhysicalDeviceProperties,
        ext: &Extensions,
    ) -> Properties {
        let mut p = Properties::default();
        // The minimum that Vulkan 1.1 requires (maxMemoryAllocationSize).
        p.maint3.max_memory_allocation_size = 1 << 30;
        // Vulkan 1.0 identifies the driver and the kind of device.
        (p.ids.device_uuid, p.ids.driver_uuid) = (props.pipeline_cache_uuid, props.pipeline_cache_uuid);
        if !ext.queries2 {
            return p;
        }
        let mut p2 = vk::PhysicalDeviceProperties2::default();
        if ext.device_ids {
            p2 = p2.push_next(&mut p.ids);
        }
        if ext.is_vulkan_1_1() {
            p2 = p2.push_next(&mut p.subgroup);
        }
        if ext.provides(ash::khr::maintenance3::NAME) {
            p2 = p2.push_next(&mut p.maint3);
        }
        if ext.provides(ash::khr::driver_properties::NAME) {
            p2 = p2.push_next(&mut p.driver);
        }
        if ext.provides(ash::khr::shader_float_controls::NAME) {
            p2 = p2.push_next(&mut p.floats);
        }
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
        if internal_cache::is_known(ext) {
            p2 = p2.push_next(p.binaries.insert(Default::default()));
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

fn computes(family: &vk::QueueFamilyProperties) -> bool {
    family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0
}

fn copies_only(family: &vk::QueueFamilyProperties) -> bool {
    let kinds = vk::QueueFlags::TRANSFER | vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
    family.queue_flags & kinds == vk::QueueFlags::TRANSFER
}

/// The queue family to use: one without graphics if possible, which is scheduled apart from the desktop's
/// rendering. On NVIDIA (580) VkQueues of the family with graphics take turns.
fn compute_family(families: &[vk::QueueFamilyProperties]) -> Option<usize> {
    let graphics = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    let wanted = |f: &vk::QueueFamilyProperties| computes(f) && !graphics(f) && f.timestamp_valid_bits > 0;
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
        assert_eq!((compute_family(&all), compute_family(&all[..2])), (Some(2), Some(1)));
        let untimed = [family(compute | graphics, 64), family(compute, 0)];
        assert_eq!(compute_family(&untimed), Some(0));
        assert_eq!(compute_family(&all[..1]), None);
        assert!(copies_only(&all[0]) && !copies_only(&all[2]));
    }

    /// A queue without a VkQueue of its priority is like those of medium priority, which move apart from
    /// others (`VulkanQueue::place_apart`).
    #[test]
    fn priorities_without_a_queue_are_medium() {
        assert_eq!(available(PRIORITIES, Priority::High), Priority::High);
        assert_eq!(available(PRIORITIES, Priority::Low), Priority::Low);
        for wanted in [Priority::High, Priority::Medium, Priority::Low] {
            assert_eq!(available(FEW_PRIORITIES, wanted), Priority::Medium);
            assert_eq!(available(&PRIORITIES[..1], wanted), Priority::Medium);
        }
    }
}
