//! The device as the runtime sees it: the object on top of the layers.

use super::core::adapter::Adapter;
use super::core::caps;
use super::core::instance::Instance;
use super::memory::buffer::{Buffer, Use};
use super::memory::external;
use super::memory::image::Image;
use super::memory::image_support;
use super::memory::shared;
use super::opening::{OpenDevice, Opening};
use super::program::data::DataBlock;
use super::program::kernel::VulkanProgram;
use super::submit::one_shot;
use super::submit::queue::VulkanQueue;
use super::submit::record_list;
use crate::config::Config;
use crate::device::batch::{DeviceCommand, ListItem, RectLayout};
use crate::device::info::DeviceInfo;
use crate::device::minimum;
use crate::device::share::MemoryHandle;
use crate::device::traits::{
    BufferDesc, CompletionSink, DeviceError, DeviceList, DeviceMemory, DeviceOps, DeviceProgram, DeviceQueue,
    DeviceResult, DeviceSemaphore, HostRange, ImageDesc, QueueDesc, SemaphoreOrigin, SharedKind,
};
use crate::store::Store;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::target::{Target, VulkanTarget};
use std::any::Any;
use std::os::fd::RawFd;
use std::sync::Arc;

/// A device, and the facts about it.
pub struct VulkanDevice {
    opening: Opening,
    info: DeviceInfo,
}

impl VulkanDevice {
    /// An accepted adapter. It is opened if the disk cache lacks facts that only an open device shows.
    ///
    /// # Errors
    /// The errors of opening the device.
    pub fn new(instance: &'static Instance, adapter: Adapter) -> DeviceResult<VulkanDevice> {
        let adapter: &'static Adapter = Box::leak(Box::new(adapter));
        let vulkan: &'static VulkanTarget = Box::leak(Box::new(caps::vulkan_target(adapter)));
        let target: &'static Target = Box::leak(Box::new(caps::target(adapter, vulkan.clone())));
        let store: &'static Store = Box::leak(Box::new(Store::from_config(Config::get())));
        let images = image_support::image_facts(instance, adapter, vulkan);
        let known = images.as_ref().cloned().unwrap_or_default();
        let opening = Opening::new(instance, adapter, (target, vulkan), known, store);
        let facts = opening.facts()?;
        let mut info = caps::device_info(adapter, target, vulkan, images, facts.nvml);
        facts.complete(&mut info);
        let misses = minimum::misses(&info);
        info.notes.extend(misses.into_iter().map(|what| format!("embedded profile: {what}")));
        Ok(VulkanDevice { opening, info })
    }

    /// The open device.
    ///
    /// # Errors
    /// As for [`Opening::open`].
    pub fn opened(&self) -> DeviceResult<&OpenDevice> {
        self.opening.open()
    }
}

/// An image in its layout.
fn prepared(open: &OpenDevice, image: Image) -> DeviceResult<Arc<dyn DeviceMemory>> {
    one_shot::prepare_image(open.queues, &image)?;
    Ok(Arc::new(image))
}

impl DeviceOps for VulkanDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn target(&self) -> &Target {
        self.opening.target
    }

    fn open(&self) -> DeviceResult<()> {
        self.opened().map(drop)
    }

    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(Buffer::new(
            open.heap,
            desc.size,
            Use::Device { host_visible: desc.host_visible },
            desc.name,
        )?))
    }

    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(Buffer::import(open.heap, range, desc)?))
    }

    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(Buffer::new(open.heap, size, Use::Shadow, "shadow")?))
    }

    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(shared::alloc(open.heap, open.facts.sharing, size, kind)?))
    }

    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        let open = self.opened()?;
        let mut heaps = vec![open.heap];
        for other in others {
            let other = other.as_any().downcast_ref::<VulkanDevice>();
            let foreign = || DeviceError::Unsupported("memory shared with another kind of device".into());
            heaps.push(other.ok_or_else(foreign)?.opened()?.heap);
        }
        let buffers = shared::concurrent_together(&heaps, size)?;
        Ok(buffers.into_iter().map(|buffer| Arc::new(buffer) as Arc<dyn DeviceMemory>).collect())
    }

    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        prepared(open, Image::new(open.heap, desc)?)
    }

    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        prepared(open, Image::of_buffer(open.heap, buffer, layout, desc)?)
    }

    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(Image::of_image(open.heap, image, desc)?))
    }

    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>> {
        let open = self.opened()?;
        let data = DataBlock::new(open.heap, &program)?;
        if let Some(data) = &data {
            one_shot::fill_data(open.queues, data)?;
        }
        Ok(Arc::new(VulkanProgram::new(
            open.programs.memory,
            &open.programs.variants,
            program,
            data.map(|d| d.buffer),
        )))
    }

    fn statistics(&self, program: Arc<CompiledProgram>, kernels: &[&str]) -> DeviceResult<String> {
        let open = self.opened()?;
        VulkanProgram::new(open.programs.memory, &open.programs.variants, program, None).statistics(kernels)
    }

    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        let open = self.opened()?;
        Ok(Arc::new(VulkanQueue::new(open.queues, desc, sink)?))
    }

    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        let open = self.opened()?;
        one_shot::transfer(open.queues, command)
    }

    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let open = self.opened()?;
        Ok(Arc::new(external::import_memory(open.heap, handle, fd, size)?))
    }

    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        let open = self.opened()?;
        Ok(Arc::new(external::VulkanSemaphore::new(open.gpu, origin)?))
    }

    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        let open = self.opened()?;
        Ok(Arc::new(record_list::record(open.queues.pools, items)?))
    }

    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        let open = self.opened()?;
        open.gpu.clock.now(&open.gpu.raw)
    }

    fn device_now(&self) -> DeviceResult<u64> {
        // A lost device's clock still runs.
        let open = self.opening.get().map_or_else(|| self.opened(), Ok)?;
        open.gpu.clock.device_now(&open.gpu.raw)
    }

    fn available(&self) -> bool {
        self.opening.get().is_none_or(|open| !open.gpu.is_lost())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
