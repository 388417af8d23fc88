//! Thread pool that shares the groups of launches.
//!
//! The thread that executes a launch begins alone. If the remaining work is worth it, it wakes other threads,
//! which take chunks until none are left. It takes chunks itself and waits for the last of the others. Idle
//! threads sleep. A lock guards the list of launches; chunks are taken without it.

use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Work in nanoseconds that is not worth waking a thread.
const ALONE: u64 = 30_000;
/// Target time of a chunk in nanoseconds: short enough to end together, long enough for the counter not to
/// matter.
const PIECE: u64 = 100_000;
/// Stack of the threads: kernel code keeps vectors there.
pub const STACK: usize = 8 << 20;

/// A launch that threads may join.
struct Job<'a> {
    /// Runs a range of groups.
    work: &'a (dyn Fn(u64, u64) -> bool + Sync),
    next: AtomicU64,
    total: u64,
    piece: u64,
    failed: AtomicBool,
    /// Whether the work panicked on a thread other than the launch's own.
    panicked: AtomicBool,
    /// Number of threads on the job, besides the launch's own.
    workers: AtomicUsize,
}

impl Job<'_> {
    fn work_on(&self) {
        loop {
            let first = self.next.fetch_add(self.piece, Ordering::Relaxed);
            if first >= self.total {
                return;
            }
            let end = (first + self.piece).min(self.total);
            if !(self.work)(first, end) {
                self.failed.store(true, Ordering::Relaxed);
            }
        }
    }
    fn has_work(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.total
    }
}

#[derive(Default)]
struct Shared {
    /// Jobs on the stacks of their launches' threads, while a [`Listed`] of theirs exists.
    jobs: Mutex<Vec<&'static Job<'static>>>,
    /// The pool is being destroyed.
    closed: AtomicBool,
    wake: Condvar,
    /// A worker has left its job.
    left: Condvar,
}

/// A job on the list. When dropped, it is off the list and no thread uses it.
struct Listed<'a> {
    shared: &'a Shared,
    job: &'a Job<'a>,
}

