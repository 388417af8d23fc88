//! Work submitted to a device queue: batches of commands with their hazards, tickets and waits.

use super::traits::{
    DeviceKernel, DeviceList, DeviceMemory, DeviceQueue, DeviceSemaphore, OnDeviceQueue, Submission,
};
pub use crate::cl::region::RectLayout;
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

/// A byte range of a device buffer.
#[derive(Clone)]
pub struct BufferRange {
    pub memory: Arc<dyn DeviceMemory>,
    pub offset: u64,
    pub size: u64,
}

/// A region of an image. The element after the last dimension counts the layers of an array.
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

/// One command for the device. Offsets and sizes are validated.
#[derive(Clone)]
pub enum DeviceCommand {
    /// Host memory to buffer. The host memory stays valid until completion.
    Write {
        src: HostPtr,
        dst: BufferRange,
    },
    /// Buffer to host memory. The host memory stays valid until completion.
    Read {
        src: BufferRange,
        dst: HostPtr,
    },
    /// `region` is in bytes, rows and slices.
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
    /// Like `Fill`, over a rectangle.
    FillRect {
        dst: BufferRange,
        layout: RectLayout,
        region: [u64; 3],
        pattern: SmallVec<[u8; 16]>,
    },
    /// Host memory to image. `layout` describes the host memory of the region.
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
    /// Copy between images of one format. The regions have the same size and do not overlap.
    CopyImage {
        src: ImageRange,
        dst: ImageRange,
    },
    /// Fills the region with one texel's bytes.
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
    /// Replays commands recorded by [`super::traits::DeviceOps::record`].
    Replay(Arc<dyn DeviceList>),
    /// Later work of the queue waits for a signal of each semaphore. The signal is submitted, or will be,
    /// independently of this command.
    Wait(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Signals each semaphore after earlier work of the queue.
    Signal(SmallVec<[Arc<dyn DeviceSemaphore>; 1]>),
    /// Acquires external memory for this device, or (`release`) releases it to its other users.
    Transfer {
        ranges: Vec<BufferRange>,
        release: bool,
    },
    /// No operation; completes in order (markers, barriers, unmap without copy).
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
