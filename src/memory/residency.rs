//! Where the bytes of a buffer are: one lazily made backing per device, and a host copy for initial contents. Versions
//! tell which of them is newest; using a buffer on a device whose backing is old copies the newest bytes there first.
//!
//! Versions change when commands are submitted, in the order the application's synchronisation gives. A newest copy
//! on another device is idle by then: dependencies across devices are complete before a command is submitted.
//! Sub-buffers share their parent's record.
//!
//! Bytes move outside of all queues and are there when `acquire` or creation returns: commands of other queues, which
//! the application need not order after the one that is being submitted, find them complete. With one device the initial
//! contents move at creation. Locks: one (rank Residency), held while bytes move, so that they move once.

use crate::cl::*;
use crate::context::Context;
use crate::device::batch::{BufferRange, DeviceCommand};
use crate::device::host_exec;
use crate::device::info::AddressSharing;
use crate::device::traits::{BufferDesc, DeviceMemory, DeviceOps, HostRange};
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use smallvec::SmallVec;
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

/// See the module's text.
pub struct Residency {
    size: u64,
    host_visible: bool,
    state: Mutex<State>,
}

/// What initialises a buffer.
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
        let mut copies: SmallVec<[Copy; 1]> = devices.iter().map(|_| Copy { memory: None, version: 0 }).collect();
        let mut latest = 0;
        let desc = BufferDesc { size, host_visible, name: "buffer" };
        if let ([device], [copy]) = (devices, copies.as_mut_slice()) {
            if let Initial::Use(ptr) = initial {
                copy.memory = device.ops().import_host(HostRange { ptr, size }, &desc).ok();
                if copy.memory.is_some() {
                    let state = State { one: false, copies, host: None, latest };
                    return Ok(Residency { size, host_visible, state: Mutex::new(Rank::Residency, state) });
                }
            }
            copy.memory = Some(device.ops().alloc_buffer(&desc).map_err(Error::for_memory)?);
        }
        let host = match initial {
            Initial::Nothing => None,
            Initial::Copy(ptr) | Initial::Use(ptr) => {
                if let ([device], Some(memory)) = (devices, copies.first().and_then(|c| c.memory.clone())) {
                    let dst = BufferRange { memory, offset: 0, size };
                    transfer_now(device.ops(), &DeviceCommand::Write { src: ptr, dst })?;
                    None
                } else if let Initial::Use(_) = initial {
                    latest = 1;
                    Some(HostCopy { ptr, _owner: None, version: 1 })
                } else {
                    let own = HostAllocation::new(size).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
                    // SAFETY: the application vouches for `size` bytes at its pointer; the copy is new.
                    unsafe { crate::host_ptr::copy(ptr, own.ptr(), size) };
                    latest = 1;
                    Some(HostCopy { ptr: own.ptr(), _owner: Some(own), version: 1 })
                }
            }
        };
        let state = State { one: false, copies, host, latest };
        Ok(Residency { size, host_visible, state: Mutex::new(Rank::Residency, state) })
    }

    /// The record of memory with one address for the host and every device that can use it.
    pub fn one_memory(context: &Context, size: u64, owner: usize, memory: Arc<dyn DeviceMemory>) -> Residency {
        let mut copies: SmallVec<[Copy; 1]> = context.devices().iter().map(|_| Copy { memory: None, version: 0 }).collect();
        if let Some(copy) = copies.get_mut(owner) {
            copy.memory = Some(memory);
        }
        let state = State { one: true, copies, host: None, latest: 0 };
        Residency { size, host_visible: true, state: Mutex::new(Rank::Residency, state) }
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
        let desc = BufferDesc { size: self.size, host_visible: self.host_visible, name: "buffer" };
        let made = match (one, seen) {
            (false, _) => ops.alloc_buffer(&desc).map_err(Error::for_memory)?,
            // Whole pages, which the allocation has.
            (true, Some(ptr)) if ops.info().sharing == AddressSharing::Host => {
                let range = HostRange { ptr, size: self.size.next_multiple_of(PAGE) };
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
        let range = |memory: &Arc<dyn DeviceMemory>| BufferRange { memory: memory.clone(), offset: 0, size: self.size };
        let write = |src| transfer_now(ops(device)?, &DeviceCommand::Write { src, dst: range(memory) });
        if let Some(host) = state.host.as_ref().filter(|h| h.version == state.latest) {
            return write(host.ptr);
        }
        let newest = state.copies.iter().enumerate().find(|(_, c)| c.version == state.latest);
        // Nothing was ever written where there is no backing.
        let Some((at, from)) = newest.and_then(|(at, c)| Some((at, c.memory.as_ref()?))) else { return Ok(()) };
        let through = HostAllocation::new(self.size).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
        transfer_now(ops(at)?, &DeviceCommand::Read { src: range(from), dst: through.ptr() })?;
        write(through.ptr())
    }

    fn advance(state: &mut State, device: usize) {
        state.latest += 1;
        let latest = state.latest;
        if let Some(copy) = state.copies.get_mut(device) {
            copy.version = latest;
        }
    }
}

/// Does a transfer on idle memory and waits for it: by the host if it sees the memory, else by the device.
pub fn transfer_now(ops: &Arc<dyn DeviceOps>, command: &DeviceCommand) -> Result<()> {
    if host_exec::can_run(command) && host_exec::run(command) {
        return Ok(());
    }
    Ok(ops.transfer(command)?)
}
