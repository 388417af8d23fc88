//! Locations of the bytes of a memory object: its copies on the devices of the context ([`Copies`]), and how
//! they come about. Sub-buffers share their parent's record; several devices may use different ones at the
//! same time.
//!
//! With one device the initial contents are copied at creation. Locks: that of the copies (rank Residency),
//! and that of the ranges mapped for writing.

use super::mapping::WrittenRanges;
use crate::cl::*;
use crate::device::batch::{Access, RectLayout};
use crate::device::copies::{Backing, Backings, Content, Copies, HostCopy, Sharing, transfer_now};
use crate::device::newest::Holders;
use crate::device::traits::{BufferDesc, DeviceMemory, DeviceOps, HostRange, ImageDesc};
use crate::error::{Error, Result};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::sync::Rank;
use smallvec::smallvec;
use std::ops::Range;
use std::sync::Arc;

/// The devices of a context.
type Devices<'a> = &'a [Arc<dyn DeviceOps>];

/// Locations of the bytes of a buffer or an image.
pub struct Residency {
    copies: Copies,
    /// Index of the device for memory that is shared outside of OpenCL.
    external: Option<usize>,
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
    pub fn new(devices: Devices<'_>, desc: &BufferDesc, initial: Initial) -> Result<Residency> {
        let BufferDesc { size, host_visible, read_only, .. } = *desc;
        let content = Content::Buffer { size, host_visible, read_only };
        if let ([device], Initial::Use(ptr)) = (devices, initial)
            && let Ok(memory) = device.import_host(HostRange { ptr, size }, desc)
        {
            return Ok(Self::of_one(content, memory, Holders::device(0)));
        }
        Self::create(devices, content, initial, RectLayout::LINEAR)
    }

    /// Creates the record of an image; `layout` is that of the initial contents.
    pub fn new_image(
        devices: Devices<'_>,
        desc: ImageDesc,
        initial: Initial,
        layout: RectLayout,
    ) -> Result<Residency> {
        Self::create(devices, Content::Image(desc), initial, layout)
    }

    fn with(copies: Copies) -> Residency {
        Residency { copies, external: None, written: WrittenRanges::default() }
    }

    /// The record of the backing of the context's only device; `first` holds the newest bytes.
    fn of_one(content: Content, memory: Arc<dyn DeviceMemory>, first: Holders) -> Residency {
        let backings = smallvec![Some(memory)];
        Self::with(Copies::new(Rank::Residency, content, Sharing::Separate, backings, first))
    }

    fn create(
        devices: Devices<'_>,
        content: Content,
        initial: Initial,
        layout: RectLayout,
    ) -> Result<Residency> {
        if let [device] = devices {
            let memory = content.allocate(device)?;
            let first = match initial {
                Initial::Nothing => Holders::NONE,
                Initial::Copy(ptr) | Initial::Use(ptr) => {
                    transfer_now(device, &content.write(ptr, layout, &memory, &(0..content.tracked())))?;
                    Holders::device(0)
                }
            };
            return Ok(Self::of_one(content, memory, first));
        }
        let host = match initial {
            Initial::Nothing => None,
            Initial::Use(ptr) => Some(HostCopy { ptr, layout, _owner: None }),
            Initial::Copy(ptr) => {
                let own =
                    HostAllocation::new(content.bytes()).ok_or_else(|| Error::new(CL_OUT_OF_HOST_MEMORY))?;
                let region = content.region();
                // SAFETY: the application vouches for the bytes at its pointer; the copy is new.
                unsafe { crate::host_ptr::copy_rect(ptr, layout, own.ptr(), content.tight(), region) };
                Some(HostCopy { ptr: own.ptr(), layout: content.tight(), _owner: Some(own) })
            }
        };
        Ok(Self::with(Copies::on_host(Rank::Residency, content, devices.len(), host)))
    }

    /// The record of memory that is shared outside of OpenCL.
    pub fn of_external(
        devices: Devices<'_>,
        size: u64,
        device: usize,
        memory: Arc<dyn DeviceMemory>,
    ) -> Residency {
        let content = Content::Buffer { size, host_visible: false, read_only: false };
        let (backings, first) = (Self::only(devices, device, memory), Holders::device(device));
        let copies = Copies::new(Rank::Residency, content, Sharing::Separate, backings, first);
        Residency { external: Some(device), ..Self::with(copies) }
    }

    /// The record of imported memory, which devices use directly: those with a copy, and those that use host
    /// memory.
    pub fn of_imports(size: u64, backings: impl IntoIterator<Item = Backing>) -> Residency {
        let content = Content::Buffer { size, host_visible: true, read_only: false };
        let backings = backings.into_iter().collect();
        Self::with(Copies::new(Rank::Residency, content, Sharing::Shared, backings, Holders::NONE))
    }

    /// Index of the device whose memory is shared outside of OpenCL.
    pub fn external(&self) -> Option<usize> {
        self.external
    }

    /// The record of memory with one address for the host and every device that can use it.
    pub fn one_memory(
        devices: Devices<'_>,
        size: u64,
        owner: usize,
        memory: Arc<dyn DeviceMemory>,
    ) -> Residency {
        Self::of_imports(size, Self::only(devices, owner, memory))
    }

    /// The backings if only one device has one.
    fn only(devices: Devices<'_>, device: usize, memory: Arc<dyn DeviceMemory>) -> Backings {
        (0..devices.len()).map(|i| (i == device).then(|| memory.clone())).collect()
    }

    /// Whether the bytes are always in one memory of one device.
    pub fn has_single_copy(&self) -> bool {
        self.copies.has_single_copy()
    }

    /// The backing for a device, created if necessary.
    pub fn backing(&self, devices: Devices<'_>, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        self.copies.backing(devices, device)
    }

    /// The backing on a device for a command that is being submitted, with the newest bytes of a range in it.
    /// An image's bytes are one range.
    pub fn acquire(
        &self,
        devices: Devices<'_>,
        device: usize,
        range: Range<u64>,
        access: Access,
    ) -> Result<Arc<dyn DeviceMemory>> {
        self.copies.acquire(devices, device, range, access)
    }

    /// Brings all bytes up to date on a device, for a user that may write any of them.
    pub fn acquire_all(&self, devices: Devices<'_>, device: usize) -> Result<Arc<dyn DeviceMemory>> {
        self.copies.acquire_all(devices, device)
    }
}
