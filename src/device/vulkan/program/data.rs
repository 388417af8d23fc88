//! The data block of a program: its constants and variables.

use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::memory::buffer::{Buffer, Use};
use crate::device::vulkan::memory::heap::Heap;
use clspv_bridge::abi::CompiledProgram;
use std::sync::Arc;

/// A data block, and what it is to contain before the first launch.
pub struct DataBlock {
    pub buffer: Arc<Buffer>,
    /// The first bytes, with relocated addresses.
    pub bytes: Vec<u8>,
    /// Number of zeros after them.
    pub zeros: u64,
}

impl DataBlock {
    /// Allocates the data block of a program and relocates its addresses; `None` if the program has no data.
    pub fn new(heap: &'static Heap, program: &CompiledProgram) -> DeviceResult<Option<DataBlock>> {
        let data = &program.data;
        if data.size() == 0 {
            return Ok(None);
        }
        let buffer =
            Arc::new(Buffer::new(heap, data.size(), Use::Device { host_visible: false }, "program data")?);
        let mut bytes = data.bytes.clone();
        for &(at, offset) in &data.relocs {
            let value = buffer.address.wrapping_add(offset).to_le_bytes();
            let slot = bytes.get_mut(at as usize..at as usize + 8);
            slot.ok_or_else(|| DeviceError::Unexpected("relocation outside the data block".into()))?
                .copy_from_slice(&value);
        }
        Ok(Some(DataBlock { buffer, bytes, zeros: data.zeros }))
    }
}
