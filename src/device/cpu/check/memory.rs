//! The memory there is: allocations of the device by address.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocationKind {
    /// A buffer; whether it was new, with the pattern in it.
    Buffer {
        new: bool,
    },
    /// Shared virtual memory, likewise.
    Shared {
        new: bool,
    },
    Image,
    /// What the runtime and the code share: never at fault.
    Internal,
}

/// An allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub start: u64,
    pub end: u64,
    pub kind: AllocationKind,
}

impl Range {
    /// Whether all bytes of an access are in it.
    pub fn holds(&self, address: u64, size: u64) -> bool {
        address >= self.start && address.checked_add(size).is_some_and(|end| end <= self.end)
    }
}

/// All allocations, by start and number: memory of the application may be imported more than once.
#[derive(Default)]
pub struct Memory {
    ranges: BTreeMap<(u64, u64), Range>,
    count: u64,
}

impl Memory {
    /// All ranges, by address.
    pub fn ranges(&self) -> Vec<Range> {
        self.ranges.values().copied().collect()
    }
}

/// Keeps an allocation known.
pub struct Registration {
    memory: Arc<Mutex<Memory>>,
    key: (u64, u64),
}

impl Registration {
    pub fn new(memory: &Arc<Mutex<Memory>>, start: u64, size: u64, kind: AllocationKind) -> Registration {
        let mut all = memory.lock();
        all.count += 1;
        let key = (start, all.count);
        all.ranges.insert(key, Range { start, end: start.saturating_add(size), kind });
        Registration { memory: memory.clone(), key }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.memory.lock().ranges.remove(&self.key);
    }
}
