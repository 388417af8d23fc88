//! Creation of buffers and sub-buffers.

use super::MemObject;
use super::allocations::SvmKind;
use super::residency::{Initial, Residency};
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::traits::BufferDesc;
use crate::error::{Error, Result};
use crate::host_ptr::HostPtr;
use std::sync::Arc;

/// clCreateBuffer, clCreateBufferWithProperties. `properties` is the list as passed, if there was one.
pub fn create(
    context: &Arc<Context>,
    properties: Option<Vec<cl_mem_properties>>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: Option<HostPtr>,
) -> Result<Arc<MemObject>> {
    let addressed = wants_addresses(context, properties.as_deref().unwrap_or_default())?;
    let flags = MemFlags::for_buffer(flags)?;
    // CL_INVALID_BUFFER_SIZE: zero, or more than any device can allocate.
    let largest = context.devices().iter().map(|d| d.info().max_alloc_size).max().unwrap_or(0);
    if size == 0 || size as u64 > largest {
        return Err(Error::with(
            CL_INVALID_BUFFER_SIZE,
            format!("{size} bytes; at most {largest} can be allocated"),
        ));
    }
    // CL_INVALID_HOST_PTR: a host pointer without a flag that uses it, or the reverse.
    if flags.needs_host_ptr() != host_ptr.is_some() {
        return Err(Error::with(CL_INVALID_HOST_PTR, "a host pointer without its flag, or the reverse"));
    }
    if let Some(ptr) = host_ptr.filter(|_| flags.uses_host_ptr())
        && let Some(allocation) =
            context.allocations.find(ptr.addr() as u64).filter(|a| a.kind != SvmKind::Device)
    {
        if !allocation.contains(ptr.addr() as u64, size as u64) {
            return Err(Error::with(CL_INVALID_BUFFER_SIZE, "the buffer is larger than the SVM allocation"));
        }
        let offset = ptr.addr() as u64 - allocation.address;
        let mem = MemObject::new(context, flags, size as u64, allocation.residency().clone(), offset);
        let addresses = addressed.then(|| vec![ptr.addr() as u64; context.devices().len()]);
        return Ok(Arc::new(MemObject { host_ptr: Some(ptr), uses_svm: true, addresses, properties, ..mem }));
    }
    let initial = match host_ptr {
        Some(ptr) if flags.uses_host_ptr() => Initial::Use(ptr),
        Some(ptr) => Initial::Copy(ptr),
        None => Initial::Nothing,
    };
    let host_visible = flags.has(CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR);
    let read_only = !flags.kernel_writable();
    let desc = BufferDesc { size: size as u64, host_visible, read_only, name: "buffer" };
    let residency = Arc::new(Residency::new(context.device_ops(), &desc, initial)?);
    let host_ptr = host_ptr.filter(|_| flags.uses_host_ptr());
    let addresses = if addressed { Some(addresses(context, size as u64, &residency)?) } else { None };
    let mem = MemObject::new(context, flags, size as u64, residency, 0);
    Ok(Arc::new(MemObject { host_ptr, addresses, properties, ..mem }))
}

/// Parses a list of properties. Returns whether the application requests device addresses.
fn wants_addresses(context: &Context, properties: &[cl_mem_properties]) -> Result<bool> {
    let mut wanted = None;
    for pair in properties.chunks(2).take_while(|p| p[0] != 0) {
        let value = pair.get(1).copied().unwrap_or(0);
        // CL_INVALID_PROPERTY: an unknown property, one that is given twice, or an invalid value.
        if pair[0] != cl_mem_properties::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT)
            || wanted.is_some()
            || value > 1
        {
            return Err(Error::with(
                CL_INVALID_PROPERTY,
                format!("buffer property {:#x}, value {value:#x}", pair[0]),
            ));
        }
        wanted = Some(value == 1);
    }
    if wanted.is_some() && !context.devices().iter().any(|d| d.info().buffer_addresses) {
        return Err(Error::with(CL_INVALID_OPERATION, "no device reports buffer addresses"));
    }
    Ok(wanted == Some(true))
}

/// Creates the backing on every device, so that its address stays the same. Returns the addresses.
fn addresses(context: &Context, size: u64, residency: &Arc<Residency>) -> Result<Vec<u64>> {
    let address = |index: usize| Ok(residency.backing(context.device_ops(), index)?.address());
    let list = (0..context.devices().len()).map(address).collect::<Result<Vec<_>>>()?;
    context.allocations.add_buffer(size, list.clone(), residency);
    Ok(list.into_iter().map(|a| a.unwrap_or(0)).collect())
}

/// clCreateSubBuffer for CL_BUFFER_CREATE_TYPE_REGION.
pub fn create_sub_buffer(
    parent: &Arc<MemObject>,
    flags: cl_mem_flags,
    origin: usize,
    size: usize,
) -> Result<Arc<MemObject>> {
    if parent.object_type != CL_MEM_OBJECT_BUFFER || parent.parent.is_some() {
        return Err(Error::with(CL_INVALID_MEM_OBJECT, "not a buffer, or itself a sub-buffer"));
    }
    let flags = MemFlags::for_sub_buffer(flags, parent.flags)?;
    if (origin as u64).checked_add(size as u64).is_none_or(|end| end > parent.size) {
        return Err(Error::with(CL_INVALID_VALUE, "the region is out of bounds"));
    }
    if size == 0 {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, "the region is empty"));
    }
    // CL_MISALIGNED_SUB_BUFFER_OFFSET: aligned for no device.
    if !parent.context.devices().iter().any(|d| is_aligned(d, origin as u64)) {
        return Err(Error::new(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    }
    let origin = origin as u64;
    let mem = MemObject::new(
        &parent.context,
        flags,
        size as u64,
        parent.residency().clone(),
        parent.offset + origin,
    );
    Ok(Arc::new(MemObject {
        host_ptr: parent.host_ptr.map(|p| p.offset(origin)),
        parent: Some(parent.clone()),
        origin,
        uses_svm: parent.uses_svm,
        addresses: parent.addresses.as_ref().map(|list| list.iter().map(|a| a + origin).collect()),
        ..mem
    }))
}

fn is_aligned(device: &Device, offset: u64) -> bool {
    let align = u64::from(device.info().base_addr_align_bits / 8).max(1);
    offset.is_multiple_of(align)
}

/// Checks that commands for a device may use an object: CL_MISALIGNED_SUB_BUFFER_OFFSET.
pub(crate) fn validate_alignment(mem: &MemObject, device: &Device) -> Result<()> {
    if mem.parent.is_some() && !is_aligned(device, mem.origin) {
        return Err(Error::new(CL_MISALIGNED_SUB_BUFFER_OFFSET));
    }
    Ok(())
}
