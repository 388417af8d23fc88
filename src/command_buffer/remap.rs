//! Copies of command buffers for other queues (clRemapCommandBufferKHR): the same commands in the same order,
//! validated for the new devices. The application chooses which queue replaces which.

use super::mutable::MutableCommand;
use super::{BufferState, CommandBuffer, Recorded, RecordedBody};
use crate::cl::*;
use crate::command::replay;
use crate::err;
use crate::error::Result;
use crate::queue::CommandQueue;
use std::sync::Arc;

impl CommandBuffer {
    /// Copies the buffer for `queues`. Returns the copy, and its commands that correspond to `commands`.
    pub fn remap(
        &self,
        queues: &[Arc<CommandQueue>],
        commands: &[Arc<MutableCommand>],
    ) -> Result<(Arc<CommandBuffer>, Vec<Arc<MutableCommand>>)> {
        if queues.len() != self.queues.len() {
            return Err(err!(CL_INVALID_VALUE, "{} queues instead of {}", queues.len(), self.queues.len()));
        }
        if commands.iter().any(|c| !c.is_of(self)) {
            return Err(err!(CL_INVALID_VALUE, "a command of another command buffer"));
        }
        if queues.iter().any(|q| !Arc::ptr_eq(q.context(), self.context())) {
            return Err(err!(CL_INVALID_CONTEXT, "a queue belongs to another context"));
        }
        let (recorded, old_handles, follows_barrier, finalized) = {
            let state = self.state.lock();
            (state.commands.clone(), state.handles.clone(), state.follows_barrier, state.finalized)
        };
        let moved = |command: &Recorded| {
            let queue = &queues[command.order.queue];
            let body = match &command.body {
                RecordedBody::Fixed(kind) => {
                    replay::validate_device(kind, queue.target())?;
                    RecordedBody::Fixed(kind.clone())
                }
                RecordedBody::Dispatch(dispatch) => RecordedBody::Dispatch(dispatch.on(queue)?),
            };
            let ordered = command.ordered || !queue.is_out_of_order();
            Ok(Recorded { body, ordered, order: command.order.clone() })
        };
        let copied = recorded.iter().map(moved).collect::<Result<Vec<_>>>()?;
        let copy =
            Self::with_state(queues.to_vec(), self.flags, self.asserts, self.properties.clone(), |this| {
                let handles = old_handles.iter().map(|h| h.copy_for(this)).collect();
                BufferState { commands: copied, finalized: false, follows_barrier, parts: None, handles }
            });
        if finalized {
            copy.finalize()?;
        }
        let handles = copy.state.lock().handles.clone();
        let same =
            |command: &Arc<MutableCommand>| handles.iter().find(|h| h.index() == command.index()).cloned();
        let found: Option<Vec<_>> = commands.iter().map(same).collect();
        let found = found.ok_or_else(|| err!(CL_INVALID_VALUE, "a command of another command buffer"))?;
        Ok((copy, found))
    }
}
