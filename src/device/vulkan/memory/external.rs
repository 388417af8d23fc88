//! External memory and semaphores, shared with other users of the device: import and export by file
//! descriptor.
//!
//! A successful import takes ownership of the descriptor; a failed one leaves it to the caller. Imported
//! memory is never mapped: the application synchronises its other users, and transfers by the device follow
//! the order of its commands.

use super::buffer::{Buffer, allocate_flags};
use super::heap::Heap;
use crate::device::share::{MemoryHandle, SemaphoreHandle};
use crate::device::traits::{DeviceError, DeviceResult, DeviceSemaphore, SemaphoreOrigin};
use crate::device::vulkan::core::conv::{self, VkResultExt};
use crate::device::vulkan::core::external::{memory_bit, semaphore_bit};
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use std::any::Any;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Imports external memory as a buffer of `size` bytes, which starts at the memory's beginning.
pub fn import_memory(
    heap: &'static Heap,
    handle: MemoryHandle,
    fd: RawFd,
    size: u64,
) -> DeviceResult<Buffer> {
    let gpu = heap.gpu;
    let unsupported = |why: &str| DeviceError::Unsupported(format!("import of memory: {why}"));
    let external = &gpu.adapter.external;
    let fds = gpu.memory_fd.as_ref().filter(|_| external.memory_imports.contains(&handle));
    let fds = fds.ok_or_else(|| unsupported("not offered by the driver"))?;
    let kind = memory_bit(handle);
    let mut bits = u32::MAX;
    if handle == MemoryHandle::DmaBuf {
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: the caller owns the descriptor; the driver only inspects it.
        unsafe { fds.get_memory_fd_properties(kind, fd, &mut properties) }
            .map_err(|e| unsupported(&format!("{e:?}")))?;
        bits = properties.memory_type_bits;
    }
    let dedicated = external.dedicated.contains(&handle);
    // Round up to whole words, if the memory is large enough.
    let padded = conv::align_up(size, 16);
    let first = import_as(heap, (handle, kind, fd), (size, padded), bits, dedicated);
    let buffer = match first {
        Err(_) if padded != size => import_as(heap, (handle, kind, fd), (size, size), bits, dedicated)?,
        first => first?,
    };
    // SAFETY: the caller's descriptor, which the import takes over; Vulkan owns a duplicate.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
    Ok(buffer)
}

