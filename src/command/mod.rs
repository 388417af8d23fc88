//! Commands: what is to be done and with which objects, from enqueue to completion. Validation and description are in
//! the other files of this folder; `lower` makes device commands of them at submission.

pub mod lower;
pub mod map;
pub mod ndrange;
pub mod sync;
pub mod transfer;

use crate::device::batch::{DeviceCommand, RectLayout};
use crate::event::WaitList;
use crate::host_ptr::HostPtr;
use crate::memory::MemObject;
use crate::memory::mapping::Mapping;
use smallvec::SmallVec;
use std::sync::Arc;

/// Where a command runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On the device, in the queue's stream.
    Device,
    /// On the device, unless nothing is before it: then in the thread that finds it ready.
    Either,
    /// In the thread that finds everything before it done.
    Host,
}

/// A byte range of a memory object.
#[derive(Clone)]
pub struct MemRange {
    pub mem: Arc<MemObject>,
    pub offset: u64,
    pub size: u64,
}

/// What a command does. Everything is validated.
pub enum CommandKind {
    /// Markers, barriers, launches without work-items.
    Nop,
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
    /// The region becomes visible at the mapping's address; `fill` says whether its bytes are needed.
    Map {
        range: MemRange,
        mapping: Mapping,
        fill: bool,
    },
    /// What was written through the mapping becomes visible to commands.
    Unmap {
        range: MemRange,
        mapping: Mapping,
    },
    Launch(ndrange::LaunchCommand),
    /// The newest bytes go to the queue's device, unless `undefined`.
    Migrate {
        mems: Vec<Arc<MemObject>>,
        undefined: bool,
    },
}

/// A command in a queue.
pub(crate) struct Command {
    pub kind: CommandKind,
    /// See [`crate::device::batch::BatchItem::ordered`].
    pub ordered: bool,
    /// What it waits for; empty once submitted.
    pub deps: WaitList,
}

impl Command {
    pub(crate) fn new(kind: CommandKind) -> Command {
        Command { kind, ordered: true, deps: WaitList::new() }
    }
}
