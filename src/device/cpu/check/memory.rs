//! Registry of the device's allocations, by address.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Kind of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocationKind {
    /// A buffer. `new`: it was filled with the pattern when allocated.
    Buffer {
        new: bool,
    },
    /// Shared virtual memory. `new`: as for buffers.
    Shared {
        new: bool,
    },
    Image,
    /// Memory shared by the runtime and the generated code; accesses are never faults.
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
    /// Whether the whole access is in the range.
    pub fn holds(&self, address: u64, size: u64) -> bool {
        address >= self.start && address.checked_add(size).is_some_and(|end| end <= self.end)
    }
}

/// All allocations, by start address and a sequence number: memory of the application may be imported more
/// than once.
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

/// Registers an allocation until it is dropped.
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
