//! Commands: what they do and with which objects, from enqueue to completion. Validation and description are
//! in the other files of this folder; `lower` turns them into device commands at submission.

pub(crate) mod addressed_memory;
pub mod image;
pub(crate) mod launch;
pub(crate) mod lower;
pub mod map;
pub mod native;
pub(crate) mod native_call;
pub mod ndrange;
pub(crate) mod operand;
pub(crate) mod recorded;
pub(crate) mod replay;
pub mod svm;
pub mod sync;
pub mod transfer;

pub use operand::{ImagePart, MemEndpoint, MemRange};

use crate::cl::cl_int;
use crate::cl::region::{self, Region};
use crate::device::batch::{Access, Endpoint, Work};
use crate::memory::MemObject;
use crate::memory::mapping::Mapping;
use launch::LaunchCommand;
use replay::Replay;
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

/// Work whose operands are memory objects.
pub type CommandWork = Work<Arc<MemObject>, LaunchCommand, Arc<Replay>>;

/// Operation of a command, with validated operands.
pub enum CommandKind {
    /// Work that a device executes, or the host in its place.
    Work(CommandWork),
    /// A function of the runtime, called by the host.
    Call(Box<dyn Fn() -> Result<(), cl_int> + Send + Sync>),
    /// The region becomes valid at the mapping's address; `fill` says whether its bytes are needed.
    Map { mapped: MappedOperand, fill: bool },
    /// Writes through the mapping become visible to commands.
    Unmap(MappedOperand),
    /// A native kernel.
    Native(Arc<native_call::NativeCommand>),
    /// The newest bytes are moved to the queue's device, unless `undefined`.
    Migrate { mems: Vec<Arc<MemObject>>, undefined: bool },
}

/// Region of a memory object, and its mapping.
pub struct MappedOperand {
    pub memory: MemEndpoint,
    pub region: Region,
    pub mapping: Mapping,
}

/// Something that a command uses.
#[derive(Clone)]
pub(crate) enum CommandUse<'a> {
    Memory(&'a Arc<MemObject>, Access),
    /// Memory of the application.
    Host(Range<usize>, Access),
    /// Arguments of a launch ([`LaunchCommand::memory`]), and memory that it uses by address.
    Launch(&'a LaunchCommand),
}

/// Application memory that a command accesses.
#[derive(Default)]
pub(crate) struct HostRanges {
    pub read: Option<Range<usize>>,
    pub written: Option<Range<usize>>,
}

impl CommandKind {
    /// Markers, barriers, launches without work-items.
    pub(crate) const NOP: CommandKind = CommandKind::Work(Work::Nop);

    /// A copy of a region.
    #[inline]
    pub fn copy(src: MemEndpoint, dst: MemEndpoint, region: Region) -> CommandKind {
        if region.contains(&0) { Self::NOP } else { CommandKind::Work(Work::Copy { src, dst, region }) }
    }

    /// A fill of a region.
    pub fn fill(dst: MemEndpoint, region: Region, pattern: SmallVec<[u8; 16]>) -> CommandKind {
        if region.contains(&0) { Self::NOP } else { CommandKind::Work(Work::Fill { dst, region, pattern }) }
    }

    /// Calls `see` for everything that the command uses until it returns something. Hazards with host memory
    /// and residency follow from this alone.
    #[inline]
    pub(crate) fn find_use<'a, T>(&'a self, mut see: impl FnMut(CommandUse<'a>) -> Option<T>) -> Option<T> {
        use Access::{Read, Write};
        match self {
            CommandKind::Work(work) => match work {
                Work::Copy { src, dst, region } => {
                    see(use_of(src, region, Read)).or_else(|| see(use_of(dst, region, Write)))
                }
                Work::Fill { dst, region, .. } => see(use_of(dst, region, Write)),
                Work::Launch(launch) => see(CommandUse::Launch(launch)),
                Work::Replay(replay) => {
                    replay.uses().iter().find_map(|(memory, access)| see(CommandUse::Memory(memory, *access)))
                }
                Work::Ownership { ranges, .. } => {
                    ranges.iter().find_map(|range| see(CommandUse::Memory(&range.memory, Write)))
                }
                Work::Nop | Work::Wait(_) | Work::Signal(_) => None,
            },
            // The memory of the mapping is the application's only when the command is complete.
            CommandKind::Map { mapped, .. } | CommandKind::Unmap(mapped) => {
                see(use_of(&mapped.memory, &mapped.region, Write))
            }
            CommandKind::Native(call) => {
                call.memory().find_map(|memory| see(CommandUse::Memory(memory, Write)))
            }
            CommandKind::Migrate { mems, .. } => {
                mems.iter().find_map(|memory| see(CommandUse::Memory(memory, Read)))
            }
            // Functions hold what they use.
            CommandKind::Call(_) => None,
        }
    }

    /// Whether the command occupies the host for long.
    pub(crate) fn is_long_on_host(&self) -> bool {
        match self {
            CommandKind::Native(_) => true,
            CommandKind::Work(_)
            | CommandKind::Map { .. }
            | CommandKind::Unmap(_)
            | CommandKind::Migrate { .. }
            | CommandKind::Call(_) => false,
        }
    }

    /// Application memory that the command accesses.
    pub(crate) fn host_ranges(&self) -> HostRanges {
        let mut ranges = HostRanges::default();
        self.find_use(|used| -> Option<()> {
            match used {
                CommandUse::Host(range, Access::Read) => ranges.read = Some(range),
                CommandUse::Host(range, Access::Write) => ranges.written = Some(range),
                CommandUse::Memory(..) | CommandUse::Launch(_) => {}
            }
            None
        });
        ranges
    }
}

/// One side of a transfer.
fn use_of<'a>(side: &'a MemEndpoint, region: &Region, access: Access) -> CommandUse<'a> {
    match side {
        Endpoint::Host(ptr, layout) => {
            let end = region::region_end(layout, *region) as usize;
            CommandUse::Host(
                ptr.addr().saturating_add(layout.offset as usize)..ptr.addr().saturating_add(end),
                access,
            )
        }
        Endpoint::Buffer(range, _) => CommandUse::Memory(&range.memory, access),
        Endpoint::Image(part) => CommandUse::Memory(&part.image, access),
    }
}
