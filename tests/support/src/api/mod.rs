//! Harness of the API tests: loads the system's ICD loader, points it at the library built beside the test,
//! and offers the core API as functions (`autogen_api.rs`).
//!
//! The loader reads its environment when first used, so tests reach the API only through [`symbol`], which
//! sets it first. Without a loader the tests fail, as they would prove nothing. They also fail on any message
//! of the validators (see `validation`).

pub mod autogen_api;
pub mod command_buffer;
pub mod device_queue;
pub mod devices;
pub mod extension;
pub mod model;
pub mod other_vulkan;
pub mod recording;
pub mod rig;
pub mod semaphore;
pub mod supervised;
pub mod validation;

pub use autogen_api::*;
pub use pyroclast_runtime::cl::*;

use libloading::{Library, Symbol};
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

/// Time limit of waits that should be short. It distinguishes an error from a hang, never a fast machine from
/// a slow one.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Path of the freshly built driver, in the folder of the test program; of examples in the one above. By
/// default its devices are the Vulkan ones; tests of the host's processor select it.
fn driver() -> PathBuf {
    if std::env::var_os("PYROCLAST_DEVICES").is_none() {
        // SAFETY: every test comes through here before the driver reads its environment.
        unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan") };
    }
    let exe = std::env::current_exe().expect("path of the test program");
    let beside = exe.with_file_name("libpyroclast.so");
    let is_example = exe.parent().is_some_and(|folder| folder.ends_with("examples"));
    let path = if is_example { exe.with_file_name("../libpyroclast.so") } else { beside };
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

static LOADER: OnceLock<Library> = OnceLock::new();

/// Makes the test call the system's loader with other vendors. To be called before anything else.
pub fn with_vendors(folder: &Path) {
    // SAFETY: as in `loader`.
    let library = unsafe {
        std::env::set_var("OCL_ICD_VENDORS", folder);
        Library::new("libOpenCL.so.1").expect("an OpenCL ICD loader is installed")
    };
    assert!(LOADER.set(library).is_ok());
}

static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Makes the program call the system's loader as the environment configures it, for tools that run on any
/// driver. To be called before anything else.
pub fn with_installed_drivers() {
    INSTALLED.store(true, Ordering::Relaxed);
}

fn loader() -> &'static Library {
    LOADER.get_or_init(|| {
        if INSTALLED.load(Ordering::Relaxed) {
            // SAFETY: loading the system's OpenCL loader runs its initialisation only.
            return unsafe { Library::new("libOpenCL.so.1") }.expect("an OpenCL ICD loader is installed");
        }
        validation::watch();
        let vendors = std::env::temp_dir().join(format!("pyroclast-vendors-{}", std::process::id()));
        // A killed process with the same id may have left one.
        let _ = std::fs::remove_dir_all(&vendors);
        std::fs::create_dir_all(&vendors).expect("directory for the vendor file");
        std::fs::write(vendors.join("pyroclast.icd"), format!("{}\n", driver().display()))
            .expect("vendor file");
        // SAFETY: every test comes through here before anything else reads or writes the environment.
        unsafe { std::env::set_var("OCL_ICD_VENDORS", &vendors) };
        // SAFETY: loading the system's OpenCL loader runs its initialisation only.
        let library = unsafe { Library::new("libOpenCL.so.1") }.expect("an OpenCL ICD loader is installed");
        let mut count = 0;
        // SAFETY: the function has this type; a call makes the loader read the vendor file.
        unsafe {
            let list: Symbol<unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int> =
                library.get(b"clGetPlatformIDs\0").expect("clGetPlatformIDs");
            list(0, null_mut(), &mut count);
        }
        let _ = std::fs::remove_dir_all(&vendors);
        assert_eq!(count, 1, "the loader did not take {}", driver().display());
        library
    })
}

static DIRECT: AtomicBool = AtomicBool::new(false);

/// Makes the test call the driver itself: loaders dereference handles blindly, so invalid handles are tested
/// without one. To be called before anything else.
pub fn without_loader() {
    DIRECT.store(true, Ordering::Relaxed);
}

fn direct() -> &'static Library {
    static DRIVER: OnceLock<Library> = OnceLock::new();
    DRIVER.get_or_init(|| {
        validation::watch();
        // SAFETY: the driver does nothing when loaded.
        unsafe { Library::new(driver()) }.expect("the driver loads")
    })
}

/// Whether a condition that depends on other threads or processes becomes true within [`PATIENCE`].
pub fn eventually(check: impl Fn() -> bool) -> bool {
    within(PATIENCE, check)
}

