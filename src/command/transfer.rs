//! Reads, writes, copies and fills of buffers: validation and description.

use super::{CommandKind, ExecutionTarget, MemEndpoint, MemRange};
use crate::cl::region::{self, Region};
use crate::cl::*;
use crate::device::batch::{Access, Endpoint, RectLayout};
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::HostPtr;
use crate::memory::{MemObject, buffer};
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use smallvec::SmallVec;
use std::sync::Arc;

/// A transfer of at most this many bytes is done by the enqueueing thread when nothing precedes it.
const HOST_BYTES: u64 = 1 << 20;

/// Checks that commands of the queue may use the object, and creates its memory on the device. Returns
/// whether the host can access that.
pub(super) fn prepare(queue: &CommandQueue, mem: &MemObject, reads: bool) -> Result<bool> {
    if !Arc::ptr_eq(queue.context(), &mem.context) {
        return Err(Error::with(CL_INVALID_CONTEXT, "the memory object belongs to another context"));
    }
    if mem.object_type != CL_MEM_OBJECT_BUFFER {
        return Err(Error::with(CL_INVALID_MEM_OBJECT, "not a buffer"));
    }
    buffer::validate_alignment(mem, queue.device())?;
    let memory = mem.backing(queue.device_index())?;
    Ok(memory.host_ptr().is_some() && (!reads || memory.host_cached()))
}

pub(super) fn validate_same_context(queue: &CommandQueue, waits: &WaitList) -> Result<()> {
    if waits.iter().any(|e| !Arc::ptr_eq(e.context(), queue.context())) {
        return Err(Error::with(CL_INVALID_CONTEXT, "an event of the wait list belongs to another context"));
    }
    Ok(())
}

/// Execution target of a transfer.
pub(super) fn execution_target(host_sees: bool, blocking: bool, bytes: u64) -> ExecutionTarget {
    match (host_sees, blocking) {
        (false, _) => ExecutionTarget::Device,
        (true, true) => ExecutionTarget::Host,
        (true, false) if bytes <= HOST_BYTES => ExecutionTarget::Either,
        (true, false) => ExecutionTarget::Device,
    }
}

/// Execution target of a transfer of contiguous bytes between the memory of `sides` and other memory, or
/// among them. The host sees all of that (`seen`), or can reach small parts.
fn linear_target(
    queue: &CommandQueue,
    sides: &[(&MemObject, Access)],
    seen: bool,
    blocking: bool,
    bytes: u64,
) -> Result<ExecutionTarget> {
    let mut quick = !seen;
    for (mem, access) in sides.iter().filter(|_| !seen) {
        quick &= bytes <= mem.backing(queue.device_index())?.quick_when_idle(*access);
    }
    Ok(if quick { ExecutionTarget::Either } else { execution_target(seen, blocking, bytes) })
}

/// A command's operation and its execution target.
pub type Described = (CommandKind, ExecutionTarget);

#[inline]
pub(super) fn put(
    queue: &Arc<CommandQueue>,
    command_type: cl_command_type,
    (kind, target): Described,
    waits: WaitList,
    blocking: bool,
) -> Result<Arc<Event>> {
    let new = NewCommand { command_type, kind, waits, target, sync: SyncKind::None };
    if blocking { queue.enqueue_blocking(new) } else { queue.enqueue(new) }
}

/// A copy between host memory and a memory object, which is read or written.
#[inline]
pub(super) fn host_copy(
    access: Access,
    object: MemEndpoint,
    (ptr, layout): (HostPtr, RectLayout),
    region: Region,
) -> CommandKind {
    let host = Endpoint::Host(ptr, layout);
    match access {
        Access::Read => CommandKind::copy(object, host, region),
        Access::Write => CommandKind::copy(host, object, region),
    }
}

/// clEnqueueReadBuffer.
pub fn read_buffer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    blocking: bool,
    offset: usize,
    size: usize,
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    let (kind, host_sees) = describe_host(queue, mem, Access::Read, (offset, size), ptr, &waits)?;
    let bytes = size as u64;
    let at_once = blocking && !host_sees && bytes <= mem.backing(queue.device_index())?.quick_read();
    let target = match at_once {
        true => ExecutionTarget::Host,
        false => linear_target(queue, &[(mem, Access::Read)], host_sees, blocking, bytes)?,
    };
    put(queue, CL_COMMAND_READ_BUFFER, (kind, target), waits, blocking)
}

