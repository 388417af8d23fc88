//! Paired device: a device and another one that runs what it cannot, as one device. PYROCLAST_FALLBACK pairs
//! Vulkan devices with the CPU device.
//!
//! It reports the features of both (`info`). Kernels that the primary device cannot run are compiled for the
//! secondary one (`program`) and launched there by the primary device's queues (`queue`). Images that the
//! primary device cannot have are on the secondary one, which executes commands on them (`commands`). The
//! secondary device is one more place for the bytes of buffers and images (`memory`).
//!
//! The secondary device executes single commands synchronously ([`DeviceOps::launch`],
//! [`DeviceOps::transfer`]), so it is the CPU device.

mod commands;
mod info;
mod memory;
mod pair;
mod program;
mod queue;
#[cfg(test)]
mod tests;

use super::batch::{DeviceCommand, ListItem, RectLayout};
use super::copies::{Content, Sharing, transfer_now};
use super::info::DeviceInfo;
use super::newest::Holders;
use super::share::MemoryHandle;
use super::traits::*;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::options::Kernels;
use clspv_bridge::{CompileError, Target};
use memory::PairedMemory;
use pair::{Pair, Side};
use std::any::Any;
use std::os::fd::RawFd;
use std::sync::Arc;

/// A device with another one that runs what it cannot.
pub struct PairedDevice {
    pair: Arc<Pair>,
    info: DeviceInfo,
}

impl PairedDevice {
    /// Pairs two devices.
    pub fn new(primary: Arc<dyn DeviceOps>, secondary: Arc<dyn DeviceOps>) -> PairedDevice {
        let (info, gains_images) = info::merged(primary.info(), secondary.info());
        PairedDevice { pair: Arc::new(Pair::new([primary, secondary], gains_images)), info }
    }

    fn of(ops: &Arc<dyn DeviceOps>) -> Option<&PairedDevice> {
        ops.as_any().downcast_ref()
    }

    fn primary(&self) -> &Arc<dyn DeviceOps> {
        self.pair.ops(Side::Primary)
    }

    /// A buffer that was created on the primary device; `first` says whether it has contents.
    fn buffer(&self, read_only: bool, memory: Arc<dyn DeviceMemory>, first: Holders) -> PairedMemory {
        let (size, host_visible) = (memory.size(), memory.host_ptr().is_some());
        let content = Content::Buffer { size, host_visible, read_only };
        PairedMemory::on_primary(&self.pair, content, memory, first)
    }

    /// A buffer with one address for host and device, which the secondary device can only use in place.
    fn shared(&self, memory: Arc<dyn DeviceMemory>) -> Arc<dyn DeviceMemory> {
        let content = Content::Buffer { size: memory.size(), host_visible: true, read_only: false };
        let own = (Side::Primary, memory);
        Arc::new(PairedMemory::new(&self.pair, content, own, Sharing::Shared, Holders::NONE))
    }
}