fn import_as(
    heap: &'static Heap,
    from: (MemoryHandle, vk::ExternalMemoryHandleTypeFlags, RawFd),
    (size, padded): (u64, u64),
    bits: u32,
    dedicated: bool,
) -> DeviceResult<Buffer> {
    let gpu = heap.gpu;
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(from.1);
    let info = vk::BufferCreateInfo::default().size(padded).usage(gpu.usage()).push_next(&mut external);
    // SAFETY: the device is alive.
    let raw = unsafe { gpu.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
    match bind(gpu, raw, from, bits, dedicated) {
        Ok((memory, local)) => Ok(Buffer::of_imported(heap, raw, (size, padded), memory, local)),
        Err(e) => {
            // SAFETY: nothing refers to the new buffer.
            unsafe { gpu.raw.destroy_buffer(raw, None) };
            Err(e)
        }
    }
}

/// Calls `import` for the candidates in turn, each with a duplicate of the descriptor, until one succeeds and
/// so takes over its duplicate. NVIDIA's driver cannot import a descriptor that it has failed to import
/// before.
fn first_import<C, T>(
    fd: RawFd,
    candidates: impl IntoIterator<Item = C>,
    mut import: impl FnMut(C, RawFd) -> DeviceResult<T>,
) -> DeviceResult<T> {
    let mut last = DeviceError::Unsupported("import of memory: no fitting memory type".into());
    for candidate in candidates {
        // SAFETY: makes a new descriptor, or fails.
        let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 {
            let error = std::io::Error::last_os_error();
            return Err(DeviceError::Unsupported(format!("import of memory: descriptor {fd}: {error}")));
        }
        match import(candidate, copy) {
            Ok(imported) => return Ok(imported),
            Err(error) => last = error,
        }
        // SAFETY: the new descriptor, which a failed import leaves to its caller.
        drop(unsafe { OwnedFd::from_raw_fd(copy) });
    }
    Err(last)
}

/// Imports the memory and binds the buffer. Returns whether the memory is device-local. Opaque descriptors do
/// not report the memory's type: device-local types are tried first, since applications share those.
fn bind(
    gpu: &Gpu,
    raw: vk::Buffer,
    (handle, kind, fd): (MemoryHandle, vk::ExternalMemoryHandleTypeFlags, RawFd),
    bits: u32,
    dedicated: bool,
) -> DeviceResult<(vk::DeviceMemory, bool)> {
    // SAFETY: the buffer is alive.
    let requirements = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
    let types = gpu.adapter.memory.memory_types_as_slice();
    let is_local = |i: &usize| types[*i].property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
    let mut order: Vec<usize> =
        (0..types.len()).filter(|i| requirements.memory_type_bits & bits & 1 << i != 0).collect();
    order.sort_by_key(|i| !is_local(i));
    first_import(fd, order, |index, fd| {
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(kind).fd(fd);
        let mut flags = allocate_flags(gpu);
        let mut only = vk::MemoryDedicatedAllocateInfo::default().buffer(raw);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(index as u32)
            .push_next(&mut flags)
            .push_next(&mut import);
        if dedicated {
            info = info.push_next(&mut only);
        }
        // SAFETY: the descriptor is a duplicate of the caller's, which is of this handle type.
        let memory = unsafe { gpu.raw.allocate_memory(&info, None) }
            .map_err(|e| DeviceError::Unsupported(format!("import of {handle:?} memory: {e:?}")))?;
        Ok((memory, is_local(&index)))
    })
    .and_then(|(memory, is_local)| {
        // SAFETY: fresh buffer, fresh memory of this device.
        if let Err(e) = unsafe { gpu.raw.bind_buffer_memory(raw, memory, 0) } {
            // SAFETY: nothing is bound to the memory.
            unsafe { gpu.raw.free_memory(memory, None) };
            return Err(conv::error("vkBindBufferMemory", e));
        }
        Ok((memory, is_local))
    })
}

/// A binary semaphore.
pub struct VulkanSemaphore {
    gpu: &'static Gpu,
    pub raw: vk::Semaphore,
}

impl VulkanSemaphore {
    /// Creates a semaphore.
    pub fn new(gpu: &'static Gpu, origin: SemaphoreOrigin) -> DeviceResult<VulkanSemaphore> {
        let mut export = vk::ExportSemaphoreCreateInfo::default();
        let mut info = vk::SemaphoreCreateInfo::default();
        if let SemaphoreOrigin::Exportable(handle) = origin {
            if !gpu.adapter.external.semaphore_exports.contains(&handle) {
                return Err(DeviceError::Unsupported(format!("export of {handle:?} semaphores")));
            }
            export = export.handle_types(semaphore_bit(handle));
            info = info.push_next(&mut export);
        }
        // SAFETY: the device is alive.
        let raw = unsafe { gpu.raw.create_semaphore(&info, None) }.during("vkCreateSemaphore")?;
        let semaphore = VulkanSemaphore { gpu, raw };
        if let SemaphoreOrigin::Imported(handle, fd) = origin {
            semaphore.import(handle, fd)?;
        }
        Ok(semaphore)
    }
}

impl DeviceSemaphore for VulkanSemaphore {
    fn import(&self, handle: SemaphoreHandle, fd: RawFd) -> DeviceResult<()> {
        let fds = self
            .gpu
            .semaphore_fd
            .as_ref()
            .filter(|_| self.gpu.adapter.external.semaphore_imports.contains(&handle));
        let fds = fds.ok_or_else(|| DeviceError::Unsupported(format!("import of {handle:?} semaphores")))?;
        // Imports of sync files copy the payload, until the next wait.
        let flags = match handle {
            SemaphoreHandle::SyncFd => vk::SemaphoreImportFlags::TEMPORARY,
            SemaphoreHandle::OpaqueFd => vk::SemaphoreImportFlags::empty(),
        };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(self.raw)
            .handle_type(semaphore_bit(handle))
            .flags(flags)
            .fd(fd);
        // SAFETY: the semaphore is alive and not in use; the caller owns the descriptor.
        unsafe { fds.import_semaphore_fd(&info) }
            .map_err(|e| DeviceError::Unsupported(format!("import of a {handle:?} semaphore: {e:?}")))
    }

    fn export(&self, handle: SemaphoreHandle) -> DeviceResult<RawFd> {
        let fds = self.gpu.semaphore_fd.as_ref();
        let fds = fds.ok_or_else(|| DeviceError::Unsupported(format!("export of {handle:?} semaphores")))?;
        let info =
            vk::SemaphoreGetFdInfoKHR::default().semaphore(self.raw).handle_type(semaphore_bit(handle));
        // SAFETY: the semaphore is alive and was created as exportable with this handle type.
        unsafe { fds.get_semaphore_fd(&info) }.during("vkGetSemaphoreFdKHR")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for VulkanSemaphore {
    fn drop(&mut self) {
        // SAFETY: the owner has dropped the last reference, so no submitted work uses the semaphore.
        unsafe { self.gpu.raw.destroy_semaphore(self.raw, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd, IntoRawFd};

    fn is_open(fd: RawFd) -> bool {
        // SAFETY: only inspects the descriptor.
        unsafe { libc::fcntl(fd, libc::F_GETFD) >= 0 }
    }

    fn failure() -> DeviceError {
        DeviceError::Unsupported("no".into())
    }

    #[test]
    fn each_import_has_a_descriptor_of_its_own() {
        let file = std::fs::File::open("/dev/zero").unwrap();
        let fd = file.as_raw_fd();
        let mut seen = Vec::new();
        let imported = first_import(fd, 0..4, |n, copy| {
            assert!(copy != fd && is_open(copy));
            seen.push(n);
            if n < 2 { Err(failure()) } else { Ok(copy) }
        });
        let imported = imported.unwrap();
        assert_eq!(seen, [0, 1, 2]);
        assert!(is_open(imported) && is_open(fd));
        // SAFETY: the successful import's descriptor.
        drop(unsafe { OwnedFd::from_raw_fd(imported) });
    }

    #[test]
    fn failed_imports_leave_the_descriptor() {
        let fd = std::fs::File::open("/dev/zero").unwrap().into_raw_fd();
        let mut copies = Vec::new();
        let result: DeviceResult<()> = first_import(fd, 0..3, |_, copy| {
            copies.push(copy);
            Err(failure())
        });
        assert!(result.is_err() && copies.len() == 3 && is_open(fd));
        // SAFETY: opened above.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
        assert!(first_import(-1, 0..3, |_, _| Ok(())).is_err());
    }
}
