//! Launches as commands: operands, and how they are accessed.

use super::addressed_memory::AddressedMemory;
use crate::device::batch::Access;
use crate::device::traits::DeviceKernel;
use crate::kernel::arg_list::ArgsInUse;
use crate::kernel::args::ArgSnapshot;
use crate::memory::MemObject;
use clspv_bridge::metadata::{AccessQualifier, AddressQualifier, ArgInfo};
use std::sync::Arc;

/// A validated launch; its memory is looked up when it is lowered.
pub struct LaunchCommand {
    pub kernel: Arc<dyn DeviceKernel>,
    pub args: ArgsInUse,
    pub dims: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: [u32; 3],
    /// Number of the recorder's estimate, or 0.
    pub work: u32,
    pub addressed: Option<Box<AddressedMemory>>,
}

impl LaunchCommand {
    /// Memory objects among the arguments. Memory used by address is kept by [`AddressedMemory`].
    pub fn memory(&self) -> impl Iterator<Item = (&Arc<MemObject>, Access)> {
        self.args.iter().zip(&self.kernel.info().args).filter_map(|(arg, info)| match arg {
            ArgSnapshot::Mem(Some(mem)) => Some((mem, arg_access(mem, info))),
            ArgSnapshot::Mem(None)
            | ArgSnapshot::Bytes(_)
            | ArgSnapshot::Local(_)
            | ArgSnapshot::Queue(_)
            | ArgSnapshot::Pointer(_) => None,
        })
    }
}

/// How a kernel accesses a memory object that is one of its arguments.
pub(super) fn arg_access(mem: &MemObject, info: &ArgInfo) -> Access {
    let writes = match mem.image() {
        Some(_) => info.access != AccessQualifier::ReadOnly,
        None => mem.flags.kernel_writable() && info.address != AddressQualifier::Constant,
    };
    if writes { Access::Write } else { Access::Read }
}
