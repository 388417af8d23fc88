//! External memory and semaphores: the handle types that the driver imports and exports.

use super::ext::Extensions;
use super::instance::Instance;
use crate::device::share::{MemoryHandle, SemaphoreHandle};
use ash::vk;

/// Usage flags of every buffer.
pub fn buffer_usage(device_addresses: bool) -> vk::BufferUsageFlags {
    let addresses = match device_addresses {
        true => vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        false => vk::BufferUsageFlags::empty(),
    };
    addresses
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
}

/// External handle types that a physical device supports.
#[derive(Clone, Default, Debug)]
pub struct External {
    pub semaphore_imports: Vec<SemaphoreHandle>,
    pub semaphore_exports: Vec<SemaphoreHandle>,
    pub memory_imports: Vec<MemoryHandle>,
    /// Handle types whose memory requires a dedicated allocation.
    pub dedicated: Vec<MemoryHandle>,
}

/// Vulkan's flag of a semaphore handle type.
pub fn semaphore_bit(handle: SemaphoreHandle) -> vk::ExternalSemaphoreHandleTypeFlags {
    match handle {
        SemaphoreHandle::OpaqueFd => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
        SemaphoreHandle::SyncFd => vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
    }
}

/// Vulkan's flag of a memory handle type.
pub fn memory_bit(handle: MemoryHandle) -> vk::ExternalMemoryHandleTypeFlags {
    match handle {
        MemoryHandle::OpaqueFd => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
        MemoryHandle::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
    }
}

impl External {
    /// Queries the driver.
    pub fn of(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        ext: &Extensions,
        device_addresses: bool,
    ) -> External {
        let mut out = External::default();
        if ext.has(ash::khr::external_semaphore_fd::NAME) {
            for handle in [SemaphoreHandle::OpaqueFd, SemaphoreHandle::SyncFd] {
                let info =
                    vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(semaphore_bit(handle));
                let mut answer = vk::ExternalSemaphoreProperties::default();
                // SAFETY: the handle comes from this instance; the structures are valid for the call.
                unsafe {
                    instance.raw.get_physical_device_external_semaphore_properties(
                        physical,
                        &info,
                        &mut answer,
                    )
                };
                let features = answer.external_semaphore_features;
                if features.contains(vk::ExternalSemaphoreFeatureFlags::IMPORTABLE) {
                    out.semaphore_imports.push(handle);
                }
                if features.contains(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE) {
                    out.semaphore_exports.push(handle);
                }
            }
        }
        let fds = ext.has(ash::khr::external_memory_fd::NAME);
        let dma = fds && ext.has(ash::ext::external_memory_dma_buf::NAME);
        for (handle, offered) in [(MemoryHandle::OpaqueFd, fds), (MemoryHandle::DmaBuf, dma)] {
            if !offered {
                continue;
            }
            let info = vk::PhysicalDeviceExternalBufferInfo::default()
                .usage(buffer_usage(device_addresses))
                .handle_type(memory_bit(handle));
            let mut answer = vk::ExternalBufferProperties::default();
            // SAFETY: as above.
            unsafe {
                instance.raw.get_physical_device_external_buffer_properties(physical, &info, &mut answer)
            };
            let features = answer.external_memory_properties.external_memory_features;
            if features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
                out.memory_imports.push(handle);
                if features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY) {
                    out.dedicated.push(handle);
                }
            }
        }
        out
    }
}
