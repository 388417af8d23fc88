//! Happens-before order of atomics and fences: accesses before a release happen before accesses after an
//! acquire of the same location, and transitively before those after later acquires.
//!
//! Vector clocks record up to which time another's accesses happened before. In a group there is a clock for
//! each work-item, between groups one for each group: there a race may be missed, but never a false one
//! reported.

use super::race::Item;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Maximum number of clock entries to process. After that all accesses count as ordered.
const MAX_STEPS: usize = 1 << 26;

/// Vector clock: (number, time) entries in order of number; time 0 where there is no entry.
#[derive(Clone, Default)]
struct Clock(Vec<(u32, u32)>);

impl Clock {
    fn time(&self, of: u32) -> u32 {
        self.0.binary_search_by_key(&of, |e| e.0).map_or(0, |at| self.0[at].1)
    }
    fn set(&mut self, of: u32, time: u32) {
        match self.0.binary_search_by_key(&of, |e| e.0) {
            Ok(at) => self.0[at].1 = time,
            Err(at) => self.0.insert(at, (of, time)),
        }
    }
    /// Merges another clock into this one.
    fn join(&mut self, other: &Clock) {
        let is_known = |(of, time): &(u32, u32)| self.time(*of) >= *time;
        if other.0.iter().all(is_known) {
            return;
        }
        let mut all = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut a, mut b) = (self.0.iter().copied().peekable(), other.0.iter().copied().peekable());
        while let (Some(x), Some(y)) = (a.peek().copied(), b.peek().copied()) {
            let order = x.0.cmp(&y.0);
            all.push(match order {
                Ordering::Less => x,
                Ordering::Greater => y,
                Ordering::Equal => (x.0, x.1.max(y.1)),
            });
            if order != Ordering::Greater {
                a.next();
            }
            if order != Ordering::Less {
                b.next();
            }
        }
        all.extend(a.chain(b));
        self.0 = all;
    }
}

/// The clocks of work-items or groups, and those released at addresses.
#[derive(Default)]
struct Clocks {
    of: HashMap<u32, Clock>,
    at: HashMap<u64, Clock>,
}

impl Clocks {
    /// Processes an atomic access. Returns the number of entries processed.
    fn event(&mut self, by: u32, e: &SyncEvent) -> usize {
        let own = self.of.entry(by).or_default();
        let left = self.at.entry(e.at).or_default();
        if e.acquires {
            own.join(left);
        }
        if e.releases {
            own.set(by, e.time);
            left.join(own);
        }
        own.0.len() + left.0.len()
    }
    /// Whether `other`'s accesses at `time` happened before `one`'s current ones.
    fn knows(&self, one: u32, other: u32, time: u32) -> bool {
        self.of.get(&one).is_some_and(|clock| time < clock.time(other))
    }
}

/// An atomic access, or a fence's effect on one.
#[derive(Clone, Copy, Debug)]
pub struct SyncEvent {
    pub by: Item,
    pub at: u64,
    pub acquires: bool,
    pub releases: bool,
    pub time: u32,
}

/// The happens-before order of a launch.
#[derive(Default)]
pub struct HappensBefore {
    items: Clocks,
    groups: Clocks,
    steps: usize,
}

impl HappensBefore {
    /// Starts another group, after those before are complete.
    pub fn start(&mut self) {
        self.items = Clocks::default();
        self.groups.of.clear();
    }
    pub fn event(&mut self, e: &SyncEvent) {
        if self.steps < MAX_STEPS {
            self.steps += self.items.event(e.by.item.into(), e) + self.groups.event(e.by.group, e);
        }
    }
    /// Whether an access of `before` at `time` happened before the current accesses of `now`.
    pub fn is_known(&self, before: Item, time: u32, now: Item) -> bool {
        self.steps >= MAX_STEPS
            || match before.group == now.group {
                true => self.items.knows(now.item.into(), before.item.into(), time),
                false => self.groups.knows(now.group, before.group, time),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(group: u32, item: u16, at: u64, acquires: bool, releases: bool, time: u32) -> SyncEvent {
        SyncEvent { by: Item { group, item, sub_group: 0 }, at, acquires, releases, time }
    }

    #[test]
    fn chains_lead_from_one_to_another() {
        let mut o = HappensBefore::default();
        let item = |item| Item { group: 0, item, sub_group: 0 };
        o.start();
        o.event(&event(0, 0, 8, false, true, 5));
        o.event(&event(0, 1, 8, true, false, 6));
        assert!(
            o.is_known(item(0), 4, item(1))
                && !o.is_known(item(0), 5, item(1))
                && !o.is_known(item(0), 4, item(2))
        );
        // Through another location; a location keeps what was released there.
        o.event(&event(0, 1, 16, false, true, 7));
        o.event(&event(0, 3, 8, false, true, 8));
        o.event(&event(0, 2, 16, true, false, 9));
        o.event(&event(0, 4, 8, true, false, 10));
        assert!(o.is_known(item(0), 4, item(2)) && !o.is_known(item(3), 7, item(2)));
        assert!(
            o.is_known(item(0), 4, item(4))
                && o.is_known(item(3), 7, item(4))
                && !o.is_known(item(1), 4, item(4))
        );
        // Groups are ordered with each other too.
        o.start();
        let later = |item| Item { group: 1, item, sub_group: 0 };
        assert!(!o.is_known(item(0), 4, later(0)));
        o.event(&event(1, 7, 8, true, false, 11));
        assert!(o.is_known(item(0), 4, later(0)) && !o.is_known(item(0), 8, later(0)));
    }

    #[test]
    fn many_messages_take_no_longer_each() {
        let mut o = HappensBefore::default();
        for group in 0..64 {
            o.start();
            for n in 0..2048u32 {
                let (item, time) = ((n % 64) as u16, group * 2048 + n + 1);
                o.event(&event(group, item, u64::from(n * 37 % 512), n % 2 == 0, n % 2 == 1, time));
            }
        }
        // At most two numbers for each of 64 groups and 64 work-items.
        assert!(o.steps <= 64 * 2048 * 4 * 64, "{}", o.steps);
        assert!(o.steps < MAX_STEPS);
    }
}
