//! Where the bytes of a buffer or an image are: one lazily made backing per device, and a host copy for initial contents. Versions
//! tell which of them is newest; using a buffer on a device whose backing is old copies the newest bytes there first.
//!
//! Versions change when commands are submitted, in the order the application's synchronisation gives. A newest copy
//! on another device is idle by then: dependencies across devices are complete before a command is submitted.
//! Sub-buffers share their parent's record.
//!
//! Bytes move outside of all queues and are there when `acquire` or creation returns: commands of other queues, which
//! the application need not order after the one that is being submitted, find them complete. With one device the initial
//! contents move at creation. Locks: one (rank Residency), held while bytes move, so that they move once.

use crate::cl::image::bytes_of;
use crate::cl::*;
use crate::context::Context;
use crate::device::batch::{BufferRange, DeviceCommand, ImageRange, RectLayout};
use crate::device::host_exec;
use crate::device::info::AddressSharing;
use crate::device::traits::{BufferDesc, DeviceMemory, DeviceOps, HostRange, ImageDesc};
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Allocations with one address for host and devices have whole pages.
const PAGE: u64 = 4096;

/// How a command uses a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// Writes, and needs the bytes it does not write.
    Write,
}

struct Copy {
    memory: Option<Arc<dyn DeviceMemory>>,
    version: u64,
}

struct HostCopy {
    ptr: HostPtr,
    /// Of an image's texels.
    layout: RectLayout,
    /// None for the application's memory.
    _owner: Option<HostAllocation>,
    version: u64,
}

struct State {
    /// The same bytes for every device: those of a device and, where the host sees them, of all that see the host's.
    one: bool,
    copies: SmallVec<[Copy; 1]>,
    host: Option<HostCopy>,
    latest: u64,
}

/// What the bytes are.
#[derive(Clone, Copy, Debug)]
enum Content {
    Buffer { size: u64, host_visible: bool },
    Image(ImageDesc),
}

/// See the module's text.
pub struct Residency {
    content: Content,
    /// The store is memory shared outside of OpenCL, of the device with this index.
    external: Option<usize>,
    state: Mutex<State>,
}

/// The layout of plain bytes.
const LINEAR: RectLayout = RectLayout { offset: 0, row_pitch: 0, slice_pitch: 0 };

/// What initialises a buffer or an image.
#[derive(Clone, Copy, Debug)]
pub enum Initial {
    Nothing,
    /// Copied before creation returns.
    Copy(HostPtr),
    /// Used in place if a device can.
    Use(HostPtr),
}

impl Residency {
    /// Makes the record. With one device in the context the backing is made at once, so that failure is reported at
    /// creation.
    pub fn new(context: &Context, size: u64, host_visible: bool, initial: Initial) -> Result<Residency> {
        let devices = context.devices();
        let content = Content::Buffer { size, host_visible };
        if let ([device], Initial::Use(ptr)) = (devices, initial) {
            let desc = BufferDesc { size, host_visible, name: "buffer" };
            if let Ok(memory) = device.ops().import_host(HostRange { ptr, size }, &desc) {
                let copies = smallvec![Copy { memory: Some(memory), version: 0 }];
                return Ok(Self::with(content, State { one: false, copies, host: None, latest: 0 }));
            }
        }
        Self::create(context, content, initial, LINEAR)
    }

    /// The same for an image; `layout` is that of the initial contents.
    pub fn new_image(context: &Context, desc: ImageDesc, initial: Initial, layout: RectLayout) -> Result<Residency> {
        Self::create(context, Content::Image(desc), initial, layout)
    }

    fn with(content: Content, state: State) -> Residency {
        Residency { content, external: None, state: Mutex::new(Rank::Residency, state) }
    }

