//! A Vulkan loader that makes the device look like another one. It replaces libvulkan.so.1, forwards calls to
//! the loader that `VULKAN_PROFILE_REAL` names, and takes away what the profile in the file `VULKAN_PROFILE`
//! lacks: versions, extensions, functions, features, and what is above its limits.
//!
//! Uses of what is lacking fail, and are reported on standard error and in the file `VULKAN_PROFILE_LOG`:
//! extensions and features of a logical device, structures that belong to neither, and SPIR-V that is too
//! new.

pub mod profile;
mod structures;

use ash::vk;
use profile::Profile;
use std::ffi::{CStr, c_char};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use structures::{KEPT, KNOWN, NEWER};

type Function = unsafe extern "system" fn();
type GetInstanceProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> Option<Function>;
type GetDeviceProcAddr = unsafe extern "system" fn(vk::Device, *const c_char) -> Option<Function>;

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

/// Wrappers: the function's name, its type, and the wrapper, which calls the real function by `real!`.
macro_rules! wrappers {
    ($($name:ident as $ty:ident: ($($arg:ident: $arg_ty:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            #[allow(non_snake_case)]
            mod $name {
                use super::*;
                pub static REAL: AtomicUsize = AtomicUsize::new(0);
                /// The real function.
                pub fn real() -> vk::$ty {
                    // SAFETY: the address of the function of that name, stored before the wrapper is known.
                    unsafe { std::mem::transmute::<usize, vk::$ty>(REAL.load(Ordering::Relaxed)) }
                }
                pub unsafe extern "system" fn own($($arg: $arg_ty),*) $(-> $result)? $body
            }
        )*
        /// Our function of that name, and where the real one's address belongs.
        fn wrapper(name: &str) -> Option<(Function, &'static AtomicUsize)> {
            match name {
                $(stringify!($name) => {
                    // SAFETY: a function's address; the caller gives it the type of its name again.
                    let own = unsafe { std::mem::transmute::<vk::$ty, Function>($name::own) };
                    Some((own, &$name::REAL))
                })*
                _ => None,
            }
        }
    };
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
        // SAFETY: the caller's arguments.
        unsafe { extensions(device, layer, &mut *count, out) }
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

/// Calls `f` for each structure of a chain.
///
/// # Safety
/// A valid chain.
unsafe fn each<'a>(mut at: *mut vk::BaseOutStructure<'a>, mut f: impl FnMut(*mut vk::BaseOutStructure<'a>)) {
    while !at.is_null() {
        f(at);
        // SAFETY: the caller's promise.
        at = unsafe { (*at).p_next };
    }
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
        S::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES => {
            // SAFETY: the type was compared.
            let data = unsafe { &mut *data.cast::<vk::PhysicalDeviceSubgroupProperties<'_>>() };
            data.supported_operations &= profile.subgroup_operations().unwrap_or_default();
        }
        S::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES => {
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

/// The extensions of the real device that the profile has, too.
///
/// # Safety
/// As for vkEnumerateDeviceExtensionProperties.
unsafe fn extensions(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: &mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let real = vkEnumerateDeviceExtensionProperties::real();
    let mut number = 0;
    // SAFETY: the caller's promise.
    let result = unsafe { real(device, layer, &mut number, std::ptr::null_mut()) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    let mut all = vec![vk::ExtensionProperties::default(); number as usize];
    // SAFETY: the vector has as many elements.
    let result = unsafe { real(device, layer, &mut number, all.as_mut_ptr()) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    let in_profile = |e: &vk::ExtensionProperties| {
        e.extension_name_as_c_str().is_ok_and(|name| Profile::get().has_extension(&name.to_string_lossy()))
    };
    all.retain(in_profile);
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

struct Real {
    instance: GetInstanceProcAddr,
    device: OnceLock<GetDeviceProcAddr>,
    _library: libloading::Library,
}

/// The real loader; `None` if it cannot be loaded, and then Vulkan is unavailable.
fn real() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let open = || {
        if let Err(why) = Profile::load() {
            report(why);
            return None;
        }
        let path = std::env::var_os("VULKAN_PROFILE_REAL")?;
        // SAFETY: the Vulkan loader, as every Vulkan program opens it.
        let library = unsafe { libloading::Library::new(path) }.ok()?;
        // SAFETY: the function of that name has that type.
        let instance =
            unsafe { library.get::<GetInstanceProcAddr>(b"vkGetInstanceProcAddr\0") }.map(|f| *f).ok()?;
        Some(Real { instance, device: OnceLock::new(), _library: library })
    };
    REAL.get_or_init(open).as_ref()
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

/// As specified by Vulkan.
///
/// # Safety
/// As specified by Vulkan.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "system" fn vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    let real = real()?;
    // SAFETY: the caller's name is a string.
    let text = unsafe { CStr::from_ptr(name) };
    // SAFETY: the caller's arguments.
    let found = unsafe { (real.instance)(instance, name) };
    match text.to_bytes() {
        b"vkGetInstanceProcAddr" => {
            let own: GetInstanceProcAddr = vkGetInstanceProcAddr;
            // SAFETY: a function's address; the caller gives it the type of its name again.
            Some(unsafe { std::mem::transmute::<GetInstanceProcAddr, Function>(own) })
        }
        b"vkGetDeviceProcAddr" => {
            // SAFETY: the function of that name has that type.
            let device = unsafe { std::mem::transmute::<Function, GetDeviceProcAddr>(found?) };
            let _ = real.device.set(device);
            let own: GetDeviceProcAddr = get_device_proc_addr;
            // SAFETY: as above.
            Some(unsafe { std::mem::transmute::<GetDeviceProcAddr, Function>(own) })
        }
        _ => replaced(text, found),
    }
}

unsafe extern "system" fn get_device_proc_addr(device: vk::Device, name: *const c_char) -> Option<Function> {
    let ask = real()?.device.get()?;
    // SAFETY: the caller's arguments, whose name is a string.
    unsafe { replaced(CStr::from_ptr(name), ask(device, name)) }
}
