//! Memory with one address for host and device, without support by the driver: a buffer's device address is a
//! number below 2^47, so host memory can be mapped at the same address.
//!
//! * On a software device every address of the process is a device address. It is not used without imports of
//!   host memory, by which commands reach such addresses.
//! * *Concurrent*: pages of the host in a memory file are imported as a buffer and mapped a second time at
//!   the buffer's device address. Both sides use the same bytes.
//! * *Mirrored*: an anonymous mapping at the address of device memory. The layers above copy between the two.
//!   Several devices with address spaces of their own allocate the same pages until all have returned the
//!   same address.
//! * *Reserved*: addresses of device memory that nothing else in the process gets.
//!
//! The supported level is determined by trial when the device is opened. Device addresses that the process
//! already uses are skipped: their memory is held until a free address is found.

use super::buffer::{Buffer, Use};
use super::claim::{Claim, NO_ACCESS, READ_WRITE};
use super::heap::Heap;
use super::trials::Trials;
use crate::device::info::AddressSharing;
use crate::device::traits::{BufferDesc, DeviceError, DeviceResult, HostRange, SharedKind};
use crate::device::vulkan::core::conv;
use crate::host_ptr::{HostPtr, page};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

/// Maximum number of addresses to try for one allocation.
const TRIES: usize = 16;

fn unsupported(why: &str) -> DeviceError {
    DeviceError::Unsupported(format!("one address for host and device: {why}"))
}

/// Determines the level of sharing that the device supports; the [`import_alignment`] is known.
pub fn probe(heap: &'static Heap, import_alignment: u64, trials: &mut Trials) -> AddressSharing {
    let features = &heap.gpu.adapter.features;
    if !features.buffer_addresses {
        return AddressSharing::None;
    }
    let reaches_host = features.host_addresses && import_alignment > 0;
    if reaches_host && heap.gpu.adapter.is_cpu() && trials.result(seen_everywhere(heap, page())).is_some() {
        return AddressSharing::Host;
    }
    if features.placed_memory && trials.result(concurrent(heap, page())).is_some() {
        return AddressSharing::Concurrent;
    }
    match trials.result(mirrored(heap, page(), SharedKind::Mirrored)) {
        Some(_) => AddressSharing::Mirrored,
        None => AddressSharing::None,
    }
}

/// Determines by trial the unit in which memory of the process can be imported; 0 if it cannot. Imports at
/// any offset in such memory are accessible to kernels by address only.
pub fn import_alignment(heap: &'static Heap, trials: &mut Trials) -> u64 {
    let unit = heap.gpu.adapter.host_import_alignment;
    if unit == 0 || !heap.gpu.adapter.features.device_addresses {
        return 0;
    }
    let unit = unit.max(page());
    let tried =
        Claim::new(None, unit * 2, READ_WRITE, None).ok_or(DeviceError::OutOfHostMemory).and_then(|pages| {
            let start = (pages.ptr as u64).next_multiple_of(unit);
            let ptr = HostPtr::new(pages.ptr.cast()).offset(start - pages.ptr as u64);
            Buffer::import(
                heap,
                HostRange { ptr, size: unit },
                &BufferDesc { size: unit, host_visible: true, read_only: false, name: "import" },
            )?;
            Ok(unit)
        });
    trials.result(tried).unwrap_or(0)
}

/// Allocates shared memory on a device with this level of sharing.
pub fn alloc(
    heap: &'static Heap,
    sharing: AddressSharing,
    size: u64,
    kind: SharedKind,
) -> DeviceResult<Buffer> {
    match (sharing, kind) {
        (AddressSharing::None, _) => Err(unsupported("not offered")),
        (AddressSharing::Host, _) => seen_everywhere(heap, size),
        (AddressSharing::Concurrent, SharedKind::Concurrent) => concurrent(heap, size),
        // On unified memory both sides use the same memory anyway; this avoids copies.
        (AddressSharing::Concurrent, SharedKind::Mirrored) if heap.gpu.adapter.is_unified() => {
            concurrent(heap, size)
        }
        (_, SharedKind::Concurrent) => Err(unsupported("no memory that both see")),
        _ => mirrored(heap, size, kind),
    }
}

