//! The driver as a library: beside the system's other drivers in one process, linked directly, and its
//! exports.

#![allow(clippy::unwrap_used)]

use libloading::{Library, Symbol};
use pyroclast_runtime::cl::*;
use std::ffi::CStr;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

fn driver() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libpyroclast.so")
}

type GetPlatformIds = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
type GetPlatformInfo = unsafe extern "C" fn(
    cl_platform_id,
    cl_platform_info,
    usize,
    *mut std::ffi::c_void,
    *mut usize,
) -> cl_int;

/// Serialises the tests: one changes the environment, which the other tests' libraries read.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names of the platforms that a library lists.
fn platform_names(library: &Library) -> Vec<String> {
    let mut list = [null_mut(); 16];
    let mut count = 0;
    // SAFETY: functions of those names have those types; lists and buffers have the room they say.
    unsafe {
        let ids: Symbol<GetPlatformIds> = library.get(b"clGetPlatformIDs\0").unwrap();
        let info: Symbol<GetPlatformInfo> = library.get(b"clGetPlatformInfo\0").unwrap();
        assert_eq!(ids(16, list.as_mut_ptr(), &mut count), CL_SUCCESS);
        let name = |platform: &cl_platform_id| {
            let mut text = [0u8; 128];
            assert_eq!(
                info(*platform, CL_PLATFORM_NAME, 128, text.as_mut_ptr().cast(), null_mut()),
                CL_SUCCESS
            );
            CStr::from_bytes_until_nul(&text).unwrap().to_string_lossy().into_owned()
        };
        list[..count as usize].iter().map(name).collect()
    }
}

#[test]
fn the_driver_works_without_a_loader() {
    let _alone = alone();
    // SAFETY: the driver does nothing when loaded.
    let library = unsafe { Library::new(driver()) }.unwrap();
    assert_eq!(platform_names(&library), ["Pyroclast"]);
}

#[test]
fn the_driver_stands_beside_the_systems_other_drivers() {
    let _alone = alone();
    let vendors = std::env::temp_dir().join(format!("pyroclast-beside-{}", std::process::id()));
    std::fs::create_dir_all(&vendors).unwrap();
    std::fs::write(vendors.join("pyroclast.icd"), format!("{}\n", driver().display())).unwrap();
    for entry in std::fs::read_dir("/etc/OpenCL/vendors").into_iter().flatten().flatten() {
        // A second copy of this driver would be listed twice.
        if !entry.file_name().to_string_lossy().contains("pyroclast") {
            std::fs::copy(entry.path(), vendors.join(entry.file_name())).unwrap();
        }
    }
    // SAFETY: the tests of this program run one at a time.
    unsafe { std::env::set_var("OCL_ICD_VENDORS", &vendors) };
    // SAFETY: loading the system's OpenCL loader runs its initialisation only.
    let library = unsafe { Library::new("libOpenCL.so.1") }.unwrap();
    let names = platform_names(&library);
    let _ = std::fs::remove_dir_all(&vendors);
    assert_eq!(names.iter().filter(|n| *n == "Pyroclast").count(), 1, "{names:?}");
}

#[test]
fn every_core_function_is_exported() {
    let _alone = alone();
    // SAFETY: the driver does nothing when loaded.
    let library = unsafe { Library::new(driver()) }.unwrap();
    let order = include_str!("../xtask/src/dispatch_order.txt");
    let is_core = |name: &&str| {
        let capitals = name.chars().rev().take_while(char::is_ascii_uppercase).count();
        capitals < 3 && !name.contains("GL") && !name.contains("DX9")
    };
    let loader_needs = [
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
    ];
    for name in order.split_whitespace().filter(is_core).chain(loader_needs) {
        // SAFETY: only the presence of the address is looked at.
        let found = unsafe { library.get::<*const ()>(name.as_bytes()) };
        assert!(found.is_ok(), "{name} is not exported");
    }
}
