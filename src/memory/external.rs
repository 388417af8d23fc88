//! Buffers created from memory that is shared with other processes and interfaces (cl_khr_external_memory).
//!
//! Such a buffer belongs to one device and has one storage, the shared memory itself. Commands use it between
//! an acquire and a release, which transfer its ownership to the device and back.

use super::MemObject;
use super::residency::Residency;
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::share::{self, MemoryHandle};
use crate::err;
use crate::error::{Error, Result};
use std::os::fd::RawFd;
use std::sync::Arc;

/// Properties of a new buffer that concern shared memory.
#[derive(Clone, Default)]
pub struct ExternalDesc {
    pub handles: Vec<(MemoryHandle, RawFd)>,
    /// CL_MEM_DEVICE_HANDLE_LIST_KHR, if present.
    pub devices: Option<Vec<Arc<Device>>>,
    /// The list as passed.
    pub list: Vec<cl_mem_properties>,
}

/// clCreateBufferWithProperties with a handle to shared memory.
pub fn create(
    context: &Arc<Context>,
    desc: ExternalDesc,
    flags: cl_mem_flags,
    size: usize,
    has_host_ptr: bool,
) -> Result<Arc<MemObject>> {
    // CL_INVALID_PROPERTY: not exactly one handle.
    let [(handle, fd)] = desc.handles[..] else {
        return Err(err!(CL_INVALID_PROPERTY, "{} handles of shared memory", desc.handles.len()));
    };
    let devices = desc.devices.as_deref().unwrap_or(context.devices());
    // CL_INVALID_DEVICE: several devices, one that is not of the context, or one that cannot import the
    // handle. One memory cannot be the storage of several devices.
    let index = match devices {
        [device] => context.devices().iter().position(|d| Arc::ptr_eq(d, device)),
        _ => None,
    };
    let index =
        index.ok_or_else(|| err!(CL_INVALID_DEVICE, "shared memory needs one device of the context"))?;
    let device = &context.devices()[index];
    if !device.info().memory_imports.contains(&handle) {
        return Err(err!(CL_INVALID_DEVICE, "the device imports no {handle:?} memory"));
    }
    // CL_INVALID_VALUE: flags that concern host memory.
    if flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0 {
        return Err(err!(CL_INVALID_VALUE, "flags about host memory for shared memory"));
    }
    let flags = MemFlags::of_any(flags)?;
    // CL_INVALID_BUFFER_SIZE: zero, or more than the device can allocate.
    if size == 0 || size as u64 > device.info().max_alloc_size {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, format!("{size} bytes")));
    }
    if has_host_ptr {
        return Err(err!(CL_INVALID_HOST_PTR, "a host pointer for shared memory"));
    }
    if !share::is_open(fd) {
        return Err(err!(CL_INVALID_VALUE, "{fd} is not an open file descriptor"));
    }
    // CL_INVALID_PROPERTY: the driver rejects the memory.
    let memory =
        device.ops().import_memory(handle, fd, size as u64).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    let residency = Arc::new(Residency::of_external(context.device_ops(), size as u64, index, memory));
    let mem = MemObject::new(context, flags, size as u64, residency, 0);
    Ok(Arc::new(MemObject { properties: Some(desc.list), ..mem }))
}
