//! Platform entry points, the compiler hints, and the functions that loaders look up.

use crate::convert::{string, write_list, write_out};
use crate::entry::entry;
use crate::handle::{Handle, HandleTarget};
use crate::{dispatch, handle, info};
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::platform::Platform;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

impl HandleTarget for _cl_platform_id {
    type Object = Platform;
}

/// The driver's platform. An application reaches every object through it, so the handles' dispatch table is
/// set here.
pub fn the_platform() -> &'static Arc<Platform> {
    handle::set_dispatch(&dispatch::DISPATCH);
    Platform::get()
}

/// The platform's handle.
pub fn platform_handle() -> cl_platform_id {
    cl_platform_id::of(the_platform())
}

/// The platform of a handle. NULL selects this one, the only one of the driver.
pub(crate) fn platform_or_default(platform: cl_platform_id) -> Result<&'static Platform> {
    if platform.is_null() { Ok(the_platform()) } else { platform.get() }
}

fn get_platform_ids(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> Result<()> {
    // CL_INVALID_VALUE: a list of no entries, or no result requested.
    if (num_entries == 0 && !platforms.is_null()) || (platforms.is_null() && num_platforms.is_null()) {
        return Err(err!(CL_INVALID_VALUE, "no room for platforms, or nothing asked for"));
    }
    let handle = platform_handle();
    if handle.is_null() {
        return Err(err!(CL_OUT_OF_HOST_MEMORY));
    }
    write_list(&[handle], num_entries, platforms, num_platforms);
    Ok(())
}

entry! { fn clGetPlatformIDs(
    num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint
) -> cl_int {
    get_platform_ids(num_entries, platforms, num_platforms)
} }

entry! { fn clIcdGetPlatformIDsKHR(
    num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint
) -> cl_int {
    get_platform_ids(num_entries, platforms, num_platforms)
} }

entry! { fn clGetPlatformInfo(
    platform: cl_platform_id, param_name: cl_platform_info, size: usize, value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    info::write(platform_or_default(platform)?.query(param_name)?, size, value, size_ret)
} }

// Hints that the compiler's resources may be released: it holds none between builds.
entry! { fn clUnloadCompiler() -> cl_int { Ok(()) } }

entry! { fn clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int { platform.get().map(|_| ()) } }

fn extension_function(name: *const c_char) -> Result<*mut c_void> {
    let name = string(name)?;
    Ok(dispatch::find_extension(&name).map_or(null_mut(), |f| f.cast_mut()))
}

entry! { fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void, or null_mut(); {
    extension_function(name)
} }

entry! { fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id, name: *const c_char,
) -> *mut c_void, or null_mut(); {
    platform.get()?;
    extension_function(name)
} }

// ICD 2: the loader looks up every function by name and stores its own word in the platform's handles.
entry! { fn clIcdGetFunctionAddressForPlatformKHR(
    platform: cl_platform_id, name: *const c_char,
) -> *mut c_void, or null_mut(); {
    platform.get()?;
    let name = string(name)?;
    Ok(dispatch::find(&name).map_or(null_mut(), |f| f.cast_mut()))
} }

entry! { fn clIcdSetPlatformDispatchDataKHR(platform: cl_platform_id, dispatch_data: *mut c_void) -> cl_int {
    platform.get()?;
    handle::set_dispatch_data(dispatch_data);
    Ok(())
} }

entry! { fn clGetDeviceIDs(
    platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint, devices: *mut cl_device_id,
    num_devices: *mut cl_uint,
) -> cl_int {
    let platform = platform_or_default(platform)?;
    // CL_INVALID_VALUE: a list of no entries, or no result requested.
    if (num_entries == 0 && !devices.is_null()) || (devices.is_null() && num_devices.is_null()) {
        return Err(err!(CL_INVALID_VALUE, "no room for devices, or nothing asked for"));
    }
    let found = match platform.devices_of_type(device_type) {
        Ok(found) => found,
        Err(error) => {
            write_out(num_devices, 0);
            return Err(error);
        }
    };
    let handles: Vec<cl_device_id> = found.iter().map(cl_device_id::of).collect();
    if handles.iter().any(|h| h.is_null()) {
        return Err(err!(CL_OUT_OF_HOST_MEMORY));
    }
    write_list(&handles, num_entries, devices, num_devices);
    Ok(())
} }
