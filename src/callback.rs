//! Callbacks of the application: run one at a time and in order, on a thread of the runtime, with no lock
//! held.
//!
//! Every posted callback has a [`CallbackTicket`]. Calls that cover an event ([`crate::queue`]) wait for the
//! tickets of its callbacks, since applications keep user data on the stack of the function that makes the
//! call. Such waits must not deadlock, whatever callbacks do:
//!
//! * A callback does not run in a thread that waits for it, which may hold a lock that the callback takes
//!   (unless the system cannot start a thread for callbacks).
//! * Waits inside a callback return at once, so no callback waits for itself or for those posted after it.
//!   Blocking calls inside a callback wait for devices only, which do not depend on the callback threads.
//! * A callback that does not return within [`PATIENCE`] no longer holds back the next one, which another
//!   thread runs: it may be waiting for that one, or for a thread that is.
//! * A callback that does not return within [`LIMIT`] is not waited for any longer: it may be waiting for the
//!   very thread that makes the call, or take a lock which that thread holds. Nothing else distinguishes
//!   such a callback from a slow one. From then on the process waits for callbacks for [`LATER_LIMIT`] only.
//!
//! A callback that waits for another thread of the application thus returns as soon as that thread acts, and
//! the calls that wait for the callback continue. User events that callbacks set take effect at once.
//!
//! Destructor callbacks are run by the call that releases the object, if the object ends with it
//! ([`release`]), as other implementations do. An object that a command still uses ends with the command,
//! before the event reports the end; then they are posted, and calls that cover the event wait for them too.
//!
//! The first thread starts with the first callback, another when callbacks wait behind one that runs; only
//! the first one stays. None is joined. A panic in a callback is contained.
//! Locks: the list (rank CallbackChannel), never held while a callback runs; callbacks may be posted with any
//! lock held.

use crate::sync::{Condvar, Mutex, MutexGuard, Rank};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A callback with its data.
pub type Callback = Box<dyn FnOnce() + Send>;

/// Ticket of a posted callback. Tickets count up from 1; 0 is never used.
pub type CallbackTicket = u64;

/// Time after which a callback no longer holds back the next one.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time that calls wait for a running callback...
const LIMIT: Duration = Duration::from_secs(if cfg!(test) { 3 } else { 10 });
/// ...and in a process where one did not return in time: it has callbacks that wait for the caller.
const LATER_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 2000 } else { 100 });
/// Time that idle threads other than the first stay alive.
const LINGER: Duration = Duration::from_secs(5);

struct Running {
    ticket: CallbackTicket,
    since: Instant,
    /// Whether waits for it have been given up.
    given_up: bool,
}

struct State {
    queue: VecDeque<Callback>,
    /// The newest callback that was started.
    started: CallbackTicket,
    /// Started callbacks that have not returned, the newest last.
    running: Vec<Running>,
    threads: usize,
    /// Time that calls wait for a callback.
    limit: Duration,
}

static STATE: Mutex<State> = Mutex::new(Rank::CallbackChannel, State::new());
/// Callbacks were posted, or a callback that holds back others has returned.
static POSTED: Condvar = Condvar::new();
/// A callback has returned.
static RETURNED: Condvar = Condvar::new();

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
    /// Collects destructor callbacks while an object is released.
    static DESTRUCTORS: RefCell<Option<Vec<Callback>>> = const { RefCell::new(None) };
    /// Ticket of the destructor callback posted last by this thread.
    static LAST_DESTRUCTOR: Cell<CallbackTicket> = const { Cell::new(0) };
}

impl State {
    const fn new() -> State {
        State { queue: VecDeque::new(), started: 0, running: Vec::new(), threads: 0, limit: LIMIT }
    }

    fn is_done(&self, ticket: CallbackTicket) -> bool {
        ticket <= self.started && !self.running.iter().any(|r| r.ticket == ticket && !r.given_up)
    }

    /// Time until the next callback may run; zero if it may run now.
    fn delay(&self) -> Duration {
        self.running.last().map_or(Duration::ZERO, |newest| PATIENCE.saturating_sub(newest.since.elapsed()))
    }

    fn take(&mut self) -> Option<(CallbackTicket, Callback)> {
        let callback = self.queue.pop_front()?;
        self.started += 1;
        self.running.push(Running { ticket: self.started, since: Instant::now(), given_up: false });
        Some((self.started, callback))
    }

    /// Starts a thread if none is free.
    fn provide_thread(&mut self) {
        if self.threads > self.running.len() {
            return;
        }
        match std::thread::Builder::new().name("pyroclast-callback".into()).spawn(serve) {
            Ok(_) => self.threads += 1,
            // The callback is then run by the call that waits for it.
            Err(error) if self.threads == 0 => tracing::error!(%error, "cannot start the callback thread"),
            Err(error) => tracing::warn!(%error, "cannot start another callback thread"),
        }
    }
}

fn run(callback: Callback) {
    let outer = IN_CALLBACK.replace(true);
    if catch_unwind(AssertUnwindSafe(callback)).is_err() {
        tracing::error!("a callback panicked");
    }
    IN_CALLBACK.set(outer);
}

/// Runs a callback that was taken from the list.
fn run_taken(
    state: MutexGuard<'static, State>,
    (ticket, callback): (CallbackTicket, Callback),
) -> MutexGuard<'static, State> {
    drop(state);
    run(callback);
    let mut state = STATE.lock();
    state.running.retain(|r| r.ticket != ticket);
    RETURNED.notify_all();
    state
}

