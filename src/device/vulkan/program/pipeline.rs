//! Pipelines of one kernel variant, created on first use: one for each local size, set of local-memory
//! lengths, constants of images, and (where the module must declare them) image formats.
//!
//! The driver's compilation results are cached on disk unless the compilation took no time, and the sizes of
//! the pipelines that were used, which later processes create ahead of the first launch (`ahead`).

use super::pipeline_creation::{Parts, create};
use super::pipeline_entries::{self, WORTH_KEEPING};
use super::pipeline_key::{Formats, PipelineKey};
use super::{descriptors, statistics};
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::core::conv::{self, VkResultExt};
use crate::device::vulkan::core::gpu::Gpu;
use crate::record::{BuildStage, stage};
use crate::store::Store;
use ash::vk;
use clspv_bridge::abi::{BlockStorage, KernelVariant};
use clspv_bridge::texel_format;
use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Instant;

/// The launch after which a stand-in is replaced: a program that only tries local sizes makes fewer with
/// each, and the recording of a second launch serves the later ones.
const LAST_TRIAL: u32 = 2;

/// A pipeline with its layouts.
#[derive(Clone, Copy, Default)]
pub struct Pipeline {
    pub pipeline: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub sets: vk::DescriptorSetLayout,
}

/// Vulkan objects of one variant.
pub struct Pipelines {
    /// The kernel's name, for messages; kernels of other names may have the same code.
    name: String,
    gpu: &'static Gpu,
    store: &'static Store,
    /// Never locked while a pipeline is created.
    made: Mutex<Made>,
    /// Signalled when the creation of a pipeline ends.
    created: Condvar,
    /// Local sizes chosen for small grids.
    small: Mutex<SmallVec<[[u32; 3]; 2]>>,
}

#[derive(Default)]
struct Made {
    modules: HashMap<Formats, vk::ShaderModule>,
    sets: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
    pipelines: HashMap<PipelineKey, vk::Pipeline>,
    /// The pipeline requested last.
    recent: Option<(PipelineKey, vk::Pipeline)>,
    /// Keys of the pipelines in creation.
    creating: SmallVec<[PipelineKey; 2]>,
    /// Keys for which another local size serves, and how often it did.
    replaced: HashMap<PipelineKey, u32>,
}

/// A pipeline in creation, which others wait for.
struct Creation<'a> {
    pipelines: &'a Pipelines,
    key: &'a PipelineKey,
}

impl Drop for Creation<'_> {
    fn drop(&mut self) {
        self.pipelines.made.lock().creating.retain(|key| key != self.key);
        self.pipelines.created.notify_all();
    }
}

/// A pipeline that serves a launch instead of the one of its own local size.
#[derive(Debug, PartialEq, Eq)]
pub struct StandIn {
    pub local: [u32; 3],
    /// Whether the launch's own should be created now.
    pub is_last: bool,
}

impl Pipelines {
    /// An empty set of pipelines.
    pub fn new(name: &str, gpu: &'static Gpu, store: &'static Store) -> Self {
        Pipelines {
            name: name.to_owned(),
            gpu,
            store,
            made: Mutex::default(),
            created: Condvar::new(),
            small: Mutex::default(),
        }
    }

    /// The local size for a grid so small that compiling for another size would take longer than running it:
    /// `best` for the first such grid, then a size chosen before.
    pub fn small_local_size(&self, global: [u64; 3], best: [u32; 3]) -> [u32; 3] {
        let mut chosen = self.small.lock();
        let divides = |size: &&[u32; 3]| (0..3).all(|d| global[d].is_multiple_of(u64::from(size[d])));
        if let Some(size) = chosen.iter().filter(divides).max_by_key(|size| size.iter().product::<u32>()) {
            return *size;
        }
        let new = if chosen.is_empty() { best } else { [1; 3] };
        chosen.push(new);
        new
    }

    /// The pipeline and its layouts.
    pub fn get(&self, variant: &KernelVariant, key: &PipelineKey) -> DeviceResult<Pipeline> {
        let mut made = self.made.lock();
        loop {
            if let Some(pipeline) = made.find(key) {
                return Ok(pipeline);
            }
            if !made.creating.contains(key) {
                break;
            }
            self.created.wait(&mut made);
        }
        let _stage = BuildStage::begin(stage::PIPELINE, || self.name.clone());
        let start = Instant::now();
        let parts = made.prepare(self.gpu, self.store, variant, &key.formats)?;
        made.creating.push(key.clone());
        drop(made);
        let creation = Creation { pipelines: self, key };
        let logs = self.gpu.executables.is_some() && tracing::enabled!(tracing::Level::DEBUG);
        let pipeline = create(self.gpu, variant, key, &parts, logs)?;
        let mut made = self.made.lock();
        made.pipelines.insert(key.clone(), pipeline);
        if made.replaced.remove(key).is_some() {
            self.gpu.invalidate_recordings();
        }
        let (sets, used) = (made.sets, made.used(key));
        drop(made);
        drop(creation);
        if start.elapsed() >= WORTH_KEEPING {
            pipeline_entries::write_compilations(self.gpu, self.store, &variant.spirv, parts.cache);
            pipeline_entries::write_sizes(self.gpu, self.store, variant, used.iter());
        }
        if logs {
            let statistics = statistics::describe(self.gpu, pipeline);
            tracing::debug!("pipeline of {}, local size {:?}: {statistics:?}", self.name, key.local);
        }
        Ok(Pipeline { pipeline, layout: parts.layout, sets })
    }

