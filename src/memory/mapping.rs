//! A region of a memory object handed to the application. Memory that the host sees is handed out as it is; other
//! regions live in a shadow that is filled when mapped and written back when unmapped.

use crate::cl::region::RectLayout;
use crate::device::batch::BufferRange;
use crate::device::traits::{DeviceMemory, DeviceOps};
use crate::host_ptr::{HostAllocation, HostPtr};
use std::sync::Arc;

/// Shadows beyond this size are not kept for the next mapping.
const KEEP: u64 = 512 << 20;
/// Shadows kept for one memory object.
const KEEP_COUNT: usize = 2;

/// A live mapping. Mappings that start at the same byte of host-visible memory have the same address; each unmap takes
/// one of them back.
#[derive(Clone)]
pub struct Mapping {
    /// What the application was given.
    pub ptr: HostPtr,
    /// Byte range of the memory object.
    pub offset: u64,
    pub size: u64,
    /// The application may write.
    pub write: bool,
    pub shadow: Shadow,
    /// The region of a mapped image; `offset` and `size` then mean nothing.
    pub image: Option<MappedRegion>,
}

/// A region of an image, and how it lies at the mapping's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MappedRegion {
    pub level: u32,
    pub origin: [u32; 3],
    pub region: [u32; 3],
    pub layout: RectLayout,
}

/// Where the application's pointer leads.
#[derive(Clone)]
pub enum Shadow {
    /// To the device's memory itself.
    Direct,
    /// To the application's memory behind CL_MEM_USE_HOST_PTR, which is not the device's.
    HostPtr,
    /// To memory of ours.
    Own(Arc<HostAllocation>),
    /// To host memory of the device with this index in the context, which copies there by itself.
    Device { index: usize, range: BufferRange },
}

/// Shadows of one memory object that a device can copy to, kept between mappings: to make one takes longer than to use it.
#[derive(Default)]
pub struct Shadows(Vec<(usize, Arc<dyn DeviceMemory>)>);

impl Shadows {
    /// A shadow of at least `size` bytes that no mapping and no command uses.
    pub fn take(&mut self, ops: &dyn DeviceOps, index: usize, size: u64) -> Option<Arc<dyn DeviceMemory>> {
        let idle = |s: &(usize, Arc<dyn DeviceMemory>)| Arc::strong_count(&s.1) == 1;
        if let Some((_, memory)) = self.0.iter().find(|s| s.0 == index && idle(s) && s.1.size() >= size) {
            // Whoever used it last let go of it before the count fell.
            std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
            return Some(memory.clone());
        }
        let memory = ops.alloc_shadow(size).ok().filter(|m| m.host_ptr().is_some() && m.host_cached())?;
        if size <= KEEP {
            // The new one serves every mapping that the idle ones could serve.
            self.0.retain(|s| s.0 != index || !idle(s) || s.1.size() > size);
            if self.0.len() >= KEEP_COUNT {
                self.0.remove(0);
            }
            self.0.push((index, memory.clone()));
        }
        Some(memory)
    }
}

impl Shadow {
    /// Whether bytes must be copied at map and unmap.
    pub fn is_copy(&self) -> bool {
        !matches!(self, Shadow::Direct)
    }
}
