//! Commands: what they do and with which objects, from enqueue to completion. Validation and description are
//! in the other files of this folder; `lower` turns them into device commands at submission.

pub mod addressed_memory;
pub mod fallback;
pub mod image;
pub mod lower;
pub mod map;
pub mod native;
pub mod ndrange;
pub mod replay;
pub mod split_replay;
pub mod svm;
pub mod sync;
pub mod transfer;

use crate::cl::cl_int;
use crate::cl::image::bytes_of;
use crate::device::batch::{DeviceCommand, RectLayout};
use crate::event::WaitList;
use crate::host_ptr::HostPtr;
use crate::memory::MemObject;
use crate::memory::mapping::Mapping;
use crate::queue::CommandQueue;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Where a command is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutionTarget {
    /// By the device, in the queue's stream.
    Device,
    /// By the device, or, if nothing precedes it, by the thread that finds it ready.
    Either,
    /// By the thread that finds all its dependencies complete.
    Host,
}

/// A byte range of a memory object.
#[derive(Clone)]
pub struct MemRange {
    pub mem: Arc<MemObject>,
    pub offset: u64,
    pub size: u64,
}

/// A region of a mip level of an image.
#[derive(Clone)]
pub struct ImagePart {
    pub mem: Arc<MemObject>,
    /// The mip level.
    pub level: u32,
    pub origin: [u32; 3],
    pub region: [u32; 3],
}

impl ImagePart {
    /// Size of a texel row in bytes, rows, and slices.
    fn bytes(&self) -> [u64; 3] {
        let element = self.mem.image().map_or(0, |i| i.format.element_size());
        bytes_of(self.region, element)
    }
}

