//! Data races: unordered accesses of different work-items to one byte, at least one of them a write, not both
//! atomic.
//!
//! For each word (for each byte, where there are smaller accesses) the last write is kept, and two reads of
//! different work-items. Two accesses are ordered by program order of a work-item, by barriers, and by
//! atomics and fences that synchronise ([`HappensBefore`]).
//!
//! Time counts barriers and events. A group's accesses to local memory are discarded with the group.

use super::order::{HappensBefore, SyncEvent};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

const PAGE: u64 = 4096;

/// Identifies a work-item: the group's number, and the numbers of work-item and sub-group in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Item {
    pub group: u32,
    pub item: u16,
    pub sub_group: u16,
}

/// A recorded access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    pub by: Item,
    pub line: u32,
    pub atomic: bool,
    time: u32,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    write: Option<Seen>,
    /// The last read, and one of another work-item: of another group if there is one.
    reads: [Option<Seen>; 2],
}

/// A page of cells.
struct Page {
    /// A cell is a word; otherwise a byte.
    words: bool,
    cells: Vec<Cell>,
}

/// Address space of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    Local,
    Global,
}

/// An access to check.
#[derive(Clone, Copy, Debug)]
pub struct CheckedAccess {
    pub by: Item,
    pub line: u32,
    pub space: Space,
    pub address: u64,
    pub size: u64,
    pub reads: bool,
    pub writes: bool,
    pub atomic: bool,
    /// It writes the value that is there already.
    pub same: bool,
}

/// A fast hash of page numbers, which are not adversarial.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u64(u64::from(*b));
        }
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(29) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_isize(&mut self, x: isize) {
        self.write_u64(x as u64);
    }
}

/// Race detection of a launch.
#[derive(Default)]
pub struct Races {
    pages: HashMap<(Space, u64), Page, BuildHasherDefault<Mix>>,
    time: u32,
    group: u32,
    /// Times of the group's last barriers for both address spaces, and of its sub-groups' barriers.
    barriers: [u32; 2],
    sub_group_barriers: HashMap<u16, [u32; 2]>,
    orders: HappensBefore,
    /// For fences: addresses of atomic accesses by each work-item of the group, and the work-items that have
    /// released by a fence.
    touched: HashMap<u16, Vec<u64>>,
    released: HashSet<u16>,
}

fn index(space: Space) -> usize {
    usize::from(space == Space::Global)
}

impl Races {
    /// Starts a group.
    pub fn start(&mut self, group: u32) {
        self.time += 1;
        self.group = group;
        self.barriers = [self.time; 2];
        self.sub_group_barriers.clear();
        self.orders.start();
        self.touched.clear();
        self.released.clear();
    }
    /// Records a barrier of the group.
    pub fn barrier(&mut self, local: bool, global: bool) {
        self.time += 1;
        for (at, _) in self.barriers.iter_mut().zip([local, global]).filter(|(_, on)| *on) {
            *at = self.time;
        }
    }
    /// Records a barrier of a sub-group.
    pub fn sub_group_barrier(&mut self, sub_group: u16, local: bool, global: bool) {
        self.time += 1;
        let barriers = self.sub_group_barriers.entry(sub_group).or_default();
        for (at, _) in barriers.iter_mut().zip([local, global]).filter(|(_, on)| *on) {
            *at = self.time;
        }
    }
    /// Records an atomic access, which may acquire or release.
    pub fn atomic(&mut self, by: Item, at: u64, acquires: bool, releases: bool, writes: bool) {
        let releases = releases || writes && self.released.contains(&by.item);
        if !acquires {
            let touched = self.touched.entry(by.item).or_default();
            if !touched.contains(&at) && touched.len() < 64 {
                touched.push(at);
            }
        }
        if acquires || releases {
            self.event(by, at, acquires, releases);
        }
    }
    /// Records a fence.
    pub fn fence(&mut self, by: Item, acquires: bool, releases: bool) {
        if acquires {
            for at in self.touched.remove(&by.item).unwrap_or_default() {
                self.event(by, at, true, false);
            }
        }
        if releases {
            self.released.insert(by.item);
        }
    }
    fn event(&mut self, by: Item, at: u64, acquires: bool, releases: bool) {
        self.time += 1;
        self.orders.event(&SyncEvent { by, at, acquires, releases, time: self.time });
    }

    /// Records an access. Returns an access that races with it, and whether that is a write.
    pub fn access(&mut self, a: &CheckedAccess) -> Option<(Seen, bool)> {
        let now = Seen { by: a.by, line: a.line, atomic: a.atomic, time: self.time };
        let (mut found, mut last) = (None, None);
        let mut pages = std::mem::take(&mut self.pages);
        let (mut at, end) = (a.address, a.address.saturating_add(a.size));
        while at < end {
            let number = at / PAGE;
            let stop = end.min((number + 1) * PAGE);
            let aligned = at.is_multiple_of(4) && stop.is_multiple_of(4);
            let page = pages.entry((a.space, number)).or_insert_with(|| Page::new(aligned));
            if !aligned {
                page.divide();
            }
            let unit = if page.words { 4 } else { 1 };
            for offset in (at % PAGE..stop - number * PAGE).step_by(unit) {
                let Some(cell) = page.cells.get_mut(offset as usize / unit) else { break };
                if a.space == Space::Local {
                    cell.forget_others(self.group);
                }
                let others = [
                    cell.write.map(|s| (s, true)),
                    cell.reads[0].map(|s| (s, false)),
                    cell.reads[1].map(|s| (s, false)),
                ];
                if found.is_none() && last != Some(others) {
                    last = Some(others);
                    let races = |(s, written): &(Seen, bool)| {
                        let harmless = a.atomic && s.atomic || *written && a.same && !a.reads;
                        (a.writes || *written) && s.by != now.by && !harmless && !self.is_ordered(s, a)
                    };
                    found = others.into_iter().flatten().find(races);
                }
                cell.note(now, a.reads, a.writes);
            }
            at = stop;
        }
        self.pages = pages;
        found
    }