/// Like [`eventually`], with a time limit, for conditions that need not become true.
pub fn within(limit: Duration, check: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !check() {
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// A function of the loader.
///
/// # Safety
/// `T` is the type of the function.
pub unsafe fn symbol<T: Copy>(name: &str) -> T {
    let library = if DIRECT.load(Ordering::Relaxed) { direct() } else { loader() };
    // SAFETY: as the caller says.
    let found: Symbol<T> = unsafe { library.get(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"));
    *found
}

/// Whether the loader has a function; older loaders lack some.
pub fn has_symbol(name: &str) -> bool {
    let library = if DIRECT.load(Ordering::Relaxed) { direct() } else { loader() };
    // SAFETY: only the presence of the address is looked at.
    unsafe { library.get::<*const c_void>(name.as_bytes()) }.is_ok()
}

/// The platform.
pub fn platform() -> cl_platform_id {
    let mut platform = null_mut();
    // SAFETY: room for one platform.
    assert_eq!(unsafe { clGetPlatformIDs(1, &mut platform, null_mut()) }, CL_SUCCESS);
    platform
}

/// Every device; empty where there is no Vulkan driver.
pub fn devices() -> Vec<cl_device_id> {
    let mut count = 0;
    // SAFETY: a query of the count.
    if unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count) } != CL_SUCCESS {
        return Vec::new();
    }
    let mut list = vec![null_mut(); count as usize];
    // SAFETY: room for as many as there are.
    let code =
        unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, count, list.as_mut_ptr(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    list
}

/// Whether the software device is made to look like another device, which may lack something
/// (`tests/vulkan_profile`).
pub fn is_another_device() -> bool {
    std::env::var_os("VULKAN_PROFILE").is_some()
}

/// The Vulkan devices and the processor. Every test of such a program begins with it.
pub fn vulkan_and_processor() -> Vec<cl_device_id> {
    static LIST: OnceLock<Vec<usize>> = OnceLock::new();
    let list = LIST.get_or_init(|| {
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu") };
        devices().into_iter().map(|d| d as usize).collect()
    });
    list.iter().map(|d| *d as cl_device_id).collect()
}

/// Selects these kinds of devices, hides features, and lists the software device twice, if there is one and
/// the environment chooses no other driver. Every test of such a program begins with the same call.
pub fn software_device_twice(kinds: &str, hidden: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let dirs = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
        let found = dirs.into_iter().flat_map(std::fs::read_dir).flatten().flatten().map(|e| e.path());
        let is_software = |p: &Path| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp"));
        let chosen =
            std::env::var_os("VK_ICD_FILENAMES").is_some() || std::env::var_os("VK_DRIVER_FILES").is_some();
        let folder = std::env::temp_dir().join(format!("pyroclast-devices-{}", std::process::id()));
        let manifest = found.into_iter().find(|p| is_software(p)).filter(|_| !chosen);
        let list = manifest.map(|manifest| {
            std::fs::create_dir_all(&folder).unwrap();
            let copies = ["a.json", "b.json"].map(|name| folder.join(name));
            copies.iter().for_each(|copy| assert!(std::fs::copy(&manifest, copy).is_ok()));
            format!("{}:{}", copies[0].display(), copies[1].display())
        });
        // SAFETY: every test of the program waits here before it does anything else.
        unsafe {
            std::env::set_var("PYROCLAST_DEVICES", kinds);
            std::env::set_var("PYROCLAST_FEATURES", hidden);
            list.iter().for_each(|list| std::env::set_var("VK_ICD_FILENAMES", list));
        }
        devices();
        let _ = std::fs::remove_dir_all(&folder);
    });
}

/// The default device.
pub fn device() -> cl_device_id {
    *devices().first().expect("a device")
}

/// Whether the default device has queues on the device.
pub fn has_device_queues() -> bool {
    let capabilities = device_info(device(), CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
    number(&capabilities.expect("a query")) & CL_DEVICE_QUEUE_SUPPORTED != 0
}

/// A context of the default device.
pub fn context() -> cl_context {
    let (device, mut code) = (device(), 1);
    // SAFETY: one device, no properties, no callback.
    let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    context
}

/// Calls a query function with the object bound, `query(size, value, size_ret)`, for the size, then for the
/// value.
pub fn query_bytes(query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Result<Vec<u8>, cl_int> {
    let mut size = 0;
    match query(0, null_mut(), &mut size) {
        CL_SUCCESS => {}
        code => return Err(code),
    }
    let mut bytes = vec![0xa5; size];
    if size > 0 {
        assert_eq!(query(size, bytes.as_mut_ptr().cast(), null_mut()), CL_SUCCESS);
        // CL_INVALID_VALUE: one byte too small.
        assert_eq!(query(size - 1, bytes.as_mut_ptr().cast(), null_mut()), CL_INVALID_VALUE);
    }
    Ok(bytes)
}

/// Text of a query.
pub fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).expect("a terminated string").to_string_lossy().into_owned()
}

/// Number of a query of 4 or 8 bytes.
pub fn number(bytes: &[u8]) -> u64 {
    match bytes.len() {
        4 => u64::from(u32::from_ne_bytes(bytes.try_into().expect("4 bytes"))),
        8 => u64::from_ne_bytes(bytes.try_into().expect("8 bytes")),
        n => panic!("{n} bytes are no number"),
    }
}

/// A query of clGetDeviceInfo.
pub fn device_info(device: cl_device_id, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: `query_bytes` passes buffers of the size it says.
    query_bytes(|size, value, size_ret| unsafe { clGetDeviceInfo(device, name, size, value, size_ret) })
}

/// A query of clGetPlatformInfo.
pub fn platform_info(platform: cl_platform_id, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe { clGetPlatformInfo(platform, name, size, value, size_ret) })
}

/// A query of clGetContextInfo.
pub fn context_info(context: cl_context, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    // SAFETY: as above.
    query_bytes(|size, value, size_ret| unsafe { clGetContextInfo(context, name, size, value, size_ret) })
}

/// A pointer that is not our object but that the loader can dereference: a live handle of another kind.
pub fn wrong_kind<T, U>(handle: *mut T) -> *mut U {
    handle.cast()
}