    /// The local size of an existing pipeline for a grid whose own pipeline, that of `key`, does not exist
    /// yet. It divides the grid, and has whole sub-groups of `wave` work-items or no fewer work-items than
    /// `key`. Only for a variant that runs with any local size.
    pub fn stand_in(&self, key: &PipelineKey, global: [u64; 3], wave: u32) -> Option<StandIn> {
        let mut made = self.made.lock();
        if made.find(key).is_some() {
            return None;
        }
        let items = |key: &PipelineKey| key.local.iter().product::<u32>();
        let wanted = items(key);
        let serves = |other: &&PipelineKey| {
            other.differs_in_size_only(key)
                && (0..3).all(|d| global[d].is_multiple_of(u64::from(other.local[d])))
                && (items(other).is_multiple_of(wave) || items(other) >= wanted)
        };
        let found = made.pipelines.keys().filter(serves).min_by_key(|other| items(other).abs_diff(wanted));
        let local = found?.local;
        let uses = made.replaced.entry(key.clone()).or_default();
        *uses = uses.saturating_add(1);
        Some(StandIn { local, is_last: *uses == LAST_TRIAL })
    }

    /// Creates the pipelines that earlier processes used, and another one.
    pub fn create_ahead(&self, variant: &KernelVariant, other: Option<PipelineKey>) -> DeviceResult<()> {
        let kept = pipeline_entries::read_sizes(self.gpu, self.store, variant);
        let most = self.gpu.adapter.props.limits.max_compute_work_group_invocations;
        let items = |key: &PipelineKey| key.local.iter().fold(1u32, |n, size| n.saturating_mul(*size));
        let kept = kept.into_iter().filter(|key| (1..=most).contains(&items(key)));
        for key in kept.chain(other) {
            self.get(variant, &key)?;
        }
        Ok(())
    }

    /// The driver's statistics on a pipeline, which is created for them.
    pub fn statistics(&self, variant: &KernelVariant, key: &PipelineKey) -> DeviceResult<String> {
        let parts = self.made.lock().prepare(self.gpu, self.store, variant, &key.formats)?;
        let pipeline = create(self.gpu, variant, key, &parts, self.gpu.executables.is_some())?;
        let statistics = statistics::describe(self.gpu, pipeline);
        // SAFETY: nothing else has the pipeline.
        unsafe { self.gpu.raw.destroy_pipeline(pipeline, None) };
        statistics
    }
}

impl Made {
    /// The keys of all pipelines, the newest first.
    fn used(&self, newest: &PipelineKey) -> Vec<PipelineKey> {
        let others = self.pipelines.keys().filter(|key| *key != newest);
        std::iter::once(newest).chain(others).cloned().collect()
    }

    /// The pipeline of this key, if it exists.
    fn find(&mut self, key: &PipelineKey) -> Option<Pipeline> {
        let (layout, sets) = (self.layout, self.sets);
        if let Some((_, pipeline)) = self.recent.as_ref().filter(|(recent, _)| recent == key) {
            return Some(Pipeline { pipeline: *pipeline, layout, sets });
        }
        let pipeline = *self.pipelines.get(key)?;
        self.recent = Some((key.clone(), pipeline));
        Some(Pipeline { pipeline, layout, sets })
    }

    /// The module that declares these formats.
    fn module(
        &mut self,
        gpu: &Gpu,
        variant: &KernelVariant,
        formats: &Formats,
    ) -> DeviceResult<vk::ShaderModule> {
        if let Some(&module) = self.modules.get(formats) {
            return Ok(module);
        }
        let code = match formats.is_empty() {
            true => Cow::Borrowed(&variant.spirv),
            false => Cow::Owned(texel_format::declare(&variant.spirv, formats)),
        };
        let info = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the words come from the compiler for this device.
        let module = unsafe { gpu.raw.create_shader_module(&info, None) }.during("vkCreateShaderModule")?;
        self.modules.insert(formats.clone(), module);
        Ok(module)
    }