/// clEnqueueWriteBuffer.
pub fn write_buffer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    blocking: bool,
    offset: usize,
    size: usize,
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    let (kind, host_sees) = describe_host(queue, mem, Access::Write, (offset, size), ptr, &waits)?;
    let target = linear_target(queue, &[(mem, Access::Write)], host_sees, blocking, size as u64)?;
    put(queue, CL_COMMAND_WRITE_BUFFER, (kind, target), waits, blocking)
}

/// Describes a read or write of a range, and whether the host can execute it.
#[inline]
fn describe_host(
    queue: &CommandQueue,
    mem: &Arc<MemObject>,
    access: Access,
    (offset, size): (usize, usize),
    ptr: HostPtr,
    waits: &WaitList,
) -> Result<(CommandKind, bool)> {
    validate_same_context(queue, waits)?;
    let host_sees = prepare(queue, mem, access == Access::Read)?;
    let (offset, size) = (offset as u64, size as u64);
    region::validate_range(offset, size, mem.size)?;
    validate_host_pointer(ptr)?;
    validate_host_access(mem, access)?;
    let range = Endpoint::bytes(MemRange { memory: mem.clone(), offset, size });
    Ok((host_copy(access, range, (ptr, RectLayout::LINEAR), [size, 1, 1]), host_sees))
}

pub(super) fn validate_host_pointer(ptr: HostPtr) -> Result<()> {
    if ptr.addr() == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "the host pointer is NULL"));
    }
    Ok(())
}

/// CL_INVALID_OPERATION: CL_MEM_HOST_* flags forbid the access.
pub(super) fn validate_host_access(mem: &MemObject, access: Access) -> Result<()> {
    match access {
        Access::Read if !mem.flags.host_readable() => {
            Err(Error::with(CL_INVALID_OPERATION, "the host may not read the object"))
        }
        Access::Write if !mem.flags.host_writable() => {
            Err(Error::with(CL_INVALID_OPERATION, "the host may not write the object"))
        }
        Access::Read | Access::Write => Ok(()),
    }
}

/// CL_INVALID_OPERATION: the destination is CL_MEM_IMMUTABLE_EXT.
pub(super) fn validate_destination(mem: &MemObject) -> Result<()> {
    if mem.flags.is_immutable() {
        return Err(Error::with(CL_INVALID_OPERATION, "the destination is immutable"));
    }
    Ok(())
}

