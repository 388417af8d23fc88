//! Commands on memory identified by its address: validation and description. An address in an allocation of
//! the context becomes a range of a memory object; any other address is host memory.

use super::transfer::{execution_target, put};
use super::{CommandKind, ExecutionTarget, MemRange};
use crate::cl::*;
use crate::device::info::AddressSharing;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::{self, HostPtr};
use crate::memory::mapping::{Mapping, Shadow};
use crate::memory::svm::{Allocation, SvmKind};
use crate::queue::CommandQueue;
use smallvec::SmallVec;
use std::sync::Arc;

/// Memory at an address.
enum Operand {
    Range { range: MemRange, seen: bool },
    Host(HostPtr),
}

/// Checks that the queue's device supports SVM.
pub fn validate_device(queue: &CommandQueue) -> Result<()> {
    if !(SvmKind::Svm { fine: false }).works_on(queue.device()) {
        return Err(Error::with(CL_INVALID_OPERATION, "the device does not support shared virtual memory"));
    }
    Ok(())
}

fn find(queue: &CommandQueue, ptr: HostPtr) -> Option<Arc<Allocation>> {
    queue.context().allocations.find(ptr.addr() as u64)
}

fn range_of(queue: &CommandQueue, allocation: &Allocation, ptr: HostPtr, size: u64) -> Result<MemRange> {
    if !allocation.contains(ptr.addr() as u64, size) {
        return Err(Error::with(CL_INVALID_VALUE, "the region is out of the allocation's bounds"));
    }
    Ok(MemRange {
        mem: allocation.as_mem(queue.context()),
        offset: ptr.addr() as u64 - allocation.address,
        size,
    })
}

fn operand(queue: &CommandQueue, ptr: HostPtr, size: u64, reads: bool) -> Result<Operand> {
    let Some(allocation) = find(queue, ptr) else { return Ok(Operand::Host(ptr)) };
    let range = range_of(queue, &allocation, ptr, size)?;
    let memory = allocation.residency().backing(queue.context(), queue.device_index())?;
    Ok(Operand::Range { range, seen: memory.host_ptr().is_some() && (!reads || memory.host_cached()) })
}

/// clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL.
pub fn memcpy(
    queue: &Arc<CommandQueue>,
    command_type: cl_command_type,
    blocking: bool,
    (dst, src): (HostPtr, HostPtr),
    size: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    let (kind, target) = describe_memcpy(queue, blocking, (dst, src), size)?;
    put(queue, command_type, kind, target, waits, blocking)
}

/// Describes a copy between addresses, with its execution target.
fn describe_memcpy(
    queue: &CommandQueue,
    blocking: bool,
    (dst, src): (HostPtr, HostPtr),
    size: usize,
) -> Result<(CommandKind, ExecutionTarget)> {
    if dst.addr() == 0 || src.addr() == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "a pointer is NULL"));
    }
    // CL_MEM_COPY_OVERLAP: the regions overlap.
    if size > 0 && dst.addr().abs_diff(src.addr()) < size {
        return Err(Error::new(CL_MEM_COPY_OVERLAP));
    }
    let bytes = size as u64;
    let (to, from) = (operand(queue, dst, bytes, false)?, operand(queue, src, bytes, true)?);
    Ok(match (from, to) {
        _ if size == 0 => (CommandKind::Nop, ExecutionTarget::Either),
        (Operand::Range { range: src, seen: a }, Operand::Range { range: dst, seen: b }) => {
            (CommandKind::Copy { src, dst }, execution_target(a && b, blocking, bytes))
        }
        (Operand::Range { range: src, seen }, Operand::Host(dst)) => {
            (CommandKind::Read { src, dst }, execution_target(seen, blocking, bytes))
        }
        (Operand::Host(src), Operand::Range { range: dst, seen }) => {
            (CommandKind::Write { src, dst }, execution_target(seen, blocking, bytes))
        }
        (Operand::Host(src), Operand::Host(dst)) => {
            let copy = move || {
                // SAFETY: the application keeps both regions valid until the command is complete.
                unsafe { host_ptr::copy(src, dst, bytes) };
                Ok(())
            };
            (CommandKind::Call(Box::new(copy)), ExecutionTarget::Host)
        }
    })
}

