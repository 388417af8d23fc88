//! Extensions that the real driver may lack, offered if the environment has `VULKAN_FAULTS_REPORT`:
//! VK_EXT_device_fault and VK_NV_device_diagnostic_checkpoints, by which a lost device reports what it
//! executed, and VK_KHR_pipeline_executable_properties, whose statistics are always the same.
//!
//! The report on a fault has a fixed text, and the address that [`vulkan_faults_address`] sets. The newest
//! checkpoint is the one recorded last: tests record one command buffer.

use super::{Function, replaced_by_wrapper};
use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Text of the report.
const TEXT: &CStr = c"emulated page fault";
const NAMES: [&CStr; 3] = [
    ash::ext::device_fault::NAME,
    ash::nv::device_diagnostic_checkpoints::NAME,
    ash::khr::pipeline_executable_properties::NAME,
];

static ADDRESS: AtomicU64 = AtomicU64::new(0);
static CHECKPOINT: AtomicU64 = AtomicU64::new(0);
/// Addresses of the functions that these wrap.
static ENUMERATE: AtomicUsize = AtomicUsize::new(0);
static FEATURES: AtomicUsize = AtomicUsize::new(0);
static CREATE: AtomicUsize = AtomicUsize::new(0);
static COMPILE: AtomicUsize = AtomicUsize::new(0);

