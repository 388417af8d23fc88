//! The copies of a buffer or an image: one lazily created backing per device of a list, and a host copy for
//! initial contents. The holders of the newest bytes are tracked by range for buffers, as a whole for images
//! (`newest`). Before a device uses a range, the missing bytes are copied there.
//!
//! Holders change when commands are submitted, in the order of the application's synchronisation. The newest
//! bytes of a range on another device are idle by then: dependencies across devices are complete before a
//! command is submitted.
//!
//! Bytes are copied outside of all queues, and are complete when `acquire` returns: commands of other queues,
//! which the application need not order after the command being submitted, find the bytes there. Locks: one,
//! of the owner's rank, held while bytes are copied, so that they are copied once.

use super::batch::{Access, BufferRange, DeviceCommand, Endpoint, ImageRange, RectLayout};
use super::host_exec;
use super::info::AddressSharing;
use super::newest::{Holders, Newest};
use super::relay::{self, Place};
use super::traits::{BufferDesc, DeviceMemory, DeviceOps, HostRange, ImageDesc};
use crate::cl::image::bytes_of;
use crate::cl::*;
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Allocations with one address for host and devices consist of whole pages.
const PAGE: u64 = 4096;

/// Contents in host memory.
pub struct HostCopy {
    pub ptr: HostPtr,
    /// Layout of an image's texels.
    pub layout: RectLayout,
    /// Keeps the memory; `None` for the application's.
    pub _owner: Option<HostAllocation>,
}

/// A backing, if it exists.
pub type Backing = Option<Arc<dyn DeviceMemory>>;

/// The backings, in the order of the devices.
pub type Backings = SmallVec<[Backing; 1]>;

/// Number of memories behind the backings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Each device has its own memory.
    Separate,
    /// All devices use the same bytes: those of one device and, if the host can access them, of all that use
    /// host memory.
    Shared,
}

struct State {
    sharing: Sharing,
    backings: Backings,
    host: Option<HostCopy>,
    newest: Newest,
}

/// Kind of the contents.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    Buffer {
        size: u64,
        host_visible: bool,
        read_only: bool,
    },
    Image(ImageDesc),
    /// A mip level of an image.
    Level(ImageDesc, u32),
}

/// The copies of a buffer or an image. Methods take the devices in the order of the backings.
pub struct Copies {
    content: Content,
    /// The only memory, if there is never another.
    only: Backing,
    state: Mutex<State>,
}

impl Copies {
    /// Copies in existing backings (`None` for those to be created), of which `first` hold the contents.
    pub fn new(rank: Rank, content: Content, sharing: Sharing, backings: Backings, first: Holders) -> Copies {
        let single = backings.len() == 1 || sharing == Sharing::Shared;
        let only = if single { backings.first().cloned().flatten() } else { None };
        let newest = Newest::new(content.tracked(), first);
        Copies { content, only, state: Mutex::new(rank, State { sharing, backings, host: None, newest }) }
    }

    /// Copies for `count` devices, without a backing. The contents, if any, are in host memory.
    pub fn on_host(rank: Rank, content: Content, count: usize, host: Option<HostCopy>) -> Copies {
        let first = if host.is_some() { Holders::HOST } else { Holders::NONE };
        let (newest, backings) = (Newest::new(content.tracked(), first), (0..count).map(|_| None).collect());
        let state = State { sharing: Sharing::Separate, backings, host, newest };
        Copies { content, only: None, state: Mutex::new(rank, state) }
    }

    /// Whether the bytes are always in one memory of one device.
    pub fn has_single_copy(&self) -> bool {
        self.only.is_some()
    }

