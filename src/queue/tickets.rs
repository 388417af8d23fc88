//! Callbacks of a queue's events: the number registered, and those posted that may not have returned.
//!
//! Locks: the list (rank Pools), with that of the callbacks inside; none while waiting.

use crate::callback::{self, CallbackTicket};
use crate::sync::{Mutex, Rank};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Number of entries at which those of returned callbacks are dropped.
const MANY: usize = 64;

/// Callbacks of the events of one queue.
pub struct CallbackTickets {
    /// Number of callbacks that are not due yet.
    expected: AtomicUsize,
    /// Callbacks were posted since the list was last empty.
    has_posted: AtomicBool,
    /// Position of the command in the queue, and ticket of the callback.
    posted: Mutex<Vec<(u64, CallbackTicket)>>,
}

impl CallbackTickets {
    /// No callbacks.
    pub fn new() -> CallbackTickets {
        let posted = Mutex::new(Rank::Pools, Vec::new());
        CallbackTickets { expected: AtomicUsize::new(0), has_posted: AtomicBool::new(false), posted }
    }

    /// Counts a registered callback that is not due.
    pub fn expect(&self) {
        self.expected.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts `count` of the expected callbacks as due.
    pub fn met(&self, count: usize) {
        self.expected.fetch_sub(count, Ordering::Relaxed);
    }

    /// Adds a posted callback of the command at `seq`.
    pub fn add(&self, seq: u64, ticket: CallbackTicket) {
        let mut posted = self.posted.lock();
        if posted.len() >= MANY {
            posted.retain(|(_, ticket)| !callback::is_done(*ticket));
        }
        posted.push((seq, ticket));
        self.has_posted.store(true, Ordering::Release);
    }

    /// Whether callbacks may be pending.
    pub fn is_used(&self) -> bool {
        self.expected.load(Ordering::Relaxed) > 0 || self.has_posted.load(Ordering::Acquire)
    }

    /// Waits for the posted callbacks of commands up to `seq`; no lock may be held.
    pub fn wait(&self, seq: u64) {
        if !self.has_posted.load(Ordering::Acquire) {
            return;
        }
        let covered = |posted: &[(u64, CallbackTicket)]| -> SmallVec<[CallbackTicket; 8]> {
            posted.iter().filter(|(at, _)| *at <= seq).map(|(_, ticket)| *ticket).collect()
        };
        let tickets = covered(&self.posted.lock());
        if tickets.is_empty() {
            return;
        }
        tickets.into_iter().for_each(callback::wait);
        let mut posted = self.posted.lock();
        posted.retain(|(_, ticket)| !callback::is_done(*ticket));
        self.has_posted.store(!posted.is_empty(), Ordering::Release);
    }
}
