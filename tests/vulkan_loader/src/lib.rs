//! Vulkan loaders for tests. Such a library replaces libvulkan.so.1, forwards calls to the real loader, and
//! replaces some functions ([`Shim`], [`export!`], [`wrappers!`]).
//!
//! A function is replaced when its address is looked up, so nothing is known of functions that are called
//! without a look-up. The driver under test looks up all of them.

pub use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
pub use std::sync::atomic::{AtomicUsize, Ordering};

/// A function of Vulkan, whatever its type.
pub type Function = unsafe extern "system" fn();
pub type GetInstanceProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> Option<Function>;
pub type GetDeviceProcAddr = unsafe extern "system" fn(vk::Device, *const c_char) -> Option<Function>;

/// A library's part in the look-up of functions.
pub trait Shim {
    /// Variable that holds the path of the real loader.
    const REAL: &'static str;

    /// Called once, before the real loader is opened; without `Some` Vulkan is unavailable.
    fn begin() -> Option<()> {
        Some(())
    }

    /// The function to call instead of the real one, `found`.
    fn replaced(name: &CStr, found: Option<Function>) -> Option<Function>;

    /// Called for each look-up of a device's function.
    fn uses(_device: vk::Device, _ask: GetDeviceProcAddr) {}
}

/// The real loader.
pub struct Real {
    instance: GetInstanceProcAddr,
    device: OnceLock<GetDeviceProcAddr>,
    _library: libloading::Library,
}

/// Storage for the real loader: one in each library.
pub type RealCell = OnceLock<Option<Real>>;

fn real<S: Shim>(cell: &'static RealCell) -> Option<&'static Real> {
    let open = || {
        S::begin()?;
        let path = std::env::var_os(S::REAL)?;
        // SAFETY: the Vulkan loader, as every Vulkan program opens it.
        let library = unsafe { libloading::Library::new(path) }.ok()?;
        // SAFETY: the function of that name has that type.
        let instance =
            unsafe { library.get::<GetInstanceProcAddr>(b"vkGetInstanceProcAddr\0") }.map(|f| *f).ok()?;
        Some(Real { instance, device: OnceLock::new(), _library: library })
    };
    cell.get_or_init(open).as_ref()
}

/// vkGetInstanceProcAddr of a library whose exported functions are `own`.
///
/// # Safety
/// As specified by Vulkan.
pub unsafe fn instance_function<S: Shim>(
    cell: &'static RealCell,
    own: (GetInstanceProcAddr, GetDeviceProcAddr),
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Function> {
    let real = real::<S>(cell)?;
    // SAFETY: the caller's name is a string.
    let text = unsafe { CStr::from_ptr(name) };
    // SAFETY: the caller's arguments.
    let found = unsafe { (real.instance)(instance, name) };
    match text.to_bytes() {
        b"vkGetInstanceProcAddr" => {
            // SAFETY: a function's address; the caller gives it the type of its name again.
            Some(unsafe { std::mem::transmute::<GetInstanceProcAddr, Function>(own.0) })
        }
        b"vkGetDeviceProcAddr" => {
            // SAFETY: the function of that name has that type.
            let device = unsafe { std::mem::transmute::<Function, GetDeviceProcAddr>(found?) };
            let _ = real.device.set(device);
            // SAFETY: as above.
            Some(unsafe { std::mem::transmute::<GetDeviceProcAddr, Function>(own.1) })
        }
        _ => S::replaced(text, found),
    }
}

/// vkGetDeviceProcAddr.
///
/// # Safety
/// As specified by Vulkan.
pub unsafe fn device_function<S: Shim>(
    cell: &'static RealCell,
    device: vk::Device,
    name: *const c_char,
) -> Option<Function> {
    let ask = *real::<S>(cell)?.device.get()?;
    S::uses(device, ask);
    // SAFETY: the caller's arguments, whose name is a string.
    unsafe { S::replaced(CStr::from_ptr(name), ask(device, name)) }
}

/// Exports the loader's functions for a [`Shim`].
#[macro_export]
macro_rules! export {
    ($shim:ty) => {
        static REAL_LOADER: $crate::RealCell = $crate::RealCell::new();

        /// As specified by Vulkan.
        ///
        /// # Safety
        /// As specified by Vulkan.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "system" fn vkGetInstanceProcAddr(
            instance: $crate::vk::Instance,
            name: *const std::ffi::c_char,
        ) -> Option<$crate::Function> {
            let own: ($crate::GetInstanceProcAddr, $crate::GetDeviceProcAddr) =
                (vkGetInstanceProcAddr, get_device_proc_addr);
            // SAFETY: the caller's arguments.
            unsafe { $crate::instance_function::<$shim>(&REAL_LOADER, own, instance, name) }
        }

        unsafe extern "system" fn get_device_proc_addr(
            device: $crate::vk::Device,
            name: *const std::ffi::c_char,
        ) -> Option<$crate::Function> {
            // SAFETY: the caller's arguments.
            unsafe { $crate::device_function::<$shim>(&REAL_LOADER, device, name) }
        }
    };
}

/// Wrappers of functions: the name, its type in `ash::vk`, and the wrapper, which calls the real function as
/// `real()`. Defines `wrapper`, which finds our function and where the real one's address belongs.
#[macro_export]
macro_rules! wrappers {
    ($($name:ident as $ty:ident: ($($arg:ident: $arg_ty:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {
        $(
            #[allow(non_snake_case)]
            mod $name {
                #[allow(unused_imports)]
                use super::*;
                pub static REAL: $crate::AtomicUsize = $crate::AtomicUsize::new(0);
                /// The real function.
                #[allow(dead_code)]
                pub fn real() -> $crate::vk::$ty {
                    let address = REAL.load($crate::Ordering::Relaxed);
                    // SAFETY: the address of the function of that name, stored before the wrapper is known.
                    unsafe { std::mem::transmute::<usize, $crate::vk::$ty>(address) }
                }
                pub unsafe extern "system" fn own($($arg: $arg_ty),*) $(-> $result)? $body
            }
        )*
        /// Our function of that name, and where the real one's address belongs.
        fn wrapper(name: &str) -> Option<($crate::Function, &'static $crate::AtomicUsize)> {
            match name {
                $(stringify!($name) => {
                    // SAFETY: a function's address; the caller gives it the type of its name again.
                    let own = unsafe {
                        std::mem::transmute::<$crate::vk::$ty, $crate::Function>($name::own)
                    };
                    Some((own, &$name::REAL))
                })*
                _ => None,
            }
        }
    };
}

/// Calls `f` for each structure of a chain, in order.
///
/// # Safety
/// `at` is NULL or a chain of structures that begin as Vulkan's do.
pub unsafe fn each<'a>(
    mut at: *mut vk::BaseOutStructure<'a>,
    mut f: impl FnMut(*mut vk::BaseOutStructure<'a>),
) {
    while !at.is_null() {
        f(at);
        // SAFETY: the caller's promise.
        at = unsafe { (*at).p_next };
    }
}

const _: () = assert!(size_of::<usize>() == 8 && size_of::<*const std::ffi::c_void>() == 8);
