//! Where the bytes of a buffer are: one lazily made backing per device, and a host copy for initial contents. Versions
//! tell which of them is newest; using a buffer on a device whose backing is old copies the newest bytes there first.
//!
//! Versions change when commands are submitted, in the order the application's synchronisation gives. A newest copy
//! on another device is idle by then: dependencies across devices are complete before a command is submitted.
//! Sub-buffers share their parent's record. Locks: one (rank Residency), not held while bytes move.

use crate::cl::*;
use crate::context::Context;
use crate::device::batch::{Batch, BatchItem, BufferRange, DeviceCommand, Outcome, Ticket, Times};
use crate::device::host_exec;
use crate::device::traits::{BufferDesc, CompletionSink, DeviceMemory, DeviceOps, HostRange, QueueDesc};
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::{Mutex, Rank};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

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
                    let state = State { copies, host: None, latest };
                    return Ok(Residency { size, host_visible, state: Mutex::new(Rank::Residency, state) });
                }
            }
            copy.memory = Some(device.ops().alloc_buffer(&desc).map_err(Error::for_memory)?);
        }
        let host = match initial {
            Initial::Nothing => None,
            Initial::Copy(ptr) | Initial::Use(ptr) => {
                let visible = copies.first().filter(|_| devices.len() == 1);
                if let Some(to) = visible.and_then(|c| c.memory.as_ref()).and_then(|m| m.host_ptr()) {
                    // SAFETY: the application vouches for `size` bytes at its pointer; nobody knows the new memory yet.
                    unsafe { crate::host_ptr::copy(ptr, to, size) };
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
        let state = State { copies, host, latest };
        Ok(Residency { size, host_visible, state: Mutex::new(Rank::Residency, state) })
    }

    /// The backing on a device, made if there is none.
    pub fn backing(&self, context: &Context, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        if let Some(memory) = self.state.lock().copies.get(device).and_then(|c| c.memory.clone()) {
            return Ok(memory);
        }
        let ops = context.devices().get(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?.ops();
        let desc = BufferDesc { size: self.size, host_visible: self.host_visible, name: "buffer" };
        let made = ops.alloc_buffer(&desc).map_err(Error::for_memory)?;
        let mut state = self.state.lock();
        let copy = state.copies.get_mut(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
        // Another thread may have been faster.
        Ok(copy.memory.get_or_insert(made).clone())
    }

    /// The backing on a device for a command that is being submitted, with the newest bytes in it. Copies from the host
    /// may be left to commands in `before`, which come first in the same batch.
    pub fn acquire(
        &self,
        context: &Context,
        device: usize,
        access: Access,
        before: &mut Vec<BatchItem>,
    ) -> Result<Arc<dyn DeviceMemory>> {
        let memory = self.backing(context, device)?;
        let source = {
            let mut state = self.state.lock();
            let latest = state.latest;
            let current = state.copies.get(device).is_some_and(|c| c.version == latest);
            if current {
                if access == Access::Write && (state.copies.len() > 1 || state.host.is_some()) {
                    Self::advance(&mut state, device);
                }
                return Ok(memory);
            }
            match &state.host {
                Some(host) if host.version == latest => Source::Host(host.ptr),
                _ => match state.copies.iter().position(|c| c.version == latest) {
                    Some(at) => match state.copies.get(at).and_then(|c| c.memory.clone()) {
                        Some(from) => Source::Device(at, from),
                        None => Source::Nothing,
                    },
                    None => Source::Nothing,
                },
            }
        };
        let whole = BufferRange { memory: memory.clone(), offset: 0, size: self.size };
        match source {
            Source::Nothing => {}
            Source::Host(ptr) => {
                before.push(BatchItem { ticket: 0, command: DeviceCommand::Write { src: ptr, dst: whole }, ordered: true })
            }
            Source::Device(at, from) => {
                let from_ops = context.devices().get(at).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?.ops();
                let to_ops = context.devices().get(device).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?.ops();
                let from = BufferRange { memory: from, offset: 0, size: self.size };
                let through = HostAllocation::new(self.size).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
                transfer_now(from_ops, DeviceCommand::Read { src: from, dst: through.ptr() })?;
                transfer_now(to_ops, DeviceCommand::Write { src: through.ptr(), dst: whole })?;
            }
        }
        let mut state = self.state.lock();
        let latest = state.latest;
        if let Some(copy) = state.copies.get_mut(device) {
            copy.version = latest;
        }
        if access == Access::Write {
            Self::advance(&mut state, device);
        }
        Ok(memory)
    }

    fn advance(state: &mut State, device: usize) {
        state.latest += 1;
        let latest = state.latest;
        if let Some(copy) = state.copies.get_mut(device) {
            copy.version = latest;
        }
    }
}

enum Source {
    Nothing,
    Host(HostPtr),
    Device(usize, Arc<dyn DeviceMemory>),
}

struct Failure(AtomicI32);

impl CompletionSink for Failure {
    fn done(&self, _tickets: &[Ticket], outcome: Outcome, _times: &[Times]) {
        if let Outcome::Failed(code) = outcome {
            self.0.store(code, Ordering::Release);
        }
    }
}

/// Does a transfer on idle memory and waits for it: by the host if it sees the memory, else by a device queue.
pub fn transfer_now(ops: &Arc<dyn DeviceOps>, command: DeviceCommand) -> Result<()> {
    if host_exec::can_run(&command) && host_exec::run(&command) {
        return Ok(());
    }
    let failure = Arc::new(Failure(AtomicI32::new(CL_SUCCESS)));
    let queue = ops.create_queue(&QueueDesc::default(), failure.clone())?;
    let items = vec![BatchItem { ticket: 1, command, ordered: true }];
    let submission = queue.submit(Batch { waits: smallvec![], items })?;
    queue.wait(submission, None)?;
    match failure.0.load(Ordering::Acquire) {
        CL_SUCCESS => Ok(()),
        code => Err(Error::with(code, "a transfer between devices failed")),
    }
}
