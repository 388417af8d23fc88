//! The table of a context's memory that is identified by its address: allocations of shared virtual memory
//! and unified shared memory, and buffers with device addresses that the application has requested.
//!
//! The table keeps allocations until they are freed; commands keep the residencies they use. Locks: the
//! table's lists (rank Context) and an allocation's mappings (rank Residency), never together.

use super::mapping::Mapping;
use super::residency::Residency;
use crate::cl::*;
use crate::device::Device;
use crate::device::info::AddressSharing;
use crate::device::traits::SharedKind;
use crate::host_ptr::HostPtr;
use crate::sync::{Mutex, Rank};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Kind of an allocation, by the function that creates it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SvmKind {
    /// clSVMAlloc; host and devices use it in turns or, if `fine`, at the same time.
    Svm { fine: bool },
    /// clHostMemAllocINTEL.
    Host,
    /// clDeviceMemAllocINTEL.
    Device,
    /// clSharedMemAllocINTEL.
    Shared,
}

impl SvmKind {
    pub(super) fn memory(self) -> SharedKind {
        match self {
            SvmKind::Svm { fine: false } => SharedKind::Mirrored,
            SvmKind::Device => SharedKind::Reserved,
            SvmKind::Svm { fine: true } | SvmKind::Host | SvmKind::Shared => SharedKind::Concurrent,
        }
    }

    /// Address sharing that a device requires to use such allocations.
    pub(super) fn needs(self) -> AddressSharing {
        self.svm_type().needs()
    }

    /// Whether the device can use such allocations.
    pub fn works_on(self, device: &Device) -> bool {
        device.info().sharing >= self.needs()
    }
}

/// An allocation that is identified by its address.
pub struct Allocation {
    pub address: u64,
    pub size: u64,
    pub kind: SvmKind,
    /// Flags of SVM, or allocation flags of USM.
    pub flags: cl_bitfield,
    /// Index (in the context) of the device that it was created for.
    pub device: Option<usize>,
    /// Access flags and properties of cl_khr_unified_svm.
    pub access: cl_svm_alloc_access_flags_khr,
    pub properties: Vec<cl_svm_alloc_properties_khr>,
    pub(super) residency: Arc<Residency>,
    pub(super) mappings: Mutex<Vec<Mapping>>,
}

impl Allocation {
    /// Locations of the bytes.
    pub fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    /// The address as a pointer.
    pub fn ptr(&self) -> HostPtr {
        HostPtr::new(std::ptr::with_exposed_provenance_mut(self.address as usize))
    }

    /// Whether the allocation contains `size` bytes from `address` on.
    pub fn contains(&self, address: u64, size: u64) -> bool {
        address >= self.address
            && address.checked_add(size).is_some_and(|end| end <= self.address + self.size)
    }

    /// Adds a region that the host uses until it is unmapped.
    pub fn add_mapping(&self, mapping: Mapping) {
        self.mappings.lock().push(mapping);
    }

    /// Removes the mapping at `ptr`.
    pub fn take_mapping(&self, ptr: HostPtr) -> Option<Mapping> {
        let mut mappings = self.mappings.lock();
        let at = mappings.iter().position(|m| m.ptr == ptr)?;
        Some(mappings.remove(at))
    }
}

/// A buffer with known device addresses.
struct Addressed {
    size: u64,
    /// In the order of the context's devices.
    addresses: Vec<Option<u64>>,
    residency: Weak<Residency>,
}

/// The table of allocations of a context.
pub struct Allocations {
    by_address: Mutex<BTreeMap<u64, Arc<Allocation>>>,
    addressed: Mutex<Vec<Addressed>>,
    used: AtomicBool,
}

impl Default for Allocations {
    fn default() -> Self {
        Allocations {
            by_address: Mutex::new(Rank::Context, BTreeMap::new()),
            addressed: Mutex::new(Rank::Context, Vec::new()),
            used: AtomicBool::new(false),
        }
    }
}

impl Allocations {
    /// Whether addresses may have been passed to kernels. Until then no address needs to be looked up.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Marks that addresses are passed to kernels from now on.
    pub fn set_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// The allocation that contains `address`.
    pub fn find(&self, address: u64) -> Option<Arc<Allocation>> {
        if !self.is_used() {
            return None;
        }
        let list = self.by_address.lock();
        let (_, found) = list.range(..=address).next_back()?;
        found.contains(address, 1).then(|| found.clone())
    }

    /// The residency at an address of the device with this index in the context, with the offset of the
    /// address.
    pub fn behind(&self, address: u64, device: usize) -> Option<(Arc<Residency>, u64)> {
        if let Some(found) = self.find(address) {
            return Some((found.residency.clone(), address - found.address));
        }
        if !self.is_used() {
            return None;
        }
        let list = self.addressed.lock();
        list.iter().find_map(|b| {
            let offset = address.checked_sub((*b.addresses.get(device)?)?).filter(|o| *o < b.size)?;
            Some((b.residency.upgrade()?, offset))
        })
    }

    pub(super) fn insert(&self, allocation: Allocation) -> Arc<Allocation> {
        let made = Arc::new(allocation);
        self.by_address.lock().insert(made.address, made.clone());
        self.set_used();
        made
    }

    /// Removes the allocation that begins at `address`; its memory is freed after the last command that uses
    /// it.
    pub fn remove(&self, address: u64) -> Option<Arc<Allocation>> {
        self.by_address.lock().remove(&address)
    }

    /// Adds the device addresses of a buffer for as long as it lives.
    pub fn add_buffer(&self, size: u64, addresses: Vec<Option<u64>>, residency: &Arc<Residency>) {
        let mut list = self.addressed.lock();
        list.retain(|b| b.residency.strong_count() > 0);
        list.push(Addressed { size, addresses, residency: Arc::downgrade(residency) });
        drop(list);
        self.set_used();
    }
}
