//! The commands of a command buffer as one command: recorded by the device once and replayed each time it is
//! enqueued.
//!
//! The recording names device memory. Bytes of a memory object that are elsewhere (written last by another
//! device of the context, or in the application's memory under CL_MEM_USE_HOST_PTR) are brought to the device
//! at each replay, as for any command. If an object's memory on the device has changed since, the commands
//! are recorded again. Locks: one (rank CommandBuffer) around the recording, held while it is made.

use super::launch::LaunchCommand;
use super::lower::lower_kind;
use super::operand::{CodeResult, LoweringContext};
use super::{CommandKind, CommandUse, ExecutionTarget};
use crate::context::ContextDevice;
use crate::device::batch::{Access, ListItem, Work};
use crate::device::traits::{DeviceList, DeviceMemory};
use crate::error::Error;
use crate::memory::{MemObject, buffer};
use crate::sync::{Mutex, Rank};
use std::sync::Arc;

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
        let mut add = |mem: &Arc<MemObject>, access| match uses.iter_mut().find(|(m, _)| same_bytes(m, mem)) {
            Some((_, known)) if access == Access::Write => *known = access,
            Some(_) => {}
            None => uses.push((mem.clone(), access)),
        };
        for step in &steps {
            step.kind.find_use(|used| {
                match used {
                    CommandUse::Memory(mem, access) => add(mem, access),
                    CommandUse::Launch(launch) => launch.memory().for_each(|(mem, access)| add(mem, access)),
                    CommandUse::Host(..) => {}
                }
                None::<()>
            });
        }
        Replay { steps, uses, recording: Mutex::new(Rank::CommandBuffer, None) }
    }

    /// The memory objects that the commands use, each storage once.
    pub(super) fn uses(&self) -> &[(Arc<MemObject>, Access)] {
        &self.uses
    }

    /// Number of its commands.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no commands.
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(|step| matches!(*step.kind, CommandKind::Work(Work::Nop)))
    }

    /// The command, with its execution target.
    pub fn command(self: Arc<Self>) -> (CommandKind, ExecutionTarget) {
        match self.is_empty() {
            true => (CommandKind::NOP, ExecutionTarget::Either),
            false => (CommandKind::Work(Work::Replay(self)), ExecutionTarget::Device),
        }
    }

    /// Records the commands for the queue's device unless that is done. No bytes move: current users of the
    /// memory are not disturbed.
    pub fn prepare(&self, target: &ContextDevice) -> crate::error::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let backing = |(mem, _): &(Arc<MemObject>, Access)| mem.backing(target.device_index());
        let memory = self.uses.iter().map(backing).collect::<crate::error::Result<_>>()?;
        self.list(target, memory)
            .map_err(|code| Error::with(code, "the commands cannot be recorded"))
            .map(drop)
    }

    /// The recording, with the memory that it uses up to date.
    pub(super) fn lower(&self, target: &ContextDevice) -> CodeResult<Arc<dyn DeviceList>> {
        let devices = target.context().device_ops();
        let acquire = |(mem, access): &(Arc<MemObject>, Access)| {
            let memory = mem.residency().acquire(devices, target.device_index(), mem.range(), *access);
            memory.map_err(|e| {
                tracing::error!(error = %e, "memory for a command buffer");
                e.code()
            })
        };
        let memory = self.uses.iter().map(acquire).collect::<CodeResult<_>>()?;
        for step in &self.steps {
            if let CommandKind::Work(Work::Launch(LaunchCommand { addressed: Some(addressed), .. })) =
                &*step.kind
            {
                addressed.bring_up_to_date(LoweringContext { target, newest: true }).map_err(|e| e.code())?;
            }
        }
        self.list(target, memory)
    }

    fn list(
        &self,
        target: &ContextDevice,
        memory: Vec<Arc<dyn DeviceMemory>>,
    ) -> CodeResult<Arc<dyn DeviceList>> {
        let mut recording = self.recording.lock();
        let same = |known: &Recording| known.memory.iter().zip(&memory).all(|(a, b)| Arc::ptr_eq(a, b));
        if let Some(known) = recording.as_ref().filter(|known| same(known)) {
            return Ok(known.list.clone());
        }
        let item = |step: &ReplayStep| {
            Ok(ListItem { command: lower_kind(&step.kind, target, false)?, ordered: step.ordered })
        };
        let items = self.steps.iter().map(item).collect::<CodeResult<_>>()?;
        let list = target.ops().record(items).map_err(|e| {
            tracing::error!(error = %e, "a command buffer could not be recorded");
            Error::from(e).code()
        })?;
        *recording = Some(Recording { list: list.clone(), memory });
        Ok(list)
    }
}

/// Checks that the device of a queue (of the same context) can execute a command other than a launch.
pub fn validate_device(kind: &CommandKind, target: &ContextDevice) -> crate::error::Result<()> {
    let check = |mem: &MemObject| {
        buffer::validate_alignment(mem, target.device())?;
        mem.image().map_or(Ok(()), |image| image.validate_device(target.device().info()))?;
        mem.backing(target.device_index()).map(drop)
    };
    let failed = kind.find_use(|used| match used {
        CommandUse::Memory(mem, _) => check(mem).err(),
        CommandUse::Launch(launch) => launch.memory().find_map(|(mem, _)| check(mem).err()),
        CommandUse::Host(..) => None,
    });
    failed.map_or(Ok(()), Err)
}

fn same_bytes(a: &MemObject, b: &MemObject) -> bool {
    a.same_storage(b) && a.range() == b.range()
}
