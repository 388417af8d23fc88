//! The opening of a device, which takes longest of what a process does at its start: a program that only
//! lists devices, or uses another one, does not wait for it.

use super::core::adapter::Adapter;
use super::core::caps;
use super::core::gpu::Gpu;
use super::core::instance::Instance;
use super::memory::heap::Heap;
use super::memory::pools::MemoryPools;
use super::program::caches::ProgramCaches;
use super::submit::pools::SubmitPools;
use super::submit::queues::Queues;
use super::trial_facts::TrialFacts;
use crate::device::info::ImageFacts;
use crate::device::nvml::Query;
use crate::device::traits::DeviceResult;
use crate::store::Store;
use clspv_bridge::target::{Target, VulkanTarget};
use parking_lot::Mutex;
use std::sync::OnceLock;

/// An open device, with what each layer shares among its users. All of it is leaked, as [`Gpu`] is.
pub struct OpenDevice {
    pub gpu: &'static Gpu,
    pub heap: &'static Heap,
    pub programs: &'static ProgramCaches,
    pub queues: &'static Queues,
    pub facts: TrialFacts,
}

/// A device that is opened when it is first used.
///
/// Lock: the logical device, held while the device is opened.
pub struct Opening {
    instance: &'static Instance,
    adapter: &'static Adapter,
    pub target: &'static Target,
    vulkan: &'static VulkanTarget,
    images: ImageFacts,
    store: &'static Store,
    /// The facts that an earlier process found.
    kept: Option<TrialFacts>,
    open: OnceLock<OpenDevice>,
    gpu: Mutex<Option<&'static Gpu>>,
}

impl Opening {
    /// A device that is not open.
    pub fn new(
        instance: &'static Instance,
        adapter: &'static Adapter,
        (target, vulkan): (&'static Target, &'static VulkanTarget),
        images: ImageFacts,
        store: &'static Store,
    ) -> Opening {
        let (kept, open, gpu) = (TrialFacts::read(store, adapter), OnceLock::new(), Mutex::new(None));
        Opening { instance, adapter, target, vulkan, images, store, kept, open, gpu }
    }

    /// The facts that an earlier process found; without one, the device is opened.
    ///
    /// # Errors
    /// The errors of opening the device.
    pub fn facts(&self) -> DeviceResult<TrialFacts> {
        self.kept.map_or_else(|| Ok(self.open()?.facts), Ok)
    }

    /// The open device, if it has been opened.
    pub fn get(&self) -> Option<&OpenDevice> {
        self.open.get()
    }

    /// The device, which is opened if it is not open yet. After a failure the next call tries again.
    ///
    /// # Errors
    /// The errors of creating the VkDevice and its queues; `Lost` if the device is lost.
    pub fn open(&self) -> DeviceResult<&OpenDevice> {
        let open = self.open.get().map_or_else(|| self.open_once(), Ok)?;
        open.gpu.check_usable()?;
        Ok(open)
    }

    /// Opens the device unless another thread has done so.
    fn open_once(&self) -> DeviceResult<&OpenDevice> {
        let mut gpu = self.gpu.lock();
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let opened = self.create(&mut gpu)?;
        Ok(self.open.get_or_init(|| opened))
    }

    /// Opens the device. `kept` is the logical device of an attempt that failed later.
    fn create(&self, kept: &mut Option<&'static Gpu>) -> DeviceResult<OpenDevice> {
        let query = caps::begin_query(self.adapter);
        let gpu = match *kept {
            Some(gpu) => gpu,
            None => {
                let target = (self.target, self.vulkan);
                Gpu::open(self.instance, self.adapter, target, self.store.folder().is_some())?
            }
        };
        *kept = Some(gpu);
        let heap: &'static Heap = Box::leak(Box::new(Heap::new(gpu, self.images.clone())?));
        let memory: &'static MemoryPools = Box::leak(Box::new(MemoryPools::new(heap)));
        let programs: &'static ProgramCaches = Box::leak(Box::new(ProgramCaches::new(memory, self.store)));
        let pools: &'static SubmitPools = Box::leak(Box::new(SubmitPools::new(programs)));
        let queues: &'static Queues = Box::leak(Box::new(Queues::new(pools)?));
        let (facts, lasting) = TrialFacts::of(heap, query.map(Query::facts).unwrap_or_default());
        if lasting && self.kept != Some(facts) {
            if let Some(kept) = self.kept {
                tracing::warn!("{}: {facts:?}, but an earlier process found {kept:?}", self.adapter.name);
            }
            facts.write(self.store, self.adapter);
        }
        let types = &self.adapter.memory;
        for t in types.memory_types_as_slice() {
            tracing::debug!(
                "memory type {:?} in heap of {}",
                t.property_flags,
                types.memory_heaps[t.heap_index as usize].size
            );
        }
        tracing::debug!("opened Vulkan device {}", self.adapter.name);
        Ok(OpenDevice { gpu, heap, programs, queues, facts })
    }
}
