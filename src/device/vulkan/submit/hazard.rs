//! Hazards between the commands of one command buffer: which byte ranges of buffers and rows of images were
//! read and written since the last barrier, and which barrier a command needs before it. Pure.

use crate::device::vulkan::memory::access::{Object, ObjectAccess};
use std::collections::HashMap;

/// With more accesses than this, comparing costs more than a barrier.
const MANY: usize = 256;

/// Accesses since the last barrier.
#[derive(Default)]
pub struct Hazards {
    since: Vec<ObjectAccess>,
}

/// The merged accesses of several commands: one range per object.
#[derive(Default)]
pub struct Footprint(HashMap<Object, ObjectAccess>);

impl Footprint {
    /// Merges a command's accesses.
    pub fn add(&mut self, accesses: &[ObjectAccess]) {
        for a in accesses {
            let all = self.0.entry(a.object).or_insert(*a);
            *all = ObjectAccess {
                start: all.start.min(a.start),
                end: all.end.max(a.end),
                write: all.write || a.write,
                ..*a
            };
        }
    }

    /// The accesses.
    pub fn accesses(&self) -> Vec<ObjectAccess> {
        self.0.values().copied().collect()
    }
}

impl Hazards {
    /// Adds a command's accesses. Returns whether a barrier must precede it; only an `ordered` command can
    /// need one.
    pub fn add(&mut self, accesses: &[ObjectAccess], ordered: bool) -> bool {
        let conflict = |a: &ObjectAccess| self.since.iter().any(|b| a.conflicts(b));
        let needed = ordered && (self.since.len() > MANY || accesses.iter().any(conflict));
        if needed {
            self.since.clear();
        }
        self.since.extend_from_slice(accesses);
        needed
    }
}

/// The hardware engine that executes a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    Compute,
    Transfer,
}

/// A barrier between everything before it and everything after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barrier {
    None,
    /// For compute work only, which is cheaper.
    Compute,
    Full,
}

/// Synchronisation between earlier work of the queue and a new command buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// A barrier for all work.
    Barrier,
    /// A barrier for compute work only.
    ComputeBarrier,
    /// None: earlier work may still run.
    Nothing,
}

/// Tracks which barriers the commands of a command buffer need.
pub struct BarrierTracker {
    hazards: Hazards,
    before: Before,
    /// A transfer was recorded since the last full barrier.
    transfers: bool,
}

impl BarrierTracker {
    /// State of an empty command buffer. Recycles the memory of `hazards`.
    pub fn new(mut hazards: Hazards, before: Before) -> BarrierTracker {
        hazards.since.clear();
        BarrierTracker { hazards, before, transfers: false }
    }

    /// Notes that a full barrier was recorded.
    pub fn fenced(&mut self) {
        self.before = Before::Barrier;
        self.transfers = false;
        self.hazards.since.clear();
    }

    /// The barrier that a command needs before it. Barriers between compute commands omit transfers; the next
    /// transfer then needs a full one.
    pub fn next(&mut self, accesses: &[ObjectAccess], ordered: bool, engine: Engine) -> Barrier {
        let transfer = engine == Engine::Transfer;
        let after_all = ordered && self.before == Before::Nothing;
        if after_all {
            self.hazards.since.clear();
        }
        let hazard = self.hazards.add(accesses, ordered);
        let barrier = if hazard && !transfer && !self.transfers && self.before != Before::Nothing {
            self.before = Before::ComputeBarrier;
            Barrier::Compute
        } else if after_all || hazard || transfer && self.before == Before::ComputeBarrier {
            self.before = Before::Barrier;
            self.transfers = false;
            Barrier::Full
        } else {
            Barrier::None
        };
        self.transfers |= transfer;
        barrier
    }

    /// Returns the hazards, to recycle their memory.
    pub fn into_hazards(self) -> Hazards {
        self.hazards
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::{self, Handle};

    fn access(buffer: u64, start: u64, end: u64, write: bool) -> ObjectAccess {
        ObjectAccess { object: Object::Buffer(vk::Buffer::from_raw(buffer)), start, end, write }
    }

    #[test]
    fn only_overlaps_with_a_write_need_a_barrier() {
        let mut h = Hazards::default();
        assert!(!h.add(&[access(1, 0, 8, false)], true));
        assert!(!h.add(&[access(1, 0, 8, false)], true));
        assert!(!h.add(&[access(1, 8, 16, true)], true));
        assert!(!h.add(&[access(2, 0, 8, true)], true));
        assert!(h.add(&[access(1, 4, 6, true)], true));
        // The barrier cleared the tracked accesses, except the following command's.
        assert!(!h.add(&[access(2, 0, 8, false)], true));
        assert!(h.add(&[access(1, 5, 6, false)], true));
    }

    #[test]
    fn a_footprint_covers_every_access() {
        let mut f = Footprint::default();
        f.add(&[access(1, 8, 16, false), access(2, 0, 4, false)]);
        f.add(&[access(1, 0, 4, true)]);
        let mut all = f.accesses();
        all.sort_by_key(|a| !a.write);
        assert_eq!(all, [access(1, 0, 16, true), access(2, 0, 4, false)]);
    }

    #[test]
    fn accesses_anywhere_conflict_with_all_others() {
        let mut h = Hazards::default();
        assert!(!h.add(&[ObjectAccess::ANYWHERE], true));
        assert!(h.add(&[access(1, 0, 8, false)], true));
        assert!(h.add(&[ObjectAccess::ANYWHERE], true));
        assert!(h.add(&[ObjectAccess::ANYWHERE], true));
        assert!(!h.add(&[ObjectAccess::ANYWHERE], false));
    }

    #[test]
    fn barriers_are_as_narrow_as_can_be() {
        let (a, b) = ([access(1, 0, 8, true)], [access(2, 0, 8, true)]);
        let mut o = BarrierTracker::new(Hazards::default(), Before::ComputeBarrier);
        assert_eq!(o.next(&a, true, Engine::Compute), Barrier::None);
        assert_eq!(o.next(&b, true, Engine::Compute), Barrier::None);
        assert_eq!(o.next(&a, true, Engine::Compute), Barrier::Compute);
        // The previous barrier omitted transfers.
        assert_eq!(o.next(&b, true, Engine::Transfer), Barrier::Full);
        assert_eq!(o.next(&b, true, Engine::Compute), Barrier::Full);
        assert_eq!(o.next(&b, true, Engine::Compute), Barrier::Compute);
    }

    #[test]
    fn independent_commands_do_not_wait_for_earlier_frames() {
        let a = [access(1, 0, 8, true)];
        let mut o = BarrierTracker::new(Hazards::default(), Before::Nothing);
        assert_eq!(o.next(&a, false, Engine::Compute), Barrier::None);
        assert_eq!(o.next(&[access(2, 0, 8, true)], false, Engine::Transfer), Barrier::None);
        // An ordered command waits for earlier work whatever it accesses; later commands wait only for their
        // hazards.
        assert_eq!(o.next(&[], true, Engine::Compute), Barrier::Full);
        assert_eq!(o.next(&a, true, Engine::Compute), Barrier::None);
        assert_eq!(o.next(&a, true, Engine::Compute), Barrier::Compute);
    }

    #[test]
    fn unordered_commands_get_none() {
        let mut h = Hazards::default();
        assert!(!h.add(&[access(1, 0, 8, true)], false));
        assert!(!h.add(&[access(1, 0, 8, true)], false));
        assert!(h.add(&[access(1, 0, 8, false)], true));
    }
}
