//! Markers, barriers, migrations, and the transfer of ownership of shared memory.

use super::{CommandKind, ExecutionTarget, MemRange};
use crate::cl::*;
use crate::device::batch::Work;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::memory::{MemObject, buffer};
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

/// clEnqueueMarkerWithWaitList, clEnqueueMarker.
pub fn marker(queue: &Arc<CommandQueue>, waits: WaitList) -> Result<Arc<Event>> {
    synchronize(queue, CL_COMMAND_MARKER, SyncKind::Marker, waits)
}

/// clEnqueueBarrierWithWaitList, clEnqueueBarrier, clEnqueueWaitForEvents.
pub fn barrier(queue: &Arc<CommandQueue>, waits: WaitList) -> Result<Arc<Event>> {
    synchronize(queue, CL_COMMAND_BARRIER, SyncKind::Barrier, waits)
}

fn synchronize(
    queue: &Arc<CommandQueue>,
    command_type: cl_command_type,
    sync: SyncKind,
    waits: WaitList,
) -> Result<Arc<Event>> {
    queue.enqueue(NewCommand {
        command_type,
        kind: CommandKind::NOP,
        waits,
        target: ExecutionTarget::Either,
        sync,
    })
}

/// clEnqueueMigrateMemObjects.
pub fn migrate(
    queue: &Arc<CommandQueue>,
    mems: Vec<Arc<MemObject>>,
    flags: cl_mem_migration_flags,
    waits: WaitList,
) -> Result<Arc<Event>> {
    if mems.is_empty() {
        return Err(Error::with(CL_INVALID_VALUE, "no memory objects"));
    }
    // CL_INVALID_VALUE: undefined flags.
    if flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
        return Err(Error::with(CL_INVALID_VALUE, "invalid migration flags"));
    }
    for mem in &mems {
        if !Arc::ptr_eq(&mem.context, queue.context()) {
            return Err(Error::with(CL_INVALID_CONTEXT, "a memory object belongs to another context"));
        }
        buffer::validate_alignment(mem, queue.device())?;
        mem.backing(queue.device_index())?;
    }
    // The host can always access the contents, so migration to it requires no action.
    let undefined = flags & (CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED | CL_MIGRATE_MEM_OBJECT_HOST) != 0;
    let kind = CommandKind::Migrate { mems, undefined };
    let command_type = CL_COMMAND_MIGRATE_MEM_OBJECTS;
    queue.enqueue(NewCommand {
        command_type,
        kind,
        waits,
        target: ExecutionTarget::Device,
        sync: SyncKind::None,
    })
}

/// clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR.
pub fn external(
    queue: &Arc<CommandQueue>,
    mems: Vec<Arc<MemObject>>,
    release: bool,
    waits: WaitList,
) -> Result<Arc<Event>> {
    for mem in &mems {
        let device = mem.residency().external();
        let device = device
            .ok_or_else(|| Error::with(CL_INVALID_MEM_OBJECT, "the memory object is not of shared memory"))?;
        // CL_INVALID_COMMAND_QUEUE: the memory object was imported for another device or context.
        if !Arc::ptr_eq(&mem.context, queue.context()) || device != queue.device_index() {
            return Err(Error::with(
                CL_INVALID_COMMAND_QUEUE,
                "the memory object is for another device or context",
            ));
        }
    }
    if waits.iter().any(|e| e.status() < 0) {
        return Err(Error::with(
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            "an event of the wait list has failed",
        ));
    }
    let command_type = if release {
        CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
    } else {
        CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR
    };
    let (kind, target) = match mems.is_empty() {
        true => (CommandKind::NOP, ExecutionTarget::Either),
        false => {
            let ranges = mems.iter().map(MemRange::whole).collect();
            (CommandKind::Work(Work::Ownership { ranges, release }), ExecutionTarget::Device)
        }
    };
    queue.enqueue(NewCommand { command_type, kind, waits, target, sync: SyncKind::None })
}
