//! Creation of allocations that are identified by their address: shared virtual memory and unified shared
//! memory. A context keeps one table of them ([`super::allocations`]).
//!
//! An allocation has one address for the host and all devices that can use it, and a [`Residency`] that
//! commands use like a buffer's. If the host has memory of its own at the address
//! (`AddressSharing::Mirrored`), mapping and unmapping copy.

pub use super::allocations::SvmKind;

use super::MemObject;
use super::allocations::Allocation;
use super::residency::Residency;
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::info::AddressSharing;
use crate::device::traits::SharedKind;
use crate::error::{Error, Result};
use crate::host_ptr::HostPtr;
use crate::sync::{Mutex, Rank};
use std::sync::Arc;

#[cfg(test)]
mod tests;
pub mod unified;

/// Largest alignment that can be requested: that of the largest type, long16. Every allocation begins at a
/// page.
pub(crate) const MAX_ALIGNMENT: u32 = 128;

impl Allocation {
    /// Creates an internal buffer of the same bytes.
    pub(crate) fn as_mem(&self, context: &Arc<Context>) -> Arc<MemObject> {
        let flags = MemFlags(CL_MEM_READ_WRITE as cl_mem_flags);
        let ptr = (self.kind != SvmKind::Device).then(|| self.ptr());
        Arc::new(MemObject {
            host_ptr: ptr,
            uses_svm: true,
            ..MemObject::new(context, flags, self.size, self.residency().clone(), 0)
        })
    }
}

/// Details of an allocation: the associated device, access flags and properties.
type AllocationDetails = (Option<usize>, cl_svm_alloc_access_flags_khr, Vec<cl_svm_alloc_properties_khr>);

/// Creates an allocation with one address for the devices of the context that can use its kind, or for one of
/// them.
fn allocate(
    context: &Context,
    kind: SvmKind,
    device: Option<usize>,
    flags: cl_bitfield,
    size: u64,
    remarks: AllocationDetails,
) -> Result<Arc<Allocation>> {
    let sharing = |i: usize| context.devices().get(i).map_or(AddressSharing::None, |d| d.info().sharing);
    let users: Vec<usize> = match device {
        Some(device) => vec![device],
        None => (0..context.devices().len()).filter(|i| sharing(*i) >= kind.needs()).collect(),
    };
    let first = *users
        .first()
        .ok_or_else(|| Error::with(CL_INVALID_OPERATION, "no device of the context can use it"))?;
    let choosy: Vec<usize> = users.iter().copied().filter(|i| sharing(*i) != AddressSharing::Host).collect();
    let (address, residency) = match choosy.as_slice() {
        [] | [_] => of_one(context, kind, &users, choosy.first().copied().unwrap_or(first), size)?,
        several => of_several(context, several, size)?,
    };
    let residency = Arc::new(residency);
    let mappings = Mutex::new(Rank::Residency, Vec::new());
    let (device, access, properties) = remarks;
    let made = Allocation { address, size, kind, flags, device, access, properties, residency, mappings };
    Ok(context.allocations.insert(made))
}

/// Memory of a device, at an address of the device if it has its own; other devices can access every address
/// of the process.
fn of_one(
    context: &Context,
    kind: SvmKind,
    users: &[usize],
    owner: usize,
    size: u64,
) -> Result<(u64, Residency)> {
    let device = context.devices().get(owner).ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
    let sharing = device.info().sharing;
    let memory = match kind.memory() {
        // Devices that access every address of the process use the host's side, which must be the other
        // device's too.
        SharedKind::Mirrored if users.len() > 1 && sharing != AddressSharing::Host => SharedKind::Concurrent,
        other => other,
    };
    if memory == SharedKind::Concurrent && sharing < AddressSharing::Concurrent {
        return Err(Error::with(
            CL_OUT_OF_RESOURCES,
            "no memory that all devices of the context use at one address",
        ));
    }
    let memory = device.ops().alloc_shared(size, memory).map_err(Error::for_memory)?;
    let address =
        memory.address().ok_or_else(|| Error::with(CL_OUT_OF_RESOURCES, "memory without an address"))?;
    Ok((address, Residency::one_memory(context.device_ops(), size, owner, memory)))
}

/// Host memory that several devices with addresses of their own import at the same address.
fn of_several(context: &Context, owners: &[usize], size: u64) -> Result<(u64, Residency)> {
    let refused =
        |why: &str| Error::with(CL_OUT_OF_RESOURCES, format!("one address for several devices: {why}"));
    let devices: Vec<_> = owners.iter().filter_map(|i| context.devices().get(*i)).collect();
    if devices.iter().any(|d| d.info().sharing < AddressSharing::Concurrent) {
        return Err(refused("a device cannot use memory of the host at it"));
    }
    let others: Vec<_> = devices.iter().skip(1).map(|d| d.ops().clone()).collect();
    let first = devices.first().ok_or_else(|| Error::new(CL_INVALID_DEVICE))?;
    let memory = first.ops().alloc_shared_with(&others, size).map_err(|e| refused(&e.to_string()))?;
    let address =
        memory.first().and_then(|m| m.address()).ok_or_else(|| refused("memory without an address"))?;
    let mut copies: Vec<_> = context.devices().iter().map(|_| None).collect();
    for (owner, memory) in owners.iter().zip(memory) {
        copies[*owner] = Some(memory);
    }
    Ok((address, Residency::of_imports(size, copies)))
}

