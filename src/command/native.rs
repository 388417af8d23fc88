//! Native kernels: functions of the application that run in queue order, on a thread of their own (`worker`).

pub use super::native_call::NativeFunction;

use super::native_call::NativeCommand;
use super::transfer::prepare;
use super::{CommandKind, ExecutionTarget};
use crate::cl::*;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::memory::MemObject;
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

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
    let kind = CommandKind::Native(Arc::new(NativeCommand::new(function, args, mems)));
    let command_type = CL_COMMAND_NATIVE_KERNEL;
    queue.enqueue(NewCommand {
        command_type,
        kind,
        waits,
        target: ExecutionTarget::Host,
        sync: SyncKind::None,
    })
}
