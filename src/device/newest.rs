//! Which copies of a buffer hold the newest bytes, by byte range. Pure.
//!
//! Ranges are tracked separately because devices may write parts of one buffer at the same time, through
//! sub-buffers or by transfers: bytes that one has written do not become stale because another has written
//! elsewhere.

use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// Set of copies, a bit each: those of devices by their index in the context, then that of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holders(u128);

impl Holders {
    /// The empty set: nothing was ever written, so all copies are equal.
    pub const NONE: Holders = Holders(0);
    /// The host's copy.
    pub const HOST: Holders = Holders(1 << 127);
    /// The copy of the device at an index.
    pub fn device(index: usize) -> Holders {
        // Contexts with more devices than bits do not exist; theirs would share the last bit.
        Holders(1u128.checked_shl(index.min(126) as u32).unwrap_or(0))
    }
    /// Whether the sets intersect.
    pub fn has(self, other: Holders) -> bool {
        self.0 & other.0 != 0
    }
    /// Indices of the devices in the set.
    pub fn devices(self) -> impl Iterator<Item = usize> {
        (0..127).filter(move |i| self.0 & (1 << i) != 0)
    }
    fn with(self, other: Holders) -> Holders {
        Holders(self.0 | other.0)
    }
}

/// A byte range and the copies that hold its newest bytes.
pub type HeldRange = (Range<u64>, Holders);

/// The copies with the newest bytes of a buffer, by byte range.
pub struct Newest {
    size: u64,
    /// Starts of ranges, from 0 on, each extending to the next; neighbours differ.
    starts: SmallVec<[(u64, Holders); 1]>,
}

impl Newest {
    /// A buffer whose newest bytes are all in the copies `at`.
    pub fn new(size: u64, at: Holders) -> Newest {
        Newest { size, starts: smallvec![(0, at)] }
    }

    /// Ranges to copy so that `to` has the newest bytes of a range, with their holders.
    pub fn missing(&self, range: &Range<u64>, to: Holders) -> SmallVec<[HeldRange; 2]> {
        let ends = self.starts.iter().skip(1).map(|s| s.0).chain([self.size]);
        let pieces = self.starts.iter().zip(ends).map(|((start, holders), end)| (*start..end, *holders));
        let inside = pieces.map(|(r, h)| (r.start.max(range.start)..r.end.min(range.end), h));
        inside.filter(|(r, h)| r.start < r.end && *h != Holders::NONE && !h.has(to)).collect()
    }

    /// Adds `to` to the holders of a range.
    pub fn copied(&mut self, range: &Range<u64>, to: Holders) {
        self.change(range, |holders| if holders == Holders::NONE { holders } else { holders.with(to) });
    }

    /// Makes `by` the only holder of a range.
    pub fn written(&mut self, range: &Range<u64>, by: Holders) {
        self.change(range, |_| by);
    }

    fn change(&mut self, range: &Range<u64>, change: impl Fn(Holders) -> Holders) {
        let range = range.start.min(self.size)..range.end.min(self.size);
        if range.start >= range.end {
            return;
        }
        // The usual case: the whole buffer has the same holders and changes as a whole.
        if let ([(_, holders)], true) = (self.starts.as_mut_slice(), range == (0..self.size)) {
            *holders = change(*holders);
            return;
        }
        self.split(range.start);
        self.split(range.end);
        for (start, holders) in &mut self.starts {
            if range.contains(start) {
                *holders = change(*holders);
            }
        }
        self.starts.dedup_by_key(|s| s.1);
    }

    /// Splits the range that contains `at`, so that one begins there.
    fn split(&mut self, at: u64) {
        if at < self.size
            && let Err(index) = self.starts.binary_search_by_key(&at, |s| s.0)
            && let Some((_, holders)) =
                index.checked_sub(1).and_then(|before| self.starts.get(before)).copied()
        {
            self.starts.insert(index, (at, holders));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_agree_with_bytes() {
        let (mut random, size) = (7u64, 40u64);
        let mut below = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for first in [Holders::NONE, Holders::HOST] {
            let mut newest = Newest::new(size, first);
            let mut bytes = vec![first; size as usize];
            for _ in 0..3000 {
                let (a, b) = (below(size + 1), below(size + 1));
                let (range, device) = (a.min(b)..a.max(b), Holders::device(below(3) as usize));
                let expected: Vec<u64> = range
                    .clone()
                    .filter(|i| bytes[*i as usize] != Holders::NONE && !bytes[*i as usize].has(device))
                    .collect();
                let missing = newest.missing(&range, device);
                assert!(missing.iter().all(|(r, h)| r.clone().all(|i| bytes[i as usize] == *h)));
                assert_eq!(missing.into_iter().flat_map(|(r, _)| r).collect::<Vec<_>>(), expected);
                newest.copied(&range, device);
                let write = below(2) == 0;
                if write {
                    newest.written(&range, device);
                }
                for i in range {
                    let byte = &mut bytes[i as usize];
                    *byte = match (write, *byte) {
                        (true, _) => device,
                        (false, Holders::NONE) => Holders::NONE,
                        (false, holders) => holders.with(device),
                    };
                }
                assert!(newest.starts.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1));
            }
            newest.written(&(0..size), Holders::device(1));
            assert_eq!(newest.starts.len(), 1);
        }
    }
}
