//! Another user of the device: a separate Vulkan instance and device, which share memory and semaphores.

use super::*;
use ash::vk;
use std::os::fd::RawFd;

/// Vulkan on the first OpenCL device.
pub struct OtherVulkan {
    _entry: ash::Entry,
    raw: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory: vk::PhysicalDeviceMemoryProperties,
    memory_fd: ash::khr::external_memory_fd::Device,
    semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
}

/// A buffer in exportable memory, and the memory's size.
pub struct SharedBuffer {
    pub raw: vk::Buffer,
    memory: vk::DeviceMemory,
    kind: vk::ExternalMemoryHandleTypeFlags,
    pub size: u64,
}

impl OtherVulkan {
    pub fn open() -> OtherVulkan {
        let uuid = device_info(device(), CL_DEVICE_UUID_KHR).unwrap();
        // SAFETY: plain use of Vulkan; everything lives until the process ends.
        unsafe {
            let entry = ash::Entry::load().unwrap();
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&info, None).unwrap();
            let same = |p: &vk::PhysicalDevice| {
                let mut ids = vk::PhysicalDeviceIDProperties::default();
                let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
                instance.get_physical_device_properties2(*p, &mut properties);
                ids.device_uuid[..] == uuid[..]
            };
            let physical = instance
                .enumerate_physical_devices()
                .unwrap()
                .into_iter()
                .find(same)
                .expect("the device by its UUID");
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family =
                families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE)).unwrap() as u32;
            let offered = instance.enumerate_device_extension_properties(physical).unwrap();
            let has = |name: &CStr| offered.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
            let wanted = [
                ash::khr::external_memory_fd::NAME,
                ash::khr::external_semaphore_fd::NAME,
                ash::ext::external_memory_dma_buf::NAME,
            ];
            let names: Vec<_> = wanted.iter().filter(|n| has(n)).map(|n| n.as_ptr()).collect();
            let queues =
                [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
            let raw = instance.create_device(physical, &info, None).unwrap();
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            OtherVulkan {
                queue: raw.get_device_queue(family, 0),
                pool: raw.create_command_pool(&pool, None).unwrap(),
                memory: instance.get_physical_device_memory_properties(physical),
                memory_fd: ash::khr::external_memory_fd::Device::new(&instance, &raw),
                semaphore_fd: has(wanted[1])
                    .then(|| ash::khr::external_semaphore_fd::Device::new(&instance, &raw)),
                raw,
                _entry: entry,
            }
        }
    }

    fn allocate(
        &self,
        raw: vk::Buffer,
        wanted: vk::MemoryPropertyFlags,
        kind: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<vk::DeviceMemory, vk::Result> {
        let mut exported = vk::ExportMemoryAllocateInfo::default().handle_types(kind);
        // SAFETY: as above.
        unsafe {
            let needs = self.raw.get_buffer_memory_requirements(raw);
            let types = self.memory.memory_types_as_slice();
            let fits =
                |i: &usize| needs.memory_type_bits >> i & 1 == 1 && types[*i].property_flags.contains(wanted);
            let index = (0..types.len()).find(fits).unwrap() as u32;
            let mut info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
            if !kind.is_empty() {
                info = info.push_next(&mut exported);
            }
            let memory = self.raw.allocate_memory(&info, None)?;
            self.raw.bind_buffer_memory(raw, memory, 0)?;
            Ok(memory)
        }
    }

    /// A buffer in device-local memory, exportable as an opaque descriptor.
    pub fn shared_buffer(&self, size: u64) -> SharedBuffer {
        self.shared_buffer_as(size, vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD)
    }

    /// A buffer in device-local memory, exportable as `kind`.
    pub fn shared_buffer_as(&self, size: u64, kind: vk::ExternalMemoryHandleTypeFlags) -> SharedBuffer {
        self.try_shared_buffer(size, kind).unwrap()
    }

    /// A buffer in device-local memory, exportable as `kind`; an error if the system has no such memory.
    pub fn try_shared_buffer(
        &self,
        size: u64,
        kind: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<SharedBuffer, vk::Result> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::STORAGE_BUFFER;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).push_next(&mut external);
        // SAFETY: as above.
        let raw = unsafe { self.raw.create_buffer(&info, None) }?;
        let memory = self.allocate(raw, vk::MemoryPropertyFlags::DEVICE_LOCAL, kind)?;
        Ok(SharedBuffer { raw, memory, kind, size })
    }

    /// Exports a descriptor of a buffer's memory.
    pub fn memory_fd(&self, buffer: &SharedBuffer) -> RawFd {
        let info = vk::MemoryGetFdInfoKHR::default().memory(buffer.memory).handle_type(buffer.kind);
        // SAFETY: as above.
        unsafe { self.memory_fd.get_memory_fd(&info) }.unwrap()
    }

    /// A binary semaphore, exportable as `kind`.
    pub fn semaphore(&self, kind: vk::ExternalSemaphoreHandleTypeFlags) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(kind);
        let info = vk::SemaphoreCreateInfo::default();
        let info = if kind.is_empty() { info } else { info.push_next(&mut export) };
        // SAFETY: as above.
        unsafe { self.raw.create_semaphore(&info, None) }.unwrap()
    }

    pub fn semaphore_fd(
        &self,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> RawFd {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind);
        // SAFETY: as above.
        unsafe { self.semaphore_fd.as_ref().unwrap().get_semaphore_fd(&info) }.unwrap()
    }

    pub fn import_semaphore(&self, fd: RawFd, kind: vk::ExternalSemaphoreHandleTypeFlags) -> vk::Semaphore {
        let semaphore = self.semaphore(vk::ExternalSemaphoreHandleTypeFlags::empty());
        let once = kind == vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;
        let flags =
            if once { vk::SemaphoreImportFlags::TEMPORARY } else { vk::SemaphoreImportFlags::empty() };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(kind)
            .flags(flags)
            .fd(fd);
        // SAFETY: as above; the import takes the descriptor.
        unsafe { self.semaphore_fd.as_ref().unwrap().import_semaphore_fd(&info) }.unwrap();
        semaphore
    }

    fn record(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let all = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let everything = [vk::MemoryBarrier::default().src_access_mask(access).dst_access_mask(access)];
        // SAFETY: as above.
        unsafe {
            let cmd = self.raw.allocate_command_buffers(&info).unwrap()[0];
            self.raw.begin_command_buffer(cmd, &vk::CommandBufferBeginInfo::default()).unwrap();
            self.raw.cmd_pipeline_barrier(cmd, all, all, vk::DependencyFlags::empty(), &everything, &[], &[]);
            record(&self.raw, cmd);
            self.raw.cmd_pipeline_barrier(cmd, all, all, vk::DependencyFlags::empty(), &everything, &[], &[]);
            self.raw.end_command_buffer(cmd).unwrap();
            cmd
        }
    }

    fn submit(
        &self,
        cmd: vk::CommandBuffer,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) -> vk::Fence {
        let (waits, signals): (Vec<_>, Vec<_>) = (wait.into_iter().collect(), signal.into_iter().collect());
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let commands = [cmd];
        let info = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signals);
        // SAFETY: as above.
        unsafe {
            let fence = self.raw.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
            self.raw.queue_submit(self.queue, &[info], fence).unwrap();
            fence
        }
    }

    fn wait(&self, fence: vk::Fence) {
        // SAFETY: as above.
        unsafe { self.raw.wait_for_fences(&[fence], true, 20_000_000_000) }
            .expect("the other side comes in time");
    }

    /// Fills a buffer with a word; without a semaphore to signal, waits until it is done.
    pub fn fill(
        &self,
        buffer: &SharedBuffer,
        word: u32,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) {
        // SAFETY: as above.
        let cmd =
            self.record(|raw, cmd| unsafe { raw.cmd_fill_buffer(cmd, buffer.raw, 0, buffer.size, word) });
        let fence = self.submit(cmd, wait, signal);
        if signal.is_none() {
            self.wait(fence);
        }
    }

    /// The words of a buffer.
    pub fn read(&self, buffer: &SharedBuffer, wait: Option<vk::Semaphore>) -> Vec<u32> {
        let info =
            vk::BufferCreateInfo::default().size(buffer.size).usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: as above; the mapping has the buffer's size.
        unsafe {
            let staging = self.raw.create_buffer(&info, None).unwrap();
            let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let memory = self.allocate(staging, visible, vk::ExternalMemoryHandleTypeFlags::empty()).unwrap();
            let region = [vk::BufferCopy { src_offset: 0, dst_offset: 0, size: buffer.size }];
            let cmd = self.record(|raw, cmd| raw.cmd_copy_buffer(cmd, buffer.raw, staging, &region));
            self.wait(self.submit(cmd, wait, None));
            let mapped = self.raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            let words = std::slice::from_raw_parts(mapped.cast::<u32>(), buffer.size as usize / 4).to_vec();
            self.raw.destroy_buffer(staging, None);
            self.raw.free_memory(memory, None);
            words
        }
    }
}
