//! The reaper: a submit queue's thread that reports completions without a waiter. It is parked while nothing
//! is in flight and while a waiter reports; it never ends. Once everything is reported it no longer calls
//! Vulkan: the application may return from main then, and Vulkan's libraries run their destructors.
//! (`SubmitQueue::wait` documents the one exception.)

use crate::device::threads;
use parking_lot::MutexGuard;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// A reaper's thread.
#[derive(Default)]
pub struct ReaperThread {
    thread: OnceLock<Thread>,
    parked: AtomicBool,
}

impl ReaperThread {
    /// Starts the thread, which calls `reap_next` repeatedly, unless it runs. If that fails (logged) only
    /// waiting threads report, until a later call succeeds. The caller holds the lock that the reaper parks
    /// with.
    pub fn start(&self, mut reap_next: impl FnMut() + Send + 'static) {
        if self.thread.get().is_some() {
            return;
        }
        let body = move || {
            threads::block_signals();
            loop {
                reap_next();
            }
        };
        match thread::Builder::new().name("pyroclast-reaper".into()).stack_size(512 << 10).spawn(body) {
            Ok(started) => _ = self.thread.set(started.thread().clone()),
            Err(e) => tracing::error!("no reaper thread: {e}"),
        }
    }

    /// Parks the calling reaper, without the lock, until another thread that has had the lock since calls
    /// [`ReaperThread::unpark`], and for a time of `linger` after that. It must not queue for the lock at
    /// once: parking_lot would hand the lock over to it, and the thread that submits, which takes the lock
    /// again soon, would wait until the reaper is scheduled (30 to 100 us).
    pub fn park<T>(&self, lock: &mut MutexGuard<'_, T>, linger: Duration) {
        self.parked.store(true, Ordering::Relaxed);
        MutexGuard::unlocked(lock, || {
            while self.parked.load(Ordering::Acquire) {
                thread::park();
            }
            thread::sleep(linger);
        });
    }

    /// Wakes the reaper if it is parked.
    pub fn unpark(&self) {
        if self.parked.load(Ordering::Relaxed)
            && self.parked.swap(false, Ordering::AcqRel)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::time::Instant;

    #[test]
    fn a_woken_reaper_leaves_the_lock_to_others() {
        let reaper: &ReaperThread = Box::leak(Box::default());
        let lock: &Mutex<()> = Box::leak(Box::default());
        reaper.start(|| reaper.park(&mut lock.lock(), Duration::MAX));
        while !reaper.parked.load(Ordering::Acquire) {
            thread::yield_now();
        }
        reaper.unpark();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {
            assert!(lock.try_lock().is_some());
        }
        assert!(!reaper.parked.load(Ordering::Acquire));
    }
}