/// One side of a rectangle transfer, as passed by the application.
#[derive(Clone, Copy, Debug)]
pub struct RectSide {
    pub origin: [usize; 3],
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

impl RectSide {
    fn layout(&self, region: Region) -> Result<RectLayout> {
        region::layout(self.origin.map(|v| v as u64), region, self.row_pitch as u64, self.slice_pitch as u64)
    }
}

/// clEnqueueReadBufferRect, clEnqueueWriteBufferRect.
#[allow(clippy::too_many_arguments)]
pub fn host_rect(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    access: Access,
    blocking: bool,
    buffer_side: RectSide,
    host_side: RectSide,
    region: [usize; 3],
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let host_sees = prepare(queue, mem, access == Access::Read)?;
    let region = region.map(|v| v as u64);
    region::validate_region(region)?;
    let in_buffer = buffer_side.layout(region)?;
    region::validate_bounds(&in_buffer, region, mem.size)?;
    validate_host_pointer(ptr)?;
    let on_host = host_side.layout(region)?;
    validate_host_access(mem, access)?;
    let buffer = Endpoint::Buffer(MemRange::whole(mem), in_buffer);
    let kind = host_copy(access, buffer, (ptr, on_host), region);
    let target = execution_target(host_sees, blocking, region::byte_count(region));
    let command_type = match access {
        Access::Read => CL_COMMAND_READ_BUFFER_RECT,
        Access::Write => CL_COMMAND_WRITE_BUFFER_RECT,
    };
    put(queue, command_type, (kind, target), waits, blocking)
}

/// clEnqueueCopyBuffer.
pub fn copy_buffer(
    queue: &Arc<CommandQueue>,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_copy(queue, src, dst, src_offset, dst_offset, size)?;
    put(queue, CL_COMMAND_COPY_BUFFER, described, waits, false)
}

/// Describes a copy between buffers, with its execution target.
pub(crate) fn describe_copy(
    queue: &CommandQueue,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
) -> Result<Described> {
    let src_seen = prepare(queue, src, true)?;
    let dst_seen = prepare(queue, dst, false)?;
    let (src_offset, dst_offset, size) = (src_offset as u64, dst_offset as u64, size as u64);
    region::validate_range(src_offset, size, src.size)?;
    region::validate_range(dst_offset, size, dst.size)?;
    validate_destination(dst)?;
    // CL_MEM_COPY_OVERLAP: the ranges overlap in one buffer, sub-buffers included.
    if src.same_storage(dst) && region::ranges_overlap(src.offset + src_offset, dst.offset + dst_offset, size)
    {
        return Err(Error::new(CL_MEM_COPY_OVERLAP));
    }
    let range =
        |mem: &Arc<MemObject>, offset| Endpoint::bytes(MemRange { memory: mem.clone(), offset, size });
    let kind = CommandKind::copy(range(src, src_offset), range(dst, dst_offset), [size, 1, 1]);
    let sides = [(&**src, Access::Read), (&**dst, Access::Write)];
    Ok((kind, linear_target(queue, &sides, src_seen && dst_seen, false, size)?))
}

/// clEnqueueCopyBufferRect.
pub fn copy_rect(
    queue: &Arc<CommandQueue>,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_side: RectSide,
    dst_side: RectSide,
    region: [usize; 3],
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_copy_rect(queue, src, dst, src_side, dst_side, region)?;
    put(queue, CL_COMMAND_COPY_BUFFER_RECT, described, waits, false)
}

/// Describes a copy of a region between buffers, with its execution target.
pub(crate) fn describe_copy_rect(
    queue: &CommandQueue,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_side: RectSide,
    dst_side: RectSide,
    region: [usize; 3],
) -> Result<Described> {
    let src_seen = prepare(queue, src, true)?;
    let dst_seen = prepare(queue, dst, false)?;
    let region = region.map(|v| v as u64);
    region::validate_region(region)?;
    let src_layout = src_side.layout(region)?;
    let dst_layout = dst_side.layout(region)?;
    region::validate_bounds(&src_layout, region, src.size)?;
    region::validate_bounds(&dst_layout, region, dst.size)?;
    validate_destination(dst)?;
    let same_pitches =
        src_layout.row_pitch == dst_layout.row_pitch && src_layout.slice_pitch == dst_layout.slice_pitch;
    if Arc::ptr_eq(src, dst) && !same_pitches {
        return Err(Error::with(CL_INVALID_VALUE, "pitches differ within one buffer"));
    }
    // CL_MEM_COPY_OVERLAP: the regions overlap in one buffer, sub-buffers included.
    if src.same_storage(dst) {
        let moved = |mem: &MemObject, l: &RectLayout| RectLayout { offset: mem.offset + l.offset, ..*l };
        let (s, d) = (moved(src, &src_layout), moved(dst, &dst_layout));
        let spans_meet =
            s.offset < region::region_end(&d, region) && d.offset < region::region_end(&s, region);
        if if same_pitches { region::rects_overlap(&s, &d, region) } else { spans_meet } {
            return Err(Error::new(CL_MEM_COPY_OVERLAP));
        }
    }
    let (src, dst) = (
        Endpoint::Buffer(MemRange::whole(src), src_layout),
        Endpoint::Buffer(MemRange::whole(dst), dst_layout),
    );
    let target = execution_target(src_seen && dst_seen, false, region::byte_count(region));
    Ok((CommandKind::copy(src, dst, region), target))
}

/// clEnqueueFillBuffer.
pub fn fill_buffer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    pattern: &[u8],
    offset: usize,
    size: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_fill(queue, mem, pattern, offset, size)?;
    put(queue, CL_COMMAND_FILL_BUFFER, described, waits, false)
}

/// CL_INVALID_VALUE: the pattern's size is not a power of two up to 128.
pub(super) fn validate_pattern(pattern: &[u8]) -> Result<()> {
    if !matches!(pattern.len(), 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128) {
        return Err(Error::with(CL_INVALID_VALUE, "the pattern size is not a power of two up to 128"));
    }
    Ok(())
}

/// Describes a fill of a buffer, with its execution target.
pub(crate) fn describe_fill(
    queue: &CommandQueue,
    mem: &Arc<MemObject>,
    pattern: &[u8],
    offset: usize,
    size: usize,
) -> Result<Described> {
    let host_sees = prepare(queue, mem, false)?;
    region::validate_range(offset as u64, size as u64, mem.size)?;
    validate_destination(mem)?;
    validate_pattern(pattern)?;
    if !offset.is_multiple_of(pattern.len()) || !size.is_multiple_of(pattern.len()) {
        return Err(Error::with(CL_INVALID_VALUE, "offset or size is not a multiple of the pattern size"));
    }
    let (offset, size) = (offset as u64, size as u64);
    let dst = Endpoint::bytes(MemRange { memory: mem.clone(), offset, size });
    let kind = CommandKind::fill(dst, [size, 1, 1], SmallVec::from_slice(pattern));
    let target = linear_target(queue, &[(mem, Access::Write)], host_sees, false, size)?;
    Ok((kind, target))
}
