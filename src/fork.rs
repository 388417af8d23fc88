//! Forked children. Threads do not survive fork, locks may be held by threads that are gone, and Vulkan
//! drivers guarantee nothing: in a child of a process that has used devices every call fails, before it takes
//! any lock.
//!
//! A child that forked before the first use starts afresh; children that execute another program are not
//! affected.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static CHILD: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    CHILD.store(true, Ordering::Relaxed);
}

/// Starts to detect forked children. Called when devices are enumerated.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the handler only stores to an atomic, and the library is never unloaded.
        if unsafe { libc::pthread_atfork(None, None, Some(in_child)) } != 0 {
            tracing::warn!("forked children cannot be told apart");
        }
    });
}

/// Whether this process is a forked child of one that had used devices.
pub fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}
