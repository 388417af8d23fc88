//! Device entry points.

use crate::convert::{slice, write_out};
use crate::entry::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::device::traits::DeviceError;
use pyroclast_runtime::err;
use pyroclast_runtime::error::{Error, Result};
use std::ffi::c_void;

impl HandleTarget for _cl_device_id {
    type Object = Device;
}

entry! { fn clGetDeviceInfo(
    device: cl_device_id, param_name: cl_device_info, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> cl_int {
    let device = device.get()?;
    if param_name == CL_DEVICE_PLATFORM {
        return info::write(super::platform::platform_handle().into(), size, value, size_ret);
    }
    info::write(device.query(param_name)?, size, value, size_ret)
} }

// Root devices are not counted.
entry! { fn clRetainDevice(device: cl_device_id) -> cl_int { device.get().map(|_| ()) } }
entry! { fn clReleaseDevice(device: cl_device_id) -> cl_int { device.get().map(|_| ()) } }

entry! { fn clCreateSubDevices(
    in_device: cl_device_id, partition: *const cl_device_partition_property, num_devices: cl_uint,
    out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
) -> cl_int {
    in_device.get()?;
    let _ = (num_devices, out_devices, num_devices_ret);
    // A partition must be asked for, and be one that the device supports: there are none.
    Err(err!(CL_INVALID_VALUE, "{}", if partition.is_null() { "no partition properties" } else { "the device cannot be partitioned" }))
} }

/// Device and host time, taken together.
fn timers(device: cl_device_id) -> Result<(u64, u64)> {
    device.get()?.ops().timestamps().map_err(|error| match error {
        DeviceError::Unsupported(_) => Error::with(CL_INVALID_OPERATION, error.to_string()),
        other => other.into(),
    })
}

entry! { fn clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong) -> cl_int {
    device.get()?;
    // Both results must have a place.
    if device_timestamp.is_null() || host_timestamp.is_null() {
        return Err(err!(CL_INVALID_VALUE, "a timestamp is NULL"));
    }
    let (of_device, of_host) = timers(device)?;
    write_out(device_timestamp, of_device);
    write_out(host_timestamp, of_host);
    Ok(())
} }

// The same clock as the host's of clGetDeviceAndHostTimer.
entry! { fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> cl_int {
    device.get()?;
    // The result must have a place.
    if host_timestamp.is_null() {
        return Err(err!(CL_INVALID_VALUE, "the timestamp is NULL"));
    }
    write_out(host_timestamp, timers(device)?.1);
    Ok(())
} }

entry! { fn clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, command_queue: cl_command_queue) -> cl_int {
    let context = context.get()?;
    // The device must be valid and belong to the context.
    context.device(device.get()?)?;
    let _ = command_queue;
    // The device must have a replaceable default queue: there are no queues on devices.
    Err(err!(CL_INVALID_OPERATION, "the device has no on-device queues"))
} }

/// Devices of an application's list; CL_INVALID_VALUE if the list is missing or empty.
pub fn device_list(num_devices: cl_uint, devices: *const cl_device_id) -> Result<Vec<std::sync::Arc<Device>>> {
    if num_devices == 0 || devices.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no devices"));
    }
    slice(devices, num_devices as usize)?.iter().map(|d| d.arc()).collect()
}
