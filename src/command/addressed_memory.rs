//! Memory that a launch uses by address: behind pointer arguments, and as set by clSetKernelExecInfo. It is
//! looked up when the launch is enqueued, so that the memory stays until the launch is complete.

use super::operand::LoweringContext;
use crate::cl::CL_INVALID_OPERATION;
use crate::context::ContextDevice;
use crate::device::batch::{self, BufferRange};
use crate::device::info::AddressSharing;
use crate::device::traits::{DeviceError, DeviceKernel};
use crate::err;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::kernel::args::ArgSnapshot;
use crate::memory::residency::Residency;
use std::sync::Arc;

/// Memory that a launch uses by address.
#[derive(Default)]
pub struct AddressedMemory {
    /// Pointer arguments with the memory that they point into.
    args: Vec<(u64, Arc<Residency>)>,
    others: Vec<Arc<Residency>>,
    anything: bool,
}

impl AddressedMemory {
    /// Memory used by address by a launch; `None` as long as no address was ever passed to a kernel of the
    /// context.
    pub fn of(
        target: &ContextDevice,
        on_device: &dyn DeviceKernel,
        args: &[ArgSnapshot],
        kernel: &Kernel,
    ) -> Result<Option<Box<AddressedMemory>>> {
        let (context, device) = (target.context(), target.device_index());
        if !context.allocations.is_used() {
            return Ok(None);
        }
        let exec_info = kernel.exec_info();
        let system = on_device.limits(target.device().info()).sharing == AddressSharing::Host;
        // CL_INVALID_OPERATION: the kernel does not find memory at its address of the device.
        let refused = |error: DeviceError| err!(CL_INVALID_OPERATION, "{error}");
        let behind = |address: u64| -> Result<Option<Arc<Residency>>> {
            let Some((residency, offset)) = context.allocations.behind(address, device) else {
                return Ok(None);
            };
            // Memory that the device cannot have must not be dereferenced there, but its address may be
            // passed.
            let Ok(memory) = residency.backing(context.device_ops(), device) else { return Ok(None) };
            let start = address.wrapping_sub(offset);
            on_device.validate_address(Some((&memory, start))).map_err(refused)?;
            Ok(Some(residency))
        };
        if exec_info.is_unbounded(false) {
            on_device.validate_address(None).map_err(refused)?;
        }
        let mut addressed =
            AddressedMemory { anything: exec_info.is_unbounded(system), ..AddressedMemory::default() };
        for arg in args {
            if let ArgSnapshot::Pointer(address) = arg {
                match behind(*address)? {
                    Some(residency) => addressed.args.push((*address, residency)),
                    // Host memory, on devices that can access it.
                    None => addressed.anything |= system,
                }
            }
        }
        for address in exec_info.pointers() {
            addressed.others.extend(behind(address)?);
        }
        Ok(Some(Box::new(addressed)))
    }

    /// Memory that a pointer argument points into, brought up to date where the lowering requires that.
    pub(super) fn within(&self, address: u64, at: LoweringContext<'_>) -> Result<Option<BufferRange>> {
        let found = self.args.iter().find(|(a, _)| *a == address);
        found.map(|(_, residency)| whole(residency, at)).transpose()
    }

    /// Brings all of the memory up to date.
    pub(super) fn bring_up_to_date(&self, at: LoweringContext<'_>) -> Result<()> {
        let all = self.args.iter().map(|(_, r)| r).chain(&self.others);
        all.map(|residency| whole(residency, at)).try_for_each(|range| range.map(drop))
    }

    /// Memory besides the arguments, brought up to date where the lowering requires that.
    pub(super) fn others(&self, at: LoweringContext<'_>) -> Result<batch::IndirectAccesses> {
        let buffers = self.others.iter().map(|r| whole(r, at)).collect::<Result<Vec<_>>>()?;
        Ok(batch::IndirectAccesses { buffers, anything: self.anything })
    }
}

fn whole(residency: &Residency, at: LoweringContext<'_>) -> Result<BufferRange> {
    let (devices, device_index) = (at.target.context().device_ops(), at.target.device_index());
    let memory = if at.newest {
        residency.acquire_all(devices, device_index)?
    } else {
        residency.backing(devices, device_index)?
    };
    Ok(BufferRange { offset: 0, size: memory.size(), memory })
}
