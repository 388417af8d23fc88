//! Mapping and unmapping of buffers: validation and description. A mapping's address is known at once; the
//! command makes the bytes there valid.

use super::transfer::{execution_target, prepare, put, validate_host_access};
use super::{CommandKind, ExecutionTarget, MappedOperand, MemRange, image};
use crate::cl::region;
use crate::cl::*;
use crate::device::batch::{Access, BufferRange, Endpoint};
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::memory::MemObject;
use crate::memory::mapping::{Mapping, Shadow};
use crate::queue::CommandQueue;
use std::sync::Arc;

/// Checks map flags. Returns whether the application writes, and whether it discards the contents.
pub(super) fn validate_flags(mem: &MemObject, flags: cl_map_flags) -> Result<(bool, bool)> {
    let (invalidate, write) = (flags & CL_MAP_WRITE_INVALIDATE_REGION != 0, flags & CL_MAP_WRITE != 0);
    // CL_INVALID_VALUE: undefined flags, or contents both discarded and read or written.
    if flags & !(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
        || invalidate && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0
    {
        return Err(Error::with(CL_INVALID_VALUE, "invalid map flags"));
    }
    if flags & CL_MAP_READ != 0 {
        validate_host_access(mem, Access::Read)?;
    }
    if write || invalidate {
        validate_host_access(mem, Access::Write)?;
    }
    Ok((write || invalidate, invalidate))
}

/// clEnqueueMapBuffer: returns the event and the address.
pub fn map_buffer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    blocking: bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
    waits: WaitList,
) -> Result<(Arc<Event>, HostPtr)> {
    let host_sees = prepare(queue, mem, false)?;
    let (offset, size) = (offset as u64, size as u64);
    region::validate_range(offset, size, mem.size)?;
    if size == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "the region is empty"));
    }
    let (write, invalidate) = validate_flags(mem, flags)?;
    let memory = mem.backing(queue.device_index())?;
    let device_ptr = memory.host_ptr().map(|p| p.offset(mem.offset + offset));
    let (ptr, shadow) = match (mem.host_ptr.map(|p| p.offset(offset)), device_ptr) {
        // With CL_MEM_USE_HOST_PTR a mapping must be in the application's memory, whether the device uses it
        // or not.
        (Some(ptr), Some(seen)) if ptr == seen => (ptr, Shadow::Direct),
        (Some(ptr), _) => (ptr, Shadow::HostPtr),
        (None, Some(seen)) => (seen, Shadow::Direct),
        (None, None) => {
            // Aligned as the region is in the buffer.
            let skip = offset % 4096;
            let index = queue.device_index();
            let shadow = mem.shadow(index, skip + size);
            match shadow.and_then(|memory| Some((memory.host_ptr()?, memory))) {
                Some((base, memory)) => {
                    let range = BufferRange { memory, offset: skip, size };
                    (base.offset(skip), Shadow::Device { index, range })
                }
                None => {
                    let own = HostAllocation::new(skip + size);
                    let own =
                        own.ok_or_else(|| Error::with(CL_MAP_FAILURE, "no host memory for the region"))?;
                    (own.ptr().offset(skip), Shadow::Own(Arc::new(own)))
                }
            }
        }
    };
    let mapping = Mapping { ptr, offset, size, write, shadow, image: None };
    let bytes = if mapping.shadow.is_copy() && !invalidate { size } else { 0 };
    let target = execution_target(host_sees || bytes == 0, blocking, bytes);
    let memory = Endpoint::bytes(MemRange { memory: mem.clone(), offset, size });
    mem.add_mapping(mapping.clone())?;
    let mapped = MappedOperand { memory, region: [size, 1, 1], mapping };
    let kind = CommandKind::Map { mapped, fill: !invalidate };
    match put(queue, CL_COMMAND_MAP_BUFFER, (kind, target), waits, blocking) {
        Ok(event) => Ok((event, ptr)),
        Err(error) => {
            mem.take_mapping(ptr);
            Err(error)
        }
    }
}

/// clEnqueueUnmapMemObject.
pub fn unmap(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    if mem.image().is_some() {
        return image::unmap(queue, mem, ptr, waits);
    }
    let host_sees = prepare(queue, mem, false)?;
    // CL_INVALID_VALUE: the pointer is not of a mapping of this object.
    let mapping = mem
        .take_mapping(ptr)
        .ok_or_else(|| Error::with(CL_INVALID_VALUE, "nothing is mapped at the pointer"))?;
    let bytes = if mapping.shadow.is_copy() && mapping.write { mapping.size } else { 0 };
    let Mapping { offset, size, .. } = mapping;
    let memory = Endpoint::bytes(MemRange { memory: mem.clone(), offset, size });
    let target = if bytes == 0 { ExecutionTarget::Either } else { execution_target(host_sees, false, bytes) };
    let mapped = MappedOperand { memory, region: [size, 1, 1], mapping: mapping.clone() };
    put(queue, CL_COMMAND_UNMAP_MEM_OBJECT, (CommandKind::Unmap(mapped), target), waits, false)
        .inspect_err(|_| mem.restore_mapping(mapping))
}
