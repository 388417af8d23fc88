//! A Vulkan loader that makes the device look like another one. It replaces libvulkan.so.1, forwards calls to
//! the loader that `VULKAN_PROFILE_REAL` names, and takes away what the profile in the file `VULKAN_PROFILE`
//! lacks: versions, extensions, functions, features, and what is above its limits.
//!
//! Uses of what is lacking fail, and are reported on standard error and in the file `VULKAN_PROFILE_LOG`:
//! extensions and features of a logical device, structures that belong to neither, and SPIR-V that is too
//! new.

pub mod profile;
mod structures;

use profile::Profile;
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::sync::atomic::Ordering;
use structures::{KEPT, KNOWN, NEWER};
use vulkan_loader::{Function, Shim, each, vk, wrappers};

/// Reports a use of something that the profile lacks.
fn report(what: &str) {
    let line = format!("not in the profile: {what}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("VULKAN_PROFILE_LOG")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = file.write_all(line.as_bytes());
    }
}

wrappers! {
    vkGetPhysicalDeviceProperties as PFN_vkGetPhysicalDeviceProperties:
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, out);
            lower_properties(&mut *out);
        }
    }
    vkGetPhysicalDeviceProperties2 as PFN_vkGetPhysicalDeviceProperties2:
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, out);
            lower_properties(&mut (*out).properties);
            each((*out).p_next.cast(), |data| drop(lower(data)));
        }
    }
    vkGetPhysicalDeviceFeatures as PFN_vkGetPhysicalDeviceFeatures:
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, out);
            structures::mask_core(&mut *out, Profile::get());
        }
    }
    vkGetPhysicalDeviceFeatures2 as PFN_vkGetPhysicalDeviceFeatures2:
        (device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, out);
            structures::mask_core(&mut (*out).features, Profile::get());
            each((*out).p_next.cast(), |data| drop(lower(data)));
        }
    }
    vkGetPhysicalDeviceQueueFamilyProperties as PFN_vkGetPhysicalDeviceQueueFamilyProperties:
        (device: vk::PhysicalDevice, count: *mut u32, out: *mut vk::QueueFamilyProperties) {
        // SAFETY: the caller's arguments.
        unsafe {
            real()(device, count, out);
            if !out.is_null() {
                for family in std::slice::from_raw_parts_mut(out, *count as usize) {
                    let profile = Profile::get();
                    let bits = f64::from(family.timestamp_valid_bits);
                    family.timestamp_valid_bits = profile.bound("timestamp_valid_bits", bits) as u32;
                }
            }
        }
    }
    vkEnumerateDeviceExtensionProperties as PFN_vkEnumerateDeviceExtensionProperties: (
        device: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        out: *mut vk::ExtensionProperties
    ) -> vk::Result {
        let real = real();
        // SAFETY: the caller's arguments.
        let all = |count: &mut u32, out| unsafe { real(device, layer, count, out) };
        // SAFETY: the caller's arguments.
        unsafe { extensions(&all, &Profile::has_extension, &mut *count, out) }
    }
    vkEnumerateInstanceExtensionProperties as PFN_vkEnumerateInstanceExtensionProperties: (
        layer: *const c_char,
        count: *mut u32,
        out: *mut vk::ExtensionProperties
    ) -> vk::Result {
        let real = real();
        // SAFETY: the caller's arguments.
        let all = |count: &mut u32, out| unsafe { real(layer, count, out) };
        // SAFETY: the caller's arguments.
        unsafe { extensions(&all, &Profile::has_instance_extension, &mut *count, out) }
    }
    vkCreateDevice as PFN_vkCreateDevice: (
        device: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Device
    ) -> vk::Result {
        // SAFETY: the caller's arguments.
        unsafe {
            let lacking = lacking(&*info);
            lacking.iter().for_each(|what| report(what));
            if lacking.is_empty() {
                real()(device, info, callbacks, out)
            } else {
                vk::Result::ERROR_FEATURE_NOT_PRESENT
            }
        }
    }
    vkCreateShaderModule as PFN_vkCreateShaderModule: (
        device: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::ShaderModule
    ) -> vk::Result {
        // SAFETY: the caller's arguments; a module has a header of five words.
        unsafe {
            let version = *(*info).p_code.add(1);
            if version > Profile::get().spirv() {
                report(&format!("SPIR-V {}.{}", version >> 16, version >> 8 & 0xff));
                return vk::Result::ERROR_INITIALIZATION_FAILED;
            }
            real()(device, info, callbacks, out)
        }
    }
}

fn lower_properties(properties: &mut vk::PhysicalDeviceProperties) {
    let profile = Profile::get();
    properties.api_version = properties.api_version.min(profile.api | 0xfff);
    structures::bound_limits(&mut properties.limits, profile);
}

fn provides(extension: &str, core: u32) -> bool {
    let profile = Profile::get();
    core != 0 && profile.api >= core || profile.has_extension(extension)
}

