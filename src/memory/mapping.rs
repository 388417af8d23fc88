//! Mappings of regions of memory objects. Memory that the host can access is mapped directly; other regions
//! have shadow memory that is filled by map and written back by unmap.

use crate::cl::CL_INVALID_OPERATION;
use crate::cl::region::RectLayout;
use crate::device::batch::{BufferRange, Endpoint};
use crate::device::machine;
use crate::device::traits::{DeviceMemory, DeviceOps};
use crate::err;
use crate::error::Result;
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shadows beyond this size are kept for the next mapping only while those of all memory objects take no more
/// than this part of the machine's memory.
const LARGE: u64 = 512 << 20;
const PART_FOR_LARGE: u64 = 8;
/// Number of shadows kept for one memory object.
const KEEP_COUNT: usize = 2;

/// A live mapping. Mappings that start at the same byte of host-visible memory have the same address; each
/// unmap ends one of them.
#[derive(Clone)]
pub struct Mapping {
    /// The address returned to the application.
    pub ptr: HostPtr,
    /// Offset in the memory object, in bytes.
    pub offset: u64,
    pub size: u64,
    /// Whether the application may write.
    pub write: bool,
    pub shadow: Shadow,
    /// The region of a mapped image; `offset` and `size` are then unused.
    pub image: Option<MappedRegion>,
}

/// A region of an image, and its layout at the mapping's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MappedRegion {
    pub level: u32,
    pub origin: [u32; 3],
    pub region: [u32; 3],
    pub layout: RectLayout,
}

impl Mapping {
    /// The mapped bytes as a side of a transfer by the device with this index; `None` if they are the
    /// device's memory itself.
    pub fn endpoint(&self, device: usize) -> Option<Endpoint> {
        let layout = self.image.map_or(RectLayout::LINEAR, |image| image.layout);
        match &self.shadow {
            Shadow::Direct => None,
            Shadow::Device { index, range } if *index == device => {
                Some(Endpoint::Buffer(range.clone(), layout))
            }
            Shadow::HostPtr | Shadow::Own(_) | Shadow::Device { .. } => {
                Some(Endpoint::Host(self.ptr, layout))
            }
        }
    }
}

impl MappedRegion {
    /// Whether two regions share a texel.
    pub fn overlaps(&self, other: &MappedRegion) -> bool {
        let meets = |i: usize| {
            let (a, b) = (u64::from(self.origin[i]), u64::from(other.origin[i]));
            a < b + u64::from(other.region[i]) && b < a + u64::from(self.region[i])
        };
        self.level == other.level && (0..3).all(meets)
    }
}

/// Byte ranges of a storage that are mapped for writing, through a buffer or its sub-buffers. Locks: its own
/// (rank Residency), alone.
pub struct WrittenRanges(Mutex<Vec<Range<u64>>>);

impl Default for WrittenRanges {
    fn default() -> Self {
        WrittenRanges(Mutex::new(Rank::Residency, Vec::new()))
    }
}

impl WrittenRanges {
    /// Adds the range of a new mapping; CL_INVALID_OPERATION if it overlaps another.
    pub fn add(&self, range: Range<u64>) -> Result<()> {
        let mut ranges = self.0.lock();
        if ranges.iter().any(|r| r.start < range.end && range.start < r.end) {
            return Err(err!(CL_INVALID_OPERATION, "the region overlaps one that is mapped for writing"));
        }
        ranges.push(range);
        Ok(())
    }

    /// Removes the range of a mapping that has ended.
    pub fn remove(&self, range: &Range<u64>) {
        let mut ranges = self.0.lock();
        if let Some(at) = ranges.iter().position(|r| r == range) {
            ranges.swap_remove(at);
        }
    }
}

/// Memory that a mapping points to.
#[derive(Clone)]
pub enum Shadow {
    /// The device's memory itself.
    Direct,
    /// The application's memory under CL_MEM_USE_HOST_PTR, which the device does not use.
    HostPtr,
    /// Memory allocated by the runtime.
    Own(Arc<HostAllocation>),
    /// Host memory of the device with this index in the context, which the device copies from and to.
    Device { index: usize, range: BufferRange },
}

/// Shadows of one memory object that a device can copy to, kept between mappings: creating one takes longer
/// than using it.
#[derive(Default)]
pub struct Shadows(Vec<KeptShadow>);

