//! Host-visible blocks for the staging memory and kernel arguments of batches.
//!
//! An [`Arena`] belongs to one command allocator (see `record`) and is reset when the device has executed its
//! command buffer; blocks after the first small one return to the device's [`BlockPool`], which keeps a
//! bounded amount.

use super::buffer::{Buffer, Use};
use super::heap::Heap;
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::core::conv;
use ash::vk;
use parking_lot::Mutex;

/// Maximum bytes that a pool keeps.
const KEEP: u64 = 128 << 20;

/// Free blocks of one use.
pub struct BlockPool {
    heap: &'static Heap,
    what: Use,
    free: Mutex<Vec<Buffer>>,
}

impl BlockPool {
    /// An empty pool.
    pub fn new(heap: &'static Heap, what: Use) -> Self {
        BlockPool { heap, what, free: Mutex::new(Vec::new()) }
    }

    /// Takes a block of at least `size` bytes.
    pub fn take(&self, size: u64) -> DeviceResult<Buffer> {
        {
            let mut free = self.free.lock();
            let best = (0..free.len()).filter(|&i| free[i].size >= size).min_by_key(|&i| free[i].size);
            // A much larger block is left for larger requests.
            if let Some(i) = best.filter(|&i| free[i].size <= size.saturating_mul(16).max(1 << 20)) {
                return Ok(free.swap_remove(i));
            }
        }
        let block = Buffer::new(self.heap, size, self.what, "staging")?;
        if block.mapped().is_none() {
            return Err(DeviceError::OutOfHostMemory);
        }
        Ok(block)
    }

    /// Returns a block.
    pub fn put(&self, block: Buffer) {
        let mut free = self.free.lock();
        let kept: u64 = free.iter().map(|b| b.size).sum();
        if kept + block.size <= KEEP {
            free.push(block);
        } else {
            drop(free);
            drop(block);
        }
    }
}

/// An allocation from an arena.
#[derive(Clone, Copy)]
pub struct ArenaSlice {
    pub buffer: vk::Buffer,
    pub offset: u64,
    pub address: u64,
    pub ptr: *mut u8,
}

/// Bump allocator over blocks.
pub struct Arena {
    blocks: Vec<Buffer>,
    used: u64,
    min_block: u64,
}

impl Arena {
    /// An empty arena whose blocks have at least `min_block` bytes.
    pub fn new(min_block: u64) -> Self {
        Arena { blocks: Vec::new(), used: 0, min_block }
    }

    /// Allocates `size` bytes aligned to `align` (a power of two, at most 256).
    pub fn alloc(&mut self, pool: &BlockPool, size: u64, align: u64) -> DeviceResult<ArenaSlice> {
        let at = conv::align_up(self.used, align);
        let fits = self.blocks.last().is_some_and(|b| at.saturating_add(size) <= b.size);
        let at = if fits {
            at
        } else {
            self.blocks.push(pool.take(size.max(self.min_block))?);
            0
        };
        let (block, base) = match self.blocks.last().map(|b| (b, b.mapped())) {
            Some((block, Some(base))) => (block, base),
            _ => return Err(DeviceError::OutOfHostMemory),
        };
        self.used = at + size;
        Ok(ArenaSlice {
            buffer: block.raw,
            offset: at,
            address: block.address + at,
            ptr: base.offset(at).as_ptr(),
        })
    }

    /// Frees all allocations and returns all blocks.
    pub fn release(&mut self, pool: &BlockPool) {
        self.used = 0;
        self.blocks.drain(..).for_each(|block| pool.put(block));
    }

    /// Frees all allocations; keeps one block of the usual size.
    pub fn reset(&mut self, pool: &BlockPool) {
        self.used = 0;
        while self.blocks.len() > 1 || self.blocks.first().is_some_and(|b| b.size > self.min_block) {
            if let Some(block) = self.blocks.pop() {
                pool.put(block);
            }
        }
    }
}
