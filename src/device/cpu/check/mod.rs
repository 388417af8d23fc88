//! Checks of what kernels do (`PYROCLAST_CHECK`): accesses outside of memory, races between work-items, reads of memory that
//! nobody wrote.
//!
//! Checked code calls the runtime for each access (`clspv_bridge::native::check`). [`Checker`] knows the memory there is,
//! [`session::Session`] judges a launch, whose groups run one after the other on one thread, and [`report`] tells what was
//! found. An access that is not allowed is not made: it reads zeros and writes nothing.
//!
//! New memory is filled with a pattern of the offset in it ([`pattern`]); what still holds the pattern was never written. So
//! writes need not be watched, whoever makes them.

pub mod memory;
pub mod order;
pub mod pattern;
pub mod race;
pub mod report;
pub mod session;
#[cfg(test)]
mod tests;

use crate::host_ptr::HostAllocation;
use memory::{AllocationKind, Memory, Registration};
use parking_lot::Mutex;
use report::Reports;
use std::sync::Arc;

/// What is checked.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Checks {
    pub memory: bool,
    pub race: bool,
    pub uninit: bool,
}

impl Checks {
    /// The checks that words name, and the words that name none.
    pub fn named(words: &[String]) -> (Checks, Vec<&str>) {
        let (mut checks, mut unknown) = (Checks::default(), Vec::new());
        for word in words {
            match word.as_str() {
                "memory" => checks.memory = true,
                "race" => checks.race = true,
                "uninit" => checks.uninit = true,
                "all" | "1" => checks = Checks { memory: true, race: true, uninit: true },
                "none" | "0" => {}
                other => unknown.push(other),
            }
        }
        (checks, unknown)
    }
    /// Whether anything is checked.
    pub fn any(self) -> bool {
        self != Checks::default()
    }
}

/// Gives new memory the pattern.
pub fn fill(memory: &HostAllocation, size: u64) {
    // SAFETY: the allocation is new and at least that large.
    let bytes =
        unsafe { std::slice::from_raw_parts_mut(memory.ptr().as_ptr(), size.min(memory.size()) as usize) };
    pattern::fill(bytes, 0);
}

/// What all queues of the device share.
pub struct Checker {
    pub checks: Checks,
    memory: Arc<Mutex<Memory>>,
    reports: Mutex<Reports>,
}

impl Checker {
    /// Reports go to stderr, and to the log file if there is one.
    pub fn new(checks: Checks, reports: Reports) -> Checker {
        Checker { checks, memory: Arc::default(), reports: Mutex::new(reports) }
    }
    /// Makes a range known for as long as the result lives. `None` if nothing is checked.
    pub fn know(&self, start: u64, size: u64, kind: AllocationKind) -> Option<Registration> {
        self.checks.any().then(|| Registration::new(&self.memory, start, size, kind))
    }
    /// Tells what a launch of a kernel did.
    pub fn tell(&self, kernel: &str, session: session::Session<'_>) {
        self.reports.lock().tell(kernel, session.findings());
    }
    /// Everything told so far.
    #[cfg(test)]
    pub fn reported(&self) -> Vec<report::Finding> {
        self.reports.lock().all.clone()
    }
    /// Bytes behind a buffer that belong to nobody, so that accesses behind its end do not meet another.
    pub fn margin(&self) -> u64 {
        if self.checks.any() { 64 << 10 } else { 0 }
    }
}
