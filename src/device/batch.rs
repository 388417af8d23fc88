//! Work submitted to a device queue: batches of commands with their hazards, tickets and waits.

use super::traits::{
    DeviceKernel, DeviceList, DeviceMemory, DeviceQueue, DeviceSemaphore, OnDeviceQueue, Submission,
};
pub use crate::cl::region::{RectLayout, Region};
use crate::host_ptr::HostPtr;
use smallvec::SmallVec;
use std::sync::Arc;

/// Identifies a command to its owner, which chooses the value.
pub type CommandTicket = u64;

/// Outcome of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Complete,
    /// A negative OpenCL error code.
    Failed(i32),
}

/// Device times of one command in nanoseconds of the device clock (see
/// [`super::traits::DeviceOps::timestamps`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    pub start: u64,
    pub end: u64,
    /// Time when the kernel's child kernels were complete; 0 if that is `end`.
    pub complete: u64,
}

/// How a command accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// Writes, and requires the bytes that it does not write.
    Write,
}

/// A byte range of a buffer: of device memory, or (as `M`) of a memory object.
#[derive(Clone)]
pub struct BufferRange<M = Arc<dyn DeviceMemory>> {
    pub memory: M,
    pub offset: u64,
    pub size: u64,
}

/// A region of an image. The element after the last dimension counts the layers of an array.
#[derive(Clone)]
pub struct ImageRange<M = Arc<dyn DeviceMemory>> {
    /// Made by [`super::traits::DeviceOps::alloc_image`], or the memory object.
    pub image: M,
    /// The level of detail.
    pub level: u32,
    pub origin: [u32; 3],
    /// Texels.
    pub region: [u32; 3],
}

/// One side of a transfer. Layouts say where in the memory the transfer's region is.
#[derive(Clone)]
pub enum Endpoint<M = Arc<dyn DeviceMemory>> {
    /// Host memory, which stays valid until completion.
    Host(HostPtr, RectLayout),
    /// Pitches are multiples of the texel's size if the other side is an image.
    Buffer(BufferRange<M>, RectLayout),
    /// A range of the same size as the transfer's region.
    Image(ImageRange<M>),
}

impl<M> Endpoint<M> {
    /// Contiguous host memory.
    pub fn host(ptr: HostPtr) -> Self {
        Endpoint::Host(ptr, RectLayout::LINEAR)
    }

    /// The whole of a byte range.
    pub fn bytes(range: BufferRange<M>) -> Self {
        Endpoint::Buffer(range, RectLayout::LINEAR)
    }
}

/// Value of a kernel argument at launch.
#[derive(Clone)]
pub enum ArgValue {
    /// By value: exactly the argument's size.
    Bytes(SmallVec<[u8; 16]>),
    Buffer(BufferRange),
    /// A NULL memory object.
    NullBuffer,
    /// An image, from [`super::traits::DeviceOps::alloc_image`] or a view.
    Image(Arc<dyn DeviceMemory>),
    /// Local pointer of this many bytes.
    Local(u64),
    /// A device address, and the buffer that contains it if that is known.
    Pointer {
        address: u64,
        within: Option<BufferRange>,
    },
}

/// Memory that a launch may access besides its arguments, by addresses that it finds in memory.
#[derive(Clone, Default)]
pub struct IndirectAccesses {
    pub buffers: Vec<BufferRange>,
    /// The launch may access memory that the runtime cannot identify.
    pub anything: bool,
}

impl IndirectAccesses {
    /// Whether the launch accesses its arguments only.
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty() && !self.anything
    }
}

/// A kernel launch with a resolved local size.
#[derive(Clone)]
pub struct Launch {
    pub kernel: Arc<dyn DeviceKernel>,
    pub args: Arc<Vec<ArgValue>>,
    pub dims: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    /// Size of full groups; the last group of a dimension may be smaller (non-uniform).
    pub local: [u32; 3],
    pub indirect: IndirectAccesses,
    /// The default queue on the device.
    pub default_queue: Option<Arc<dyn OnDeviceQueue>>,
}

