//! The reaper: a submit queue's thread that reports completions without a waiter. It is parked while nothing
//! is in flight and while a waiter reports; it never ends. Once everything is reported it no longer calls
//! Vulkan: the application may return from main then, and Vulkan's libraries run their destructors.
//! (`SubmitQueue::wait` documents the one exception.)

use crate::device::threads;

/// Starts the thread, which calls `reap_next` repeatedly. False (logged) if that fails; then only waiting
/// threads report.
pub fn start(mut reap_next: impl FnMut() + Send + 'static) -> bool {
    let body = move || {
        threads::block_signals();
        loop {
            reap_next();
        }
    };
    match std::thread::Builder::new().name("pyroclast-reaper".into()).stack_size(512 << 10).spawn(body) {
        Ok(_) => true,
        Err(e) => {
            tracing::error!("no reaper thread: {e}");
            false
        }
    }
}
