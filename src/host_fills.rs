//! Application memory that unfinished commands will fill (the destinations of reads).
//!
//! A device copies the source of a write when it takes the command, which may be before an earlier read into the same
//! memory is complete. Writes therefore ask here, and wait for such reads first. Locks: the list (rank Context).

use crate::sync::{Mutex, Rank};
use std::ops::Range;
use std::sync::{Arc, Weak};

/// Something that will be done.
pub trait Pending: Send + Sync {
    fn is_done(&self) -> bool;
}

/// A range of addresses and the command that will fill it.
type Fill = (Range<usize>, Weak<dyn Pending>);

/// Address ranges with the commands that will fill them.
pub struct HostFills(Mutex<Vec<Fill>>);

impl Default for HostFills {
    fn default() -> Self {
        HostFills(Mutex::new(Rank::Context, Vec::new()))
    }
}

impl HostFills {
    /// `command` will fill the range.
    pub fn add(&self, range: Range<usize>, command: Weak<dyn Pending>) {
        self.visit(|list| list.push((range, command)));
    }
    /// Whether an unfinished command will fill part of the range.
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        let mut hit = false;
        self.visit(|list| hit = list.iter().any(|(r, _)| r.start < range.end && range.start < r.end));
        hit
    }
    /// Forgets finished commands, then looks at the others.
    fn visit(&self, look: impl FnOnce(&mut Vec<Fill>)) {
        // Dropped after the lock: these may be the last references.
        let mut alive: Vec<Arc<dyn Pending>> = Vec::new();
        let mut list = self.0.lock();
        list.retain(|(_, command)| match command.upgrade() {
            Some(command) => {
                let pending = !command.is_done();
                alive.push(command);
                pending
            }
            None => false,
        });
        look(&mut list);
        drop(list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Flag(AtomicBool);
    impl Pending for Flag {
        fn is_done(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn only_unfinished_commands_count() {
        let fills = HostFills::default();
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let weak: Weak<dyn Pending> = Arc::downgrade(&(flag.clone() as Arc<dyn Pending>));
        fills.add(100..200, weak);
        assert!(fills.overlaps(&(199..300)));
        assert!(!fills.overlaps(&(200..300)));
        assert!(!fills.overlaps(&(0..100)));
        flag.0.store(true, Ordering::Relaxed);
        assert!(!fills.overlaps(&(150..160)));
    }
}
