//! Execution of an enqueued command buffer. It is one replay, executed by the device, or, where commands of
//! it fall back, segments: replays and the commands between them, one after the other on a host thread
//! (`worker`).
//!
//! The replays of segments go to an internal queue on the same device. The command buffer's command in the
//! application's queue represents all segments.

use super::fallback;
use super::lower::{lower_kind, run_transfer};
use super::replay::{Replay, ReplayStep};
use super::{CommandKind, CommandUse, ExecutionTarget};
use crate::cl::*;
use crate::device::batch::Work;
use crate::error::Result;
use crate::event::WaitList;
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

/// The commands of a command buffer, as enqueued.
#[derive(Clone)]
pub enum BufferReplay {
    Replay(Arc<Replay>),
    Split(Arc<SplitReplay>),
}

/// Commands of which some fall back, in segments.
pub struct SplitReplay {
    segments: Vec<Segment>,
    /// The internal queue for replays.
    queue: Arc<CommandQueue>,
}

enum Segment {
    Replay(Arc<Replay>),
    Host(Arc<CommandKind>),
}

impl BufferReplay {
    /// Commands that access no host memory; `own` returns an internal queue like the buffer's, if one is
    /// needed.
    pub fn new(
        steps: Vec<ReplayStep>,
        queue: &CommandQueue,
        own: impl FnOnce() -> Result<Arc<CommandQueue>>,
    ) -> Result<BufferReplay> {
        if !steps.iter().any(|step| step.kind.falls_back(queue)) {
            return Ok(BufferReplay::Replay(Arc::new(Replay::new(steps))));
        }
        let (mut segments, mut open) = (Vec::new(), Vec::new());
        let close = |open: &mut Vec<ReplayStep>, segments: &mut Vec<Segment>| {
            let replay = Replay::new(std::mem::take(open));
            if !replay.is_empty() {
                segments.push(Segment::Replay(Arc::new(replay)));
            }
        };
        for step in steps {
            if step.kind.falls_back(queue) {
                close(&mut open, &mut segments);
                segments.push(Segment::Host(step.kind));
            } else {
                open.push(step);
            }
        }
        close(&mut open, &mut segments);
        Ok(BufferReplay::Split(Arc::new(SplitReplay { segments, queue: own()? })))
    }

    /// Records the commands for the queue's device unless that is done. No bytes move: current users of the
    /// memory are not disturbed.
    pub fn prepare(&self, queue: &Arc<CommandQueue>) -> Result<()> {
        match self {
            BufferReplay::Replay(replay) if replay.is_empty() => Ok(()),
            BufferReplay::Replay(replay) => replay.prepare(queue),
            BufferReplay::Split(split) => split.segments.iter().try_for_each(|segment| match segment {
                Segment::Replay(replay) => replay.prepare(queue),
                Segment::Host(_) => Ok(()),
            }),
        }
    }

    /// The command, with its execution target.
    pub fn command(self) -> (CommandKind, ExecutionTarget) {
        match self {
            BufferReplay::Replay(replay) if replay.is_empty() => (CommandKind::NOP, ExecutionTarget::Either),
            BufferReplay::Replay(replay) => {
                (CommandKind::Work(Work::Replay(replay)), ExecutionTarget::Device)
            }
            BufferReplay::Split(split) => (CommandKind::SplitReplay(split), ExecutionTarget::Host),
        }
    }
}

impl SplitReplay {
    /// See [`CommandKind::find_use`].
    pub(super) fn find_use<'a, T>(&'a self, see: &mut dyn FnMut(CommandUse<'a>) -> Option<T>) -> Option<T> {
        self.segments.iter().find_map(|segment| match segment {
            Segment::Replay(replay) => {
                replay.uses().iter().find_map(|(memory, access)| see(CommandUse::Memory(memory, *access)))
            }
            Segment::Host(kind) => kind.find_use(see),
        })
    }

    /// Executes the segments in the calling thread; everything before them is complete.
    pub(super) fn run(&self, queue: &Arc<CommandQueue>) -> std::result::Result<(), cl_int> {
        for segment in &self.segments {
            match segment {
                Segment::Replay(replay) => {
                    let (command_type, kind) =
                        (CL_COMMAND_COMMAND_BUFFER_KHR, CommandKind::Work(Work::Replay(replay.clone())));
                    let new = NewCommand {
                        command_type,
                        kind,
                        waits: WaitList::new(),
                        target: ExecutionTarget::Device,
                        sync: SyncKind::None,
                    };
                    self.queue.enqueue_blocking(new).map_err(|e| e.code())?;
                }
                Segment::Host(kind) => match &**kind {
                    CommandKind::Work(Work::Launch(launch)) => {
                        fallback::run(launch, &lower_kind(kind, queue, true)?, queue)?
                    }
                    other => run_transfer(other, queue)?,
                },
            }
        }
        Ok(())
    }
}