    fn create(context: &Context, content: Content, initial: Initial, layout: RectLayout) -> Result<Residency> {
        let devices = context.devices();
        let mut copies: SmallVec<[Copy; 1]> = devices.iter().map(|_| Copy { memory: None, version: 0 }).collect();
        let mut latest = 0;
        if let ([device], [copy]) = (devices, copies.as_mut_slice()) {
            copy.memory = Some(content.allocate(device.ops())?);
        }
        let host = match initial {
            Initial::Nothing => None,
            Initial::Copy(ptr) | Initial::Use(ptr) => {
                if let ([device], Some(memory)) = (devices, copies.first().and_then(|c| c.memory.as_ref())) {
                    transfer_now(device.ops(), &content.write(ptr, layout, memory))?;
                    None
                } else if let Initial::Use(_) = initial {
                    latest = 1;
                    Some(HostCopy { ptr, layout, _owner: None, version: 1 })
                } else {
                    let region = content.region();
                    let own = HostAllocation::new(content.bytes()).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
                    // SAFETY: the application vouches for the bytes at its pointer; the copy is new.
                    unsafe { crate::host_ptr::copy_rect(ptr, layout, own.ptr(), content.tight(), region) };
                    latest = 1;
                    Some(HostCopy { ptr: own.ptr(), layout: content.tight(), _owner: Some(own), version: 1 })
                }
            }
        };
        Ok(Self::with(content, State { one: false, copies, host, latest }))
    }

    /// Of memory that is shared outside of OpenCL.
    pub fn of_external(context: &Context, size: u64, device: usize, memory: Arc<dyn DeviceMemory>) -> Residency {
        let copy = |i: usize| Copy { memory: (i == device).then(|| memory.clone()), version: 0 };
        let state = State { one: false, copies: (0..context.devices().len()).map(copy).collect(), host: None, latest: 0 };
        Residency { external: Some(device), ..Self::with(Content::Buffer { size, host_visible: false }, state) }
    }

    /// The device whose memory is shared outside of OpenCL.
    pub fn external(&self) -> Option<usize> {
        self.external
    }

    /// The record of memory with one address for the host and every device that can use it.
    pub fn one_memory(context: &Context, size: u64, owner: usize, memory: Arc<dyn DeviceMemory>) -> Residency {
        let mut copies: SmallVec<[Copy; 1]> = context.devices().iter().map(|_| Copy { memory: None, version: 0 }).collect();
        if let Some(copy) = copies.get_mut(owner) {
            copy.memory = Some(memory);
        }
        let state = State { one: true, copies, host: None, latest: 0 };
        Self::with(Content::Buffer { size, host_visible: true }, state)
    }