/// clEnqueueSVMMemFill, clEnqueueMemFillINTEL.
pub fn fill(
    queue: &Arc<CommandQueue>,
    command_type: cl_command_type,
    ptr: HostPtr,
    pattern: &[u8],
    size: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    let (kind, target) = describe_fill(queue, ptr, pattern, size)?;
    put(queue, command_type, kind, target, waits, false)
}

/// Describes a fill at an address, with its execution target.
fn describe_fill(
    queue: &CommandQueue,
    ptr: HostPtr,
    pattern: &[u8],
    size: usize,
) -> Result<(CommandKind, ExecutionTarget)> {
    if !matches!(pattern.len(), 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128) {
        return Err(Error::with(CL_INVALID_VALUE, "the pattern size is not a power of two up to 128"));
    }
    // CL_INVALID_VALUE: the pointer is NULL or not aligned to the pattern, or the size is not a multiple of
    // the pattern's.
    if ptr.addr() == 0 || !ptr.addr().is_multiple_of(pattern.len()) || !size.is_multiple_of(pattern.len()) {
        return Err(Error::with(CL_INVALID_VALUE, "pointer or size is not a multiple of the pattern size"));
    }
    let pattern: SmallVec<[u8; 16]> = SmallVec::from_slice(pattern);
    Ok(match operand(queue, ptr, size as u64, false)? {
        _ if size == 0 => (CommandKind::Nop, ExecutionTarget::Either),
        Operand::Range { range, seen } => {
            (CommandKind::Fill { dst: range, pattern }, execution_target(seen, false, size as u64))
        }
        Operand::Host(ptr) => {
            let fill = move || {
                // SAFETY: the application keeps the region valid until the command is complete.
                unsafe { host_ptr::fill(ptr, &pattern, size as u64) };
                Ok(())
            };
            (CommandKind::Call(Box::new(fill)), ExecutionTarget::Host)
        }
    })
}

/// Checks that a command can be recorded in a command buffer: it accesses no host memory.
fn recordable((kind, target): (CommandKind, ExecutionTarget)) -> Result<(CommandKind, ExecutionTarget)> {
    match kind {
        CommandKind::Nop | CommandKind::Copy { .. } | CommandKind::Fill { .. } => Ok((kind, target)),
        _ => Err(Error::with(CL_OUT_OF_RESOURCES, "memory of the host cannot be used by recorded commands")),
    }
}

/// clCommandSVMMemcpyKHR.
pub fn record_memcpy(
    queue: &CommandQueue,
    pointers: (HostPtr, HostPtr),
    size: usize,
) -> Result<(CommandKind, ExecutionTarget)> {
    validate_device(queue)?;
    recordable(describe_memcpy(queue, false, pointers, size)?)
}

/// clCommandSVMMemFillKHR.
pub fn record_fill(
    queue: &CommandQueue,
    ptr: HostPtr,
    pattern: &[u8],
    size: usize,
) -> Result<(CommandKind, ExecutionTarget)> {
    validate_device(queue)?;
    recordable(describe_fill(queue, ptr, pattern, size)?)
}

/// clEnqueueSVMMap.
pub fn map(
    queue: &Arc<CommandQueue>,
    blocking: bool,
    flags: cl_map_flags,
    ptr: HostPtr,
    size: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_device(queue)?;
    // CL_INVALID_VALUE: the pointer is NULL or the size is 0.
    if ptr.addr() == 0 || size == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "the region is empty"));
    }
    let (invalidate, write) = (flags & CL_MAP_WRITE_INVALIDATE_REGION != 0, flags & CL_MAP_WRITE != 0);
    // CL_INVALID_VALUE: undefined flags, or contents both discarded and read or written.
    if flags & !(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
        || invalidate && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0
    {
        return Err(Error::with(CL_INVALID_VALUE, "invalid map flags"));
    }
    let enqueue = |kind, target| put(queue, CL_COMMAND_SVM_MAP, kind, target, waits, blocking);
    let Some(allocation) = find(queue, ptr).filter(|a| a.kind != SvmKind::Device) else {
        // Host memory needs no mapping, on devices that can access it.
        return match queue.device().info().sharing {
            AddressSharing::Host => enqueue(CommandKind::Nop, ExecutionTarget::Either),
            _ => Err(Error::with(CL_INVALID_VALUE, "the pointer is in no SVM allocation")),
        };
    };
    let range = range_of(queue, &allocation, ptr, size as u64)?;
    if allocation.residency().backing(queue.context(), queue.device_index())?.host_ptr().is_some() {
        return enqueue(CommandKind::Nop, ExecutionTarget::Either);
    }
    let mapping = Mapping {
        ptr,
        offset: range.offset,
        size: range.size,
        write: write || invalidate,
        shadow: Shadow::HostPtr,
        image: None,
    };
    allocation.add_mapping(mapping.clone());
    let target = if invalidate { ExecutionTarget::Either } else { ExecutionTarget::Device };
    enqueue(CommandKind::Map { range, mapping, fill: !invalidate }, target).inspect_err(|_| {
        allocation.take_mapping(ptr);
    })
}

