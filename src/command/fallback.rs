//! Launches of kernels that fall back: the queue of one device has another do them, the processor, when everything before
//! them is done. To the queue such a launch is a command of the host, on a thread of its own (`worker`); its memory objects
//! are brought to the processor by their residency, and back when the device uses them again.
//!
//! An address that a kernel is given must be one of the process: what lies elsewhere on the processor is refused.

use super::ndrange::LaunchCommand;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::batch::DeviceCommand;
use crate::device::info::AddressSharing;
use crate::err;
use crate::error::{Error, Result};
use crate::kernel::exec_info::ExecInfo;
use crate::memory::residency::Residency;
use crate::queue::CommandQueue;

/// Does a launch whose memory is where it runs.
pub(super) fn run(
    launch: &LaunchCommand,
    lowered: &DeviceCommand,
    queue: &CommandQueue,
) -> std::result::Result<(), cl_int> {
    let DeviceCommand::Launch(lowered) = lowered else { return Err(CL_INVALID_OPERATION) };
    let context = queue.context();
    let ops = context.ops(launch.device_index).map_err(|e| e.code())?;
    let name = &launch.kernel.info().name;
    tracing::debug!("kernel '{name}' runs on {} for {}", ops.info().name, queue.device().info().name);
    let done = ops.launch(lowered, context.print_bytes(), &|text| context.print(text));
    done.map_err(|error| {
        tracing::error!(%error, "kernel '{name}' that fell back");
        Error::from(error).code()
    })
}

/// Checks that the memory behind an address has the same one where the launch runs; `offset` is that of the address in it.
pub(super) fn validate_address(
    context: &Context,
    device_index: usize,
    residency: &Residency,
    address: u64,
    offset: u64,
) -> Result<()> {
    let found = residency.backing(context, device_index).ok().and_then(|memory| memory.address());
    if found.and_then(|start| start.checked_add(offset)) == Some(address) {
        return Ok(());
    }
    // A kernel that falls back uses memory of the device by address only if the process has it there.
    Err(err!(CL_INVALID_OPERATION, "the kernel falls back, and {address:#x} is no address of the process"))
}

/// Checks that what a kernel may use without naming it is the process's memory.
pub(super) fn validate_indirect(device: &Device, exec_info: &ExecInfo) -> Result<()> {
    // A kernel that falls back uses memory that nobody names only where all memory is the process's.
    if exec_info.is_unbounded(false) && device.info().sharing != AddressSharing::Host {
        return Err(err!(
            CL_INVALID_OPERATION,
            "the kernel falls back, and may use memory of the device by any address"
        ));
    }
    Ok(())
}
