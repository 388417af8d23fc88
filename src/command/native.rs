//! Native kernels: functions of the application that run in queue order, on a thread of their own (`worker`),
//! with memory objects passed as plain pointers. Memory that the host cannot access is copied for the call
//! and written back.

use super::{CommandKind, ExecutionTarget, MemRange};
use crate::cl::*;
use crate::command::lower::LoweringContext;
use crate::command::transfer::prepare;
use crate::device::batch::{Access, BufferRange, DeviceCommand};
use crate::device::copies::transfer_now;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::memory::MemObject;
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

/// Calls the application's function with its arguments.
pub type NativeFunction = Box<dyn Fn(HostPtr) + Send + Sync>;

/// Operands of clEnqueueNativeKernel.
pub struct NativeCommand {
    function: NativeFunction,
    /// Copy of the arguments, aligned for every type.
    args: Vec<u128>,
    /// Memory objects, and the offsets of their pointers in the arguments.
    mems: Vec<(usize, Option<Arc<MemObject>>)>,
}

impl NativeCommand {
    /// The memory objects that the function may access.
    pub(super) fn memory(&self) -> impl Iterator<Item = &Arc<MemObject>> {
        self.mems.iter().filter_map(|(_, mem)| mem.as_ref())
    }
}

/// clEnqueueNativeKernel. The offsets are those of handles in `args`, and within its bounds.
pub fn enqueue(
    queue: &Arc<CommandQueue>,
    function: NativeFunction,
    args: &[u8],
    mems: Vec<(usize, Option<Arc<MemObject>>)>,
    waits: WaitList,
) -> Result<Arc<Event>> {
    for (offset, mem) in &mems {
        // Each handle is replaced by a pointer.
        if offset.checked_add(size_of::<usize>()).is_none_or(|end| end > args.len()) {
            return Err(Error::with(
                CL_INVALID_VALUE,
                "the offset of a memory object is outside of the arguments",
            ));
        }
        if let Some(mem) = mem {
            prepare(queue, mem, true)?;
        }
    }
    let mut copy = vec![0u128; args.len().div_ceil(size_of::<u128>())];
    bytemuck::cast_slice_mut::<u128, u8>(&mut copy)[..args.len()].copy_from_slice(args);
    let kind = CommandKind::Native(Arc::new(NativeCommand { function, args: copy, mems }));
    let command_type = CL_COMMAND_NATIVE_KERNEL;
    queue.enqueue(NewCommand {
        command_type,
        kind,
        waits,
        target: ExecutionTarget::Host,
        sync: SyncKind::None,
    })
}

/// A host copy of memory that the host cannot access.
struct Lent {
    copy: HostAllocation,
    range: BufferRange,
}

/// Calls the function; everything that it depends on is complete.
pub(crate) fn run(command: &NativeCommand, queue: &Arc<CommandQueue>) -> std::result::Result<(), cl_int> {
    let NativeCommand { function, args, mems } = command;
    let mut args = args.clone();
    let mut lent: Vec<(Arc<MemObject>, Lent)> = Vec::new();
    for (offset, mem) in mems {
        let address = match mem {
            None => 0,
            Some(mem) => address(mem, queue, &mut lent)?.addr(),
        };
        bytemuck::cast_slice_mut::<u128, u8>(&mut args)[*offset..*offset + size_of::<usize>()]
            .copy_from_slice(&address.to_ne_bytes());
    }
    function(HostPtr::new(args.as_mut_ptr().cast()));
    for (_, Lent { copy, range }) in lent {
        transfer_now(queue.ops(), &DeviceCommand::write(copy.ptr(), range)).map_err(|e| e.code())?;
    }
    Ok(())
}

/// Address of a memory object for the function; one object has one address.
fn address(
    mem: &Arc<MemObject>,
    queue: &Arc<CommandQueue>,
    lent: &mut Vec<(Arc<MemObject>, Lent)>,
) -> std::result::Result<HostPtr, cl_int> {
    let at = LoweringContext { queue, newest: true };
    let range = at.range(&MemRange::whole(mem), Access::Write)?;
    if let Some(base) = range.memory.host_ptr() {
        return Ok(base.offset(range.offset));
    }
    // Overlapping objects have separate copies: to write to both is undefined for all kernels.
    if let Some((_, known)) = lent.iter().find(|(other, _)| Arc::ptr_eq(other, mem)) {
        return Ok(known.copy.ptr());
    }
    let copy = HostAllocation::new(mem.size).ok_or(CL_OUT_OF_HOST_MEMORY)?;
    transfer_now(queue.ops(), &DeviceCommand::read(range.clone(), copy.ptr())).map_err(|e| e.code())?;
    let pointer = copy.ptr();
    lent.push((mem.clone(), Lent { copy, range }));
    Ok(pointer)
}
