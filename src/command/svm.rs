//! Commands on memory identified by its address: validation and description. An address in an allocation of
//! the context becomes a range of a memory object; any other address is host memory.

use super::transfer::{Described, execution_target, put, validate_pattern};
use super::{CommandKind, CommandUse, ExecutionTarget, MappedOperand, MemEndpoint, MemRange};
use crate::cl::*;
use crate::device::batch::{Access, Endpoint};
use crate::device::info::AddressSharing;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::HostPtr;
use crate::memory::allocations::{Allocation, SvmKind};
use crate::memory::mapping::{Mapping, Shadow};
use crate::queue::CommandQueue;
use smallvec::SmallVec;
use std::sync::Arc;

/// A command without effect.
const NOTHING: Described = (CommandKind::NOP, ExecutionTarget::Either);

/// Memory at an address, and whether the host can access it.
struct Operand {
    memory: MemEndpoint,
    seen: bool,
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
        memory: allocation.as_mem(queue.context()),
        offset: ptr.addr() as u64 - allocation.address,
        size,
    })
}

fn operand(queue: &CommandQueue, ptr: HostPtr, size: u64, access: Access) -> Result<Operand> {
    let Some(allocation) = find(queue, ptr) else {
        return Ok(Operand { memory: Endpoint::host(ptr), seen: true });
    };
    let memory = Endpoint::bytes(range_of(queue, &allocation, ptr, size)?);
    let backing = allocation.residency().backing(queue.context().device_ops(), queue.device_index())?;
    let seen = backing.host_ptr().is_some() && (access == Access::Write || backing.host_cached());
    Ok(Operand { memory, seen })
}

/// Execution target of a transfer between operands: memory of the application alone is the host's.
fn target(operands: &[&Operand], blocking: bool, bytes: u64) -> ExecutionTarget {
    match operands.iter().all(|operand| matches!(operand.memory, Endpoint::Host(..))) {
        _ if bytes == 0 => ExecutionTarget::Either,
        true => ExecutionTarget::Host,
        false => execution_target(operands.iter().all(|operand| operand.seen), blocking, bytes),
    }
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
    put(queue, command_type, describe_memcpy(queue, blocking, (dst, src), size)?, waits, blocking)
}

/// Describes a copy between addresses, with its execution target.
fn describe_memcpy(
    queue: &CommandQueue,
    blocking: bool,
    (dst, src): (HostPtr, HostPtr),
    size: usize,
) -> Result<Described> {
    if dst.addr() == 0 || src.addr() == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "a pointer is NULL"));
    }
    // CL_MEM_COPY_OVERLAP: the regions overlap.
    if size > 0 && dst.addr().abs_diff(src.addr()) < size {
        return Err(Error::new(CL_MEM_COPY_OVERLAP));
    }
    let bytes = size as u64;
    let (to, from) = (operand(queue, dst, bytes, Access::Write)?, operand(queue, src, bytes, Access::Read)?);
    let target = target(&[&to, &from], blocking, bytes);
    Ok((CommandKind::copy(from.memory, to.memory, [bytes, 1, 1]), target))
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
    put(queue, command_type, describe_fill(queue, ptr, pattern, size)?, waits, false)
}

/// Describes a fill at an address, with its execution target.
fn describe_fill(queue: &CommandQueue, ptr: HostPtr, pattern: &[u8], size: usize) -> Result<Described> {
    validate_pattern(pattern)?;
    // CL_INVALID_VALUE: the pointer is NULL or not aligned to the pattern, or the size is not a multiple of
    // the pattern's.
    if ptr.addr() == 0 || !ptr.addr().is_multiple_of(pattern.len()) || !size.is_multiple_of(pattern.len()) {
        return Err(Error::with(CL_INVALID_VALUE, "pointer or size is not a multiple of the pattern size"));
    }
    let bytes = size as u64;
    let to = operand(queue, ptr, bytes, Access::Write)?;
    let target = target(&[&to], false, bytes);
    Ok((CommandKind::fill(to.memory, [bytes, 1, 1], SmallVec::from_slice(pattern)), target))
}

