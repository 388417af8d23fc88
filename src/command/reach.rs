//! What a launch uses by address: the memory behind pointer arguments, and what clSetKernelExecInfo tells. Looked up when
//! the launch is enqueued, so that the memory stays until it is done.

use super::fallback;
use super::lower::At;
use crate::device::batch::{self, BufferRange};
use crate::device::info::AddressSharing;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::kernel::args::ArgSnapshot;
use crate::memory::residency::Residency;
use crate::queue::CommandQueue;
use std::sync::Arc;

/// See the module's text.
#[derive(Default)]
pub struct Reach {
    /// Pointer arguments with the memory that they lead into.
    args: Vec<(u64, Arc<Residency>)>,
    others: Vec<Arc<Residency>>,
    anything: bool,
}

impl Reach {
    /// The reach of a launch; none if no kernel of the context was ever given an address.
    pub fn of(
        queue: &CommandQueue,
        place: usize,
        args: &[ArgSnapshot],
        kernel: &Kernel,
    ) -> Result<Option<Box<Reach>>> {
        let (context, device) = (queue.context(), queue.device_index());
        if !context.allocations.is_used() {
            return Ok(None);
        }
        let exec_info = kernel.exec_info();
        let system = context.place(place)?.info().sharing == AddressSharing::Host;
        // Addresses are those on the queue's device.
        let behind = |address: u64| -> Result<Option<Arc<Residency>>> {
            let Some((residency, offset)) = context.allocations.behind(address, device) else {
                return Ok(None);
            };
            if place != device {
                fallback::validate_address(context, place, &residency, address, offset)?;
            }
            // What is not for the device must not be followed there, but may be passed.
            Ok(residency.backing(context, place).is_ok().then_some(residency))
        };
        if place != device {
            fallback::validate_indirect(queue.device(), &exec_info)?;
        }
        let mut reach = Reach { anything: exec_info.is_unbounded(system), ..Reach::default() };
        for arg in args {
            if let ArgSnapshot::Pointer(address) = arg {
                match behind(*address)? {
                    Some(residency) => reach.args.push((*address, residency)),
                    // Memory of the host, on devices that can use it.
                    None => reach.anything |= system,
                }
            }
        }
        for address in exec_info.pointers() {
            reach.others.extend(behind(address)?);
        }
        Ok(Some(Box::new(reach)))
    }

    /// The memory that an argument leads into, with the newest bytes in it if they are wanted.
    pub(super) fn within(&self, address: u64, at: At<'_>) -> Result<Option<BufferRange>> {
        let found = self.args.iter().find(|(a, _)| *a == address);
        found.map(|(_, residency)| whole(residency, at)).transpose()
    }

    /// Sees to it that the newest bytes are there.
    pub(super) fn bring_up_to_date(&self, at: At<'_>) -> Result<()> {
        let all = self.args.iter().map(|(_, r)| r).chain(&self.others);
        all.map(|residency| whole(residency, at)).try_for_each(|range| range.map(drop))
    }

    /// Everything but the arguments, with the newest bytes in it if they are wanted.
    pub(super) fn others(&self, at: At<'_>) -> Result<batch::IndirectAccesses> {
        let buffers = self.others.iter().map(|r| whole(r, at)).collect::<Result<Vec<_>>>()?;
        Ok(batch::IndirectAccesses { buffers, anything: self.anything })
    }
}

fn whole(residency: &Residency, at: At<'_>) -> Result<BufferRange> {
    let (context, place) = (at.queue.context(), at.place);
    let memory =
        if at.newest { residency.acquire_all(context, place)? } else { residency.backing(context, place)? };
    Ok(BufferRange { offset: 0, size: memory.size(), memory })
}
