//! Threads for work that may take long and block: native kernels, which are functions of the application, and
//! launches that the processor executes for another device.
//!
//! Work never waits for other work: if no thread is idle, another is started. Idle threads end after a while;
//! none is ever joined. Locks: the list (rank CallbackChannel), never held while work runs.

use crate::sync::{Condvar, Mutex, Rank};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Time that an idle thread stays alive.
const LINGER: Duration = Duration::from_secs(5);
/// Stack size of a thread: kernels of the CPU device keep vectors there.
const STACK: usize = 8 << 20;

type Work = Box<dyn FnOnce() + Send>;

struct State {
    queue: VecDeque<Work>,
    /// Threads that wait for work.
    idle: usize,
}

static STATE: Mutex<State> = Mutex::new(Rank::CallbackChannel, State { queue: VecDeque::new(), idle: 0 });
static POSTED: Condvar = Condvar::new();

/// Runs `work` on a thread of its own; in the calling thread if none can be started. No lock may be held.
pub fn post(work: Work) {
    {
        let mut state = STATE.lock();
        if state.idle > state.queue.len() {
            state.queue.push_back(work);
            POSTED.notify_one();
            return;
        }
    }
    // If no thread can be started the closure is dropped, so it only refers to the work.
    let shared = std::sync::Arc::new(parking_lot::Mutex::new(Some(work)));
    let theirs = shared.clone();
    let spawned =
        std::thread::Builder::new().name("pyroclast-native".into()).stack_size(STACK).spawn(move || {
            let first = theirs.lock().take();
            serve(first);
        });
    if let Err(error) = spawned {
        tracing::warn!(%error, "cannot start a thread; its work is done in the calling one");
        if let Some(work) = shared.lock().take() {
            run(work);
        }
    }
}

fn run(work: Work) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("work on a thread of its own panicked");
    }
}

fn serve(first: Option<Work>) {
    let mut next = first;
    while let Some(work) = next.take() {
        run(work);
        let mut state = STATE.lock();
        state.idle += 1;
        if state.queue.is_empty() {
            POSTED.wait_for(&mut state, LINGER);
        }
        state.idle -= 1;
        next = state.queue.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn work_that_waits_for_other_work_ends() {
        for _ in 0..3 {
            let (done, wait) = channel();
            let mut previous = None;
            for i in 0..20 {
                let (open, gate) = channel::<()>();
                let next = previous.replace(open);
                let done = done.clone();
                post(Box::new(move || {
                    // Each except the last waits for the one posted after it.
                    let _ = gate.recv_timeout(Duration::from_secs(if i == 19 { 0 } else { 60 }));
                    drop(next);
                    assert!(i != 7, "contained");
                    let _ = done.send(i);
                }));
            }
            drop((done, previous));
            assert_eq!(wait.iter().count(), 19);
        }
    }
}