impl<'a> Listed<'a> {
    fn new(shared: &'a Shared, job: &'a Job<'a>) -> Listed<'a> {
        let listed = Listed { shared, job };
        // SAFETY: threads use the reference while the job is on the list, or while they are counted among
        // its workers. Neither is the case after `listed` is dropped, which happens before the job is.
        let job = unsafe { std::mem::transmute::<&Job<'_>, &'static Job<'static>>(job) };
        shared.jobs.lock().push(job);
        listed
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        let mut jobs = self.shared.jobs.lock();
        jobs.retain(|job| !std::ptr::addr_eq(*job, self.job));
        while self.job.workers.load(Ordering::Acquire) != 0 {
            self.shared.left.wait(&mut jobs);
        }
    }
}

/// The thread pool.
pub struct Pool {
    threads: usize,
    /// Processors that the threads are pinned to; empty if they are not.
    processors: Arc<[usize]>,
    shared: Arc<Shared>,
    /// Whether the threads are started, or being started.
    started: AtomicBool,
}

impl Pool {
    /// A pool for work on this many threads, including the caller. They are started by [`Pool::start`], or
    /// when first needed.
    pub fn new(threads: usize) -> Pool {
        Pool { threads, processors: Arc::new([]), shared: Arc::default(), started: AtomicBool::new(false) }
    }

    /// Like [`Pool::new`], with threads pinned to these processors; callers must have called [`Pool::keep`].
    pub fn on(processors: &[usize]) -> Pool {
        Pool {
            threads: processors.len(),
            processors: processors.into(),
            shared: Arc::default(),
            started: AtomicBool::new(false),
        }
    }

    /// Whether threads are pinned to processors.
    pub fn is_bound(&self) -> bool {
        !self.processors.is_empty()
    }

    /// Pins the calling thread to the pool's processors.
    pub fn keep(&self) {
        bind(&self.processors);
    }

    /// Runs `work` on all of `0..total`, in ranges; false if any of them failed.
    ///
    /// # Panics
    /// Panics if `work` does on any thread, after all threads have left it.
    pub fn run(&self, total: u64, work: &(dyn Fn(u64, u64) -> bool + Sync)) -> bool {
        let (mut done, mut batch) = (0u64, 1u64);
        let begin = Instant::now();
        // Ranges double in size: few calls, and the first is short.
        loop {
            if done == total {
                return true;
            }
            let end = (done + batch).min(total);
            if !work(done, end) {
                return false;
            }
            done = end;
            let spent = begin.elapsed().as_nanos() as u64;
            let each = (spent / done).max(1);
            if self.threads < 2 || total - done < 2 {
                batch = (PIECE * 10 / each).max(1);
                continue;
            }
            if each.saturating_mul(total - done) > ALONE {
                return self.share(done, total, each, work);
            }
            batch = total - done;
        }
    }

    fn share(&self, done: u64, total: u64, each: u64, work: &(dyn Fn(u64, u64) -> bool + Sync)) -> bool {
        self.start();
        let left = total - done;
        let fair = left.div_ceil(self.threads as u64 * 4);
        let piece = (PIECE / each).clamp(1, fair.max(1));
        let job = Job {
            work,
            next: AtomicU64::new(done),
            total,
            piece,
            failed: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
        };
        let wanted = (left.div_ceil(piece) - 1).min(self.threads as u64 - 1);
        let listed = Listed::new(&self.shared, &job);
        for _ in 0..wanted {
            self.shared.wake.notify_one();
        }
        job.work_on();
        drop(listed);
        assert!(!job.panicked.load(Ordering::Relaxed), "work panicked on a thread of the pool");
        !job.failed.load(Ordering::Relaxed)
    }

    /// Starts the threads, unless a caller does or did. Work is shared as soon as some of them run.
    pub fn start(&self) {
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        for _ in 1..self.threads {
            let (shared, processors) = (self.shared.clone(), self.processors.clone());
            let builder = std::thread::Builder::new().name("pyroclast-cpu".into()).stack_size(STACK);
            let serve = move || {
                bind(&processors);
                shared.work();
            };
            if builder.spawn(serve).is_err() {
                break;
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Under the lock: no thread is between checking and sleeping.
        let jobs = self.shared.jobs.lock();
        self.shared.closed.store(true, Ordering::Relaxed);
        drop(jobs);
        self.shared.wake.notify_all();
    }
}

/// Pins the calling thread to some processors, if the system allows it.
fn bind(processors: &[usize]) {
    if processors.is_empty() {
        return;
    }
    // SAFETY: a set of bits; zeros are an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for n in processors.iter().filter(|n| **n < libc::CPU_SETSIZE as usize) {
        // SAFETY: a number below the set's size.
        unsafe { libc::CPU_SET(*n, &mut set) };
    }
    // SAFETY: the set has that size. A failure leaves the thread where it was.
    let _ = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
}

impl Shared {
    fn work(&self) {
        let mut jobs = self.jobs.lock();
        loop {
            let Some(job) = jobs.iter().copied().find(|j| j.has_work()) else {
                if self.closed.load(Ordering::Relaxed) {
                    return;
                }
                self.wake.wait(&mut jobs);
                continue;
            };
            job.workers.fetch_add(1, Ordering::Relaxed);
            drop(jobs);
            if catch_unwind(AssertUnwindSafe(|| job.work_on())).is_err() {
                job.panicked.store(true, Ordering::Relaxed);
            }
            jobs = self.jobs.lock();
            job.workers.fetch_sub(1, Ordering::Release);
            self.left.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_runs_once() {
        let pool = Pool::new(3);
        for total in [0, 1, 7, 1000] {
            let counts: Vec<AtomicU64> = (0..total).map(|_| AtomicU64::new(0)).collect();
            let ok = pool.run(total, &|first, end| {
                for i in first..end {
                    counts[i as usize].fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(std::time::Duration::from_micros(20));
                }
                true
            });
            assert!(ok);
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn no_more_threads_work_than_there_are() {
        for (pool, most) in [(Pool::new(1), 1), (Pool::new(2), 2), (Pool::on(&[0]), 1)] {
            let seen = Mutex::new(std::collections::HashSet::new());
            assert!(pool.run(200, &|_, _| {
                seen.lock().insert(std::thread::current().id());
                std::thread::sleep(std::time::Duration::from_micros(100));
                true
            }));
            assert!(seen.lock().len() <= most);
        }
    }

    #[test]
    fn bound_threads_stay_where_they_belong() {
        let own = crate::device::machine::processors()[0];
        let at = std::thread::spawn(move || {
            let pool = Pool::on(&[own]);
            assert!(pool.is_bound());
            pool.keep();
            // SAFETY: returns a number.
            unsafe { libc::sched_getcpu() }
        });
        assert_eq!(at.join().unwrap() as usize, own);
    }

    #[test]
    fn failures_are_reported() {
        assert!(!Pool::new(2).run(100, &|_, end| {
            std::thread::sleep(std::time::Duration::from_micros(50));
            end < 50
        }));
    }

    #[test]
    fn panics_reach_the_caller_and_leave_the_pool_usable() {
        let pool = Pool::new(3);
        for _ in 0..20 {
            let run = AssertUnwindSafe(|| {
                pool.run(100, &|_, end| {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                    assert!(end < 50, "contained");
                    true
                })
            });
            assert!(catch_unwind(run).is_err());
        }
        assert!(pool.shared.jobs.lock().is_empty());
        assert!(pool.run(100, &|_, _| true));
    }
}
