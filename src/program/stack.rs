//! A thread with a stack that is large enough for the compiler, whose panics end there.

use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stack size of the threads that run the compiler.
pub(super) const COMPILER_STACK: usize = 64 << 20;

/// Runs compiler work on a large stack; `None` if it panicked.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    let work = Mutex::new(Some(work));
    let take = || work.lock().take();
    let run = || take().and_then(|work| catch_unwind(AssertUnwindSafe(work)).ok());
    let result = std::thread::scope(|scope| {
        let builder =
            std::thread::Builder::new().name("pyroclast-compiler".into()).stack_size(COMPILER_STACK);
        builder.spawn_scoped(scope, run).ok().map(|thread| thread.join().ok().flatten())
    });
    // Without a thread, the caller's stack must suffice.
    result.unwrap_or_else(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_panics_are_contained() {
        assert_eq!(with_large_stack(|| 3), Some(3));
        assert_eq!(with_large_stack(|| -> u32 { panic!("contained") }), None);
    }
}
