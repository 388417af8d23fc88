//! Threads that create pipelines in the background, so that no launch waits tens of milliseconds for the
//! driver: when a kernel is created, those of its required local size, and those that earlier processes used
//! (see `pipeline`); and the one of a launch that another one stands in for (see `group_size`).
//!
//! A process that exits waits for pipelines in creation, since libraries of the driver have destructors.
//! Lock: the state, never held while a pipeline is created.

use crate::device::threads;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Maximum number of threads.
const MOST_THREADS: usize = 4;
/// Stack size of a thread; the driver's compiler needs most of it.
const STACK: usize = 8 << 20;
/// Time that the exit of the process waits for pipelines.
const PATIENCE: Duration = Duration::from_secs(5);

/// The creation of pipelines.
type Creation = Box<dyn FnOnce() + Send>;

struct State {
    requests: VecDeque<Creation>,
    threads: usize,
    /// The process exits.
    ends: bool,
}

static STATE: Mutex<State> = Mutex::new(State { requests: VecDeque::new(), threads: 0, ends: false });
/// Signalled when a thread ends.
static ENDED: Condvar = Condvar::new();

/// Creates pipelines in the background.
pub fn request(create: impl FnOnce() + Send + 'static) {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| {
        // SAFETY: the function only uses statics, and the library is never unloaded.
        if unsafe { libc::atexit(finish) } != 0 {
            STATE.lock().ends = true;
        }
    });
    let most = std::thread::available_parallelism().map_or(1, |n| n.get() / 2).clamp(1, MOST_THREADS);
    let mut state = STATE.lock();
    if state.ends {
        return;
    }
    state.requests.push_back(Box::new(create));
    if state.threads < most {
        let builder = std::thread::Builder::new().name("pyroclast-ahead".into()).stack_size(STACK);
        match builder.spawn(serve) {
            Ok(_) => state.threads += 1,
            // The launches create the pipelines.
            Err(error) => {
                tracing::debug!(%error, "cannot start a thread that creates pipelines");
                state.requests.clear();
            }
        }
    }
}

/// A thread's work; it ends when there is none.
fn serve() {
    threads::block_signals();
    loop {
        let next = {
            let mut state = STATE.lock();
            let next = if state.ends { None } else { state.requests.pop_front() };
            if next.is_none() {
                state.threads -= 1;
                ENDED.notify_all();
                return;
            }
            next
        };
        if let Some(create) = next
            && catch_unwind(AssertUnwindSafe(create)).is_err()
        {
            tracing::error!("the creation of pipelines panicked");
        }
    }
}

/// Waits for the threads, at the exit of the process.
extern "C" fn finish() {
    // A forked child has none of the threads, and the lock may stay locked.
    if crate::fork::is_child() {
        return;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut state = STATE.lock();
    state.ends = true;
    while state.threads > 0 && !ENDED.wait_until(&mut state, deadline).timed_out() {}
}