/// Takes away what the profile lacks in a structure of features or properties, and returns the names of
/// fields that were on.
fn lower(data: *mut vk::BaseOutStructure<'_>) -> Vec<&'static str> {
    use vk::StructureType as S;
    let profile = Profile::get();
    // SAFETY: a structure of a chain.
    let kind = unsafe { (*data).s_type };
    if let Some(known) = KNOWN.iter().find(|known| known.kind == kind) {
        if !provides(known.extension, known.core) {
            report(&format!("structure {kind:?}"));
        }
        // SAFETY: the structure has the type that the function is for.
        return unsafe { (known.mask)(data, profile) };
    }
    match kind {
        S::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES if profile.api >= vk::API_VERSION_1_1 => {
            // SAFETY: the type was compared.
            let data = unsafe { &mut *data.cast::<vk::PhysicalDeviceSubgroupProperties<'_>>() };
            data.supported_operations &= profile.subgroup_operations().unwrap_or_default();
        }
        S::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES
            if provides("VK_KHR_maintenance3", vk::API_VERSION_1_1) =>
        {
            // SAFETY: the type was compared.
            let data = unsafe { &mut *data.cast::<vk::PhysicalDeviceMaintenance3Properties<'_>>() };
            let real = data.max_memory_allocation_size as f64;
            data.max_memory_allocation_size = profile.bound("max_memory_allocation_size", real) as u64;
        }
        _ => match KEPT.iter().find(|kept| kept.0 == kind) {
            Some((_, extension, core)) if provides(extension, *core) => {}
            _ => report(&format!("structure {kind:?}")),
        },
    }
    Vec::new()
}

/// Names of extensions and features that a logical device is to have and the profile lacks.
///
/// # Safety
/// As for vkCreateDevice.
unsafe fn lacking(info: &vk::DeviceCreateInfo<'_>) -> Vec<String> {
    let profile = Profile::get();
    let mut lacking = Vec::new();
    // SAFETY: the caller's promise; each structure is copied before its fields are looked at.
    unsafe {
        if let Some(core) = info.p_enabled_features.as_ref() {
            lacking.extend(structures::mask_core(&mut core.clone(), profile).into_iter().map(String::from));
        }
        for i in 0..info.enabled_extension_count as usize {
            let name = CStr::from_ptr(*info.pp_enabled_extension_names.add(i)).to_string_lossy();
            if !profile.has_extension(&name) {
                lacking.push(name.into_owned());
            }
        }
        each(info.p_next.cast_mut().cast(), |data| {
            let names = match (*data).s_type {
                vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 => {
                    let mut core = (*data.cast::<vk::PhysicalDeviceFeatures2<'_>>()).features;
                    structures::mask_core(&mut core, profile)
                }
                // The loader's and the layers' own.
                vk::StructureType::LOADER_DEVICE_CREATE_INFO => Vec::new(),
                _ => lower(data),
            };
            lacking.extend(names.into_iter().map(String::from));
        });
    }
    lacking
}

/// The extensions of the real device or loader that the profile has, too.
///
/// # Safety
/// As for vkEnumerateDeviceExtensionProperties.
unsafe fn extensions(
    real: &dyn Fn(&mut u32, *mut vk::ExtensionProperties) -> vk::Result,
    has: &dyn Fn(&Profile, &str) -> bool,
    count: &mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let mut number = 0;
    let result = real(&mut number, std::ptr::null_mut());
    if result != vk::Result::SUCCESS {
        return result;
    }
    let mut all = vec![vk::ExtensionProperties::default(); number as usize];
    let result = real(&mut number, all.as_mut_ptr());
    if result != vk::Result::SUCCESS {
        return result;
    }
    all.retain(|e| {
        e.extension_name_as_c_str().is_ok_and(|name| has(Profile::get(), &name.to_string_lossy()))
    });
    if !out.is_null() {
        all.truncate(*count as usize);
        // SAFETY: the caller's array has at least as many elements.
        unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), out, all.len()) };
    }
    *count = all.len() as u32;
    vk::Result::SUCCESS
}

/// Whether the profile's device has a function.
fn exists(name: &str) -> bool {
    let plain = name.trim_end_matches("KHR").trim_end_matches("EXT");
    let Some((_, core, extension)) = NEWER.iter().find(|(newer, ..)| *newer == plain) else { return true };
    let profile = Profile::get();
    if plain == name { profile.api >= *core } else { profile.has_extension(extension) }
}

struct OtherDevice;

impl Shim for OtherDevice {
    const REAL: &'static str = "VULKAN_PROFILE_REAL";

    fn begin() -> Option<()> {
        Profile::load().as_ref().map(|_| ()).inspect_err(|why| report(why)).ok()
    }

    fn replaced(name: &CStr, found: Option<Function>) -> Option<Function> {
        let text = name.to_str().ok()?;
        let found = found.filter(|_| exists(text))?;
        match wrapper(text.trim_end_matches("KHR")) {
            Some((own, real)) => {
                real.store(found as usize, Ordering::Relaxed);
                Some(own)
            }
            None => Some(found),
        }
    }
}

vulkan_loader::export!(OtherDevice);
