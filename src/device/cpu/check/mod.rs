//! Sanitizer of kernels (`PYROCLAST_CHECK`): out-of-bounds accesses, data races between work-items, reads of
//! uninitialised memory.
//!
//! Instrumented code calls the runtime for each access (`clspv_bridge::native::check`). [`Checker`] knows the
//! device's memory, [`session::Session`] checks a launch, whose groups run one after the other on one thread,
//! and [`report`] writes the findings. An access that is not allowed is not executed: it reads zeros and
//! writes nothing.
//!
//! New memory is filled with a pattern of the offset in it ([`pattern`]); memory that still contains the
//! pattern is uninitialised. So writes need no tracking, whatever executes them.

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

/// The enabled checks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Checks {
    pub memory: bool,
    pub race: bool,
    pub uninit: bool,
}

impl Checks {
    /// Parses names of checks. Also returns the unknown names.
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
    /// Whether any check is enabled.
    pub fn any(self) -> bool {
        self != Checks::default()
    }
}

/// Fills new memory with the pattern.
pub fn fill(memory: &HostAllocation, size: u64) {
    // SAFETY: the allocation is new and at least that large.
    let bytes =
        unsafe { std::slice::from_raw_parts_mut(memory.ptr().as_ptr(), size.min(memory.size()) as usize) };
    pattern::fill(bytes, 0);
}

/// The sanitizer's state, shared by all queues of the device.
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
    /// Registers a range until the result is dropped. `None` if no check is enabled.
    pub fn register(&self, start: u64, size: u64, kind: AllocationKind) -> Option<Registration> {
        self.checks.any().then(|| Registration::new(&self.memory, start, size, kind))
    }
    /// Reports the findings of a launch.
    pub fn report(&self, kernel: &str, session: session::Session<'_>) {
        self.reports.lock().report(kernel, session.findings());
    }
    /// Everything reported so far.
    #[cfg(test)]
    pub fn reported(&self) -> Vec<report::Finding> {
        self.reports.lock().all.clone()
    }
    /// Unused bytes after each buffer, so that accesses past its end do not reach another one.
    pub fn margin(&self) -> u64 {
        if self.checks.any() { 64 << 10 } else { 0 }
    }
}