    /// The backing on a device, made if there is none.
    pub fn backing(&self, context: &Context, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        let (seen, one) = {
            let state = self.state.lock();
            if let Some(memory) = state.copies.get(device).and_then(|c| c.memory.clone()) {
                return Ok(memory);
            }
            (state.copies.iter().find_map(|c| c.memory.as_ref()?.host_ptr()), state.one)
        };
        let ops = context.devices().get(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?.ops();
        let made = match (one, seen) {
            (false, _) => self.content.allocate(ops)?,
            // Whole pages, which the allocation has.
            (true, Some(ptr)) if ops.info().sharing == AddressSharing::Host => {
                let desc = BufferDesc { size: self.content.bytes(), host_visible: true, name: "buffer" };
                let range = HostRange { ptr, size: desc.size.next_multiple_of(PAGE) };
                ops.import_host(range, &desc).map_err(Error::for_memory)?
            }
            (true, _) => return Err(Error::with(CL_INVALID_OPERATION, "the allocation is not for this device")),
        };
        let mut state = self.state.lock();
        let copy = state.copies.get_mut(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        // Another thread may have been faster.
        Ok(copy.memory.get_or_insert(made).clone())
    }

    /// The backing on a device for a command that is being submitted, with the newest bytes in it.
    pub fn acquire(&self, context: &Context, device: usize, access: Access) -> Result<Arc<dyn DeviceMemory>> {
        let memory = self.backing(context, device)?;
        let mut state = self.state.lock();
        if state.one {
            return Ok(memory);
        }
        let latest = state.latest;
        if state.copies.get(device).is_none_or(|c| c.version != latest) {
            self.bring_up_to_date(&state, context, device, &memory)?;
            if let Some(copy) = state.copies.get_mut(device) {
                copy.version = latest;
            }
        }
        if access == Access::Write && (state.copies.len() > 1 || state.host.is_some()) {
            Self::advance(&mut state, device);
        }
        Ok(memory)
    }

    /// Copies the newest bytes to a device's backing.
    fn bring_up_to_date(&self, state: &State, context: &Context, device: usize, memory: &Arc<dyn DeviceMemory>) -> Result<()> {
        let ops = |at: usize| context.devices().get(at).map(|d| d.ops()).ok_or_else(|| Error::new(CL_INVALID_DEVICE));
        let content = &self.content;
        let write = |src, layout| transfer_now(ops(device)?, &content.write(src, layout, memory));
        if let Some(host) = state.host.as_ref().filter(|h| h.version == state.latest) {
            return write(host.ptr, host.layout);
        }
        let newest = state.copies.iter().enumerate().find(|(_, c)| c.version == state.latest);
        // Nothing was ever written where there is no backing.
        let Some((at, from)) = newest.and_then(|(at, c)| Some((at, c.memory.as_ref()?))) else { return Ok(()) };
        let through = HostAllocation::new(content.bytes()).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        transfer_now(ops(at)?, &content.read(from, through.ptr()))?;
        write(through.ptr(), content.tight())
    }

    fn advance(state: &mut State, device: usize) {
        state.latest += 1;
        let latest = state.latest;
        if let Some(copy) = state.copies.get_mut(device) {
            copy.version = latest;
        }
    }
}

impl Content {
    fn allocate(&self, ops: &Arc<dyn DeviceOps>) -> Result<Arc<dyn DeviceMemory>> {
        let made = match *self {
            Content::Buffer { size, host_visible } => ops.alloc_buffer(&BufferDesc { size, host_visible, name: "buffer" }),
            Content::Image(desc) => ops.alloc_image(&desc),
        };
        made.map_err(Error::for_memory)
    }

    /// Bytes, rows and slices.
    fn region(&self) -> [u64; 3] {
        match self {
            Content::Buffer { size, .. } => [*size, 1, 1],
            Content::Image(desc) => bytes_of(desc.shape.size, desc.format.element_size()),
        }
    }

    fn bytes(&self) -> u64 {
        self.region().iter().product()
    }

    /// The layout of bytes without gaps.
    fn tight(&self) -> RectLayout {
        let region = self.region();
        RectLayout { offset: 0, row_pitch: region[0], slice_pitch: region[0] * region[1] }
    }

    fn write(&self, src: HostPtr, layout: RectLayout, memory: &Arc<dyn DeviceMemory>) -> DeviceCommand {
        match self {
            Content::Buffer { size, .. } => {
                DeviceCommand::Write { src, dst: BufferRange { memory: memory.clone(), offset: 0, size: *size } }
            }
            Content::Image(desc) => DeviceCommand::WriteImage { src, layout, dst: whole(desc, memory) },
        }
    }

    fn read(&self, memory: &Arc<dyn DeviceMemory>, dst: HostPtr) -> DeviceCommand {
        match self {
            Content::Buffer { size, .. } => {
                DeviceCommand::Read { src: BufferRange { memory: memory.clone(), offset: 0, size: *size }, dst }
            }
            Content::Image(desc) => DeviceCommand::ReadImage { src: whole(desc, memory), dst, layout: self.tight() },
        }
    }
}

fn whole(desc: &ImageDesc, image: &Arc<dyn DeviceMemory>) -> ImageRange {
    ImageRange { image: image.clone(), origin: [0; 3], region: desc.shape.size }
}

/// Does a transfer on idle memory and waits for it: by the host if it sees the memory, else by the device.
pub fn transfer_now(ops: &Arc<dyn DeviceOps>, command: &DeviceCommand) -> Result<()> {
    if host_exec::can_run(command) && host_exec::run(command) {
        return Ok(());
    }
    Ok(ops.transfer(command)?)
}
