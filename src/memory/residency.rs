//! Locations of the bytes of a buffer or an image: one lazily created backing per device, one for the
//! fallback device ([`Context::all_ops`]), and a host copy for initial contents. The holders of the newest
//! bytes are tracked by range for buffers, as a whole for images (`newest`). Before a device uses a range,
//! the missing bytes are copied there.
//!
//! Holders change when commands are submitted, in the order of the application's synchronisation. The newest
//! bytes of a range on another device are idle by then: dependencies across devices are complete before a
//! command is submitted. Sub-buffers share their parent's record; several devices may use different ones at
//! the same time.
//!
//! Copies are made outside of all queues and are complete when `acquire` or creation returns: commands of
//! other queues, which the application need not order after the command being submitted, find the bytes
//! there. With one device the initial contents are copied at creation; if the host can access its memory, the
//! fallback device uses that memory. Locks: one (rank Residency), held during copies, so that they are made
//! once.

use super::mapping::WrittenRanges;
use super::newest::{Holders, Newest};
use crate::cl::image::bytes_of;
use crate::cl::*;
use crate::context::Context;
use crate::device::batch::{Access, BufferRange, DeviceCommand, Endpoint, ImageRange, RectLayout};
use crate::device::host_exec;
use crate::device::info::AddressSharing;
use crate::device::traits::{BufferDesc, DeviceMemory, DeviceOps, HostRange, ImageDesc};
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// Allocations with one address for host and devices consist of whole pages.
const PAGE: u64 = 4096;

struct HostCopy {
    ptr: HostPtr,
    /// Layout of an image's texels.
    layout: RectLayout,
    /// `None` for the application's memory.
    _owner: Option<HostAllocation>,
}

type Memory = Option<Arc<dyn DeviceMemory>>;

struct State {
    /// Whether all devices use the same bytes: those of one device and, if the host can access them, of all
    /// that use host memory.
    one: bool,
    copies: SmallVec<[Memory; 1]>,
    host: Option<HostCopy>,
    newest: Newest,
}

/// Kind of the contents.
#[derive(Clone, Copy, Debug)]
enum Content {
    Buffer {
        size: u64,
        host_visible: bool,
    },
    Image(ImageDesc),
    /// A mip level of an image.
    Level(ImageDesc, u32),
}

/// Locations of the bytes of a buffer or an image.
pub struct Residency {
    content: Content,
    /// Index of the device for memory that is shared outside of OpenCL.
    external: Option<usize>,
    /// The only backing, if there is never another.
    only: Memory,
    state: Mutex<State>,
    /// Ranges mapped for writing.
    pub(super) written: WrittenRanges,
}

/// Initial contents of a buffer or an image.
#[derive(Clone, Copy, Debug)]
pub enum Initial {
    Nothing,
    /// Copied before creation returns.
    Copy(HostPtr),
    /// Used directly if a device can.
    Use(HostPtr),
}

impl Residency {
    /// Creates the record of a buffer. With one device in the context the backing is created at once, so that
    /// failure is reported at creation.
    pub fn new(context: &Context, size: u64, host_visible: bool, initial: Initial) -> Result<Residency> {
        let devices = context.devices();
        let content = Content::Buffer { size, host_visible };
        if let ([device], Initial::Use(ptr)) = (devices, initial) {
            let desc = BufferDesc { size, host_visible, name: "buffer" };
            if let Ok(memory) = device.ops().import_host(HostRange { ptr, size }, &desc) {
                return Ok(Self::of_one(context, content, memory, Holders::device(0)));
            }
        }
        Self::create(context, content, initial, RectLayout::LINEAR)
    }

    /// Creates the record of an image; `layout` is that of the initial contents.
    pub fn new_image(
        context: &Context,
        desc: ImageDesc,
        initial: Initial,
        layout: RectLayout,
    ) -> Result<Residency> {
        Self::create(context, Content::Image(desc), initial, layout)
    }

    fn with(content: Content, one: bool, copies: SmallVec<[Memory; 1]>, host: Option<HostCopy>) -> Residency {
        let first = if host.is_some() { Holders::HOST } else { Holders::NONE };
        let newest = Newest::new(content.tracked(), first);
        let in_place = copies.len() == 1 || one;
        let only = if in_place && host.is_none() { copies.first().cloned().flatten() } else { None };
        let state = Mutex::new(Rank::Residency, State { one, copies, host, newest });
        Residency { content, external: None, only, state, written: WrittenRanges::default() }
    }

    /// The record of the backing of the context's only device; `first` holds the newest bytes.
    fn of_one(
        context: &Context,
        content: Content,
        memory: Arc<dyn DeviceMemory>,
        first: Holders,
    ) -> Residency {
        let one = context.all_ops().len() > 1 && content.host_side(&memory).is_some_and(|m| m.host_cached());
        let mut copies: SmallVec<[Memory; 1]> = smallvec![Some(memory)];
        copies.resize(context.all_ops().len(), None);
        let mut made = Self::with(content, one, copies, None);
        made.state.get_mut().newest = Newest::new(content.tracked(), first);
        made
    }

