//! Creation of buffers and sub-buffers.

use super::MemObject;
use super::residency::{Initial, Residency};
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::host_ptr::HostPtr;
use std::sync::Arc;

/// clCreateBuffer, clCreateBufferWithProperties. `properties` is the list as given, if there was one.
pub fn create(
    context: &Arc<Context>,
    properties: Option<Vec<cl_mem_properties>>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: Option<HostPtr>,
) -> Result<Arc<MemObject>> {
    // No property is defined for buffers without extensions, so only an empty list is valid.
    if properties.as_ref().is_some_and(|p| p.iter().any(|v| *v != 0)) {
        return Err(Error::with(CL_INVALID_PROPERTY, "unknown buffer property"));
    }
    let flags = MemFlags::for_buffer(flags)?;
    // The size is positive and some device can hold it.
    let largest = context.devices().iter().map(|d| d.info().max_alloc_size).max().unwrap_or(0);
    if size == 0 || size as u64 > largest {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, format!("{size} bytes; at most {largest} can be had")));
    }
    // There is a host pointer exactly when a flag uses it.
    if flags.needs_host_ptr() != host_ptr.is_some() {
        return Err(Error::with(CL_INVALID_HOST_PTR, "the host pointer does not go with the flags"));
    }
    let initial = match host_ptr {
        Some(ptr) if flags.uses_host_ptr() => Initial::Use(ptr),
        Some(ptr) => Initial::Copy(ptr),
        None => Initial::Nothing,
    };
    let host_visible = flags.has(CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR);
    let residency = Arc::new(Residency::new(context, size as u64, host_visible, initial)?);
    let kept = host_ptr.filter(|_| flags.uses_host_ptr());
    Ok(MemObject::new(context.clone(), flags, size as u64, kept, None, 0, properties, residency))
}

/// clCreateSubBuffer for CL_BUFFER_CREATE_TYPE_REGION.
pub fn create_sub_buffer(parent: &Arc<MemObject>, flags: cl_mem_flags, origin: usize, size: usize) -> Result<Arc<MemObject>> {
    // The parent is a buffer and no sub-buffer.
    if parent.object_type != CL_MEM_OBJECT_BUFFER || parent.parent.is_some() {
        return Err(Error::with(CL_INVALID_MEM_OBJECT, "not a buffer, or itself a sub-buffer"));
    }
    let flags = MemFlags::for_sub_buffer(flags, parent.flags)?;
    // The region lies in the parent...
    if (origin as u64).checked_add(size as u64).is_none_or(|end| end > parent.size) {
        return Err(Error::with(CL_INVALID_VALUE, "the region is out of bounds"));
    }
    // ...and is not empty.
    if size == 0 {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, "the region is empty"));
    }
    // Its start is aligned for at least one device.
    if !parent.context.devices().iter().any(|d| is_aligned(d, origin as u64)) {
        return Err(Error::new(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    }
    let host_ptr = parent.host_ptr.map(|p| p.offset(origin as u64));
    Ok(MemObject::new(
        parent.context.clone(),
        flags,
        size as u64,
        host_ptr,
        Some(parent.clone()),
        origin as u64,
        None,
        parent.residency().clone(),
    ))
}

fn is_aligned(device: &Device, offset: u64) -> bool {
    let align = u64::from(device.info().base_addr_align_bits / 8).max(1);
    offset.is_multiple_of(align)
}

/// Checks that an object may be used by commands for a device.
pub fn validate_alignment(mem: &MemObject, device: &Device) -> Result<()> {
    // A sub-buffer starts at an offset that the device supports.
    if mem.parent.is_some() && !is_aligned(device, mem.offset) {
        return Err(Error::new(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    }
    Ok(())
}
