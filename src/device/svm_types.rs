//! SVM types of cl_khr_unified_svm. A type's index is its position in [`TYPES`], which is ordered by the
//! required level of sharing. A platform lists the types that at least one of its devices has.

use super::info::AddressSharing;
use crate::cl::*;

/// An SVM type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SvmType {
    Coarse,
    Device,
    Fine,
    Host,
    Shared,
    /// Memory of the process's own allocators (system allocator).
    System,
}

/// Every type, by index.
pub const TYPES: [SvmType; 6] =
    [SvmType::Coarse, SvmType::Device, SvmType::Fine, SvmType::Host, SvmType::Shared, SvmType::System];

const EVERY: cl_svm_capabilities_khr = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
    | CL_SVM_CAPABILITY_DEVICE_READ_KHR
    | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
    | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
    | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
const OF_CONTEXT: cl_svm_capabilities_khr =
    CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR;
/// The host accesses the memory without mapping it, also concurrently with devices.
const DIRECT: cl_svm_capabilities_khr = CL_SVM_CAPABILITY_HOST_READ_KHR
    | CL_SVM_CAPABILITY_HOST_WRITE_KHR
    | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR;

impl SvmType {
    /// The level of sharing that the type requires.
    pub fn needs(self) -> AddressSharing {
        match self {
            SvmType::Coarse | SvmType::Device => AddressSharing::Mirrored,
            SvmType::Fine | SvmType::Host | SvmType::Shared => AddressSharing::Concurrent,
            SvmType::System => AddressSharing::Host,
        }
    }

    /// The index.
    pub fn index(self) -> u32 {
        self as u32
    }

    /// Capabilities of the type on a device with this level of sharing; 0 if the device lacks the type.
    pub fn capabilities(self, sharing: AddressSharing) -> cl_svm_capabilities_khr {
        if sharing < self.needs() {
            return 0;
        }
        let own = match self {
            SvmType::Coarse => OF_CONTEXT | CL_SVM_CAPABILITY_HOST_MAP_KHR,
            SvmType::Device => CL_SVM_CAPABILITY_DEVICE_OWNED_KHR,
            SvmType::Fine => OF_CONTEXT | DIRECT | CL_SVM_CAPABILITY_HOST_MAP_KHR,
            SvmType::Host => OF_CONTEXT | DIRECT | CL_SVM_CAPABILITY_HOST_OWNED_KHR,
            SvmType::Shared => DIRECT,
            SvmType::System => {
                OF_CONTEXT | DIRECT | CL_SVM_CAPABILITY_HOST_MAP_KHR | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR
            }
        };
        // Host and device are the same processors.
        let atomics = sharing == AddressSharing::Host && own & CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR != 0;
        EVERY | own | if atomics { CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR } else { 0 }
    }
}

/// The types that a platform with these devices lists.
pub fn listed(devices: impl IntoIterator<Item = AddressSharing>) -> impl Iterator<Item = SvmType> {
    let most = devices.into_iter().max().unwrap_or_default();
    TYPES.into_iter().filter(move |t| t.needs() <= most)
}

/// Capabilities of the type that all devices with the type have in common; 0 if no device has the type.
pub fn common(kind: SvmType, devices: impl IntoIterator<Item = AddressSharing>) -> cl_svm_capabilities_khr {
    let all = devices.into_iter().map(|sharing| kind.capabilities(sharing)).filter(|c| *c != 0);
    all.reduce(|a, b| a & b).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_keep_their_indices_and_include_the_macros() {
        assert!(TYPES.iter().enumerate().all(|(i, t)| t.index() as usize == i));
        assert!(TYPES.is_sorted_by_key(|t| t.needs()));
        assert_eq!(listed([AddressSharing::None]).count(), 0);
        assert_eq!(listed([AddressSharing::Mirrored, AddressSharing::Concurrent]).count(), 5);
        let host = |t: SvmType| t.capabilities(AddressSharing::Host);
        assert_eq!(host(SvmType::Coarse) & 0xe18 | host(SvmType::Coarse) & 0x101, 0xf19);
        assert_eq!(host(SvmType::System) & 0x3fdb, 0x3fdb);
        let common = |t| common(t, [AddressSharing::Host, AddressSharing::Concurrent, AddressSharing::None]);
        assert_eq!(common(SvmType::Fine), SvmType::Fine.capabilities(AddressSharing::Concurrent));
        assert_eq!(common(SvmType::System), host(SvmType::System));
    }
}
