//! Functions of extensions, looked up by name through the platform.

use super::*;

/// The address of an extension function.
///
/// # Safety
/// `T` is the type of the function.
pub unsafe fn extension<T: Copy>(name: &str) -> T {
    let name = std::ffi::CString::new(name).unwrap();
    // SAFETY: a live platform and a terminated string.
    let address = unsafe { clGetExtensionFunctionAddressForPlatform(platform(), name.as_ptr()) };
    assert!(!address.is_null(), "{name:?} is missing");
    assert_eq!(size_of::<T>(), size_of::<*mut c_void>());
    // SAFETY: as the caller says.
    unsafe { std::mem::transmute_copy(&address) }
}

/// Whether the first device has an extension.
pub fn has_extension(name: &str) -> bool {
    device_has(device(), name)
}

/// Whether a device has an extension.
pub fn device_has(device: cl_device_id, name: &str) -> bool {
    text(&device_info(device, CL_DEVICE_EXTENSIONS).unwrap()).split(' ').any(|n| n == name)
}

/// Defines extension functions that look themselves up.
#[macro_export]
macro_rules! extension_functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
        $(
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
            pub unsafe fn $name($($arg: $ty),*) -> $ret {
                static FUNCTION: std::sync::OnceLock<unsafe extern "C" fn($($ty),*) -> $ret> =
                    std::sync::OnceLock::new();
                // SAFETY: the type is that of the registry, the arguments are the caller's.
                unsafe {
                    let find = || $crate::api::extension::extension(stringify!($name));
                    FUNCTION.get_or_init(find)($($arg),*)
                }
            }
        )*
    };
}
