//! Copies in host memory. One thread moves about 10 GB/s, a fraction of the bandwidth of memory and PCI
//! Express. So large copies are shared with a few worker threads, which are started when first needed and
//! sleep between copies.

use crate::host_ptr::HostPtr;
use crossbeam_channel::{Receiver, Sender};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

/// Number of worker threads; none where there are few processors.
const WORKERS: usize = 3;
const MIN_CORES: usize = 8;
/// Minimum size of a shared copy, and the size of its chunks.
const SHARED_MIN: usize = 1 << 20;
const CHUNK: usize = 256 << 10;

/// A copy that several threads share; each takes the next chunk.
struct Job {
    src: HostPtr,
    dst: HostPtr,
    len: usize,
    next: AtomicUsize,
    done: AtomicUsize,
    owner: Thread,
}

impl Job {
    fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    /// Copies chunks until none are left.
    fn work(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.chunks() {
                return;
            }
            let at = index * CHUNK;
            let (src, dst) = (self.src.offset(at as u64), self.dst.offset(at as u64));
            // SAFETY: the owner of the job waits in `copy` until every chunk taken is done, and keeps both
            // sides valid.
            unsafe { std::ptr::copy_nonoverlapping(src.as_ptr(), dst.as_ptr(), CHUNK.min(self.len - at)) };
            if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.chunks() {
                self.owner.unpark();
            }
        }
    }
}

/// Copies `len` bytes; the ranges may overlap.
///
/// # Safety
/// Both ranges are valid, and nothing else uses them during the call.
pub unsafe fn copy(src: HostPtr, dst: HostPtr, len: u64) {
    let bytes = len as usize;
    let apart = src.addr().abs_diff(dst.addr()) >= bytes;
    let workers = if bytes >= SHARED_MIN && apart { workers() } else { None };
    let Some(workers) = workers else {
        // SAFETY: the caller's promise.
        return unsafe { crate::host_ptr::copy(src, dst, len) };
    };
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let job = Arc::new(Job { src, dst, len: bytes, next, done, owner: std::thread::current() });
    for _ in 0..WORKERS.min(job.chunks() - 1) {
        // If this fails, the calling thread does the work.
        let _ = workers.send(job.clone());
    }
    job.work();
    while job.done.load(Ordering::Acquire) < job.chunks() {
        std::thread::park();
    }
}

/// The channel to the worker threads; `None` where there should be none.
fn workers() -> Option<&'static Sender<Arc<Job>>> {
    static CHANNEL: OnceLock<Option<Sender<Arc<Job>>>> = OnceLock::new();
    let start = || {
        if std::thread::available_parallelism().map_or(1, |n| n.get()) < MIN_CORES {
            return None;
        }
        let (sender, receiver) = crossbeam_channel::unbounded();
        let started = (0..WORKERS).filter(|_| start_worker(receiver.clone())).count();
        (started > 0).then_some(sender)
    };
    CHANNEL.get_or_init(start).as_ref()
}

fn start_worker(jobs: Receiver<Arc<Job>>) -> bool {
    let body = move || {
        crate::device::threads::block_signals();
        for job in jobs {
            job.work();
        }
    };
    std::thread::Builder::new().name("pyroclast-copy".into()).stack_size(128 << 10).spawn(body).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_copies_are_complete() {
        let (sender, receiver) = crossbeam_channel::unbounded::<Arc<Job>>();
        assert!(start_worker(receiver));
        let src: Vec<u8> = (0..CHUNK * 5 + 77).map(|i| (i * 7 + i / 251) as u8).collect();
        for _ in 0..20 {
            let mut dst = vec![0u8; src.len()];
            let job = Arc::new(Job {
                src: HostPtr::new(src.as_ptr().cast_mut()),
                dst: HostPtr::new(dst.as_mut_ptr()),
                len: src.len(),
                next: AtomicUsize::new(0),
                done: AtomicUsize::new(0),
                owner: std::thread::current(),
            });
            sender.send(job.clone()).unwrap();
            job.work();
            while job.done.load(Ordering::Acquire) < job.chunks() {
                std::thread::park();
            }
            assert!(src == dst);
        }
    }
}
