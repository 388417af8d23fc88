//! Launches of kernels that fall back: the queue of one device has another device, the processor, execute
//! them when everything before them is complete. To the queue such a launch is a host command, on a thread of
//! its own (`worker`); its memory objects are brought to the processor by their residency, and back when the
//! device uses them again.
//!
//! An address passed to such a kernel must be one of the process: memory with another address on the
//! processor is rejected.

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

/// Executes a launch whose memory is already on the device that it runs on.
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

/// Checks that the memory at `address`, which is `offset` bytes into the allocation, has that address on the
/// device where the launch runs too.
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
    Err(err!(
        CL_INVALID_OPERATION,
        "the kernel falls back, and {address:#x} is not an address of the process"
    ))
}

/// Checks that memory which a kernel may use indirectly has the same addresses in the process.
pub(super) fn validate_indirect(device: &Device, exec_info: &ExecInfo) -> Result<()> {
    if exec_info.is_unbounded(false) && device.info().sharing != AddressSharing::Host {
        return Err(err!(
            CL_INVALID_OPERATION,
            "the kernel falls back, and may use memory of the device by any address"
        ));
    }
    Ok(())
}