/// Sets the address of the invalid write that the next report has.
#[unsafe(no_mangle)]
pub extern "C" fn vulkan_faults_address(address: u64) {
    ADDRESS.store(address, Ordering::SeqCst);
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

unsafe extern "system" fn enumerate(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    list: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the address of a function of this type.
    let real = unsafe {
        std::mem::transmute::<usize, vk::PFN_vkEnumerateDeviceExtensionProperties>(
            ENUMERATE.load(Ordering::SeqCst),
        )
    };
    let more = NAMES.len() as u32;
    // SAFETY: the caller's count; the arrays are as long as the counts say.
    unsafe {
        if list.is_null() {
            let result = real(device, layer, count, list);
            *count += more;
            return result;
        }
        *count = (*count).saturating_sub(more);
        let result = real(device, layer, count, list);
        for name in NAMES {
            list.add(*count as usize).write(property(name));
            *count += 1;
        }
        result
    }
}

unsafe extern "system" fn features(
    device: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the address of a function of this type, and the caller's arguments.
    unsafe {
        let real = FEATURES.load(Ordering::SeqCst);
        std::mem::transmute::<usize, vk::PFN_vkGetPhysicalDeviceFeatures2>(real)(device, features);
    }
    // SAFETY: the caller's chain.
    unsafe { set_features(features.cast(), vk::TRUE) };
}

/// Sets the extensions' features in a chain of structures.
///
/// # Safety
/// The chain is valid.
unsafe fn set_features(mut at: *mut vk::BaseOutStructure<'_>, value: vk::Bool32) {
    // SAFETY: a chain of structures that begin like this one.
    while let Some(part) = unsafe { at.as_mut() } {
        if part.s_type == vk::StructureType::PHYSICAL_DEVICE_FAULT_FEATURES_EXT {
            // SAFETY: the type says so.
            unsafe { (*at.cast::<vk::PhysicalDeviceFaultFeaturesEXT<'_>>()).device_fault = value };
        }
        if part.s_type == vk::StructureType::PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR {
            let features = at.cast::<vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'_>>();
            // SAFETY: as above.
            unsafe { (*features).pipeline_executable_info = value };
        }
        at = part.p_next;
    }
}

unsafe extern "system" fn create(
    device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller's structure, of which this is a copy with fewer names. The driver under test keeps
    // the chain in memory that it may write.
    unsafe {
        let mut own = *info;
        set_features(own.p_next.cast_mut().cast(), vk::FALSE);
        let count = own.enabled_extension_count as usize;
        let names = std::slice::from_raw_parts(own.pp_enabled_extension_names, count);
        let real_ones = |name: &&*const c_char| !NAMES.contains(&CStr::from_ptr(**name));
        let names: Vec<*const c_char> = names.iter().filter(real_ones).copied().collect();
        (own.enabled_extension_count, own.pp_enabled_extension_names) = (names.len() as u32, names.as_ptr());
        let real = CREATE.load(Ordering::SeqCst);
        std::mem::transmute::<usize, vk::PFN_vkCreateDevice>(real)(device, &own, callbacks, out)
    }
}

/// Compilation takes a while, as on graphics cards.
unsafe extern "system" fn compile(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    list: *const vk::ComputePipelineCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    std::thread::sleep(std::time::Duration::from_millis(5));
    // SAFETY: the address of a function of this type, and the caller's arguments.
    unsafe {
        let real = COMPILE.load(Ordering::SeqCst);
        let real = std::mem::transmute::<usize, vk::PFN_vkCreateComputePipelines>(real);
        real(device, cache, count, list, callbacks, out)
    }
}

unsafe extern "system" fn fault_info(
    _: vk::Device,
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

unsafe extern "system" fn set_checkpoint(_: vk::CommandBuffer, marker: *const c_void) {
    CHECKPOINT.store(marker as u64, Ordering::SeqCst);
}

unsafe extern "system" fn checkpoints(_: vk::Queue, count: *mut u32, list: *mut vk::CheckpointDataNV<'_>) {
    // SAFETY: the caller's count, and an element if it is not zero.
    unsafe {
        if let Some(data) = list.as_mut().filter(|_| *count > 0) {
            data.stage = vk::PipelineStageFlags::TOP_OF_PIPE;
            data.p_checkpoint_marker = CHECKPOINT.load(Ordering::SeqCst) as *mut c_void;
        }
        *count = 1;
    }
}

unsafe extern "system" fn executables(
    _: vk::Device,
    _: *const vk::PipelineInfoKHR<'_>,
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

unsafe extern "system" fn statistics(
    _: vk::Device,
    _: *const vk::PipelineExecutableInfoKHR<'_>,
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

/// Our function of a name, if there is one. It may use the real one, which `found` is.
pub fn function(name: &CStr, found: Option<Function>) -> Option<Function> {
    if !is_on() {
        return None;
    }
    let address = || replaced_by_wrapper(name, found).map_or(0, |f| f as usize);
    let own: *const c_void = match name.to_bytes() {
        b"vkEnumerateDeviceExtensionProperties" => {
            ENUMERATE.store(address(), Ordering::SeqCst);
            (enumerate as vk::PFN_vkEnumerateDeviceExtensionProperties) as *const c_void
        }
        b"vkGetPhysicalDeviceFeatures2" => {
            FEATURES.store(address(), Ordering::SeqCst);
            (features as vk::PFN_vkGetPhysicalDeviceFeatures2) as *const c_void
        }
        b"vkCreateDevice" => {
            CREATE.store(address(), Ordering::SeqCst);
            (create as vk::PFN_vkCreateDevice) as *const c_void
        }
        b"vkCreateComputePipelines" => {
            COMPILE.store(address(), Ordering::SeqCst);
            (compile as vk::PFN_vkCreateComputePipelines) as *const c_void
        }
        b"vkGetDeviceFaultInfoEXT" => (fault_info as vk::PFN_vkGetDeviceFaultInfoEXT) as *const c_void,
        b"vkCmdSetCheckpointNV" => (set_checkpoint as vk::PFN_vkCmdSetCheckpointNV) as *const c_void,
        b"vkGetQueueCheckpointDataNV" => (checkpoints as vk::PFN_vkGetQueueCheckpointDataNV) as *const c_void,
        b"vkGetPipelineExecutablePropertiesKHR" => {
            (executables as vk::PFN_vkGetPipelineExecutablePropertiesKHR) as *const c_void
        }
        b"vkGetPipelineExecutableStatisticsKHR" => {
            (statistics as vk::PFN_vkGetPipelineExecutableStatisticsKHR) as *const c_void
        }
        _ => null_mut(),
    };
    // SAFETY: a function's address, which is not null; the driver gives it the type of its name again.
    (!own.is_null()).then(|| unsafe { std::mem::transmute::<*const c_void, Function>(own) })
}