    fn create(
        context: &Context,
        content: Content,
        initial: Initial,
        layout: RectLayout,
    ) -> Result<Residency> {
        let home = content.home(context, 0);
        if let ([device], 0) = (context.devices(), home) {
            let memory = content.allocate(device.ops())?;
            let first = match initial {
                Initial::Nothing => Holders::NONE,
                Initial::Copy(ptr) | Initial::Use(ptr) => {
                    transfer_now(
                        device.ops(),
                        &content.write(ptr, layout, &memory, &(0..content.tracked())),
                    )?;
                    Holders::device(0)
                }
            };
            return Ok(Self::of_one(context, content, memory, first));
        }
        let copies = context.all_ops().iter().map(|_| None).collect();
        let host = match initial {
            Initial::Nothing => None,
            Initial::Copy(ptr) | Initial::Use(ptr) => {
                if let Initial::Use(_) = initial {
                    Some(HostCopy { ptr, layout, _owner: None })
                } else {
                    let region = content.region();
                    let own = HostAllocation::new(content.bytes())
                        .ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
                    // SAFETY: the application vouches for the bytes at its pointer; the copy is new.
                    unsafe { crate::host_ptr::copy_rect(ptr, layout, own.ptr(), content.tight(), region) };
                    Some(HostCopy { ptr: own.ptr(), layout: content.tight(), _owner: Some(own) })
                }
            }
        };
        let made = Self::with(content, false, copies, host);
        // The only device must be able to hold it.
        if home != 0 && context.devices().len() == 1 {
            made.backing(context, 0)?;
        }
        Ok(made)
    }

    /// The record of memory that is shared outside of OpenCL.
    pub fn of_external(
        context: &Context,
        size: u64,
        device: usize,
        memory: Arc<dyn DeviceMemory>,
    ) -> Residency {
        let copies = (0..context.all_ops().len()).map(|i| (i == device).then(|| memory.clone())).collect();
        let mut made = Self::with(Content::Buffer { size, host_visible: false }, false, copies, None);
        made.state.get_mut().newest = Newest::new(size, Holders::device(device));
        Residency { external: Some(device), ..made }
    }

    /// The record of imported memory, which devices use directly: those with a copy, and those that use host
    /// memory.
    pub fn of_imports(
        size: u64,
        copies: impl IntoIterator<Item = Option<Arc<dyn DeviceMemory>>>,
    ) -> Residency {
        Self::with(Content::Buffer { size, host_visible: true }, true, copies.into_iter().collect(), None)
    }

    /// Index of the device whose memory is shared outside of OpenCL.
    pub fn external(&self) -> Option<usize> {
        self.external
    }

    /// The record of memory with one address for the host and every device that can use it.
    pub fn one_memory(
        context: &Context,
        size: u64,
        owner: usize,
        memory: Arc<dyn DeviceMemory>,
    ) -> Residency {
        let mut copies: SmallVec<[Memory; 1]> = context.all_ops().iter().map(|_| None).collect();
        if let Some(copy) = copies.get_mut(owner) {
            *copy = Some(memory);
        }
        Self::with(Content::Buffer { size, host_visible: true }, true, copies, None)
    }

    /// Whether the bytes are always in one memory of one device.
    pub fn has_single_copy(&self) -> bool {
        self.only.is_some()
    }

    /// Index of the device that holds it for commands of `device`: that one, or the fallback device if it
    /// cannot hold such an image.
    pub fn home(&self, context: &Context, device: usize) -> usize {
        self.content.home(context, device)
    }

