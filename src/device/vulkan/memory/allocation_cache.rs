//! Cache of freed buffers and images with their memory, for the next of the same size and kind.
//!
//! The allocation of a block of memory takes 0.1 to 1.5 ms, and programs free and allocate the same sizes
//! again and again. Mesa's drivers cache buffer objects for the same reason. Entries that are not reused
//! within two seconds are evicted when another object is freed, and all entries when an allocation fails.

use crate::device::traits::ImageDesc;
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long an object is kept at least, if memory suffices.
const KEPT: Duration = Duration::from_secs(2);
/// The part of the device's memory that is kept at most.
const SHARE: u64 = 32;
/// The bytes that are kept at most: an idle process keeps them from others.
const MOST: u64 = 1 << 30;
/// Memory of less bytes is not kept: the allocator divides blocks for it.
const LEAST: u64 = 1 << 20;

/// Parameters of an object's creation: another of the same kind can take its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A buffer of this size and alignment in the first of these kinds of memory that has room.
    Buffer {
        size: u64,
        align: u64,
        locations: &'static [MemoryLocation],
    },
    Image(ImageDesc),
}

/// The handle of an object.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Handle {
    Buffer(vk::Buffer),
    Image(vk::Image),
}

/// An object that nothing uses, and the memory that only it is bound to.
pub struct Freed {
    pub kind: Kind,
    pub handle: Handle,
    pub memory: Allocation,
    /// Bytes of the memory.
    pub size: u64,
}

/// The freed objects of a device.
pub struct AllocationCache {
    limit: u64,
    kept: Mutex<Kept>,
}

/// Objects from the oldest to the newest, and the bytes of their memory.
#[derive(Default)]
struct Kept {
    objects: VecDeque<(Instant, Freed)>,
    bytes: u64,
}

impl AllocationCache {
    /// A cache for a device with this much memory of its own; with none, nothing is kept.
    pub fn new(device_memory: u64) -> AllocationCache {
        AllocationCache { limit: (device_memory / SHARE).min(MOST), kept: Mutex::default() }
    }

    /// Takes the newest object of a kind.
    pub fn take(&self, kind: Kind) -> Option<Freed> {
        if matches!(kind, Kind::Buffer { size, .. } if size < LEAST) {
            return None;
        }
        let mut kept = self.kept.lock();
        let newest = kept.objects.iter().rposition(|(_, freed)| freed.kind == kind)?;
        let (_, freed) = kept.objects.remove(newest)?;
        kept.bytes -= freed.size;
        Some(freed)
    }

    /// Keeps an object. Returns those that are to be destroyed instead: small and old ones, and what is too
    /// much.
    pub fn keep(&self, freed: Freed, now: Instant) -> Vec<Freed> {
        let mut ended = Vec::new();
        let kept = &mut *self.kept.lock();
        if freed.size < LEAST {
            ended.push(freed);
        } else {
            kept.bytes += freed.size;
            kept.objects.push_back((now, freed));
        }
        let is_old = |since: Instant| now.saturating_duration_since(since) > KEPT;
        while kept.objects.front().is_some_and(|(since, _)| kept.bytes > self.limit || is_old(*since))
            && let Some((_, oldest)) = kept.objects.pop_front()
        {
            kept.bytes -= oldest.size;
            ended.push(oldest);
        }
        ended
    }

    /// Takes all objects, to be destroyed.
    pub fn take_all(&self) -> Vec<Freed> {
        let kept = std::mem::take(&mut *self.kept.lock());
        kept.objects.into_iter().map(|(_, freed)| freed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::Handle as _;

    fn buffer(number: u64, units: u64) -> Freed {
        let size = units * LEAST;
        let handle = Handle::Buffer(vk::Buffer::from_raw(number));
        Freed { kind: kind(units), handle, memory: Allocation::default(), size }
    }

    fn kind(units: u64) -> Kind {
        Kind::Buffer { size: units * LEAST, align: 16, locations: &[MemoryLocation::GpuOnly] }
    }

    fn numbers(freed: impl IntoIterator<Item = Freed>) -> Vec<u64> {
        let number = |freed: Freed| match freed.handle {
            Handle::Buffer(buffer) => buffer.as_raw(),
            Handle::Image(image) => image.as_raw(),
        };
        freed.into_iter().map(number).collect()
    }

    #[test]
    fn objects_are_used_again_by_their_kind() {
        let (cache, now) = (AllocationCache::new(100 * LEAST * SHARE), Instant::now());
        for (number, size) in [(1, 10), (2, 20), (3, 10)] {
            assert_eq!(numbers(cache.keep(buffer(number, size), now)), [0; 0]);
        }
        let elsewhere = Kind::Buffer { size: 10 * LEAST, align: 16, locations: &[MemoryLocation::GpuToCpu] };
        assert_eq!(numbers(cache.take(elsewhere)), [0; 0]);
        assert_eq!(numbers(cache.take(kind(10))), [3]);
        assert_eq!(numbers(cache.take(kind(10))), [1]);
        assert_eq!(numbers(cache.take(kind(10))), [0; 0]);
        assert_eq!(numbers(cache.take_all()), [2]);
        let none = AllocationCache::new(0);
        assert_eq!(numbers(none.keep(buffer(5, 1), now)), [5]);
    }

    #[test]
    fn old_and_excess_objects_end() {
        let (cache, now) = (AllocationCache::new(100 * LEAST * SHARE), Instant::now());
        assert_eq!(numbers(cache.keep(buffer(1, 60), now)), [0; 0]);
        assert_eq!(numbers(cache.keep(buffer(2, 40), now)), [0; 0]);
        assert_eq!(numbers(cache.keep(buffer(3, 50), now)), [1]);
        assert_eq!(numbers(cache.keep(buffer(4, 101), now)), [2, 3, 4]);
        assert_eq!(numbers(cache.keep(buffer(5, 1), now)), [0; 0]);
        assert_eq!(numbers(cache.keep(buffer(6, 1), now + KEPT)), [0; 0]);
        assert_eq!(AllocationCache::new(u64::MAX).limit, MOST);
        assert_eq!(numbers(cache.keep(buffer(7, 1), now + 2 * KEPT)), [5]);
        // Small objects are not kept, but age the others.
        let small = Freed { size: 1, ..buffer(8, 1) };
        assert_eq!(numbers(cache.keep(small, now + 3 * KEPT)), [8, 6]);
        assert_eq!(numbers(cache.take_all()), [7]);
        assert_eq!(numbers(cache.keep(buffer(9, 100), now)), [0; 0]);
    }
}
