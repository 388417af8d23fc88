//! Kernel launches: validation against the kernel and device, and description.

use super::addressed_memory::AddressedMemory;
use super::launch::LaunchCommand;
use super::{CommandKind, ExecutionTarget};
use crate::cl::ndrange::{Limits, NdRange};
use crate::cl::*;
use crate::device::batch::Work;
use crate::device::traits::DeviceKernel;
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::kernel::Kernel;
use crate::kernel::args::ArgSnapshot;
use crate::memory::buffer;
use crate::queue::{CommandQueue, NewCommand, SyncKind};
use std::sync::Arc;

/// clEnqueueNDRangeKernel. clEnqueueTask uses it with its own command type and one work-item.
pub fn launch(
    queue: &Arc<CommandQueue>,
    kernel: &Kernel,
    command_type: cl_command_type,
    range: NdRange,
    waits: WaitList,
) -> Result<Arc<Event>> {
    if waits.iter().any(|e| !Arc::ptr_eq(e.context(), queue.context())) {
        return Err(Error::with(CL_INVALID_CONTEXT, "an event of the wait list belongs to another context"));
    }
    let (kind, target) = describe(queue, kernel, &range)?;
    queue.enqueue(NewCommand { command_type, kind, waits, target, sync: SyncKind::None })
}

/// Describes a launch on the queue's device, with its execution target.
pub fn describe(
    queue: &CommandQueue,
    kernel: &Kernel,
    range: &NdRange,
) -> Result<(CommandKind, ExecutionTarget)> {
    validate_context(queue, kernel)?;
    // CL_INVALID_PROGRAM_EXECUTABLE: no executable for the device. CL_INVALID_KERNEL_ARGS: an argument is not
    // set.
    let mut snapshot = kernel.snapshot(queue.device())?;
    let (context, at, device) = (queue.context(), queue.device_index(), queue.device().info());
    for (arg, info) in snapshot.args.iter().zip(&kernel.info.args) {
        if let ArgSnapshot::Mem(Some(mem)) = arg {
            buffer::validate_alignment(mem, queue.device())?;
            let memory = mem.backing(at)?;
            if let Some(image) = mem.image() {
                image.validate_device(device)?;
                image.validate_access(device, info.access)?;
                let memory = image.for_kernels(context, at, memory)?;
                let form = snapshot.kernel.for_image(&memory, info.access);
                // CL_IMAGE_FORMAT_NOT_SUPPORTED: the kernel cannot use the image as declared.
                if let Some(other) = form.map_err(|e| err!(CL_IMAGE_FORMAT_NOT_SUPPORTED, "{e}"))? {
                    snapshot.kernel = other;
                }
            }
        }
    }
    let facts = snapshot.kernel.limits(device);
    let local = validate_range(queue, kernel, &*snapshot.kernel, range)?;
    // CL_OUT_OF_RESOURCES: local variables and arguments exceed the local memory.
    let size_of = |arg: u16| match snapshot.args.get(usize::from(arg)) {
        Some(ArgSnapshot::Local(size)) => *size,
        _ => 0,
    };
    if snapshot.kernel.local_bytes(&size_of) > facts.local_mem_size {
        return Err(Error::with(CL_OUT_OF_RESOURCES, "more local memory than the device has"));
    }
    // Without work-items, the command only orders others.
    if range.is_empty() {
        return Ok((CommandKind::NOP, ExecutionTarget::Either));
    }
    let local = local.unwrap_or_else(|| snapshot.kernel.suggest_local_size(range.global, range.dims));
    let addressed = AddressedMemory::of(queue.target(), &*snapshot.kernel, &snapshot.args, kernel)?;
    let work = kernel.estimates().map_or(0, |e| e.number(&snapshot.args, range.global, local.map(u64::from)));
    let launch = LaunchCommand {
        kernel: snapshot.kernel,
        args: snapshot.args,
        dims: range.dims,
        offset: range.offset,
        global: range.global,
        local,
        work,
        addressed,
    };
    Ok((CommandKind::Work(Work::Launch(launch)), ExecutionTarget::Device))
}

/// Checks an index space against kernel and device. Returns the local size if the range or the kernel
/// specifies it.
pub(crate) fn validate_range(
    queue: &CommandQueue,
    kernel: &Kernel,
    on_device: &dyn DeviceKernel,
    range: &NdRange,
) -> Result<Option<[u32; 3]>> {
    let sub_groups = kernel.sub_groups(on_device);
    range.validate(&Limits {
        max_group: on_device.max_work_group_size() as u64,
        max_item_sizes: on_device.limits(queue.device().info()).max_work_item_sizes,
        address_bits: usize::BITS,
        reqd_work_group_size: kernel.info.reqd_work_group_size,
        sub_groups,
        // Only queried where it matters.
        non_uniform: (!range.divides() || sub_groups.is_some())
            && kernel.program.allows_non_uniform_groups(queue.device()),
    })
}

fn validate_context(queue: &CommandQueue, kernel: &Kernel) -> Result<()> {
    if !Arc::ptr_eq(queue.context(), &kernel.program.context) {
        return Err(Error::with(CL_INVALID_CONTEXT, "the kernel belongs to another context"));
    }
    Ok(())
}
