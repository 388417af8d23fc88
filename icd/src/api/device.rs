//! Device entry points.

use super::queue::device_queue;
use crate::convert::{property_values, slice, write_list, write_out};
use crate::entry::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::device::Device;
use pyroclast_runtime::device::traits::DeviceError;
use pyroclast_runtime::err;
use pyroclast_runtime::error::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

impl HandleTarget for _cl_device_id {
    type Object = Device;
}

entry! { fn clGetDeviceInfo(
    device: cl_device_id, param_name: cl_device_info, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> cl_int {
    let handle = device;
    let device = device.get()?;
    let answer = match param_name {
        CL_DEVICE_PLATFORM => super::platform::platform_handle().into(),
        CL_DEVICE_PARENT_DEVICE => device.parent().map_or(std::ptr::null_mut(), cl_device_id::of).into(),
        // Root devices are not reference-counted: their count is one.
        CL_DEVICE_REFERENCE_COUNT if device.parent().is_some() => handle.reference_count()?.into(),
        other => device.query(other)?,
    };
    info::write(answer, size, value, size_ret)
} }

// Root devices are not reference-counted.
entry! { fn clRetainDevice(device: cl_device_id) -> cl_int {
    if device.get()?.parent().is_some() { device.retain() } else { Ok(()) }
} }
entry! { fn clReleaseDevice(device: cl_device_id) -> cl_int {
    if device.get()?.parent().is_some() { device.release() } else { Ok(()) }
} }

entry! { fn clCreateSubDevices(
    in_device: cl_device_id, partition: *const cl_device_partition_property, num_devices: cl_uint,
    out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
) -> cl_int {
    let device = in_device.arc()?;
    let parts = device.partition(&property_values(partition)?)?;
    if !out_devices.is_null() {
        if (num_devices as usize) < parts.len() {
            return Err(err!(CL_INVALID_VALUE, "{} sub-devices, room for {num_devices}", parts.len()));
        }
        let handles: Vec<cl_device_id> = parts.iter().map(|d| cl_device_id::publish(d.clone())).collect();
        write_list(&handles, num_devices, out_devices, std::ptr::null_mut());
    }
    write_out(num_devices_ret, parts.len() as cl_uint);
    Ok(())
} }

/// Device and host time, sampled together.
fn timers(device: cl_device_id) -> Result<(u64, u64)> {
    device.get()?.ops().timestamps().map_err(|error| match error {
        DeviceError::Unsupported(_) => Error::with(CL_INVALID_OPERATION, error.to_string()),
        other => other.into(),
    })
}

entry! { fn clGetDeviceAndHostTimer(
    device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong
) -> cl_int {
    device.get()?;
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
    if host_timestamp.is_null() {
        return Err(err!(CL_INVALID_VALUE, "the timestamp is NULL"));
    }
    write_out(host_timestamp, timers(device)?.1);
    Ok(())
} }

entry! { fn clSetDefaultDeviceCommandQueue(
    context: cl_context, device: cl_device_id, command_queue: cl_command_queue
) -> cl_int {
    let context = context.arc()?;
    // CL_INVALID_DEVICE: not a device of the context.
    let device = context.device(device.get()?)?;
    if device.info().enqueue.is_none() {
        return Err(err!(CL_INVALID_OPERATION, "the device has no on-device queues"));
    }
    let queue = device_queue(command_queue).arc()?;
    if !Arc::ptr_eq(queue.context(), &context) || !Arc::ptr_eq(queue.device(), device) {
        return Err(err!(CL_INVALID_COMMAND_QUEUE, "the queue is of another context or device"));
    }
    queue.make_default();
    Ok(())
} }

/// Devices of an application's list; CL_INVALID_VALUE if the list is missing or empty.
pub fn device_list(
    num_devices: cl_uint,
    devices: *const cl_device_id,
) -> Result<Vec<std::sync::Arc<Device>>> {
    if num_devices == 0 || devices.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no devices"));
    }
    slice(devices, num_devices as usize)?.iter().map(|d| d.arc()).collect()
}