/// A shadow of the device with this index in the context.
struct KeptShadow {
    index: usize,
    memory: Arc<dyn DeviceMemory>,
    _share: LargeShare,
}

/// A shadow's share of the memory for large ones.
struct LargeShare(u64);

/// Bytes of large shadows that are kept.
static LARGE_KEPT: AtomicU64 = AtomicU64::new(0);

impl LargeShare {
    /// The share of a shadow of `size` bytes; `None` if there is too little left.
    fn reserve(size: u64) -> Option<LargeShare> {
        if size <= LARGE {
            return Some(LargeShare(0));
        }
        let most = machine::memory_bytes() / PART_FOR_LARGE;
        let more = |kept: u64| kept.checked_add(size).filter(|all| *all <= most);
        LARGE_KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(LargeShare(size))
    }
}

impl Drop for LargeShare {
    fn drop(&mut self) {
        LARGE_KEPT.fetch_sub(self.0, Ordering::Relaxed);
    }
}

impl Shadows {
    /// Takes a shadow of at least `size` bytes that is not used by any mapping or command.
    pub fn take(&mut self, ops: &dyn DeviceOps, index: usize, size: u64) -> Option<Arc<dyn DeviceMemory>> {
        let idle = |s: &KeptShadow| Arc::strong_count(&s.memory) == 1;
        let serves = |s: &&KeptShadow| s.index == index && idle(s) && s.memory.size() >= size;
        if let Some(kept) = self.0.iter().find(serves) {
            // Orders the accesses of the last user, which dropped its reference, before those of the next.
            std::sync::atomic::fence(Ordering::Acquire);
            return Some(kept.memory.clone());
        }
        let memory = ops.alloc_shadow(size).ok().filter(|m| m.host_ptr().is_some() && m.host_cached())?;
        if let Some(share) = LargeShare::reserve(size) {
            // The new shadow serves every mapping that the idle ones could serve.
            self.0.retain(|s| s.index != index || !idle(s) || s.memory.size() > size);
            if self.0.len() >= KEEP_COUNT {
                self.0.remove(0);
            }
            self.0.push(KeptShadow { index, memory: memory.clone(), _share: share });
        }
        Some(memory)
    }
}

impl Shadow {
    /// Whether map and unmap copy bytes.
    pub fn is_copy(&self) -> bool {
        !matches!(self, Shadow::Direct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_mapped_for_writing_do_not_overlap() {
        let written = WrittenRanges::default();
        assert!(written.add(8..16).is_ok() && written.add(16..20).is_ok() && written.add(0..8).is_ok());
        for range in [15..17, 0..20, 7..9, 9..10] {
            assert_eq!(written.add(range).map_err(|e| e.code()), Err(CL_INVALID_OPERATION));
        }
        written.remove(&(8..16));
        assert!(written.add(9..10).is_ok());
    }

    #[test]
    fn large_shadows_share_a_part_of_memory() {
        let most = machine::memory_bytes() / PART_FOR_LARGE;
        let small: Vec<_> = (0..most / LARGE + 2).filter_map(|_| LargeShare::reserve(LARGE)).collect();
        assert_eq!(small.len() as u64, most / LARGE + 2);
        assert!(LargeShare::reserve(most.max(LARGE) + 1).is_none());
        if most > 2 * LARGE {
            let half = LargeShare::reserve(most / 2).unwrap();
            assert!(LargeShare::reserve(most - most / 2 + 1).is_none());
            drop(half);
            assert!(LargeShare::reserve(most).is_some());
        }
    }

    #[test]
    fn regions_of_images_overlap_in_every_dimension() {
        let layout = RectLayout { offset: 0, row_pitch: 8, slice_pitch: 16 };
        let region = |level, origin| MappedRegion { level, origin, region: [2, 2, 1], layout };
        let first = region(0, [4, 4, 0]);
        assert!(first.overlaps(&region(0, [5, 3, 0])));
        for other in [region(1, [4, 4, 0]), region(0, [6, 4, 0]), region(0, [4, 2, 0]), region(0, [4, 4, 1])]
        {
            assert!(!first.overlaps(&other) && !other.overlaps(&first));
        }
    }
}