impl DeviceOps for PairedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn target(&self) -> &Target {
        self.primary().target()
    }
    fn open(&self) -> DeviceResult<()> {
        self.primary().open()
    }
    fn alloc_buffer(&self, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(self.buffer(desc.read_only, self.primary().alloc_buffer(desc)?, Holders::NONE)))
    }
    fn import_host(&self, range: HostRange, desc: &BufferDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let memory = self.primary().import_host(range, desc)?;
        Ok(Arc::new(self.buffer(desc.read_only, memory, Holders::device(Side::Primary as usize))))
    }
    fn alloc_shadow(&self, size: u64) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(self.buffer(false, self.primary().alloc_shadow(size)?, Holders::NONE)))
    }
    fn alloc_shared(&self, size: u64, kind: SharedKind) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(self.shared(self.primary().alloc_shared(size, kind)?))
    }
    fn alloc_shared_with(
        &self,
        others: &[Arc<dyn DeviceOps>],
        size: u64,
    ) -> DeviceResult<Vec<Arc<dyn DeviceMemory>>> {
        let primary = |ops: &Arc<dyn DeviceOps>| {
            PairedDevice::of(ops).map_or_else(|| ops.clone(), |device| device.primary().clone())
        };
        let primaries: Vec<_> = others.iter().map(primary).collect();
        let made = self.primary().alloc_shared_with(&primaries, size)?.into_iter();
        let devices = std::iter::once(Some(self)).chain(others.iter().map(PairedDevice::of));
        let wrap = |(memory, device): (Arc<dyn DeviceMemory>, Option<&PairedDevice>)| match device {
            Some(device) => device.shared(memory),
            None => memory,
        };
        Ok(made.zip(devices).map(wrap).collect())
    }
    fn alloc_image(&self, desc: &ImageDesc) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let (content, pair) = (Content::Image(*desc), &self.pair);
        if self.primary().info().image.holds(desc.format, &desc.shape, desc.levels) {
            let memory = self.primary().alloc_image(desc)?;
            return Ok(Arc::new(PairedMemory::on_primary(pair, content, memory, Holders::NONE)));
        }
        let own = (Side::Secondary, pair.ops(Side::Secondary).alloc_image(desc)?);
        Ok(Arc::new(PairedMemory::new(pair, content, own, Sharing::Separate, Holders::NONE)))
    }
    fn view_buffer(
        &self,
        buffer: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(PairedMemory::view(buffer, Some(*layout), desc)?))
    }
    fn view_image(
        &self,
        image: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        Ok(Arc::new(PairedMemory::view(image, None, desc)?))
    }
    fn kernels(&self) -> Kernels {
        Kernels::Possible
    }
    fn notes(&self, program: &CompiledProgram) -> String {
        program::notes(&self.pair, program)
    }
    fn compile(
        &self,
        compile: &mut CompileFn<'_>,
        log: &mut String,
    ) -> Result<Vec<Arc<CompiledProgram>>, CompileError> {
        program::compile(&self.pair, compile, log)
    }
    fn load(&self, program: Arc<CompiledProgram>) -> DeviceResult<Arc<dyn DeviceProgram>> {
        self.load_all(&[program])
    }
    fn load_all(&self, code: &[Arc<CompiledProgram>]) -> DeviceResult<Arc<dyn DeviceProgram>> {
        Ok(Arc::new(program::PairedProgram::load(&self.pair, code)?))
    }
    fn create_queue(
        &self,
        desc: &QueueDesc,
        sink: Arc<dyn CompletionSink>,
    ) -> DeviceResult<Arc<dyn DeviceQueue>> {
        Ok(Arc::new(queue::PairedQueue::new(&self.pair, desc, sink)?))
    }
    fn transfer(&self, command: &DeviceCommand) -> DeviceResult<()> {
        let (side, mut command) = (commands::side_of(command), command.clone());
        commands::acquire(&mut command, side)?;
        Ok(transfer_now(self.pair.ops(side), &command)?)
    }
    fn import_memory(
        &self,
        handle: MemoryHandle,
        fd: RawFd,
        size: u64,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let memory = self.primary().import_memory(handle, fd, size)?;
        Ok(Arc::new(self.buffer(false, memory, Holders::device(Side::Primary as usize)).visible_outside()))
    }
    fn create_on_device_queue(&self, size: u32) -> DeviceResult<Arc<dyn OnDeviceQueue>> {
        let own = self.primary().info().enqueue.is_some();
        self.pair.ops(if own { Side::Primary } else { Side::Secondary }).create_on_device_queue(size)
    }
    fn create_semaphore(&self, origin: SemaphoreOrigin) -> DeviceResult<Arc<dyn DeviceSemaphore>> {
        self.primary().create_semaphore(origin)
    }
    fn record(&self, items: Vec<ListItem>) -> DeviceResult<Arc<dyn DeviceList>> {
        Ok(Arc::new(commands::PairedList::record(&self.pair, items)?))
    }
    fn timestamps(&self) -> DeviceResult<(u64, u64)> {
        self.primary().timestamps()
    }
    fn device_now(&self) -> DeviceResult<u64> {
        self.primary().device_now()
    }
    fn available(&self) -> bool {
        self.primary().available()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
