//! Hazards between the commands of one command buffer: which byte ranges of buffers and rows of images were read and
//! written since the last barrier.

use ash::vk;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    Buffer(vk::Buffer),
    Image(vk::Image),
    Anything,
}

/// One command's access, `start..end`: bytes of a buffer; rows of an image, or all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub object: Object,
    pub start: u64,
    pub end: u64,
    pub write: bool,
}

impl Access {
    /// Reads and writes that may be anywhere.
    pub const ANYWHERE: Access = Access { object: Object::Anything, start: 0, end: u64::MAX, write: true };

    fn conflicts(&self, other: &Access) -> bool {
        let anywhere = self.object == Object::Anything || other.object == Object::Anything;
        let meets = self.object == other.object && self.start < other.end && other.start < self.end;
        (self.write || other.write) && (anywhere || meets)
    }
}

/// Accesses of one command.
pub type Accesses = SmallVec<[Access; 8]>;

/// More than this is not worth comparing: a barrier is put instead.
const MANY: usize = 256;

/// Accesses since the last barrier.
#[derive(Default)]
pub struct Hazards {
    since: Vec<Access>,
}

/// All accesses of several commands, as those of one: one for each object.
#[derive(Default)]
pub struct Footprint(HashMap<Object, Access>);

impl Footprint {
    /// Adds those of a command.
    pub fn add(&mut self, accesses: &[Access]) {
        for a in accesses {
            let all = self.0.entry(a.object).or_insert(*a);
            *all = Access { start: all.start.min(a.start), end: all.end.max(a.end), write: all.write || a.write, ..*a };
        }
    }

    /// The accesses.
    pub fn accesses(&self) -> Vec<Access> {
        self.0.values().copied().collect()
    }
}

impl Hazards {
    /// Notes a command's accesses. True if a barrier must come before it; only an `ordered` command can need one.
    pub fn add(&mut self, accesses: &[Access], ordered: bool) -> bool {
        let conflict = |a: &Access| self.since.iter().any(|b| a.conflicts(b));
        let needed = ordered && (self.since.len() > MANY || accesses.iter().any(conflict));
        if needed {
            self.since.clear();
        }
        self.since.extend_from_slice(accesses);
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    fn access(buffer: u64, start: u64, end: u64, write: bool) -> Access {
        Access { object: Object::Buffer(vk::Buffer::from_raw(buffer)), start, end, write }
    }

    #[test]
    fn only_overlaps_with_a_write_need_a_barrier() {
        let mut h = Hazards::default();
        assert!(!h.add(&[access(1, 0, 8, false)], true));
        assert!(!h.add(&[access(1, 0, 8, false)], true));
        assert!(!h.add(&[access(1, 8, 16, true)], true));
        assert!(!h.add(&[access(2, 0, 8, true)], true));
        assert!(h.add(&[access(1, 4, 6, true)], true));
        // The barrier cleared the slate, except for the command behind it.
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
        assert!(!h.add(&[Access::ANYWHERE], true));
        assert!(h.add(&[access(1, 0, 8, false)], true));
        assert!(h.add(&[Access::ANYWHERE], true));
        assert!(h.add(&[Access::ANYWHERE], true));
        assert!(!h.add(&[Access::ANYWHERE], false));
    }

    #[test]
    fn unordered_commands_get_none() {
        let mut h = Hazards::default();
        assert!(!h.add(&[access(1, 0, 8, true)], false));
        assert!(!h.add(&[access(1, 0, 8, true)], false));
        assert!(h.add(&[access(1, 0, 8, false)], true));
    }
}