/// Checks that a command can be recorded in a command buffer: it accesses no host memory.
fn recordable(described: Described) -> Result<Described> {
    let host = described.0.find_use(|used| matches!(used, CommandUse::Host(..)).then_some(()));
    match host {
        None => Ok(described),
        Some(()) => {
            Err(Error::with(CL_OUT_OF_RESOURCES, "memory of the host cannot be used by recorded commands"))
        }
    }
}

/// clCommandSVMMemcpyKHR.
pub(crate) fn record_memcpy(
    queue: &CommandQueue,
    pointers: (HostPtr, HostPtr),
    size: usize,
) -> Result<Described> {
    validate_device(queue)?;
    recordable(describe_memcpy(queue, false, pointers, size)?)
}

/// clCommandSVMMemFillKHR.
pub(crate) fn record_fill(
    queue: &CommandQueue,
    ptr: HostPtr,
    pattern: &[u8],
    size: usize,
) -> Result<Described> {
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
    let enqueue = |kind, target| put(queue, CL_COMMAND_SVM_MAP, (kind, target), waits, blocking);
    let Some(allocation) = find(queue, ptr).filter(|a| a.kind != SvmKind::Device) else {
        // Host memory needs no mapping, on devices that can access it.
        return match queue.device().info().sharing {
            AddressSharing::Host => enqueue(CommandKind::NOP, ExecutionTarget::Either),
            _ => Err(Error::with(CL_INVALID_VALUE, "the pointer is in no SVM allocation")),
        };
    };
    let range = range_of(queue, &allocation, ptr, size as u64)?;
    if allocation
        .residency()
        .backing(queue.context().device_ops(), queue.device_index())?
        .host_ptr()
        .is_some()
    {
        return enqueue(CommandKind::NOP, ExecutionTarget::Either);
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
    let region = [size as u64, 1, 1];
    let mapped = MappedOperand { memory: Endpoint::bytes(range), region, mapping };
    enqueue(CommandKind::Map { mapped, fill: !invalidate }, target).inspect_err(|_| {
        allocation.take_mapping(ptr);
    })
}

/// clEnqueueSVMUnmap.
pub fn unmap(queue: &Arc<CommandQueue>, ptr: HostPtr, waits: WaitList) -> Result<Arc<Event>> {
    validate_device(queue)?;
    if ptr.addr() == 0 {
        return Err(Error::with(CL_INVALID_VALUE, "the pointer is NULL"));
    }
    let enqueue = |kind, target| put(queue, CL_COMMAND_SVM_UNMAP, (kind, target), waits, false);
    // A mapping that copied nothing has nothing to write back.
    let mapped = find(queue, ptr).and_then(|a| Some((a.take_mapping(ptr)?, a)));
    let Some((mapping, allocation)) = mapped else {
        return enqueue(CommandKind::NOP, ExecutionTarget::Either);
    };
    let memory = Endpoint::bytes(range_of(queue, &allocation, ptr, mapping.size)?);
    let target = if mapping.write { ExecutionTarget::Device } else { ExecutionTarget::Either };
    let region = [mapping.size, 1, 1];
    let mapped = MappedOperand { memory, region, mapping: mapping.clone() };
    enqueue(CommandKind::Unmap(mapped), target).inspect_err(|_| allocation.add_mapping(mapping))
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
    put(queue, CL_COMMAND_SVM_MIGRATE_MEM, NOTHING, waits, false)
}

/// clEnqueueMigrateMemINTEL, a hint.
pub fn migrate_usm(
    queue: &Arc<CommandQueue>,
    flags: cl_mem_migration_flags,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_migration(flags)?;
    put(queue, CL_COMMAND_MIGRATEMEM_INTEL, NOTHING, waits, false)
}

/// clEnqueueMemAdviseINTEL, a hint.
pub fn advise(queue: &Arc<CommandQueue>, advice: cl_mem_advice_intel, waits: WaitList) -> Result<Arc<Event>> {
    // CL_INVALID_VALUE: the extension defines no advice.
    if advice != 0 {
        return Err(Error::with(CL_INVALID_VALUE, format!("advice {advice:#x}")));
    }
    put(queue, CL_COMMAND_MEMADVISE_INTEL, NOTHING, waits, false)
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
    put(queue, CL_COMMAND_SVM_FREE, (CommandKind::Call(Box::new(call)), ExecutionTarget::Host), waits, false)
}
