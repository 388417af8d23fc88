//! clSetKernelExecInfo: which memory a kernel may reach through addresses that are not its arguments.

use crate::cl::*;
use crate::context::Context;
use crate::device::info::AddressSharing;
use crate::err;
use crate::error::Result;
use crate::memory::svm::SvmKind;

/// What has been said of a kernel.
#[derive(Clone, Debug, Default)]
pub struct ExecInfo {
    svm: Vec<u64>,
    usm: Vec<u64>,
    buffers: Vec<u64>,
    /// It uses no system memory (CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is CL_FALSE).
    no_system: bool,
    /// It may use any allocation of a kind.
    indirect: [bool; 4],
}

/// Kinds of allocations that a kernel may use without naming them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indirect {
    Host,
    Device,
    Shared,
    /// CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR
    Every,
}

/// One call.
#[derive(Clone, Debug)]
pub enum Setting {
    SvmPointers(Vec<u64>),
    UsmPointers(Vec<u64>),
    DevicePointers(Vec<u64>),
    System(bool),
    Indirect(Indirect, bool),
}

/// Checks that a device of the context has what the setting is about.
pub fn validate(setting: &Setting, context: &Context) -> Result<()> {
    let some = |kind: SvmKind| context.devices().iter().any(|d| kind.works_on(d));
    let supported = match setting {
        // Some device supports SVM,
        Setting::SvmPointers(_) => some(SvmKind::Svm { fine: false }),
        // or unified shared memory,
        Setting::UsmPointers(_) => some(SvmKind::Device),
        // or that kind of it,
        Setting::Indirect(Indirect::Host, _) => some(SvmKind::Host),
        Setting::Indirect(Indirect::Device | Indirect::Every, _) => some(SvmKind::Device),
        Setting::Indirect(Indirect::Shared, _) => some(SvmKind::Shared),
        // or addresses of buffers,
        Setting::DevicePointers(_) => context.devices().iter().any(|d| d.info().buffer_addresses),
        // or fine-grained system memory, if it is to be used.
        Setting::System(used) => {
            !used || context.devices().iter().any(|d| d.info().sharing == AddressSharing::Host)
        }
    };
    if supported { Ok(()) } else { Err(err!(CL_INVALID_OPERATION, "no device supports what is set")) }
}

impl ExecInfo {
    /// Takes over a setting.
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

    /// Whether it may use memory that it does not name, where a device can use the host's memory (`system`) or not.
    pub fn is_unbounded(&self, system: bool) -> bool {
        self.indirect.contains(&true) || system && !self.no_system
    }
}