/// A buffer that the driver has mapped at its device address.
fn seen_everywhere(heap: &'static Heap, size: u64) -> DeviceResult<Buffer> {
    let buffer = Buffer::new(heap, size, Use::Shared, "shared")?;
    match buffer.mapped() {
        Some(ptr) if ptr.addr() as u64 == buffer.address && buffer.is_for_host() => Ok(buffer),
        _ => Err(unsupported("the device's addresses are not the process's")),
    }
}

/// Whether the address can be an address of the process at all.
fn is_plausible(buffer: &Buffer) -> bool {
    buffer.address.is_multiple_of(page()) && buffer.address >= page() && buffer.address >> 47 == 0
}

fn mirrored(heap: &'static Heap, size: u64, kind: SharedKind) -> DeviceResult<Buffer> {
    let access = if kind == SharedKind::Reserved { NO_ACCESS } else { READ_WRITE };
    let mut passed_over = Vec::new();
    for _ in 0..TRIES {
        let mut buffer = Buffer::new(heap, size, Use::Shared, "shared")?;
        if !is_plausible(&buffer) {
            return Err(unsupported(&format!("{:#x} cannot be an address of the host", buffer.address)));
        }
        let driver_has_it = buffer.mapped().is_some_and(|p| p.addr() as u64 == buffer.address);
        if !driver_has_it {
            let Some(claim) = Claim::new(Some(buffer.address), buffer.padded, access, None) else {
                passed_over.push(buffer);
                continue;
            };
            buffer.keep(claim);
        }
        buffer.hide();
        return Ok(buffer);
    }
    Err(unsupported("the device's addresses are in use in the process"))
}

