//! What a launch uses by address: the memory behind pointer arguments, and what clSetKernelExecInfo tells. Looked up when
//! the launch is enqueued, so that the memory stays until it is done.

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
    pub fn of(queue: &CommandQueue, args: &[ArgSnapshot], kernel: &Kernel) -> Result<Option<Box<Reach>>> {
        let (context, device) = (queue.context(), queue.device_index());
        if !context.allocations.is_used() {
            return Ok(None);
        }
        let exec_info = kernel.exec_info();
        let system = queue.device().info().sharing == AddressSharing::Host;
        let mut reach = Reach { anything: exec_info.is_unbounded(system), ..Reach::default() };
        for arg in args {
            if let ArgSnapshot::Pointer(address) = arg {
                match context.allocations.behind(*address, device) {
                    // What is not for the device must not be followed there, but may be passed.
                    Some((residency, _)) if residency.backing(context, device).is_ok() => reach.args.push((*address, residency)),
                    // Memory of the host, on devices that can use it.
                    _ => reach.anything |= system,
                }
            }
        }
        for address in exec_info.pointers() {
            if let Some((residency, _)) = context.allocations.behind(address, device)
                && residency.backing(context, device).is_ok()
            {
                reach.others.push(residency);
            }
        }
        Ok(Some(Box::new(reach)))
    }

    /// The memory that an argument leads into, with the newest bytes in it if they are wanted.
    pub fn within(&self, address: u64, queue: &CommandQueue, newest: bool) -> Result<Option<BufferRange>> {
        let found = self.args.iter().find(|(a, _)| *a == address);
        found.map(|(_, residency)| whole(residency, queue, newest)).transpose()
    }

    /// Sees to it that the newest bytes are on the queue's device.
    pub fn bring_up_to_date(&self, queue: &CommandQueue) -> Result<()> {
        let all = self.args.iter().map(|(_, r)| r).chain(&self.others);
        all.map(|residency| whole(residency, queue, true)).try_for_each(|range| range.map(drop))
    }

    /// Everything but the arguments, with the newest bytes in it if they are wanted.
    pub fn others(&self, queue: &CommandQueue, newest: bool) -> Result<batch::Reach> {
        let buffers = self.others.iter().map(|r| whole(r, queue, newest)).collect::<Result<Vec<_>>>()?;
        Ok(batch::Reach { buffers, anything: self.anything })
    }
}

fn whole(residency: &Residency, queue: &CommandQueue, newest: bool) -> Result<BufferRange> {
    let (context, device) = (queue.context(), queue.device_index());
    let memory = if newest { residency.acquire_all(context, device)? } else { residency.backing(context, device)? };
    Ok(BufferRange { offset: 0, size: memory.size(), memory })
}
