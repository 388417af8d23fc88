//! Reports errors of calls to the callback passed to clCreateContext.
//!
//! The specification requires reports of run-time errors in a context: of enqueueing, building, creating
//! buffers. `entry!`'s `for ARGUMENT fn` form reports those of a call. The callback runs on the callback
//! thread, so a call never waits for it and no lock is held; the runtime itself reports failures of accepted
//! commands.

use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::context::Context;
use pyroclast_runtime::error::Error;
use std::sync::Arc;

/// A handle to an object that belongs to a context.
pub trait InContext {
    /// The context; `None` for an invalid handle.
    fn context(self) -> Option<Arc<Context>>;
}

impl InContext for cl_context {
    fn context(self) -> Option<Arc<Context>> {
        self.arc().ok()
    }
}

impl InContext for cl_command_queue {
    fn context(self) -> Option<Arc<Context>> {
        self.arc().ok().map(|q| q.context().clone())
    }
}

impl InContext for cl_program {
    fn context(self) -> Option<Arc<Context>> {
        self.arc().ok().map(|p| p.context.clone())
    }
}

/// Reports a failed call to the context of `handle`.
pub fn report(call: &str, handle: impl InContext, error: &Error) {
    if let Some(context) = handle.context() {
        context.notify_error(call, error);
    }
}
