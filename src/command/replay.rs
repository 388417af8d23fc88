//! The commands of a command buffer, or of a segment of one, as one command: recorded by the device once and
//! replayed each time it is enqueued.
//!
//! The recording names device memory. Bytes of a memory object that are elsewhere (written last by another
//! device of the context, or in the application's memory under CL_MEM_USE_HOST_PTR) are brought to the device
//! at each replay, as for any command. If an object's memory on the device has changed since, the commands
//! are recorded again. Locks: one (rank CommandBuffer) around the recording, held while it is made.

use super::CommandKind;
use super::lower::{LoweringContext, arg_access, lower_kind};
use super::ndrange::LaunchCommand;
use crate::cl::*;
use crate::device::batch::{DeviceCommand, ListItem};
use crate::device::traits::{DeviceList, DeviceMemory};
use crate::error::Error;
use crate::kernel::args::ArgSnapshot;
use crate::memory::residency::Access;
use crate::memory::{MemObject, buffer};
use crate::queue::CommandQueue;
use crate::sync::{Mutex, Rank};
use std::sync::Arc;

type CodeResult<T> = std::result::Result<T, cl_int>;

/// One command of a replay.
#[derive(Clone)]
pub struct ReplayStep {
    pub kind: Arc<CommandKind>,
    /// See [`ListItem::ordered`].
    pub ordered: bool,
}

/// Commands that are replayed together.
pub struct Replay {
    steps: Vec<ReplayStep>,
    /// Each memory object (by storage) that the commands use, once.
    uses: Vec<(Arc<MemObject>, Access)>,
    recording: Mutex<Option<Recording>>,
}

struct Recording {
    list: Arc<dyn DeviceList>,
    /// In the order of `uses`.
    memory: Vec<Arc<dyn DeviceMemory>>,
}

impl Replay {
    /// A replay of commands that access no host memory.
    pub fn new(steps: Vec<ReplayStep>) -> Replay {
        let mut uses: Vec<(Arc<MemObject>, Access)> = Vec::new();
        for step in &steps {
            for_each_use(&step.kind, &mut |mem, access| match uses
                .iter_mut()
                .find(|(known, _)| same_bytes(known, mem))
            {
                Some((_, known)) if access == Access::Write => *known = access,
                Some(_) => {}
                None => uses.push((mem.clone(), access)),
            });
        }
        Replay { steps, uses, recording: Mutex::new(Rank::CommandBuffer, None) }
    }

    /// Whether it has no commands.
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(|step| matches!(*step.kind, CommandKind::Nop))
    }

    /// Records the commands for the queue's device unless that is done. No bytes move: current users of the
    /// memory are not disturbed.
    pub fn prepare(&self, queue: &Arc<CommandQueue>) -> crate::error::Result<()> {
        let backing = |(mem, _): &(Arc<MemObject>, Access)| {
            mem.residency().backing(queue.context(), queue.device_index())
        };
        let memory = self.uses.iter().map(backing).collect::<crate::error::Result<_>>()?;
        self.list(queue, memory)
            .map_err(|code| Error::with(code, "the commands cannot be recorded"))
            .map(drop)
    }

    /// Lowers it to a device command, with its memory up to date.
    pub(super) fn lower(&self, queue: &Arc<CommandQueue>) -> CodeResult<DeviceCommand> {
        let acquire = |(mem, access): &(Arc<MemObject>, Access)| {
            let memory = mem.residency().acquire(queue.context(), queue.device_index(), mem.range(), *access);
            memory.map_err(|e| {
                tracing::error!(error = %e, "memory for a command buffer");
                e.code()
            })
        };
        let memory = self.uses.iter().map(acquire).collect::<CodeResult<_>>()?;
        for step in &self.steps {
            if let CommandKind::Launch(LaunchCommand { addressed: Some(addressed), .. }) = &*step.kind {
                addressed
                    .bring_up_to_date(LoweringContext {
                        queue,
                        device_index: queue.device_index(),
                        newest: true,
                    })
                    .map_err(|e| e.code())?;
            }
        }
        Ok(DeviceCommand::Replay(self.list(queue, memory)?))
    }

    fn list(
        &self,
        queue: &Arc<CommandQueue>,
        memory: Vec<Arc<dyn DeviceMemory>>,
    ) -> CodeResult<Arc<dyn DeviceList>> {
        let mut recording = self.recording.lock();
        let same = |known: &Recording| known.memory.iter().zip(&memory).all(|(a, b)| Arc::ptr_eq(a, b));
        if let Some(known) = recording.as_ref().filter(|known| same(known)) {
            return Ok(known.list.clone());
        }
        let item = |step: &ReplayStep| {
            Ok(ListItem { command: lower_kind(&step.kind, queue, false)?, ordered: step.ordered })
        };
        let items = self.steps.iter().map(item).collect::<CodeResult<_>>()?;
        let list = queue.ops().record(items).map_err(|e| {
            tracing::error!(error = %e, "a command buffer could not be recorded");
            Error::from(e).code()
        })?;
        *recording = Some(Recording { list: list.clone(), memory });
        Ok(list)
    }
}

/// Checks that the device of a queue (of the same context) can execute a command other than a launch.
pub fn validate_device(kind: &CommandKind, queue: &CommandQueue) -> crate::error::Result<()> {
    let mut result = Ok(());
    for_each_use(kind, &mut |mem, _| {
        let checked = buffer::validate_alignment(mem, queue.device())
            .and_then(|()| mem.image().map_or(Ok(()), |image| image.validate_device(queue.device().info())))
            .and_then(|()| mem.residency().backing(queue.context(), queue.device_index()).map(drop));
        if result.is_ok() {
            result = checked;
        }
    });
    result
}

fn same_bytes(a: &MemObject, b: &MemObject) -> bool {
    a.same_storage(b) && a.range() == b.range()
}

/// Calls `see` for each memory object that the command uses.
fn for_each_use(kind: &CommandKind, see: &mut dyn FnMut(&Arc<MemObject>, Access)) {
    match kind {
        CommandKind::Copy { src, dst } | CommandKind::CopyRect { src, dst, .. } => {
            see(&src.mem, Access::Read);
            see(&dst.mem, Access::Write);
        }
        CommandKind::Fill { dst, .. } => see(&dst.mem, Access::Write),
        CommandKind::CopyImage { src, dst } => {
            see(&src.mem, Access::Read);
            see(&dst.mem, Access::Write);
        }
        CommandKind::FillImage { dst, .. } => see(&dst.mem, Access::Write),
        CommandKind::ImageToBuffer { src, dst } => {
            see(&src.mem, Access::Read);
            see(&dst.mem, Access::Write);
        }
        CommandKind::BufferToImage { src, dst } => {
            see(&src.mem, Access::Read);
            see(&dst.mem, Access::Write);
        }
        CommandKind::Launch(launch) => {
            for (arg, info) in launch.args.iter().zip(&launch.kernel.info().args) {
                match arg {
                    ArgSnapshot::Mem(Some(mem)) => see(mem, arg_access(mem, info)),
                    // Memory used by address is kept alive by [`super::addressed_memory`].
                    ArgSnapshot::Mem(None)
                    | ArgSnapshot::Bytes(_)
                    | ArgSnapshot::Local(_)
                    | ArgSnapshot::Queue(_)
                    | ArgSnapshot::Pointer(_) => {}
                }
            }
        }
        // Other kinds are never recorded.
        _ => {}
    }
}