/// Work for a device, with validated operands: memory `M`, launches `L` and recorded commands `R`.
///
/// A region is a size in bytes, rows and slices; linear transfers have one row.
#[derive(Clone)]
pub enum Work<M = Arc<dyn DeviceMemory>, L = Launch, R = Arc<dyn DeviceList>> {
    /// No operation; completes in order (markers, barriers, unmap without copy).
    Nop,
    /// Copies a region. Images have one format; the sides do not overlap.
    Copy {
        src: Endpoint<M>,
        dst: Endpoint<M>,
        region: Region,
    },
    /// Fills a region with a texel, or with 1, 2, 4, ... 128 bytes that repeat in each row.
    Fill {
        dst: Endpoint<M>,
        region: Region,
        pattern: SmallVec<[u8; 16]>,
    },
    Launch(L),
    /// Replays commands recorded by [`super::traits::DeviceOps::record`].
    Replay(R),
    /// Later work of the queue waits for a signal of each semaphore. The signal is submitted, or will be,
    /// independently of this command.
    Wait(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Signals each semaphore after earlier work of the queue.
    Signal(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Acquires external memory for this device, or (`release`) releases it to its other users.
    Ownership {
        ranges: Vec<BufferRange<M>>,
        release: bool,
    },
}

impl<M, L, R> Work<M, L, R> {
    /// A copy of contiguous bytes.
    pub fn copy(src: Endpoint<M>, dst: Endpoint<M>, size: u64) -> Self {
        Work::Copy { src, dst, region: [size, 1, 1] }
    }

    /// A copy of host memory to a range.
    pub fn write(src: HostPtr, dst: BufferRange<M>) -> Self {
        let size = dst.size;
        Work::copy(Endpoint::host(src), Endpoint::bytes(dst), size)
    }

    /// A copy of a range to host memory.
    pub fn read(src: BufferRange<M>, dst: HostPtr) -> Self {
        let size = src.size;
        Work::copy(Endpoint::bytes(src), Endpoint::host(dst), size)
    }

    /// A copy between ranges of the same size.
    #[cfg(test)]
    pub(crate) fn copy_range(src: BufferRange<M>, dst: BufferRange<M>) -> Self {
        let size = src.size.min(dst.size);
        Work::copy(Endpoint::bytes(src), Endpoint::bytes(dst), size)
    }

    /// A fill of a range.
    pub fn fill(dst: BufferRange<M>, pattern: SmallVec<[u8; 16]>) -> Self {
        let region = [dst.size, 1, 1];
        Work::Fill { dst: Endpoint::bytes(dst), region, pattern }
    }

    /// The sides of a transfer, with their accesses.
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = (&Endpoint<M>, Access)> {
        let (src, dst) = match self {
            Work::Copy { src, dst, .. } => (Some(src), Some(dst)),
            Work::Fill { dst, .. } => (None, Some(dst)),
            Work::Nop
            | Work::Launch(_)
            | Work::Replay(_)
            | Work::Wait(_)
            | Work::Signal(_)
            | Work::Ownership { .. } => (None, None),
        };
        src.map(|src| (src, Access::Read)).into_iter().chain(dst.map(|dst| (dst, Access::Write)))
    }
}

/// One command for the device.
pub type DeviceCommand = Work;

/// A command of a recorded list.
#[derive(Clone)]
pub struct ListItem {
    pub command: DeviceCommand,
    /// Must see the effects of every earlier item of the list (see [`BatchItem::ordered`]).
    pub ordered: bool,
}

/// A command with its ticket.
pub struct BatchItem {
    pub ticket: CommandTicket,
    pub command: DeviceCommand,
    /// Must see the effects of every earlier item of this batch and of earlier batches of this queue. Always
    /// true in an in-order queue; the device still omits the barrier when it can prove that there is no
    /// hazard.
    pub ordered: bool,
}

/// A GPU-side wait: the batch starts after this submission of another queue (of the same device).
#[derive(Clone)]
pub struct Wait {
    pub queue: Arc<dyn DeviceQueue>,
    pub submission: Submission,
}

/// Commands submitted together.
#[derive(Default)]
pub struct Batch {
    pub waits: SmallVec<[Wait; 2]>,
    pub items: Vec<BatchItem>,
}