/// clEnqueueSVMUnmap.
pub fn unmap(queue: &Arc<CommandQueue>, ptr: HostPtr, waits: WaitList) -> Result<Arc<Event>> {
    validate_device(queue)?;
    if ptr.addr() == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "the pointer is NULL"));
    }
    let enqueue = |kind, target| put(queue, CL_COMMAND_SVM_UNMAP, kind, target, waits, false);
    // A mapping that copied nothing has nothing to write back.
    let mapped = find(queue, ptr).and_then(|a| Some((a.take_mapping(ptr)?, a)));
    let Some((mapping, allocation)) = mapped else {
        return enqueue(CommandKind::Nop, ExecutionTarget::Either);
    };
    let range = range_of(queue, &allocation, ptr, mapping.size)?;
    let target = if mapping.write { ExecutionTarget::Device } else { ExecutionTarget::Either };
    enqueue(CommandKind::Unmap { range, mapping: mapping.clone() }, target)
        .inspect_err(|_| allocation.add_mapping(mapping))
}

/// Checks migration flags.
fn validate_migration(flags: cl_mem_migration_flags) -> Result<()> {
    // CL_INVALID_VALUE: undefined flags.
    if flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
        return Err(Error::with(CL_INVALID_VALUE, "invalid migration flags"));
    }
    Ok(())
}

/// clEnqueueSVMMigrateMem. No action: the bytes are where they were last used.
pub fn migrate(
    queue: &Arc<CommandQueue>,
    regions: &[(HostPtr, usize)],
    flags: cl_mem_migration_flags,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_device(queue)?;
    validate_migration(flags)?;
    for (ptr, size) in regions {
        if find(queue, *ptr).is_none_or(|a| !a.contains(ptr.addr() as u64, *size as u64)) {
            return Err(Error::with(CL_INVALID_VALUE, "a region is in no SVM allocation"));
        }
    }
    put(queue, CL_COMMAND_SVM_MIGRATE_MEM, CommandKind::Nop, ExecutionTarget::Either, waits, false)
}

/// clEnqueueMigrateMemINTEL, a hint.
pub fn migrate_usm(
    queue: &Arc<CommandQueue>,
    flags: cl_mem_migration_flags,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_migration(flags)?;
    put(queue, CL_COMMAND_MIGRATEMEM_INTEL, CommandKind::Nop, ExecutionTarget::Either, waits, false)
}

/// clEnqueueMemAdviseINTEL, a hint.
pub fn advise(queue: &Arc<CommandQueue>, advice: cl_mem_advice_intel, waits: WaitList) -> Result<Arc<Event>> {
    // CL_INVALID_VALUE: the extension defines no advice.
    if advice != 0 {
        return Err(Error::with(CL_INVALID_VALUE, format!("advice {advice:#x}")));
    }
    put(queue, CL_COMMAND_MEMADVISE_INTEL, CommandKind::Nop, ExecutionTarget::Either, waits, false)
}

/// Function of the application that frees the pointers.
pub type FreeFunction = Box<dyn Fn() + Send + Sync>;

/// clEnqueueSVMFree. Without a function the pointers are allocations of the context.
pub fn free(
    queue: &Arc<CommandQueue>,
    pointers: Vec<HostPtr>,
    function: Option<FreeFunction>,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_device(queue)?;
    let context = queue.context().clone();
    let call = move || {
        match &function {
            Some(function) => function(),
            None => pointers.iter().for_each(|p| drop(context.allocations.remove(p.addr() as u64))),
        }
        Ok(())
    };
    put(queue, CL_COMMAND_SVM_FREE, CommandKind::Call(Box::new(call)), ExecutionTarget::Host, waits, false)
}