    /// Creates the pipeline cache and the layouts, each once, and a module for each set of formats.
    fn prepare(
        &mut self,
        gpu: &Gpu,
        store: &Store,
        variant: &KernelVariant,
        formats: &Formats,
    ) -> DeviceResult<Parts> {
        let abi = &variant.abi;
        if self.cache == vk::PipelineCache::null() {
            self.cache = pipeline_entries::read_compilations(gpu, store, &variant.spirv)?;
        }
        if self.sets == vk::DescriptorSetLayout::null() && !abi.bindings.is_empty() {
            self.sets = descriptors::set_layout(gpu, &abi.bindings)?;
        }
        if self.layout == vk::PipelineLayout::null() {
            let size = push_size(variant);
            if size > gpu.adapter.props.limits.max_push_constants_size {
                return Err(DeviceError::Unsupported(format!("{size} bytes of push constants")));
            }
            let ranges =
                [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
            let sets = [self.sets];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(if abi.bindings.is_empty() { &[] } else { &sets })
                .push_constant_ranges(if size == 0 { &[] } else { &ranges });
            // SAFETY: the set layout is alive.
            self.layout =
                unsafe { gpu.raw.create_pipeline_layout(&info, None) }.during("vkCreatePipelineLayout")?;
        }
        Ok(Parts { module: self.module(gpu, variant, formats)?, layout: self.layout, cache: self.cache })
    }
}

/// Bytes of push constants of a variant.
pub fn push_size(variant: &KernelVariant) -> u32 {
    match variant.abi.block_storage {
        BlockStorage::Push => conv::align_up(u64::from(variant.abi.block_size), 4) as u32,
        BlockStorage::Buffer => 8,
        BlockStorage::Bound => 0,
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        self.gpu.invalidate_recordings();
        let made = self.made.get_mut();
        // SAFETY: submitted work keeps its kernel alive, so nothing uses these objects; null handles are
        // ignored.
        unsafe {
            for pipeline in made.pipelines.values() {
                self.gpu.raw.destroy_pipeline(*pipeline, None);
            }
            self.gpu.raw.destroy_pipeline_cache(made.cache, None);
            self.gpu.raw.destroy_pipeline_layout(made.layout, None);
            self.gpu.raw.destroy_descriptor_set_layout(made.sets, None);
            for module in made.modules.values() {
                self.gpu.raw.destroy_shader_module(*module, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::device::vulkan::tests::{device, opened, scale_variant};
    use clspv_bridge::abi::PointerMode;

    fn sizes(x: u32, y: u32) -> PipelineKey {
        let abi = scale_variant(PointerMode::Addresses, BlockStorage::Push).abi;
        PipelineKey::of_sizes(&abi, [x, y, 1], SmallVec::new())
    }

    #[test]
    fn a_pipeline_stands_in_for_others_until_they_exist() {
        let Some(device) = device() else { return };
        let gpu = opened(&device).gpu;
        let store: &'static Store = Box::leak(Box::new(Store::from_config(Config::get())));
        let pipelines = Pipelines::new("k", gpu, store);
        let variant = scale_variant(PointerMode::Bindings, BlockStorage::Push);
        let stand_in = |key: &PipelineKey, global| pipelines.stand_in(key, [global, 1, 1], 8);
        assert_eq!(stand_in(&sizes(16, 1), 64), None);
        for size in [64, 4] {
            pipelines.get(&variant, &sizes(size, 1)).unwrap();
        }
        let is_last: Vec<bool> = (1..6).map(|n| stand_in(&sizes(16, 1), 64 * n).unwrap().is_last).collect();
        assert_eq!(is_last, [false, true, false, false, false]);
        // Remainders, half a wave instead of a whole one, other lengths of local memory.
        assert_eq!(stand_in(&sizes(16, 1), 96), None);
        assert_eq!(stand_in(&sizes(2, 1), 4), Some(StandIn { local: [4, 1, 1], is_last: false }));
        assert_eq!(stand_in(&PipelineKey { lengths: SmallVec::from_slice(&[1]), ..sizes(16, 1) }, 64), None);
        let epoch = gpu.recordings_epoch();
        pipelines.get(&variant, &sizes(16, 1)).unwrap();
        assert!(gpu.recordings_epoch() > epoch);
        assert_eq!(stand_in(&sizes(16, 1), 64), None);
    }

    #[test]
    fn threads_that_want_one_pipeline_get_the_same() {
        let Some(device) = device() else { return };
        let gpu = opened(&device).gpu;
        let store: &'static Store = Box::leak(Box::new(Store::from_config(Config::get())));
        let pipelines = Pipelines::new("k", gpu, store);
        let variant = scale_variant(PointerMode::Bindings, BlockStorage::Push);
        let get = || pipelines.get(&variant, &sizes(32, 2)).unwrap().pipeline;
        let all: Vec<vk::Pipeline> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(get)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|pipeline| *pipeline == all[0]));
        assert_eq!(pipelines.made.lock().pipelines.len(), 1);
        assert!(pipelines.made.lock().creating.is_empty());
    }
}
