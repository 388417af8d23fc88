//! Transfers that the host executes itself in mapped memory, which takes less time than a submission.

use super::record::copy_rect;
use super::rect;
use crate::cl::region::byte_count;
use crate::device::batch::{Access, DeviceCommand, Endpoint, RectLayout, Region};
use crate::device::host_exec::{self, HostRegion};
use crate::device::traits::{DeviceError, DeviceMemory as _, DeviceResult};
use crate::device::vulkan::memory::buffer::buffer_of;
use crate::device::vulkan::memory::bus;

/// Maximum size of copies between buffers and of fills: they may write across a bus.
const SMALL: u64 = bus::QUICK_WRITE;
/// Transfers up to this size are done by the host only if that is possible immediately; for larger ones it
/// waits.
const PATIENT: u64 = 32 << 20;

/// A transfer that the host can execute as soon as everything before it is complete.
pub struct HostTransfer<'a> {
    source: Source<'a>,
    dst: HostRegion,
    /// In bytes, rows and slices.
    region: Region,
}

/// Contents that a transfer writes.
enum Source<'a> {
    Memory(HostRegion),
    /// Memory that the host reads across a bus.
    Remote(HostRegion),
    Pattern(&'a [u8]),
}

impl HostTransfer<'_> {
    /// The transfer that a command is, if the host is faster than a submission.
    pub fn of(command: &DeviceCommand) -> DeviceResult<Option<HostTransfer<'_>>> {
        match command {
            DeviceCommand::Copy { src, dst, region } => {
                let with_application =
                    matches!((src, dst), (Endpoint::Host(..), _) | (_, Endpoint::Host(..)));
                if !with_application && byte_count(*region) > SMALL {
                    return Ok(None);
                }
                let (src, dst) = (side(src, *region, Access::Read)?, side(dst, *region, Access::Write)?);
                let (Some(src), Some(dst)) = (src, dst) else { return Ok(None) };
                let [from, to] = [src.memory, dst.memory].map(|side| host_exec::extent(side, *region));
                // Rows would be copied one by one.
                if !with_application && from.start < to.end && to.start < from.end {
                    return Ok(None);
                }
                let source = if src.remote { Source::Remote(src.memory) } else { Source::Memory(src.memory) };
                Ok(Some(HostTransfer { source, dst: dst.memory, region: *region }))
            }
            DeviceCommand::Fill { dst, region, pattern } if byte_count(*region) <= SMALL => {
                let dst = side(dst, *region, Access::Write)?;
                let source = Source::Pattern(pattern);
                Ok(dst.map(|dst| HostTransfer { source, dst: dst.memory, region: *region }))
            }
            _ => Ok(None),
        }
    }

    /// Whether the host should wait until everything before the transfer is complete.
    pub fn is_patient(&self) -> bool {
        byte_count(self.region) > PATIENT
    }

    /// Executes the transfer.
    ///
    /// # Safety
    /// The memory must be valid, and nothing else may use it.
    pub unsafe fn run(&self) {
        let (dst, to) = self.dst;
        match self.source {
            // SAFETY: the caller's promise.
            Source::Memory((src, from)) => unsafe { copy_rect(src, &from, dst, &to, self.region) },
            Source::Remote((src, from)) => {
                for run in rect::runs(&from, &to, self.region) {
                    // SAFETY: the caller's promise.
                    unsafe { bus::read(src.offset(run.src), dst.offset(run.dst), run.size) };
                }
            }
            // SAFETY: the caller's promise.
            Source::Pattern(pattern) => unsafe {
                host_exec::fill(self.dst, self.region, pattern, &host_exec::alone)
            },
        }
    }
}

/// One side of a transfer.
struct Side {
    memory: HostRegion,
    /// The host reads it across a bus.
    remote: bool,
}

/// The side of a transfer, if the host has fast access to it.
fn side(endpoint: &Endpoint, region: Region, access: Access) -> DeviceResult<Option<Side>> {
    let (range, layout) = match endpoint {
        Endpoint::Host(ptr, layout) => return Ok(Some(Side { memory: (*ptr, *layout), remote: false })),
        Endpoint::Buffer(range, layout) => (range, *layout),
        Endpoint::Image(_) => return Ok(None),
    };
    let buffer = buffer_of(range)?;
    if range.offset + layout.offset + rect::extent(&layout, region) > buffer.padded {
        return Err(DeviceError::Unexpected("region outside the buffer".into()));
    }
    let remote = access == Access::Read && !buffer.host_cached();
    let fast = match access {
        Access::Read => !remote || reads(&layout, region, buffer.quick_when_idle(Access::Read)),
        Access::Write => {
            buffer.host_cached() || buffer.is_for_host() || byte_count(region) <= bus::QUICK_WRITE
        }
    };
    let mapped = buffer.mapped().filter(|_| fast);
    Ok(mapped.map(|base| Side { memory: (base.offset(range.offset), layout), remote }))
}

/// Whether a region can be read with at most `most` bytes of cache lines, a further one for each row.
fn reads(layout: &RectLayout, region: Region, most: u64) -> bool {
    byte_count(region) <= most
        && match rect::runs(layout, layout, region).as_slice() {
            [_] => true,
            rows => {
                rows.iter().map(|row| row.size.next_multiple_of(bus::LINE) + bus::LINE).sum::<u64>() <= most
            }
        }
}
