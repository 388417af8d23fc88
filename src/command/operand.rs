//! Operands of commands: memory objects and their parts, and the device memory that they become at
//! submission.

use crate::cl::*;
use crate::context::ContextDevice;
use crate::device::batch::{Access, BufferRange, Endpoint, ImageRange, RectLayout};
use crate::device::traits::DeviceMemory;
use crate::error::Error;
use crate::memory::MemObject;
use std::ops::Range;
use std::sync::Arc;

/// A byte range of a memory object.
pub type MemRange = BufferRange<Arc<MemObject>>;
/// A region of a mip level of an image.
pub type ImagePart = ImageRange<Arc<MemObject>>;
/// One side of a transfer, in memory objects.
pub type MemEndpoint = Endpoint<Arc<MemObject>>;

impl MemRange {
    /// All bytes of a memory object.
    pub fn whole(memory: &Arc<MemObject>) -> MemRange {
        MemRange { memory: memory.clone(), offset: 0, size: memory.size }
    }
}

pub(super) type CodeResult<T> = std::result::Result<T, cl_int>;

pub(super) fn failed(error: Error) -> cl_int {
    tracing::error!(%error, "memory for a command");
    error.code()
}

/// Device that commands are lowered for.
#[derive(Clone, Copy)]
pub(super) struct LoweringContext<'a> {
    pub target: &'a ContextDevice,
    /// Whether the memory is brought up to date. If not, it is only looked up, for a recording.
    pub newest: bool,
}

impl LoweringContext<'_> {
    /// Device memory of a byte range.
    pub fn range(self, range: &MemRange, access: Access) -> CodeResult<BufferRange> {
        let memory = self.memory(&range.memory, range.offset..range.offset + range.size, access)?;
        Ok(BufferRange { memory, offset: range.memory.offset + range.offset, size: range.size })
    }

    /// Device memory of an object that contains the bytes.
    pub fn memory(
        self,
        mem: &MemObject,
        bytes: Range<u64>,
        access: Access,
    ) -> CodeResult<Arc<dyn DeviceMemory>> {
        let (devices, device) = (self.target.context().device_ops(), self.target.device_index());
        let start = mem.range().start;
        let memory = match self.newest {
            true => mem.residency().acquire(devices, device, start + bytes.start..start + bytes.end, access),
            false => mem.residency().backing(devices, device),
        };
        memory.map_err(failed)
    }

    /// One side of a transfer. Images in buffers are rectangles of the buffers.
    pub fn endpoint(self, side: &MemEndpoint, access: Access) -> CodeResult<Endpoint> {
        let part = match side {
            Endpoint::Host(ptr, layout) => return Ok(Endpoint::Host(*ptr, *layout)),
            Endpoint::Buffer(range, layout) => {
                return Ok(Endpoint::Buffer(self.range(range, access)?, *layout));
            }
            Endpoint::Image(part) => part,
        };
        let info = part.image.image().ok_or(CL_INVALID_MEM_OBJECT)?;
        let memory = self.memory(&part.image, 0..part.image.size, access)?;
        let rectangle = |memory: Arc<dyn DeviceMemory>, whole: &RectLayout| {
            let size = memory.size();
            Endpoint::Buffer(BufferRange { memory, offset: 0, size }, info.part(whole, part.origin))
        };
        Ok(match (&info.in_buffer, memory.in_buffer()) {
            (Some(whole), _) => rectangle(memory, whole),
            (None, Some((buffer, whole))) => rectangle(buffer.clone(), whole),
            (None, None) => {
                let ImagePart { level, origin, region, .. } = *part;
                Endpoint::Image(ImageRange { image: memory, level, origin, region })
            }
        })
    }
}
