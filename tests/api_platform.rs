//! Platform entry points through the ICD loader.

#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::null_mut;
use test_support::api::*;

#[test]
fn platform_ids() {
    let (mut platform, mut count) = (null_mut(), 0);
    // SAFETY: pointers are NULL or have room for the answer.
    unsafe {
        assert_eq!(clGetPlatformIDs(1, &mut platform, &mut count), CL_SUCCESS);
        assert_eq!(count, 1);
        assert!(!platform.is_null());
        assert_eq!(clGetPlatformIDs(0, &mut platform, null_mut()), CL_INVALID_VALUE);
        assert_eq!(clGetPlatformIDs(0, null_mut(), null_mut()), CL_INVALID_VALUE);
    }
}

#[test]
fn platform_queries() {
    let p = platform();
    let ask = |name| text(&platform_info(p, name).unwrap());
    assert_eq!(ask(CL_PLATFORM_NAME), "Pyroclast");
    assert_eq!(ask(CL_PLATFORM_PROFILE), "FULL_PROFILE");
    assert_eq!(ask(CL_PLATFORM_ICD_SUFFIX_KHR), "PYRO");
    let version = ask(CL_PLATFORM_VERSION);
    assert!(version.starts_with("OpenCL 3.") && version.split(' ').count() >= 3, "{version}");
    let numeric = number(&platform_info(p, CL_PLATFORM_NUMERIC_VERSION).unwrap());
    assert!(version.starts_with(&format!("OpenCL {}.{} ", numeric >> 22, (numeric >> 12) & 0x3ff)));
    assert_eq!(platform_info(p, CL_PLATFORM_HOST_TIMER_RESOLUTION).unwrap().len(), 8);
    assert!(!ask(CL_PLATFORM_VENDOR).is_empty());
    assert_eq!(platform_info(p, 0xffff), Err(CL_INVALID_VALUE));
}

#[test]
fn extension_lists_agree() {
    let p = platform();
    let names = text(&platform_info(p, CL_PLATFORM_EXTENSIONS).unwrap());
    assert!(names.split(' ').any(|n| n == "cl_khr_icd"));
    let versions = platform_info(p, CL_PLATFORM_EXTENSIONS_WITH_VERSION).unwrap();
    let with_version: Vec<String> =
        versions.chunks(size_of::<cl_name_version>()).map(|e| text(&e[4..])).collect();
    assert_eq!(with_version.join(" "), names);
}

#[test]
fn extension_functions() {
    let ask = |name: &std::ffi::CStr| {
        // SAFETY: a platform and a string.
        unsafe { clGetExtensionFunctionAddressForPlatform(platform(), name.as_ptr()) }
    };
    assert!(!ask(c"clIcdGetPlatformIDsKHR").is_null());
    assert!(ask(c"clNoSuchFunctionKHR").is_null());
    assert!(ask(c"clGetPlatformInfo").is_null());
    // SAFETY: NULL is answered with NULL.
    assert!(unsafe { clGetExtensionFunctionAddressForPlatform(platform(), std::ptr::null()) }.is_null());
}

#[test]
fn extension_functions_of_reported_extensions_exist() {
    let extensions = text(&platform_info(platform(), CL_PLATFORM_EXTENSIONS).unwrap());
    for (extension, function) in [
        ("cl_khr_create_command_queue", c"clCreateCommandQueueWithPropertiesKHR"),
        ("cl_khr_il_program", c"clCreateProgramWithILKHR"),
        ("cl_khr_suggested_local_work_size", c"clGetKernelSuggestedLocalWorkSizeKHR"),
    ] {
        let reported = extensions.split(' ').any(|e| e == extension);
        // SAFETY: a platform and a string.
        let address = unsafe { clGetExtensionFunctionAddressForPlatform(platform(), function.as_ptr()) };
        assert!(!reported || !address.is_null(), "{extension} is reported without {function:?}");
    }
}

#[test]
fn compiler_hints() {
    // SAFETY: no pointers but a handle.
    unsafe { assert_eq!(clUnloadPlatformCompiler(platform()), CL_SUCCESS) };
    let device = devices().first().copied();
    if let Some(device) = device {
        // SAFETY: a live handle of another kind, which the loader can follow.
        unsafe { assert_eq!(clUnloadPlatformCompiler(device.cast()), CL_INVALID_PLATFORM) };
    }
}

#[test]
fn icd2_entry_points() {
    type FindFunction = unsafe extern "C" fn(cl_platform_id, *const std::ffi::c_char) -> *mut c_void;
    type SetData = unsafe extern "C" fn(cl_platform_id, *mut c_void) -> cl_int;
    let address = |name: &std::ffi::CStr| {
        // SAFETY: a platform and a string.
        let found = unsafe { clGetExtensionFunctionAddressForPlatform(platform(), name.as_ptr()) };
        assert!(!found.is_null());
        found
    };
    // SAFETY: functions of those names have those types.
    let (find, set) = unsafe {
        (
            std::mem::transmute::<*mut c_void, FindFunction>(address(
                c"clIcdGetFunctionAddressForPlatformKHR",
            )),
            std::mem::transmute::<*mut c_void, SetData>(address(c"clIcdSetPlatformDispatchDataKHR")),
        )
    };
    let p = platform();
    // SAFETY: the platform is live; the second word of what its handle points to is the loader's.
    unsafe {
        assert!(!find(p, c"clCreateContext".as_ptr()).is_null());
        assert!(!find(p, c"clGetPlatformIDs".as_ptr()).is_null());
        assert!(find(p, c"clNoSuchFunction".as_ptr()).is_null());
        assert_eq!(set(null_mut(), null_mut()), CL_INVALID_PLATFORM);
        // A loader that knows these functions uses its data now, in other threads.
        let data = p.cast::<*mut c_void>().add(1);
        let own = data.read();
        let other = if own.is_null() { p.cast() } else { own };
        assert_eq!(set(p, other), CL_SUCCESS);
        assert_eq!(data.read(), other);
        assert_eq!(set(p, own), CL_SUCCESS);
        assert_eq!(data.read(), own);
    }
}