/// Creates a file in memory.
fn memory_file(size: u64) -> Option<OwnedFd> {
    // SAFETY: a terminated name.
    let fd = unsafe { libc::memfd_create(c"pyroclast-shared".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return None;
    }
    // SAFETY: a new file descriptor without another owner.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: an open file.
    let sized = unsafe { libc::ftruncate(file.as_raw_fd(), libc::off_t::try_from(size).ok()?) };
    (sized == 0).then_some(file)
}

fn concurrent(heap: &'static Heap, size: u64) -> DeviceResult<Buffer> {
    let unit = page().max(heap.gpu.adapter.host_import_alignment);
    let padded = conv::align_up(size.max(1), unit);
    if padded < size || padded > heap.gpu.adapter.max_buffer_size {
        return Err(DeviceError::OutOfDeviceMemory);
    }
    let file = memory_file(padded).ok_or(DeviceError::OutOfHostMemory)?;
    let mut passed_over = Vec::new();
    for _ in 0..TRIES {
        let pages = Claim::new(None, padded, READ_WRITE, Some(&file)).ok_or(DeviceError::OutOfHostMemory)?;
        let ptr = HostPtr::new(pages.ptr.cast());
        let desc = BufferDesc { size, host_visible: true, read_only: false, name: "shared" };
        let mut buffer = Buffer::import(heap, HostRange { ptr, size: padded }, &desc)?;
        buffer.keep(pages);
        if !is_plausible(&buffer) {
            return Err(unsupported(&format!("{:#x} cannot be an address of the host", buffer.address)));
        }
        if buffer.address != ptr.addr() as u64 {
            let Some(claim) = Claim::new(Some(buffer.address), padded, READ_WRITE, Some(&file)) else {
                passed_over.push(buffer);
                continue;
            };
            buffer.see_at(HostPtr::new(claim.ptr.cast()));
            buffer.keep(claim);
        }
        return Ok(buffer);
    }
    Err(unsupported("the device's addresses are in use in the process"))
}

/// Allocates pages that several devices and the host see at one address. Returns a buffer of each device.
/// Devices choose addresses independently, but those of one kind do so in the same way. So each device
/// allocates again until an address that all have returned is free in the process.
pub fn concurrent_together(heaps: &[&'static Heap], size: u64) -> DeviceResult<Vec<Buffer>> {
    let unit = heaps.iter().map(|heap| heap.gpu.adapter.host_import_alignment).fold(page(), u64::max);
    let padded = conv::align_up(size.max(1), unit);
    if padded < size || heaps.iter().any(|heap| padded > heap.gpu.adapter.max_buffer_size) {
        return Err(DeviceError::OutOfDeviceMemory);
    }
    let file = memory_file(padded).ok_or(DeviceError::OutOfHostMemory)?;
    let desc = BufferDesc { size, host_visible: true, read_only: false, name: "shared" };
    let mut pages: Vec<Arc<Claim>> = Vec::new();
    let mut tried: Vec<Vec<Buffer>> = heaps.iter().map(|_| Vec::new()).collect();
    for _ in 0..TRIES {
        let claim =
            Arc::new(Claim::new(None, padded, READ_WRITE, Some(&file)).ok_or(DeviceError::OutOfHostMemory)?);
        let ptr = HostPtr::new(claim.ptr.cast());
        for (heap, list) in heaps.iter().zip(&mut tried) {
            let mut buffer = Buffer::import(heap, HostRange { ptr, size: padded }, &desc)?;
            buffer.keep(claim.clone());
            list.push(buffer);
        }
        pages.push(claim);
        let addresses: Vec<Vec<u64>> = tried
            .iter()
            .map(|list| list.iter().filter(|b| is_plausible(b)).map(|b| b.address).collect())
            .collect();
        for address in in_common(&addresses) {
            // One of the mappings may exist already.
            let there = pages.iter().find(|c| c.ptr as u64 == address).cloned();
            let made = || Claim::new(Some(address), padded, READ_WRITE, Some(&file)).map(Arc::new);
            if let Some(claim) = there.or_else(made) {
                let chosen =
                    tried.into_iter().filter_map(|list| list.into_iter().find(|b| b.address == address));
                let seen = chosen.map(|mut buffer| {
                    buffer.see_at(HostPtr::new(claim.ptr.cast()));
                    buffer.keep(claim.clone());
                    buffer
                });
                return Ok(seen.collect());
            }
        }
    }
    Err(unsupported("the devices have no address in common that is free in the process"))
}

/// The numbers that occur in every list.
fn in_common(lists: &[Vec<u64>]) -> Vec<u64> {
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    first.iter().copied().filter(|n| others.iter().all(|list| list.contains(n))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lists_have_in_common() {
        assert_eq!(in_common(&[vec![1, 2, 3], vec![3, 4, 2], vec![2, 3]]), [2, 3]);
        assert!(in_common(&[vec![1], vec![2]]).is_empty());
        assert!(in_common(&[]).is_empty());
    }

    #[test]
    fn a_claim_takes_nothing_away() {
        let first = Claim::new(None, page(), READ_WRITE, None).unwrap();
        let address = first.ptr as u64;
        assert!(Claim::new(Some(address), page(), READ_WRITE, None).is_none());
        drop(first);
        let again = Claim::new(Some(address), page(), READ_WRITE, None);
        // Another thread may have claimed it first; otherwise the address is the requested one.
        assert!(again.is_none_or(|c| c.ptr as u64 == address));
    }

    #[test]
    fn two_mappings_of_a_file_are_one_memory() {
        let file = memory_file(page()).unwrap();
        let [a, b] = [(); 2].map(|()| Claim::new(None, page(), READ_WRITE, Some(&file)).unwrap());
        // SAFETY: both mappings are alive and have a page.
        unsafe {
            a.ptr.cast::<u8>().add(7).write_volatile(42);
            assert_eq!(b.ptr.cast::<u8>().add(7).read_volatile(), 42);
        }
    }
}
