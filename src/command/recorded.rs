//! Commands for the recorder ([`crate::record`]): what is known of them when they are enqueued, and their
//! times.

use super::CommandKind;
use crate::cl::cl_command_type;
use crate::cl::region::Region;
use crate::device::batch::{Times, Work};
use crate::record::{self, Record};
use std::sync::atomic::{AtomicU64, Ordering};

/// Recorder's state of an event.
#[derive(Default)]
pub(crate) struct RecordedCommand {
    /// Number of the command in the recording; 0 if it is not recorded.
    id: AtomicU64,
    submitted: AtomicU64,
    /// Times of a command that the host executed.
    start: AtomicU64,
    end: AtomicU64,
}

impl RecordedCommand {
    /// Number of the command in the recording, or 0.
    pub fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    /// Records that a command was enqueued. `waits` are the numbers of the commands in its wait list.
    pub fn enqueued(
        &self,
        queue: u64,
        command_type: cl_command_type,
        kind: &CommandKind,
        waits: impl ExactSizeIterator<Item = u64>,
    ) {
        let queued = record::now();
        let id = record::new_id();
        self.id.store(id, Ordering::Relaxed);
        let mut ids = [0; 64];
        let used = ids.len().min(8 * waits.len());
        ids.chunks_mut(8).zip(waits).for_each(|(to, from)| to.copy_from_slice(&from.to_le_bytes()));
        let waits = &ids[..used];
        let size = size_of_command(kind);
        record::put(&Record::Command {
            id,
            queue,
            command_type,
            label: size.label,
            work: size.work,
            bytes: size.bytes,
            commands: size.commands,
            global: size.global,
            local: size.local,
            queued,
            waits,
        });
    }

    /// Notes the time of submission.
    pub fn submitted(&self, time: u64) {
        self.submitted.store(time, Ordering::Relaxed);
    }

    /// Notes that the host begins to execute the command.
    pub fn begins_on_host(&self) {
        if self.id() != 0 {
            let now = record::now();
            self.submitted.store(now, Ordering::Relaxed);
            self.start.store(now, Ordering::Relaxed);
        }
    }

    /// Notes that the host has executed the command.
    pub fn ends_on_host(&self) {
        if self.id() != 0 {
            self.end.store(record::now(), Ordering::Relaxed);
        }
    }

    /// Records the end of a command that the host executed, or that failed before.
    pub fn ended_on_host(&self, status: i32) {
        let times = Times {
            start: self.start.load(Ordering::Relaxed),
            end: self.end.load(Ordering::Relaxed),
            complete: 0,
        };
        self.ended(status, times, Completion { reported: times.end, ahead: 0 });
    }

    /// Records the end of a command.
    pub fn ended(&self, status: i32, times: Times, completion: Completion) {
        let id = self.id();
        if id != 0 {
            let submitted = self.submitted.load(Ordering::Relaxed);
            let end = times.end.max(times.complete);
            let Completion { reported, ahead: offset } = completion;
            record::put(&Record::Ended { id, status, submitted, start: times.start, end, offset, reported });
        }
    }
}

/// When the runtime learned that commands are complete: the host's time, and how far that is ahead of the
/// device's.
#[derive(Clone, Copy, Default)]
pub(crate) struct Completion {
    pub reported: u64,
    pub ahead: u64,
}

/// How much a command does.
#[derive(Default)]
struct CommandSize {
    label: u32,
    work: u32,
    bytes: u64,
    commands: u32,
    global: [u64; 3],
    local: [u64; 3],
}

fn size_of_command(kind: &CommandKind) -> CommandSize {
    let transfer = |region: &Region| CommandSize { bytes: region.iter().product(), ..CommandSize::default() };
    match kind {
        CommandKind::Work(Work::Copy { region, .. } | Work::Fill { region, .. }) => transfer(region),
        CommandKind::Work(Work::Launch(launch)) => CommandSize {
            label: record::name(&launch.kernel.info().name),
            work: launch.work,
            global: launch.global,
            local: launch.local.map(u64::from),
            ..CommandSize::default()
        },
        CommandKind::Work(Work::Replay(replay)) => {
            CommandSize { commands: replay.len() as u32, ..CommandSize::default() }
        }
        CommandKind::Map { mapped, fill: true } => transfer(&mapped.region),
        CommandKind::Unmap(mapped) if mapped.mapping.write => transfer(&mapped.region),
        CommandKind::Migrate { mems, undefined: false } => {
            CommandSize { bytes: mems.iter().map(|mem| mem.size).sum(), ..CommandSize::default() }
        }
        CommandKind::Native(_) => {
            CommandSize { label: record::name("native kernel"), ..CommandSize::default() }
        }
        CommandKind::Work(Work::Nop | Work::Wait(_) | Work::Signal(_) | Work::Ownership { .. })
        | CommandKind::Map { .. }
        | CommandKind::Unmap(_)
        | CommandKind::Migrate { .. }
        | CommandKind::Call(_) => CommandSize::default(),
    }
}