    fn is_ordered(&self, before: &Seen, a: &CheckedAccess) -> bool {
        let (now, space) = (a.by, index(a.space));
        if before.by.group == now.group {
            let together = before.by.sub_group == now.sub_group;
            let in_sub_group = || self.sub_group_barriers.get(&now.sub_group).map_or(0, |b| b[space]);
            if before.time < self.barriers[space] || together && before.time < in_sub_group() {
                return true;
            }
        }
        self.orders.is_known(before.by, before.time, now)
    }
}

impl Page {
    fn new(words: bool) -> Page {
        Page { words, cells: vec![Cell::default(); if words { PAGE as usize / 4 } else { PAGE as usize }] }
    }
    /// Splits the words into bytes.
    fn divide(&mut self) {
        if self.words {
            self.cells = self.cells.iter().flat_map(|c| [*c; 4]).collect();
            self.words = false;
        }
    }
}

impl Cell {
    /// Discards the accesses of other groups.
    fn forget_others(&mut self, group: u32) {
        for seen in std::iter::once(&mut self.write).chain(&mut self.reads) {
            *seen = seen.filter(|s| s.by.group == group);
        }
    }
    fn note(&mut self, now: Seen, reads: bool, writes: bool) {
        if writes {
            // Earlier reads happened before this write, or were reported.
            *self = Cell { write: Some(now), reads: [None; 2] };
        }
        if !reads || writes {
            return;
        }
        match self.reads {
            [None, _] => self.reads[0] = Some(now),
            [Some(last), _] if last.by == now.by => self.reads[0] = Some(now),
            [Some(last), Some(other)] if last.by.group == now.by.group && other.by.group != now.by.group => {
                self.reads[0] = Some(now);
            }
            [Some(last), _] => self.reads = [Some(now), Some(last)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(group: u32, item: u16) -> Item {
        Item { group, item, sub_group: 0 }
    }
    fn access(by: Item, address: u64, writes: bool) -> CheckedAccess {
        let (line, space) = (1, Space::Global);
        CheckedAccess {
            by,
            line,
            space,
            address,
            size: 4,
            reads: !writes,
            writes,
            atomic: false,
            same: false,
        }
    }

    #[test]
    fn barriers_order_a_group_and_nothing_else() {
        let mut r = Races::default();
        r.start(0);
        assert_eq!(r.access(&access(item(0, 0), 64, true)), None);
        assert!(r.access(&access(item(0, 1), 64, false)).is_some());
        r.barrier(true, false);
        assert!(r.access(&access(item(0, 2), 64, false)).is_some());
        r.barrier(true, true);
        assert_eq!(r.access(&access(item(0, 3), 64, true)), None);
        r.start(1);
        let (other, written) = r.access(&access(item(1, 0), 64, false)).unwrap();
        assert_eq!((other.by, written), (item(0, 3), true));
    }

    #[test]
    fn neighbouring_bytes_are_different() {
        let mut r = Races::default();
        r.start(0);
        for n in 0..4u16 {
            assert_eq!(
                r.access(&CheckedAccess { size: 1, ..access(item(0, n), 100 + u64::from(n), true) }),
                None
            );
        }
        assert_eq!(r.access(&access(item(0, 4), 104, true)), None);
        assert!(r.access(&access(item(0, 5), 100, false)).is_some());
    }

    #[test]
    fn releases_that_are_acquired_order_accesses_and_relaxed_atomics_do_not() {
        for (acquires, races) in [(true, false), (false, true)] {
            let mut r = Races::default();
            r.start(0);
            assert_eq!(r.access(&access(item(0, 0), 64, true)), None);
            r.atomic(item(0, 0), 8, false, true, true);
            r.start(1);
            r.atomic(item(1, 0), 8, acquires, false, false);
            assert_eq!(r.access(&access(item(1, 0), 64, false)).is_some(), races);
        }
    }

    #[test]
    fn fences_make_relaxed_atomics_release_and_acquire() {
        let mut r = Races::default();
        r.start(0);
        assert_eq!(r.access(&access(item(0, 0), 64, true)), None);
        r.fence(item(0, 0), false, true);
        r.atomic(item(0, 0), 8, false, false, true);
        r.atomic(item(0, 1), 8, false, false, false);
        r.fence(item(0, 1), true, false);
        assert_eq!(r.access(&access(item(0, 1), 64, false)), None);
        assert!(r.access(&access(item(0, 2), 64, true)).is_some());
    }

    #[test]
    fn atomics_race_with_plain_accesses_only_and_equal_writes_do_not() {
        let mut r = Races::default();
        r.start(0);
        let atomic = |n| CheckedAccess { atomic: true, reads: true, ..access(item(0, n), 64, true) };
        assert_eq!(r.access(&atomic(0)), None);
        assert_eq!(r.access(&atomic(1)), None);
        assert!(r.access(&access(item(0, 2), 64, true)).is_some());
        assert_eq!(r.access(&CheckedAccess { same: true, ..access(item(0, 3), 64, true) }), None);
    }
}
