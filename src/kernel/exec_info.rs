//! clSetKernelExecInfo: memory that a kernel may access by addresses other than its arguments.

use crate::cl::*;
use crate::context::Context;
use crate::device::info::AddressSharing;
use crate::err;
use crate::error::Result;
use crate::memory::svm::SvmKind;

/// Execution information of a kernel.
#[derive(Clone, Debug, Default)]
pub struct ExecInfo {
    svm: Vec<u64>,
    usm: Vec<u64>,
    buffers: Vec<u64>,
    /// The kernel uses no system memory (CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is CL_FALSE).
    no_system: bool,
    /// Kinds of allocations that the kernel may use indirectly.
    indirect: [bool; 4],
}

/// Kinds of allocations that a kernel may use indirectly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indirect {
    Host,
    Device,
    Shared,
    /// CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR.
    Every,
}

/// Parameter and value of a call.
#[derive(Clone, Debug)]
pub enum Setting {
    SvmPointers(Vec<u64>),
    UsmPointers(Vec<u64>),
    DevicePointers(Vec<u64>),
    System(bool),
    Indirect(Indirect, bool),
}

/// Checks that a device of the context supports the memory that the setting requires (else
/// CL_INVALID_OPERATION).
pub fn validate(setting: &Setting, context: &Context) -> Result<()> {
    let some = |kind: SvmKind| context.devices().iter().any(|d| kind.works_on(d));
    let supported = match setting {
        Setting::SvmPointers(_) => some(SvmKind::Svm { fine: false }),
        Setting::UsmPointers(_) => some(SvmKind::Device),
        Setting::Indirect(Indirect::Host, _) => some(SvmKind::Host),
        Setting::Indirect(Indirect::Device | Indirect::Every, _) => some(SvmKind::Device),
        Setting::Indirect(Indirect::Shared, _) => some(SvmKind::Shared),
        Setting::DevicePointers(_) => context.devices().iter().any(|d| d.info().buffer_addresses),
        Setting::System(used) => {
            !used || context.devices().iter().any(|d| d.info().sharing == AddressSharing::Host)
        }
    };
    if supported { Ok(()) } else { Err(err!(CL_INVALID_OPERATION, "no device supports what is set")) }
}

impl ExecInfo {
    /// Applies a setting.
    pub fn apply(&mut self, setting: Setting) {
        match setting {
            Setting::SvmPointers(list) => self.svm = list,
            Setting::UsmPointers(list) => self.usm = list,
            Setting::DevicePointers(list) => self.buffers = list,
            Setting::System(used) => self.no_system = !used,
            Setting::Indirect(kind, on) => self.indirect[kind as usize] = on,
        }
    }

    /// Addresses in memory that the kernel may use.
    pub fn pointers(&self) -> impl Iterator<Item = u64> {
        self.svm.iter().chain(&self.usm).chain(&self.buffers).copied()
    }

    /// Whether it may use memory that it does not name; `system` says whether the device can access host
    /// memory.
    pub(crate) fn is_unbounded(&self, system: bool) -> bool {
        self.indirect.contains(&true) || system && !self.no_system
    }
}
