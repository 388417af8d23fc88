//! What a command buffer does when it is enqueued: one replay, which the device does, or parts where commands of it fall back:
//! replays, and those commands between them, one after the other on a thread of the host (`worker`).
//!
//! The replays of parts go to a queue of their own on the same device, which nobody else knows; the command of the buffer
//! in the application's queue is all of them.

use super::fallback;
use super::lower::{lower_kind, run_transfer};
use super::replay::{Replay, ReplayStep};
use super::{CommandKind, ExecutionTarget};
use crate::cl::*;
use crate::error::Result;
use crate::event::WaitList;
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

/// The commands of a command buffer.
#[derive(Clone)]
pub enum BufferReplay {
    Replay(Arc<Replay>),
    Split(Arc<SplitReplay>),
}

/// Commands of which some fall back.
pub struct SplitReplay {
    segments: Vec<Segment>,
    /// Where replays go.
    queue: Arc<CommandQueue>,
}

enum Segment {
    Replay(Arc<Replay>),
    Host(Arc<CommandKind>),
}

impl BufferReplay {
    /// Of commands that touch no host memory; `own` gives a queue like the buffer's if that is needed.
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

    /// Records the commands for the queue's device, unless that is done. No bytes move: what uses them now goes on.
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

    /// The command, and where it is done.
    pub fn command(self) -> (CommandKind, ExecutionTarget) {
        match self {
            BufferReplay::Replay(replay) if replay.is_empty() => (CommandKind::Nop, ExecutionTarget::Either),
            BufferReplay::Replay(replay) => (CommandKind::Replay(replay), ExecutionTarget::Device),
            BufferReplay::Split(split) => (CommandKind::SplitReplay(split), ExecutionTarget::Host),
        }
    }
}

impl SplitReplay {
    /// Does the commands in this thread; everything before them is done.
    pub(super) fn run(&self, queue: &Arc<CommandQueue>) -> std::result::Result<(), cl_int> {
        for segment in &self.segments {
            match segment {
                Segment::Replay(replay) => {
                    let (command_type, kind) =
                        (CL_COMMAND_COMMAND_BUFFER_KHR, CommandKind::Replay(replay.clone()));
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
                    CommandKind::Launch(launch) => {
                        fallback::run(launch, &lower_kind(kind, queue, true)?, queue)?
                    }
                    other => run_transfer(other, queue)?,
                },
            }
        }
        Ok(())
    }
}