/// Checks an alignment; 0 means the largest.
fn validate_alignment(alignment: u32) -> Result<()> {
    // CL_INVALID_VALUE: neither 0 nor a power of two up to that of the largest type.
    if alignment != 0 && (!alignment.is_power_of_two() || alignment > MAX_ALIGNMENT) {
        return Err(Error::with(CL_INVALID_VALUE, format!("alignment {alignment}")));
    }
    Ok(())
}

/// clSVMAlloc.
pub fn svm_alloc(
    context: &Context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> Result<HostPtr> {
    let coarse = SvmKind::Svm { fine: false };
    if !context.devices().iter().any(|d| coarse.works_on(d)) {
        return Err(Error::with(CL_INVALID_OPERATION, "no device supports shared virtual memory"));
    }
    const ACCESS: cl_svm_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const FINE: cl_svm_mem_flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let (fine, atomics) = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0, flags & CL_MEM_SVM_ATOMICS != 0);
    // CL_INVALID_VALUE: undefined flags, several access flags, or atomics without fine grains.
    if flags & !(ACCESS | FINE) != 0 || (flags & ACCESS).count_ones() > 1 || atomics && !fine {
        return Err(Error::with(CL_INVALID_VALUE, format!("flags {flags:#x}")));
    }
    let kind = SvmKind::Svm { fine };
    if fine && !context.devices().iter().all(|d| kind.works_on(d))
        || atomics && !context.devices().iter().all(|d| d.info().sharing == AddressSharing::Host)
    {
        return Err(Error::with(CL_INVALID_VALUE, "a device does not support the flags"));
    }
    // CL_INVALID_BUFFER_SIZE: zero, or more than a device can allocate.
    if size == 0 || context.devices().iter().any(|d| size as u64 > d.info().max_alloc_size) {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, format!("{size} bytes")));
    }
    validate_alignment(alignment)?;
    Ok(allocate(context, kind, None, flags, size as u64, AllocationDetails::default())?.ptr())
}

/// clHostMemAllocINTEL, clDeviceMemAllocINTEL, clSharedMemAllocINTEL.
pub fn usm_alloc(
    context: &Context,
    kind: SvmKind,
    device: Option<&Device>,
    properties: &[(cl_mem_properties_intel, cl_mem_properties_intel)],
    size: usize,
    alignment: cl_uint,
) -> Result<HostPtr> {
    let index = match device {
        None => None,
        // CL_INVALID_DEVICE: not a device of the context.
        Some(device) => {
            context.device(device)?;
            context.devices().iter().position(|d| std::ptr::eq(&**d, device))
        }
    };
    let users = || context.devices().iter().filter(|d| device.is_none_or(|one| std::ptr::eq(&***d, one)));
    // CL_INVALID_OPERATION: neither the device nor, without one, any of the context supports such
    // allocations.
    if !users().any(|d| kind.works_on(d)) {
        return Err(Error::with(CL_INVALID_OPERATION, "no device supports such unified shared memory"));
    }
    validate_alignment(alignment)?;
    let flags = allocation_flags(properties, kind)?;
    // CL_INVALID_BUFFER_SIZE: zero, or more than a device that is to use it can allocate.
    if size == 0 || users().any(|d| kind.works_on(d) && size as u64 > d.info().max_alloc_size) {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, format!("{size} bytes")));
    }
    Ok(allocate(context, kind, index, flags, size as u64, (index, 0, Vec::new()))?.ptr())
}

/// The allocation flags in a list of USM properties.
fn allocation_flags(
    properties: &[(cl_mem_properties_intel, cl_mem_properties_intel)],
    kind: SvmKind,
) -> Result<cl_bitfield> {
    const PLACEMENT: cl_bitfield =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    let invalid = |why: &str| Error::with(CL_INVALID_PROPERTY, why.to_string());
    match properties {
        [] => Ok(0),
        // CL_INVALID_PROPERTY: a property other than CL_MEM_ALLOC_FLAGS_INTEL, or several.
        [(key, flags)] if *key == cl_mem_properties_intel::from(CL_MEM_ALLOC_FLAGS_INTEL) => {
            // CL_INVALID_PROPERTY: undefined flags, or an initial placement of an allocation that is not
            // shared, or two of them.
            let placements = if kind == SvmKind::Shared { 1 } else { 0 };
            if flags & !(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | PLACEMENT) != 0
                || (flags & PLACEMENT).count_ones() > placements
            {
                return Err(invalid("allocation flags"));
            }
            Ok(*flags)
        }
        _ => Err(invalid("an unknown property, or one that is given twice")),
    }
}
