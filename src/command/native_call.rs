//! Calls of native kernels: functions of the application, with memory objects passed as plain pointers.
//! Memory that the host cannot access is copied for the call and written back.

use super::operand::{LoweringContext, MemRange};
use crate::cl::*;
use crate::context::ContextDevice;
use crate::device::batch::{Access, BufferRange, DeviceCommand};
use crate::device::copies::transfer_now;
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::memory::MemObject;
use std::sync::Arc;

/// Calls the application's function with its arguments.
pub type NativeFunction = Box<dyn Fn(HostPtr) + Send + Sync>;

/// Operands of clEnqueueNativeKernel.
pub struct NativeCommand {
    function: NativeFunction,
    /// Copy of the arguments, aligned for every type.
    args: Vec<u128>,
    /// Memory objects, and the offsets of their pointers in the arguments.
    mems: Vec<(usize, Option<Arc<MemObject>>)>,
}

impl NativeCommand {
    /// A call of the function; the offsets are within the bounds of `args`.
    pub fn new(
        function: NativeFunction,
        args: &[u8],
        mems: Vec<(usize, Option<Arc<MemObject>>)>,
    ) -> NativeCommand {
        let mut copy = vec![0u128; args.len().div_ceil(size_of::<u128>())];
        bytemuck::cast_slice_mut::<u128, u8>(&mut copy)[..args.len()].copy_from_slice(args);
        NativeCommand { function, args: copy, mems }
    }

    /// The memory objects that the function may access.
    pub(super) fn memory(&self) -> impl Iterator<Item = &Arc<MemObject>> {
        self.mems.iter().filter_map(|(_, mem)| mem.as_ref())
    }
}

/// A host copy of memory that the host cannot access.
struct Lent {
    copy: HostAllocation,
    range: BufferRange,
}

/// Calls the function; everything that it depends on is complete.
pub(crate) fn run(command: &NativeCommand, target: &ContextDevice) -> std::result::Result<(), cl_int> {
    let NativeCommand { function, args, mems } = command;
    let mut args = args.clone();
    let mut lent: Vec<(Arc<MemObject>, Lent)> = Vec::new();
    for (offset, mem) in mems {
        let address = match mem {
            None => 0,
            Some(mem) => address(mem, target, &mut lent)?.addr(),
        };
        bytemuck::cast_slice_mut::<u128, u8>(&mut args)[*offset..*offset + size_of::<usize>()]
            .copy_from_slice(&address.to_ne_bytes());
    }
    function(HostPtr::new(args.as_mut_ptr().cast()));
    for (_, Lent { copy, range }) in lent {
        transfer_now(target.ops(), &DeviceCommand::write(copy.ptr(), range)).map_err(|e| e.code())?;
    }
    Ok(())
}

/// Address of a memory object for the function; one object has one address.
fn address(
    mem: &Arc<MemObject>,
    target: &ContextDevice,
    lent: &mut Vec<(Arc<MemObject>, Lent)>,
) -> std::result::Result<HostPtr, cl_int> {
    let at = LoweringContext { target, newest: true };
    let range = at.range(&MemRange::whole(mem), Access::Write)?;
    if let Some(base) = range.memory.host_ptr() {
        return Ok(base.offset(range.offset));
    }
    // Overlapping objects have separate copies: to write to both is undefined for all kernels.
    if let Some((_, known)) = lent.iter().find(|(other, _)| Arc::ptr_eq(other, mem)) {
        return Ok(known.copy.ptr());
    }
    let copy = HostAllocation::new(mem.size).ok_or(CL_OUT_OF_HOST_MEMORY)?;
    transfer_now(target.ops(), &DeviceCommand::read(range.clone(), copy.ptr())).map_err(|e| e.code())?;
    let pointer = copy.ptr();
    lent.push((mem.clone(), Lent { copy, range }));
    Ok(pointer)
}
