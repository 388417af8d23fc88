//! The device as the runtime sees it: the object on top of the layers.

use super::core::adapter::Adapter;
use super::core::caps;
use super::core::gpu::Gpu;
use super::core::instance::Instance;
use super::memory::buffer::{Buffer, Use};
use super::memory::external;
use super::memory::heap::Heap;
use super::memory::image::Image;
use super::memory::image_support;
use super::memory::linear;
use super::memory::pools::MemoryPools;
use super::memory::shared;
use super::program::caches::ProgramCaches;
use super::program::data::DataBlock;
use super::program::kernel::VulkanProgram;
use super::submit::one_shot;
use super::submit::pools::SubmitPools;
use super::submit::queue::VulkanQueue;
use super::submit::queues::Queues;
use super::submit::record_list;
use crate::config::Config;
use crate::device::batch::{DeviceCommand, ListItem, RectLayout};
use crate::device::info::DeviceInfo;
use crate::device::minimum;
use crate::device::nvml::Query;
use crate::device::share::MemoryHandle;
use crate::device::traits::{
    BufferDesc, CompletionSink, DeviceError, DeviceList, DeviceMemory, DeviceOps, DeviceProgram, DeviceQueue,
    DeviceResult, DeviceSemaphore, HostRange, ImageDesc, QueueDesc, SemaphoreOrigin, SharedKind,
};
use crate::store::Store;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::target::Target;
use std::any::Any;
use std::os::fd::RawFd;
use std::sync::Arc;

/// A device, with what each layer shares among its users. All of it is leaked, as [`Gpu`] is.
pub struct VulkanDevice {
    pub gpu: &'static Gpu,
    heap: &'static Heap,
    programs: &'static ProgramCaches,
    pub queues: &'static Queues,
    info: DeviceInfo,
}

impl VulkanDevice {
    /// Opens an accepted adapter.
    pub fn open(instance: &'static Instance, adapter: Adapter) -> DeviceResult<VulkanDevice> {
        let query = caps::begin_query(&adapter);
        let store: &'static Store = Box::leak(Box::new(Store::from_config(Config::get())));
        let gpu = Gpu::open(instance, adapter, store.folder().is_some())?;
        let images = image_support::image_facts(gpu);
        let heap: &'static Heap =
            Box::leak(Box::new(Heap::new(gpu, images.as_ref().cloned().unwrap_or_default())?));
        let memory: &'static MemoryPools = Box::leak(Box::new(MemoryPools::new(heap)));
        let programs: &'static ProgramCaches = Box::leak(Box::new(ProgramCaches::new(memory, store)));
        let pools: &'static SubmitPools = Box::leak(Box::new(SubmitPools::new(programs)));
        let queues: &'static Queues = Box::leak(Box::new(Queues::new(pools)?));
        let nvml = query.map(Query::facts).unwrap_or_default();
        let mut info = caps::device_info(&gpu.adapter, &gpu.target, &gpu.vulkan, images, nvml);
        info.sharing = shared::probe(heap);
        info.host_import_alignment = shared::import_alignment(heap);
        if let Some((pitch, start)) = linear::alignment(gpu) {
            (info.image.pitch_alignment, info.image.base_alignment) = (pitch, start);
        }
        let misses = minimum::misses(&info);
        info.notes.extend(misses.into_iter().map(|what| format!("embedded profile: {what}")));
        let types = &gpu.adapter.memory;
        for t in types.memory_types_as_slice() {
            tracing::debug!(
                "memory type {:?} in heap of {}",
                t.property_flags,
                types.memory_heaps[t.heap_index as usize].size
            );
        }
        tracing::debug!("opened Vulkan device {}", gpu.adapter.name);
        Ok(VulkanDevice { gpu, heap, programs, queues, info })
    }

    /// An image in its layout.
    fn prepared(&self, image: Image) -> DeviceResult<Arc<dyn DeviceMemory>> {
        one_shot::prepare_image(self.queues, &image)?;
        Ok(Arc::new(image))
    }
}

impl DeviceOps for VulkanDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn target(&self) -> &Target {
        &self.gpu.target
    }

    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(Buffer::new(
            self.heap,
            desc.size,
            Use::Device { host_visible: desc.host_visible },
            desc.name,
        )?))
    }

    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(Buffer::import(self.heap, range, desc)?))
    }

    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(Buffer::new(self.heap, size, Use::Shadow, "shadow")?))
    }

    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(shared::alloc(self.heap, self.info.sharing, size, kind)?))
    }

    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        self.gpu.check_usable()?;
        let mut heaps = vec![self.heap];
        for other in others {
            let other = other.as_any().downcast_ref::<VulkanDevice>();
            heaps.push(
                other
                    .ok_or_else(|| {
                        DeviceError::Unsupported("memory shared with another kind of device".into())
                    })?
                    .heap,
            );
        }
        let buffers = shared::concurrent_together(&heaps, size)?;
        Ok(buffers.into_iter().map(|buffer| Arc::new(buffer) as Arc<dyn DeviceMemory>).collect())
    }

    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        self.prepared(Image::new(self.heap, desc)?)
    }

    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        self.prepared(Image::of_buffer(self.heap, buffer, layout, desc)?)
    }

    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(Image::of_image(self.heap, image, desc)?))
    }

    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>> {
        self.gpu.check_usable()?;
        let data = DataBlock::new(self.heap, &program)?;
        if let Some(data) = &data {
            one_shot::fill_data(self.queues, data)?;
        }
        Ok(Arc::new(VulkanProgram::new(
            self.programs.memory,
            &self.programs.variants,
            program,
            data.map(|d| d.buffer),
        )))
    }

    fn statistics(&self, program: Arc<CompiledProgram>, kernels: &[&str]) -> DeviceResult<String> {
        self.gpu.check_usable()?;
        VulkanProgram::new(self.programs.memory, &self.programs.variants, program, None).statistics(kernels)
    }

    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(VulkanQueue::new(self.queues, desc, sink)?))
    }

    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        self.gpu.check_usable()?;
        one_shot::transfer(self.queues, command)
    }

    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(external::import_memory(self.heap, handle, fd, size)?))
    }

    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(external::VulkanSemaphore::new(self.gpu, origin)?))
    }

    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        self.gpu.check_usable()?;
        Ok(Arc::new(record_list::record(self.queues.pools, items)?))
    }

    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        self.gpu.check_usable()?;
        self.gpu.clock.now(&self.gpu.raw)
    }

    fn device_now(&self) -> DeviceResult<u64> {
        self.gpu.clock.device_now(&self.gpu.raw)
    }

    fn available(&self) -> bool {
        !self.gpu.is_lost()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