    /// The backing for a device ([`Residency::home`]), created if necessary.
    pub fn backing(&self, context: &Context, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        if let Some(only) = self.only.as_ref().filter(|_| device == 0) {
            return Ok(only.clone());
        }
        let device = self.home(context, device);
        let (seen, one) = {
            let state = self.state.lock();
            if let Some(memory) = state.copies.get(device).cloned().flatten() {
                return Ok(memory);
            }
            (state.copies.iter().flatten().find(|c| self.content.host_side(c).is_some()).cloned(), state.one)
        };
        let ops = context.ops(device)?;
        let made = match (one, seen) {
            (false, _) => self.content.allocate(ops)?,
            (true, Some(memory)) if ops.info().sharing == AddressSharing::Host => {
                self.content.share(ops, &memory)?
            }
            (true, _) => {
                return Err(Error::with(CL_INVALID_OPERATION, "the allocation is not for this device"));
            }
        };
        let mut state = self.state.lock();
        let copy = state.copies.get_mut(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        // Another thread may have been faster.
        Ok(copy.get_or_insert(made).clone())
    }

    /// The backing on a device for a command that is being submitted, with the newest bytes of a range in it.
    /// An image's bytes are one range.
    pub fn acquire(
        &self,
        context: &Context,
        device: usize,
        range: Range<u64>,
        access: Access,
    ) -> Result<Arc<dyn DeviceMemory>> {
        let memory = self.backing(context, device)?;
        if self.has_single_copy() {
            return Ok(memory);
        }
        let device = self.home(context, device);
        let mut state = self.state.lock();
        // There is no other copy, or there are no copies at all.
        if state.one || state.copies.len() == 1 && state.host.is_none() {
            return Ok(memory);
        }
        let range = match self.content {
            Content::Buffer { .. } => range,
            Content::Image(_) | Content::Level(..) => 0..1,
        };
        let holder = Holders::device(device);
        for (piece, holders) in state.newest.missing(&range, holder) {
            self.copy(&state, context, &piece, holders, (device, &memory))?;
            state.newest.copied(&piece, holder);
        }
        if access == Access::Write {
            state.newest.written(&range, holder);
        }
        Ok(memory)
    }

    /// Brings all bytes up to date on a device, for a user that may write any of them.
    pub fn acquire_all(&self, context: &Context, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        self.acquire(context, device, 0..self.content.tracked(), Access::Write)
    }

    /// Copies a range from one of its holders to a device's backing.
    fn copy(
        &self,
        state: &State,
        context: &Context,
        piece: &Range<u64>,
        holders: Holders,
        (device, memory): (usize, &Arc<dyn DeviceMemory>),
    ) -> Result<()> {
        let ops = |at: usize| context.ops(at);
        let content = &self.content;
        if let Some(host) = state.host.as_ref().filter(|_| holders.has(Holders::HOST)) {
            return transfer_now(ops(device)?, &content.write(host.ptr, host.layout, memory, piece));
        }
        let from = holders.devices().find_map(|at| Some((at, state.copies.get(at)?.as_ref()?)));
        // Without a backing, nothing was ever written.
        let Some((at, from)) = from else { return Ok(()) };
        let through =
            HostAllocation::new(content.bytes()).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        for level in (0..content.levels()).map(|level| content.level(level)) {
            transfer_now(ops(at)?, &level.read(from, through.ptr(), piece))?;
            transfer_now(ops(device)?, &level.write(through.ptr(), level.tight(), memory, piece))?;
        }
        Ok(())
    }
}

impl Content {
    /// See [`Residency::home`].
    fn home(&self, context: &Context, device: usize) -> usize {
        let (Some(other), Content::Image(desc)) = (context.fallback(), self) else { return device };
        let has = context
            .ops(device)
            .is_ok_and(|ops| ops.info().image.holds(desc.format, &desc.shape, desc.levels));
        if has { device } else { other }
    }

    fn allocate(&self, ops: &Arc<dyn DeviceOps>) -> Result<Arc<dyn DeviceMemory>> {
        let made = match *self {
            Content::Buffer { size, host_visible } => {
                ops.alloc_buffer(&BufferDesc { size, host_visible, name: "buffer" })
            }
            Content::Image(desc) | Content::Level(desc, _) => ops.alloc_image(&desc),
        };
        made.map_err(Error::for_memory)
    }

    /// The device memory, if the host can access its bytes as they are, so that the fallback device can use
    /// it directly.
    fn host_side<'a>(&self, memory: &'a Arc<dyn DeviceMemory>) -> Option<&'a Arc<dyn DeviceMemory>> {
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
                ops.import_host(range, &BufferDesc { size: *size, host_visible: true, name: "buffer" })
            }
            Content::Image(desc) | Content::Level(desc, _) => {
                let (buffer, layout) = memory.in_buffer().ok_or_else(lost)?;
                ops.view_buffer(buffer, layout, desc)
            }
        };
        made.map_err(Error::for_memory)
    }

    /// Size in bytes, rows and slices.
    fn region(&self) -> [u64; 3] {
        match self {
            Content::Buffer { size, .. } => [*size, 1, 1],
            Content::Image(desc) => bytes_of(desc.shape.size, desc.format.element_size()),
            Content::Level(desc, level) => {
                bytes_of(desc.shape.level(*level).size, desc.format.element_size())
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.region().iter().product()
    }

    /// Size of the range that holders are tracked for.
    fn tracked(&self) -> u64 {
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
    fn tight(&self) -> RectLayout {
        RectLayout::packed(self.region())
    }

    /// Command that writes a range from `src`.
    fn write(
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
    if host_exec::can_run(command) && host_exec::run(command, host_exec::host_region).is_some() {
        return Ok(());
    }
    Ok(ops.transfer(command)?)
}