    /// The backing for a device, created if necessary.
    pub fn backing(&self, devices: &[Arc<dyn DeviceOps>], device: usize) -> Result<Arc<dyn DeviceMemory>> {
        if let Some(only) = self.only.as_ref().filter(|_| device == 0) {
            return Ok(only.clone());
        }
        let (seen, sharing) = {
            let state = self.state.lock();
            if let Some(memory) = state.backings.get(device).cloned().flatten() {
                return Ok(memory);
            }
            let seen = state.backings.iter().flatten().find(|c| self.content.host_side(c).is_some());
            (seen.cloned(), state.sharing)
        };
        let ops = ops(devices, device)?;
        let made = match (sharing, seen) {
            (Sharing::Separate, _) => self.content.allocate(ops)?,
            (Sharing::Shared, Some(memory)) if ops.info().sharing == AddressSharing::Host => {
                self.content.share(ops, &memory)?
            }
            (Sharing::Shared, _) => {
                return Err(Error::with(CL_INVALID_OPERATION, "the allocation is not for this device"));
            }
        };
        let mut state = self.state.lock();
        let backing = state.backings.get_mut(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        // Another thread may have been faster.
        Ok(backing.get_or_insert(made).clone())
    }

    /// The backing on a device for a command that is being submitted, with the newest bytes of a range in it.
    /// An image's bytes are one range.
    pub fn acquire(
        &self,
        devices: &[Arc<dyn DeviceOps>],
        device: usize,
        range: Range<u64>,
        access: Access,
    ) -> Result<Arc<dyn DeviceMemory>> {
        let memory = self.backing(devices, device)?;
        if self.has_single_copy() {
            return Ok(memory);
        }
        let mut state = self.state.lock();
        // There is no other copy, or there are no copies at all.
        if state.sharing == Sharing::Shared || state.backings.len() == 1 && state.host.is_none() {
            return Ok(memory);
        }
        let range = match self.content {
            Content::Buffer { .. } => range,
            Content::Image(_) | Content::Level(..) => 0..1,
        };
        let holder = Holders::device(device);
        for (piece, holders) in state.newest.missing(&range, holder) {
            self.copy(&state, devices, &piece, holders, (device, &memory))?;
            state.newest.copied(&piece, holder);
        }
        if access == Access::Write {
            state.newest.written(&range, holder);
        }
        Ok(memory)
    }

    /// Brings all bytes up to date on a device, for a user that may write any of them.
    pub fn acquire_all(
        &self,
        devices: &[Arc<dyn DeviceOps>],
        device: usize,
    ) -> Result<Arc<dyn DeviceMemory>> {
        self.acquire(devices, device, 0..self.content.tracked(), Access::Write)
    }

    /// Copies a range from one of its holders to a device's backing.
    fn copy(
        &self,
        state: &State,
        devices: &[Arc<dyn DeviceOps>],
        piece: &Range<u64>,
        holders: Holders,
        (device, memory): (usize, &Arc<dyn DeviceMemory>),
    ) -> Result<()> {
        let content = &self.content;
        if let Some(host) = state.host.as_ref().filter(|_| holders.has(Holders::HOST)) {
            return transfer_now(ops(devices, device)?, &content.write(host.ptr, host.layout, memory, piece));
        }
        let from = holders.devices().find_map(|at| Some((at, state.backings.get(at)?.as_ref()?)));
        // Without a backing, nothing was ever written.
        let Some((at, from)) = from else { return Ok(()) };
        if let Content::Buffer { .. } = content {
            let (from, to) =
                ((ops(devices, at)?, part(from, piece)), (ops(devices, device)?, part(memory, piece)));
            return copy_bytes(from, to);
        }
        let through =
            HostAllocation::new(content.bytes()).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        for level in (0..content.levels()).map(|level| content.level(level)) {
            transfer_now(ops(devices, at)?, &level.read(from, through.ptr(), piece))?;
            transfer_now(ops(devices, device)?, &level.write(through.ptr(), level.tight(), memory, piece))?;
        }
        Ok(())
    }
}

/// Copies bytes between the memories of two devices.
fn copy_bytes(from: Place<'_>, to: Place<'_>) -> Result<()> {
    let seen = |range: &BufferRange| Some(range.memory.host_ptr()?.offset(range.offset));
    if let Some(src) = seen(&from.1).filter(|_| from.1.memory.host_cached()) {
        return transfer_now(to.0, &DeviceCommand::write(src, to.1));
    }
    if let Some(dst) = seen(&to.1) {
        return transfer_now(from.0, &DeviceCommand::read(from.1, dst));
    }
    Ok(relay::copy(from, to)?)
}

fn ops(devices: &[Arc<dyn DeviceOps>], device: usize) -> Result<&Arc<dyn DeviceOps>> {
    devices.get(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))
}

impl Content {
    pub fn allocate(&self, ops: &Arc<dyn DeviceOps>) -> Result<Arc<dyn DeviceMemory>> {
        let made = match *self {
            Content::Buffer { size, host_visible, read_only } => {
                ops.alloc_buffer(&BufferDesc { size, host_visible, read_only, name: "buffer" })
            }
            Content::Image(desc) | Content::Level(desc, _) => ops.alloc_image(&desc),
        };
        made.map_err(Error::for_memory)
    }

