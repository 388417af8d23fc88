//! Reports errors of calls to the callback that the application gave clCreateContext.
//!
//! The specification asks for reports of what goes wrong in a context at run time: enqueueing, building, creating
//! buffers. `entry!`'s `for ARGUMENT fn` form does it for a call. The callback runs on the callback thread, so a call
//! never waits for it and no lock is held; failures of commands that were accepted come from the runtime itself.

use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::context::Context;
use pyroclast_runtime::error::Error;
use std::sync::Arc;

/// A handle whose object belongs to a context.
pub trait InContext {
    /// The context; `None` for a handle that is not valid.
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

/// Tells the context of `handle` that a call failed.
pub fn report(call: &str, handle: impl InContext, error: &Error) {
    if let Some(context) = handle.context() {
        context.notify_error(call, error);
    }
}
