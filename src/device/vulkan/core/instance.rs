//! The process's only Vulkan instance: loader, API version, validation messages.
//!
//! Created once and leaked: nothing is destroyed at exit, when other libraries' threads may still run. The
//! application may use Vulkan itself; instances are independent. With `PYROCLAST_VALIDATE` naming `vulkan`
//! the validation layer is enabled, synchronisation validation included. Its messages are logged, counted
//! (for unit tests) and appended to the file that `PYROCLAST_VALIDATE_LOG` names, where tests of the
//! library check them.

use super::ext;
use crate::config::Config;
use ash::vk;
use std::ffi::{CStr, CString, c_void};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The loader and the instance.
pub struct Instance {
    /// Keeps the loader library open.
    pub entry: ash::Entry,
    pub raw: ash::Instance,
    /// API version of the instance, at most 1.3.
    pub api: u32,
    /// Extensions of [`ext::INSTANCE_WANTED`] that are enabled.
    pub extensions: Vec<&'static CStr>,
    /// The validation layer was requested.
    pub validates: bool,
}

static INSTANCE: OnceLock<Option<Instance>> = OnceLock::new();
static MESSAGES: AtomicU64 = AtomicU64::new(0);
const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Number of validation warnings and errors so far in this process.
#[cfg(test)]
pub fn validation_messages() -> u64 {
    MESSAGES.load(Ordering::Relaxed)
}

/// The instance, or `None` (logged) where Vulkan cannot be used. The first call decides about validation.
pub fn get(validate: bool) -> Option<&'static Instance> {
    INSTANCE
        .get_or_init(|| match create(validate) {
            Ok(instance) => Some(instance),
            Err(why) => {
                tracing::info!("no Vulkan: {why}");
                None
            }
        })
        .as_ref()
}

fn create(validate: bool) -> Result<Instance, String> {
    // SAFETY: loading the Vulkan loader runs its initialisers, as every Vulkan program does.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
    // SAFETY: the entry is loaded.
    let offered = unsafe { entry.try_enumerate_instance_version() }.map_err(|e| e.to_string())?;
    let offered = offered.unwrap_or(vk::API_VERSION_1_0);
    let api = vk::make_api_version(0, 1, vk::api_version_minor(offered).min(3), 0);

    // SAFETY: the entry is loaded.
    let present = unsafe { entry.enumerate_instance_extension_properties(None) }.unwrap_or_default();
    let mut wanted = ext::INSTANCE_WANTED.to_vec();
    wanted.retain(|name| present.iter().any(|e| e.extension_name_as_c_str() == Ok(name)));

    let mut layers = Vec::new();
    let mut extensions: Vec<_> = wanted.iter().map(|name| name.as_ptr()).collect();
    if validate {
        // SAFETY: the entry is loaded.
        let present = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
        if present.iter().any(|l| l.layer_name_as_c_str() == Ok(VALIDATION)) {
            layers.push(VALIDATION.as_ptr());
            extensions.push(ash::ext::debug_utils::NAME.as_ptr());
            extensions.push(ash::ext::validation_features::NAME.as_ptr());
        } else {
            complain("the Vulkan validation layer was asked for but is not installed");
        }
    }
    let app = vk::ApplicationInfo::default()
        .engine_name(c"Pyroclast")
        .application_name(c"Pyroclast")
        .api_version(api);
    let mut messenger = messenger_info();
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&app)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
    if !layers.is_empty() {
        info = info.push_next(&mut messenger).push_next(&mut features);
    }
    let raw = create_instance(&entry, &info).map_err(|e| format!("vkCreateInstance: {e:?}"))?;
    if !layers.is_empty() {
        let debug = ash::ext::debug_utils::Instance::new(&entry, &raw);
        // SAFETY: the extension is enabled; the messenger lives as long as the instance, which is never
        // destroyed.
        if let Err(e) = unsafe { debug.create_debug_utils_messenger(&messenger_info(), None) } {
            complain(&format!("no validation messages: {e:?}"));
        }
    }
    Ok(Instance { entry, raw, api, extensions: wanted, validates: !layers.is_empty() })
}

/// Creates the instance, whose functions of Vulkan 1.1 are those of the extensions that they come from where
/// these are enabled: devices of Vulkan 1.0 have no others.
fn create_instance(
    entry: &ash::Entry,
    info: &vk::InstanceCreateInfo<'_>,
) -> Result<ash::Instance, vk::Result> {
    let mut raw = vk::Instance::null();
    // SAFETY: all structures are valid for the call.
    unsafe { (entry.fp_v1_0().create_instance)(info, std::ptr::null(), &mut raw) }.result()?;
    let function = |name: &CStr| {
        // SAFETY: the instance is alive.
        unsafe { entry.get_instance_proc_addr(raw, name.as_ptr()) }
    };
    let load = |name: &CStr| {
        let suffixed = CString::new([name.to_bytes(), b"KHR"].concat()).ok();
        let found = suffixed.and_then(|suffixed| function(&suffixed)).or_else(|| function(name));
        found.map_or(std::ptr::null(), |found| found as *const c_void)
    };
    // SAFETY: the functions of these names have these types.
    Ok(unsafe { ash::Instance::load_with(load, raw) })
}

fn messenger_info() -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(
            vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        )
        .pfn_user_callback(Some(on_message))
}

/// Logs and counts a validation message.
unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a valid structure with a valid string or null.
    let text = unsafe { data.as_ref().and_then(|d| d.message_as_c_str()) };
    let text = text.unwrap_or(c"(no text)").to_string_lossy();
    // Images are deliberately always in the layout GENERAL, also in transfers (see `image`).
    let advice = kind.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE)
        && text.contains("layout should be VK_IMAGE_LAYOUT_");
    if !advice {
        complain(&text);
    }
    vk::FALSE
}

fn complain(text: &str) {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    tracing::error!("Vulkan validation: {text}");
    if let Some(path) = &Config::get().validate_log {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        // A single write, so that messages of several threads do not mix.
        if let Err(error) = file.and_then(|mut f| f.write_all(format!("{text}\n").as_bytes())) {
            tracing::error!(%error, "{}", path.display());
        }
    }
}
