//! Work handed to a device queue: batches of commands with their hazards, tickets and waits.

use super::traits::{
    DeviceKernel, DeviceList, DeviceMemory, DeviceQueue, DeviceSemaphore, OnDeviceQueue, Submission,
};
pub use crate::cl::region::RectLayout;
use crate::host_ptr::HostPtr;
use smallvec::SmallVec;
use std::sync::Arc;

/// Names a command to its owner; chosen by the owner.
pub type CommandTicket = u64;

/// How a batch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Complete,
    /// A negative OpenCL error code.
    Failed(i32),
}

/// Device times of one command in nanoseconds of the device clock (see [`super::traits::DeviceOps::timestamps`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    pub start: u64,
    pub end: u64,
    /// When what a kernel enqueued was complete; 0 if that is the end.
    pub complete: u64,
}

/// A byte range of a device buffer.
#[derive(Clone)]
pub struct BufferRange {
    pub memory: Arc<dyn DeviceMemory>,
    pub offset: u64,
    pub size: u64,
}

/// A region of an image; the layers of an array are counted in the element after its last dimension.
#[derive(Clone)]
pub struct ImageRange {
    /// Made by [`super::traits::DeviceOps::alloc_image`].
    pub image: Arc<dyn DeviceMemory>,
    /// The level of detail.
    pub level: u32,
    pub origin: [u32; 3],
    /// Texels.
    pub region: [u32; 3],
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
    /// A device address, and the buffer that it leads into if that is known.
    Pointer {
        address: u64,
        within: Option<BufferRange>,
    },
}

/// What a launch may use besides its arguments, by addresses that it finds in memory.
#[derive(Clone, Default)]
pub struct IndirectAccesses {
    pub buffers: Vec<BufferRange>,
    /// Memory that nobody can name.
    pub anything: bool,
}

impl IndirectAccesses {
    /// Nothing.
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
    /// Where the kernel finds the default queue on the device.
    pub default_queue: Option<Arc<dyn OnDeviceQueue>>,
}

/// One command for the device. Offsets and sizes are validated.
#[derive(Clone)]
pub enum DeviceCommand {
    /// Host memory to buffer. The host memory stays valid until completion.
    Write {
        src: HostPtr,
        dst: BufferRange,
    },
    /// Buffer to host memory, valid until completion.
    Read {
        src: BufferRange,
        dst: HostPtr,
    },
    /// `region` is bytes, rows, slices.
    WriteRect {
        src: HostPtr,
        src_layout: RectLayout,
        dst: BufferRange,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    ReadRect {
        src: BufferRange,
        src_layout: RectLayout,
        dst: HostPtr,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    Copy {
        src: BufferRange,
        dst: BufferRange,
    },
    CopyRect {
        src: BufferRange,
        src_layout: RectLayout,
        dst: BufferRange,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    /// 1, 2, 4, ... 128 bytes repeated over the range.
    Fill {
        dst: BufferRange,
        pattern: SmallVec<[u8; 16]>,
    },
    /// The same, in a rectangle.
    FillRect {
        dst: BufferRange,
        layout: RectLayout,
        region: [u64; 3],
        pattern: SmallVec<[u8; 16]>,
    },
    /// Host memory to image; the rows and slices of the layout are those of the region.
    WriteImage {
        src: HostPtr,
        layout: RectLayout,
        dst: ImageRange,
    },
    ReadImage {
        src: ImageRange,
        dst: HostPtr,
        layout: RectLayout,
    },
    /// Between images of one format; the regions have the same size and do not overlap.
    CopyImage {
        src: ImageRange,
        dst: ImageRange,
    },
    /// One texel's bytes everywhere in the region.
    FillImage {
        dst: ImageRange,
        texel: SmallVec<[u8; 16]>,
    },
    /// Pitches are multiples of the texel's size.
    ImageToBuffer {
        src: ImageRange,
        dst: BufferRange,
        layout: RectLayout,
    },
    BufferToImage {
        src: BufferRange,
        layout: RectLayout,
        dst: ImageRange,
    },
    Launch(Launch),
    /// Commands that [`super::traits::DeviceOps::record`] took.
    Replay(Arc<dyn DeviceList>),
    /// Later work of the queue comes after a signal of each semaphore, which is or will be on its way without it.
    Wait(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Signals each semaphore after earlier work of the queue.
    Signal(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Hands shared memory to this device, or (`release`) to its other users.
    Transfer {
        ranges: Vec<BufferRange>,
        release: bool,
    },
    /// Nothing to do; completes in order (markers, barriers, unmap without copy).
    Nop,
}

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
    /// Must see the effects of every earlier item of this batch and of earlier batches of this queue. In an in-order
    /// queue that is always so; the device still omits the barrier when it can prove there is no hazard.
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
