//! Application memory that unfinished commands will fill (the destinations of reads).
//!
//! A device copies the source of a write when it takes the command, which may be before an earlier read into
//! the same memory is complete. Writes therefore check here, and wait for such reads first. Locks: the list
//! (rank Context).

use crate::sync::{Mutex, Rank};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// The list is cleared of completed commands each time it has doubled, from this length on.
const CLEAR_FROM: usize = 64;

/// Something that completes.
pub trait Pending: Send + Sync {
    fn is_done(&self) -> bool;
}

/// Address ranges with the commands that will fill them.
pub struct PendingHostWrites(Mutex<List>);

struct List {
    /// By start and number: end and command.
    writes: BTreeMap<(usize, u64), (usize, Weak<dyn Pending>)>,
    next: u64,
    /// Length of the longest range.
    longest: usize,
    clear_at: usize,
}

impl Default for PendingHostWrites {
    fn default() -> Self {
        let list = List { writes: BTreeMap::new(), next: 0, longest: 0, clear_at: CLEAR_FROM };
        PendingHostWrites(Mutex::new(Rank::Context, list))
    }
}

impl PendingHostWrites {
    /// `command` will fill the range.
    pub fn add(&self, range: Range<usize>, command: Weak<dyn Pending>) {
        // Dropped after the lock: these may be the last references.
        let mut looked_at: Vec<Arc<dyn Pending>> = Vec::new();
        let mut list = self.0.lock();
        let List { writes, next, longest, clear_at } = &mut *list;
        if writes.len() >= *clear_at {
            *longest = 0;
            writes.retain(|(start, _), (end, command)| {
                let Some(command) = command.upgrade() else { return false };
                let pending = !command.is_done();
                looked_at.push(command);
                if pending {
                    *longest = (*longest).max(*end - *start);
                }
                pending
            });
            *clear_at = (2 * writes.len()).max(CLEAR_FROM);
        }
        *next += 1;
        *longest = (*longest).max(range.len());
        writes.insert((range.start, *next), (range.end, command));
        drop(list);
    }
    /// Whether an unfinished command will fill part of the range.
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        let mut looked_at: Vec<Arc<dyn Pending>> = Vec::new();
        let list = self.0.lock();
        let near = list.writes.range((range.start.saturating_sub(list.longest), 0)..(range.end, 0));
        let hit = near.filter(|(_, (end, _))| *end > range.start).any(|(_, (_, command))| {
            let Some(command) = command.upgrade() else { return false };
            let pending = !command.is_done();
            looked_at.push(command);
            pending
        });
        drop(list);
        hit
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
        let writes = PendingHostWrites::default();
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let weak: Weak<dyn Pending> = Arc::downgrade(&(flag.clone() as Arc<dyn Pending>));
        writes.add(100..200, weak);
        assert!(writes.overlaps(&(199..300)));
        assert!(!writes.overlaps(&(200..300)));
        assert!(!writes.overlaps(&(0..100)));
        flag.0.store(true, Ordering::Relaxed);
        assert!(!writes.overlaps(&(150..160)));
    }

    #[test]
    fn the_list_stays_short_and_finds_long_ranges() {
        let writes = PendingHostWrites::default();
        let flag = |done| Arc::new(Flag(AtomicBool::new(done)));
        let weak =
            |flag: &Arc<Flag>| -> Weak<dyn Pending> { Arc::downgrade(&(flag.clone() as Arc<dyn Pending>)) };
        let (long, done) = (flag(false), flag(true));
        writes.add(0..1_000_000, weak(&long));
        for i in 0..10_000 {
            writes.add(i * 10..i * 10 + 5, weak(&done));
        }
        assert!(writes.0.lock().writes.len() <= CLEAR_FROM);
        assert!(writes.overlaps(&(999_999..1_000_001)) && !writes.overlaps(&(1_000_000..1_000_001)));
        long.0.store(true, Ordering::Relaxed);
        assert!(!writes.overlaps(&(0..1_000_000)));
    }
}
