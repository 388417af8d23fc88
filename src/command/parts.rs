//! What a command buffer does when it is enqueued: one replay, which the device does, or parts where commands of it fall back:
//! replays, and those commands between them, one after the other on a thread of the host (`worker`).
//!
//! The replays of parts go to a queue of their own on the same device, which nobody else knows; the command of the buffer
//! in the application's queue is all of them.

use super::fallback;
use super::lower::{lower_kind, run_transfer};
use super::replay::{Replay, Step};
use super::{CommandKind, Place};
use crate::cl::*;
use crate::error::Result;
use crate::event::WaitList;
use crate::queue::{CommandQueue, Fence, NewCommand};
use std::sync::Arc;

/// The commands of a command buffer.
#[derive(Clone)]
pub enum Whole {
    Replay(Arc<Replay>),
    Parts(Arc<Parts>),
}

/// Commands of which some fall back.
pub struct Parts {
    parts: Vec<Part>,
    /// Where replays go.
    queue: Arc<CommandQueue>,
}

enum Part {
    Replay(Arc<Replay>),
    Host(Arc<CommandKind>),
}

impl Whole {
    /// Of commands that touch no host memory; `own` gives a queue like the buffer's if that is needed.
    pub fn new(
        steps: Vec<Step>,
        queue: &CommandQueue,
        own: impl FnOnce() -> Result<Arc<CommandQueue>>,
    ) -> Result<Whole> {
        if !steps.iter().any(|step| step.kind.falls_back(queue)) {
            return Ok(Whole::Replay(Arc::new(Replay::new(steps))));
        }
        let (mut parts, mut open) = (Vec::new(), Vec::new());
        let close = |open: &mut Vec<Step>, parts: &mut Vec<Part>| {
            let replay = Replay::new(std::mem::take(open));
            if !replay.is_empty() {
                parts.push(Part::Replay(Arc::new(replay)));
            }
        };
        for step in steps {
            if step.kind.falls_back(queue) {
                close(&mut open, &mut parts);
                parts.push(Part::Host(step.kind));
            } else {
                open.push(step);
            }
        }
        close(&mut open, &mut parts);
        Ok(Whole::Parts(Arc::new(Parts { parts, queue: own()? })))
    }

    /// Records the commands for the queue's device, unless that is done. No bytes move: what uses them now goes on.
    pub fn prepare(&self, queue: &Arc<CommandQueue>) -> Result<()> {
        match self {
            Whole::Replay(replay) if replay.is_empty() => Ok(()),
            Whole::Replay(replay) => replay.prepare(queue),
            Whole::Parts(whole) => whole.parts.iter().try_for_each(|part| match part {
                Part::Replay(replay) => replay.prepare(queue),
                Part::Host(_) => Ok(()),
            }),
        }
    }

    /// The command, and where it is done.
    pub fn command(self) -> (CommandKind, Place) {
        match self {
            Whole::Replay(replay) if replay.is_empty() => (CommandKind::Nop, Place::Either),
            Whole::Replay(replay) => (CommandKind::Replay(replay), Place::Device),
            Whole::Parts(parts) => (CommandKind::Parts(parts), Place::Host),
        }
    }
}

impl Parts {
    /// Does the commands in this thread; everything before them is done.
    pub(super) fn run(&self, queue: &Arc<CommandQueue>) -> std::result::Result<(), cl_int> {
        for part in &self.parts {
            match part {
                Part::Replay(replay) => {
                    let (command_type, kind) =
                        (CL_COMMAND_COMMAND_BUFFER_KHR, CommandKind::Replay(replay.clone()));
                    let new = NewCommand {
                        command_type,
                        kind,
                        waits: WaitList::new(),
                        place: Place::Device,
                        fence: Fence::None,
                    };
                    self.queue.enqueue_blocking(new).map_err(|e| e.code())?;
                }
                Part::Host(kind) => match &**kind {
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
