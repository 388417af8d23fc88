//! Lists recycled between batches, by size class: short ones and long ones.
//!
//! Locks: a pool's own, a leaf.

use parking_lot::Mutex;

/// Capacities of new lists, by size class.
const ROOM: [usize; 2] = [8, 64];
/// How many lists of each size class a pool keeps: many short batches may be in flight, but few long ones.
const MOST_SPARES: [usize; 2] = [1024, 128];

/// Spare lists (as `L`) of one kind.
pub struct SpareLists<L>(Mutex<[Vec<L>; 2]>);

impl<L> Default for SpareLists<L> {
    fn default() -> Self {
        SpareLists(Mutex::default())
    }
}

impl<L> SpareLists<L> {
    /// Returns a list for `count` items, recycled if possible, else created by `create` with the capacity
    /// that it receives. Recycled lists of the long class may have to grow.
    pub fn take(&self, count: usize, create: impl FnOnce(usize) -> L) -> L {
        let class = class_of(count);
        let spare = self.0.lock()[class].pop();
        spare.unwrap_or_else(|| create(count.max(ROOM[class])))
    }

    /// Keeps an empty list of this capacity, or drops it if there are enough.
    pub fn keep(&self, capacity: usize, list: L) {
        let class = class_of(capacity);
        let mut lists = self.0.lock();
        if lists[class].len() < MOST_SPARES[class] {
            lists[class].push(list);
        }
    }
}

/// Size class of a list for `count` items: 0 is short, 1 is long.
fn class_of(count: usize) -> usize {
    usize::from(count > ROOM[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_recycled_by_size_class() {
        let spares = SpareLists::<Vec<u8>>::default();
        let short = spares.take(3, Vec::with_capacity);
        assert_eq!(short.capacity(), ROOM[0]);
        let long = spares.take(ROOM[0] + 1, Vec::with_capacity);
        assert_eq!(long.capacity(), ROOM[1]);
        spares.keep(short.capacity(), short);
        spares.keep(long.capacity(), long);
        assert_eq!(spares.take(1000, Vec::with_capacity).capacity(), ROOM[1]);
        assert_eq!(spares.take(0, |_| Vec::new()).capacity(), ROOM[0]);
        assert_eq!(spares.take(1000, Vec::with_capacity).capacity(), 1000);
    }

    #[test]
    fn a_pool_keeps_a_limited_number() {
        let spares = SpareLists::<u32>::default();
        for i in 0..2 * MOST_SPARES[1] as u32 {
            spares.keep(ROOM[1], i);
        }
        for _ in 0..MOST_SPARES[1] {
            assert_ne!(spares.take(ROOM[1], |_| u32::MAX), u32::MAX);
        }
        assert_eq!(spares.take(ROOM[1], |_| u32::MAX), u32::MAX);
    }
}