    /// The device memory, if the host can access its bytes as they are, so that devices which use host memory
    /// can use it directly.
    pub fn host_side<'a>(&self, memory: &'a Arc<dyn DeviceMemory>) -> Option<&'a Arc<dyn DeviceMemory>> {
        let holds = match self {
            Content::Buffer { .. } => memory,
            Content::Image(_) | Content::Level(..) => memory.in_buffer()?.0,
        };
        holds.host_ptr().map(|_| holds)
    }

    /// The backing on a device that uses every address of the process, in host-visible memory.
    fn share(
        &self,
        ops: &Arc<dyn DeviceOps>,
        memory: &Arc<dyn DeviceMemory>,
    ) -> Result<Arc<dyn DeviceMemory>> {
        let lost = || Error::with(CL_OUT_OF_RESOURCES, "the host does not see the memory");
        let made = match self {
            Content::Buffer { size, .. } => {
                let ptr = memory.host_ptr().ok_or_else(lost)?;
                // Shared allocations consist of whole pages.
                let range = HostRange { ptr, size: size.next_multiple_of(PAGE) };
                ops.import_host(
                    range,
                    &BufferDesc { size: *size, host_visible: true, read_only: false, name: "buffer" },
                )
            }
            Content::Image(desc) | Content::Level(desc, _) => {
                let (buffer, layout) = memory.in_buffer().ok_or_else(lost)?;
                ops.view_buffer(buffer, layout, desc)
            }
        };
        made.map_err(Error::for_memory)
    }

    /// Size in bytes, rows and slices.
    pub fn region(&self) -> [u64; 3] {
        match self {
            Content::Buffer { size, .. } => [*size, 1, 1],
            Content::Image(desc) => bytes_of(desc.shape.size, desc.format.element_size()),
            Content::Level(desc, level) => {
                bytes_of(desc.shape.level(*level).size, desc.format.element_size())
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.region().iter().product()
    }

    /// Size of the range that holders are tracked for.
    pub fn tracked(&self) -> u64 {
        match self {
            Content::Buffer { size, .. } => *size,
            Content::Image(_) | Content::Level(..) => 1,
        }
    }

    fn levels(&self) -> u32 {
        match self {
            Content::Image(desc) => desc.levels,
            Content::Buffer { .. } | Content::Level(..) => 1,
        }
    }

    fn level(&self, level: u32) -> Content {
        match self {
            Content::Image(desc) => Content::Level(*desc, level),
            other => *other,
        }
    }

    /// The whole of an image, or of one of its mip levels.
    fn whole(&self, desc: &ImageDesc, image: &Arc<dyn DeviceMemory>) -> ImageRange {
        let level = if let Content::Level(_, level) = self { *level } else { 0 };
        ImageRange { image: image.clone(), level, origin: [0; 3], region: desc.shape.level(level).size }
    }

    /// The layout without gaps.
    pub fn tight(&self) -> RectLayout {
        RectLayout::packed(self.region())
    }

    /// Command that writes a range from `src`.
    pub fn write(
        &self,
        src: HostPtr,
        layout: RectLayout,
        memory: &Arc<dyn DeviceMemory>,
        piece: &Range<u64>,
    ) -> DeviceCommand {
        let (src, dst) = (self.on_host(src, layout, piece), self.on_device(memory, piece));
        DeviceCommand::Copy { src, dst, region: self.moved(piece) }
    }

    /// Command that reads a range to its offset in `dst`.
    fn read(&self, memory: &Arc<dyn DeviceMemory>, dst: HostPtr, piece: &Range<u64>) -> DeviceCommand {
        let (src, dst) = (self.on_device(memory, piece), self.on_host(dst, self.tight(), piece));
        DeviceCommand::Copy { src, dst, region: self.moved(piece) }
    }

    /// A range of the contents at `ptr`.
    fn on_host(&self, ptr: HostPtr, layout: RectLayout, piece: &Range<u64>) -> Endpoint {
        match self {
            Content::Buffer { .. } => Endpoint::host(ptr.offset(piece.start)),
            Content::Image(_) | Content::Level(..) => Endpoint::Host(ptr, layout),
        }
    }

    /// A range of the contents in the memory of a device.
    fn on_device(&self, memory: &Arc<dyn DeviceMemory>, piece: &Range<u64>) -> Endpoint {
        match self {
            Content::Buffer { .. } => Endpoint::bytes(part(memory, piece)),
            Content::Image(desc) | Content::Level(desc, _) => match memory.in_buffer() {
                Some((buffer, layout)) => Endpoint::Buffer(part(buffer, &(0..buffer.size())), *layout),
                None => Endpoint::Image(self.whole(desc, memory)),
            },
        }
    }

    /// Size of a range in bytes, rows and slices.
    fn moved(&self, piece: &Range<u64>) -> [u64; 3] {
        match self {
            Content::Buffer { .. } => [piece.end - piece.start, 1, 1],
            Content::Image(_) | Content::Level(..) => self.region(),
        }
    }
}

fn part(memory: &Arc<dyn DeviceMemory>, piece: &Range<u64>) -> BufferRange {
    BufferRange { memory: memory.clone(), offset: piece.start, size: piece.end - piece.start }
}

/// Executes a transfer on idle memory and waits for it: on the host if it can access the memory, else on the
/// device.
pub fn transfer_now(ops: &Arc<dyn DeviceOps>, command: &DeviceCommand) -> Result<()> {
    let share: host_exec::Share<'_> = &|total, work| ops.share_host_work(total, work);
    if host_exec::can_run(command) && host_exec::run(command, host_exec::host_region, share).is_some() {
        return Ok(());
    }
    Ok(ops.transfer(command)?)
}