/// Operation of a command, with validated operands.
pub enum CommandKind {
    /// Markers, barriers, launches without work-items.
    Nop,
    /// A function of the runtime, called by the host.
    Call(Box<dyn Fn() -> Result<(), cl_int> + Send + Sync>),
    /// A device command without memory objects.
    Raw(DeviceCommand),
    Write {
        src: HostPtr,
        dst: MemRange,
    },
    Read {
        src: MemRange,
        dst: HostPtr,
    },
    WriteRect {
        src: HostPtr,
        src_layout: RectLayout,
        dst: MemRange,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    ReadRect {
        src: MemRange,
        src_layout: RectLayout,
        dst: HostPtr,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    Copy {
        src: MemRange,
        dst: MemRange,
    },
    CopyRect {
        src: MemRange,
        src_layout: RectLayout,
        dst: MemRange,
        dst_layout: RectLayout,
        region: [u64; 3],
    },
    Fill {
        dst: MemRange,
        pattern: SmallVec<[u8; 16]>,
    },
    /// The region becomes valid at the mapping's address; `fill` says whether its bytes are needed.
    Map {
        range: MemRange,
        mapping: Mapping,
        fill: bool,
    },
    /// Writes through the mapping become visible to commands.
    Unmap {
        range: MemRange,
        mapping: Mapping,
    },
    WriteImage {
        src: HostPtr,
        layout: RectLayout,
        dst: ImagePart,
    },
    ReadImage {
        src: ImagePart,
        dst: HostPtr,
        layout: RectLayout,
    },
    CopyImage {
        src: ImagePart,
        dst: ImagePart,
    },
    FillImage {
        dst: ImagePart,
        texel: SmallVec<[u8; 16]>,
    },
    ImageToBuffer {
        src: ImagePart,
        dst: MemRange,
    },
    BufferToImage {
        src: MemRange,
        dst: ImagePart,
    },
    /// Like `Map`, for a region of an image.
    MapImage {
        part: ImagePart,
        mapping: Mapping,
        fill: bool,
    },
    UnmapImage {
        part: ImagePart,
        mapping: Mapping,
    },
    Launch(ndrange::LaunchCommand),
    /// A native kernel.
    Native(Arc<native::NativeCommand>),
    /// Shared memory is acquired for the queue's device, or released to its other users.
    External {
        mems: Vec<Arc<MemObject>>,
        release: bool,
    },
    /// A command buffer, or its part that the device executes.
    Replay(Arc<replay::Replay>),
    /// A command buffer with launches that fall back.
    SplitReplay(Arc<split_replay::SplitReplay>),
    /// The newest bytes are moved to the queue's device, unless `undefined`.
    Migrate {
        mems: Vec<Arc<MemObject>>,
        undefined: bool,
    },
}

impl CommandKind {
    /// Index (in the context) of the device that executes the command of a queue. It is not the queue's
    /// device if that cannot run the kernel or cannot hold one of the images.
    pub(crate) fn device_index(&self, queue: &CommandQueue) -> usize {
        let own = queue.device_index();
        let home = |part: &ImagePart| part.mem.residency().home(queue.context(), own);
        match self {
            CommandKind::Launch(launch) => launch.device_index,
            CommandKind::WriteImage { dst: part, .. }
            | CommandKind::ReadImage { src: part, .. }
            | CommandKind::FillImage { dst: part, .. }
            | CommandKind::ImageToBuffer { src: part, .. }
            | CommandKind::BufferToImage { dst: part, .. }
            | CommandKind::MapImage { part, .. }
            | CommandKind::UnmapImage { part, .. } => home(part),
            CommandKind::CopyImage { src, dst } => match home(src) {
                index if index == own => home(dst),
                index => index,
            },
            _ => own,
        }
    }
    /// Whether the queue's device has the fallback device execute the command.
    pub(crate) fn falls_back(&self, queue: &CommandQueue) -> bool {
        self.device_index(queue) != queue.device_index()
    }
    /// Whether the command occupies the host for long.
    pub(crate) fn is_long_on_host(&self, queue: &CommandQueue) -> bool {
        matches!(self, CommandKind::Native(_) | CommandKind::Launch(_) | CommandKind::SplitReplay(_))
            || self.falls_back(queue)
    }
    /// Application memory that the command reads.
    pub(crate) fn host_source(&self) -> Option<Range<usize>> {
        match self {
            CommandKind::Write { src, dst } => Some(span(*src, 0, dst.size)),
            CommandKind::WriteRect { src, src_layout, region, .. } => {
                Some(rect_span(*src, src_layout, region))
            }
            CommandKind::WriteImage { src, layout, dst } => Some(rect_span(*src, layout, &dst.bytes())),
            _ => None,
        }
    }
    /// Application memory that the command writes.
    pub(crate) fn host_destination(&self) -> Option<Range<usize>> {
        match self {
            CommandKind::Read { src, dst } => Some(span(*dst, 0, src.size)),
            CommandKind::ReadRect { dst, dst_layout, region, .. } => {
                Some(rect_span(*dst, dst_layout, region))
            }
            CommandKind::ReadImage { src, dst, layout } => Some(rect_span(*dst, layout, &src.bytes())),
            _ => None,
        }
    }
}

fn span(ptr: HostPtr, offset: u64, size: u64) -> Range<usize> {
    let start = ptr.addr().saturating_add(offset as usize);
    start..start.saturating_add(size as usize)
}

/// Range from the first to the last byte of a region.
fn rect_span(ptr: HostPtr, layout: &RectLayout, region: &[u64; 3]) -> Range<usize> {
    let (rows, slices) = (region[1].saturating_sub(1), region[2].saturating_sub(1));
    let size =
        rows.saturating_mul(layout.row_pitch).saturating_add(slices.saturating_mul(layout.slice_pitch));
    span(ptr, layout.offset, size.saturating_add(region[0]))
}

/// A command in a queue.
pub(crate) struct Command {
    pub kind: CommandKind,
    /// See [`crate::device::batch::BatchItem::ordered`].
    pub ordered: bool,
    /// Its wait list; empty once submitted.
    pub deps: WaitList,
}

impl Command {
    pub(crate) fn new(kind: CommandKind) -> Command {
        Command { kind, ordered: true, deps: WaitList::new() }
    }

    /// Releases everything that it holds.
    pub(crate) fn clear(&mut self) {
        self.kind = CommandKind::Nop;
        self.deps.clear();
    }
}
