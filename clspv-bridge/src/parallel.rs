//! Independent pieces of work on several threads.
//!
//! The caller works too. Helper threads join it while the process has fewer of them than processors, so that
//! simultaneous builds do not multiply their threads. Helpers have stacks as large as the compiler's own
//! thread. A panic in a piece of work reaches the caller.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Stack of a helper thread, in bytes: passes are recursive.
const STACK: usize = 64 << 20;

/// Helper threads at work in this process.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// Number of processors that this process may use, determined once: that takes a dozen system calls where
/// control groups limit it.
pub fn processor_count() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// A permit for one helper thread.
struct Permit;

impl Permit {
    fn take() -> Option<Permit> {
        let most = processor_count() - 1;
        HELPERS
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < most).then_some(n + 1))
            .ok()
            .map(|_| Permit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        HELPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The results of `work` on each item, in the order of the items.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let count = items.len();
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let queue = Mutex::new(items.into_iter().enumerate());
    let run = || {
        loop {
            let next = queue.lock().unwrap_or_else(|e| e.into_inner()).next();
            let Some((at, item)) = next else { return };
            let result = work(item);
            *results[at].lock().unwrap_or_else(|e| e.into_inner()) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..count {
            let Some(permit) = Permit::take() else { break };
            let helper = || {
                let _permit = permit;
                run();
            };
            let builder = std::thread::Builder::new().name("pyroclast-compiler".into()).stack_size(STACK);
            if builder.spawn_scoped(scope, helper).is_err() {
                break;
            }
        }
        run();
    });
    results.into_iter().filter_map(|r| r.into_inner().unwrap_or_else(|e| e.into_inner())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let squares = map((0..1000u64).collect(), |x| x * x);
        assert_eq!(squares, (0..1000u64).map(|x| x * x).collect::<Vec<_>>());
        assert!(map(Vec::<u8>::new(), |x| x).is_empty());
    }

    #[test]
    fn panics_reach_the_caller_and_free_the_permits() {
        for _ in 0..20 {
            let result = std::panic::catch_unwind(|| {
                map(vec![1, 2, 3, 4], |x| if x == 3 { panic!("three") } else { x })
            });
            assert!(result.is_err());
        }
        let most = processor_count();
        assert!(HELPERS.load(Ordering::Relaxed) < most);
    }
}