/// Main loop of a callback thread.
fn serve() {
    let mut state = STATE.lock();
    loop {
        if state.queue.is_empty() {
            if state.threads == 1 {
                POSTED.wait(&mut state);
            } else if POSTED.wait_for(&mut state, LINGER)
                && state.queue.is_empty()
                && state.threads > state.running.len() + 1
            {
                break;
            }
            continue;
        }
        let delay = state.delay();
        if !delay.is_zero() {
            POSTED.wait_for(&mut state, delay);
        } else if let Some(taken) = state.take() {
            if !state.queue.is_empty() {
                // Another thread serves the callbacks behind this one.
                state.provide_thread();
                POSTED.notify_one();
            }
            state = run_taken(state, taken);
        }
    }
    state.threads -= 1;
}

/// Runs `callback` on the callback thread, after those posted before it.
pub(crate) fn post(callback: Callback) -> CallbackTicket {
    let mut state = STATE.lock();
    state.queue.push_back(callback);
    state.provide_thread();
    POSTED.notify_one();
    state.started + state.queue.len() as u64
}

/// Whether a callback has returned, or waits for it have been given up.
pub fn is_done(ticket: CallbackTicket) -> bool {
    STATE.lock().is_done(ticket)
}

/// Waits until a callback has returned; the module documentation lists when it does not wait. No lock may be
/// held.
pub fn wait(ticket: CallbackTicket) {
    if ticket == 0 || IN_CALLBACK.get() {
        return;
    }
    let mut state = STATE.lock();
    while !state.is_done(ticket) {
        if state.threads == 0
            && let Some(taken) = state.take()
        {
            state = run_taken(state, taken);
            continue;
        }
        let limit = state.limit;
        let running = state.running.iter_mut().find(|r| r.ticket == ticket);
        let left = running.as_ref().map_or(limit, |r| limit.saturating_sub(r.since.elapsed()));
        match running.filter(|_| left.is_zero()) {
            Some(running) => {
                running.given_up = true;
                state.limit = LATER_LIMIT;
                tracing::warn!("a callback has not returned for {limit:?} and is not waited for any longer");
            }
            None => {
                RETURNED.wait_for(&mut state, left);
            }
        }
    }
}

/// Releases a reference and runs the destructor callbacks of objects that end with it; no lock may be held.
pub fn release(drop_references: impl FnOnce()) {
    // A thread that is being torn down has no list: its callbacks are posted.
    let exchange = |list: Option<Vec<Callback>>| DESTRUCTORS.try_with(|own| own.replace(list)).ok().flatten();
    exchange(Some(Vec::new()));
    drop_references();
    for callback in exchange(None).unwrap_or_default() {
        if catch_unwind(AssertUnwindSafe(callback)).is_err() {
            tracing::error!("a destructor callback panicked");
        }
    }
}

/// Adds a destructor callback of an object that is being destroyed.
pub(crate) fn post_destructor(callback: Callback) {
    let mut unclaimed = Some(callback);
    let _ = DESTRUCTORS.try_with(|list| {
        if let Some(list) = list.borrow_mut().as_mut() {
            list.extend(unclaimed.take());
        }
    });
    if let Some(callback) = unclaimed {
        LAST_DESTRUCTOR.set(post(callback));
    }
}

/// Releases references. Returns the ticket of the last destructor callback posted meanwhile, or 0.
pub(crate) fn destructors_of(drop_references: impl FnOnce()) -> CallbackTicket {
    let outer = LAST_DESTRUCTOR.replace(0);
    drop_references();
    LAST_DESTRUCTOR.replace(outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn callbacks_run_in_order_and_survive_a_panic() {
        let (sender, receiver) = channel();
        for i in 0..100 {
            let sender = sender.clone();
            post(Box::new(move || {
                assert!(i != 50, "contained");
                let _ = sender.send(i);
            }));
        }
        drop(sender);
        let seen: Vec<i32> = receiver.iter().collect();
        let expected: Vec<i32> = (0..100).filter(|i| *i != 50).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_wait_ends_when_the_callback_has_returned() {
        let (sender, receiver) = channel();
        let ticket = post(Box::new(move || {
            std::thread::sleep(Duration::from_millis(100));
            let _ = sender.send(());
        }));
        assert!(!is_done(ticket));
        wait(ticket);
        assert!(is_done(ticket));
        assert_eq!(receiver.try_recv(), Ok(()));
    }

    /// Neither a callback that waits for a later one, nor one that waits for itself, blocks for ever.
    #[test]
    fn callbacks_that_wait_for_callbacks() {
        let (open, gate) = channel::<()>();
        let (done, end) = channel();
        let first = post(Box::new(move || {
            let _ = gate.recv();
            wait(CallbackTicket::MAX);
            let _ = done.send(());
        }));
        let second = post(Box::new(move || drop(open)));
        wait(second);
        wait(first);
        assert_eq!(end.try_recv(), Ok(()));
    }

    /// Models a callback that takes a lock which the waiting thread holds.
    #[test]
    fn a_callback_that_needs_the_waiting_thread_is_not_waited_for_for_ever() {
        let (open, gate) = channel::<()>();
        let ticket = post(Box::new(move || {
            let _ = gate.recv();
        }));
        wait(ticket);
        assert!(is_done(ticket));
        // Later callbacks run meanwhile.
        wait(post(Box::new(|| {})));
        drop(open);
    }

    #[test]
    fn destructors_run_when_the_object_is_released() {
        let (sender, receiver) = channel();
        let here = std::thread::current().id();
        release(|| {
            post_destructor(Box::new(move || {
                let _ = sender.send(std::thread::current().id());
            }));
            assert!(receiver.try_recv().is_err());
        });
        assert_eq!(receiver.try_recv(), Ok(here));
    }
}
