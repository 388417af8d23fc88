//! Internal shaders: pattern fills that vkCmdFillBuffer cannot do, and copies in a discrete GPU's memory,
//! where vkCmdCopyBuffer may run on an engine that reaches a fraction of the memory's bandwidth.

use super::pipeline_entries;
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::staging::ArenaSlice;
use crate::store::Store;
use ash::vk;
use parking_lot::Mutex;

const FILL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fill.spv"));
const COPY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/copy.spv"));
const GROUP: u32 = 256;
const MAX_GROUPS: u32 = 16384;
/// Bytes that a work-item of the copy shader copies.
const UNIT: u64 = 16;
/// Copies across the bus above this size use the transfer commands. Switching between compute and transfer
/// work takes a few microseconds (5 for NVIDIA 580 on an H200).
const SMALL_COPY: u64 = 1 << 20;
/// Fills above this size use the transfer commands, for the same reason.
const SMALL_FILL: u64 = 4 << 20;

/// The pipelines and their layout, created on first use and never destroyed.
///
/// Locks: a pipeline, then the layout; each also held while it is created.
pub struct InternalShaders {
    gpu: &'static Gpu,
    store: &'static Store,
    layout: Mutex<Option<vk::PipelineLayout>>,
    fill: Mutex<Option<vk::Pipeline>>,
    copy: Mutex<Option<vk::Pipeline>>,
}

/// A pipeline with two storage buffers, target and source, and four words of parameters.
#[derive(Clone, Copy)]
struct InternalShader {
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

/// A range of a buffer.
#[derive(Clone, Copy)]
pub struct Span {
    pub buffer: vk::Buffer,
    pub offset: u64,
    pub size: u64,
}

impl InternalShaders {
    /// No pipelines yet.
    pub fn new(gpu: &'static Gpu, store: &'static Store) -> InternalShaders {
        let (layout, fill, copy) = (Mutex::default(), Mutex::default(), Mutex::default());
        InternalShaders { gpu, store, layout, fill, copy }
    }

    /// The layout of both pipelines.
    fn layout(&self) -> DeviceResult<vk::PipelineLayout> {
        let mut made = self.layout.lock();
        if let Some(layout) = *made {
            return Ok(layout);
        }
        let raw = &self.gpu.raw;
        let storage = |binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [storage(0), storage(1)];
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR)
            .bindings(&bindings);
        let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(16)];
        // SAFETY: push descriptors are enabled (the caller checked).
        let set = unsafe { raw.create_descriptor_set_layout(&info, None) };
        let sets = [set.during("vkCreateDescriptorSetLayout")?];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        // SAFETY: the set's layout is alive; after a failure nothing uses it.
        let layout = unsafe { raw.create_pipeline_layout(&info, None) }.inspect_err(|_| unsafe {
            raw.destroy_descriptor_set_layout(sets[0], None);
        });
        Ok(*made.insert(layout.during("vkCreatePipelineLayout")?))
    }

    /// A shader's pipeline.
    fn internal_shader(
        &self,
        slot: &Mutex<Option<vk::Pipeline>>,
        code: &[u8],
    ) -> DeviceResult<InternalShader> {
        let (mut slot, layout) = (slot.lock(), self.layout()?);
        if let Some(pipeline) = *slot {
            return Ok(InternalShader { layout, pipeline });
        }
        let words = pipeline_entries::words(code);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the code is valid.
        let module =
            unsafe { self.gpu.raw.create_shader_module(&info, None) }.during("vkCreateShaderModule")?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let pipeline = self.pipeline(&words, info);
        // SAFETY: nothing uses the module any more.
        unsafe { self.gpu.raw.destroy_shader_module(module, None) };
        let pipeline = *slot.insert(pipeline?);
        Ok(InternalShader { layout, pipeline })
    }

    /// Creates a pipeline from the driver's compilation results on disk, which it adds if they are not there.
    fn pipeline(&self, code: &[u32], info: vk::ComputePipelineCreateInfo<'_>) -> DeviceResult<vk::Pipeline> {
        let gpu = self.gpu;
        let cache = pipeline_entries::read_compilations(gpu, self.store, code)?;
        // SAFETY: module and layout are alive and belong together.
        let create = || unsafe { gpu.pipeline(cache, info) };
        let pipeline = pipeline_entries::keeping(gpu, self.store, code, cache, create);
        // SAFETY: nothing uses the cache any more.
        unsafe { gpu.raw.destroy_pipeline_cache(cache, None) };
        pipeline
    }

    /// Dispatches an internal shader whose pipeline is bound.
    fn run_shader(
        &self,
        cmd: vk::CommandBuffer,
        shader: &InternalShader,
        target: Span,
        source: Span,
        params: [u32; 4],
        groups: u32,
    ) -> DeviceResult<()> {
        let push = self
            .gpu
            .push_descriptor
            .as_ref()
            .ok_or_else(|| DeviceError::Unsupported("push descriptors".into()))?;
        let info =
            |s: Span| [vk::DescriptorBufferInfo::default().buffer(s.buffer).offset(s.offset).range(s.size)];
        let (target, source) = (info(target), info(source));
        let write = |binding, info| {
            vk::WriteDescriptorSet::default()
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(info)
        };
        let writes = [write(0, &target), write(1, &source)];
        // SAFETY: the command buffer is recording; layout, descriptors and constants fit the shader.
        unsafe {
            push.cmd_push_descriptor_set(cmd, vk::PipelineBindPoint::COMPUTE, shader.layout, 0, &writes);
            let bytes = bytemuck::bytes_of(&params);
            self.gpu.raw.cmd_push_constants(cmd, shader.layout, vk::ShaderStageFlags::COMPUTE, 0, bytes);
            self.gpu.raw.cmd_dispatch(cmd, groups, 1, 1);
        }
        Ok(())
    }

    /// Repeats the `words` (a power of two) of `pattern` over `size` bytes at `offset`; both are multiples of
    /// 4.
    pub fn fill_words(
        &self,
        cmd: vk::CommandBuffer,
        dst: (vk::Buffer, u64, u64),
        pattern: ArenaSlice,
        words: u32,
    ) -> DeviceResult<()> {
        let made = self.internal_shader(&self.fill, FILL)?;
        let limits = &self.gpu.adapter.props.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        // Whole patterns per dispatch, so that each starts at the pattern's first word.
        let step = (u64::from(limits.max_storage_buffer_range) - align) & !127;
        let (buffer, mut offset, mut left) = dst;
        // SAFETY: the command buffer is recording.
        unsafe { self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, made.pipeline) };
        while left > 0 {
            let size = left.min(step);
            let base = offset & !(align - 1);
            let count = (size / 4) as u32;
            let groups = count.div_ceil(GROUP).min(MAX_GROUPS);
            let params = [((offset - base) / 4) as u32, count, words - 1, groups * GROUP];
            let target = Span { buffer, offset: base, size: offset - base + size };
            let source = Span { buffer: pattern.buffer, offset: pattern.offset, size: u64::from(words) * 4 };
            self.run_shader(cmd, &made, target, source, params, groups)?;
            offset += size;
            left -= size;
        }
        Ok(())
    }

    /// Whether the copy shader should execute a copy; `local` if both buffers are in device-local memory.
    pub fn copies_by_shader(&self, src: u64, dst: u64, size: u64, local: bool) -> bool {
        !self.gpu.adapter.is_unified() && (local || size <= SMALL_COPY) && self.can_copy_units(src, dst, size)
    }

    /// Whether the fill shader should execute a fill that vkCmdFillBuffer could execute too.
    pub fn fills_by_shader(&self, size: u64) -> bool {
        !self.gpu.adapter.is_unified() && size <= SMALL_FILL
    }

    /// Whether the copy shader supports a copy.
    pub fn can_copy_units(&self, src: u64, dst: u64, size: u64) -> bool {
        self.gpu.push_descriptor.is_some() && (src | dst | size).is_multiple_of(UNIT)
    }

    /// Copies `size` bytes between disjoint ranges, where [`InternalShaders::can_copy_units`] allows it.
    pub fn copy_units(
        &self,
        cmd: vk::CommandBuffer,
        src: (vk::Buffer, u64),
        dst: (vk::Buffer, u64),
        size: u64,
    ) -> DeviceResult<()> {
        let made = self.internal_shader(&self.copy, COPY)?;
        let limits = &self.gpu.adapter.props.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(UNIT);
        let max_units =
            u64::from(limits.max_compute_work_group_count[0].clamp(1, 1 << 20)) * u64::from(GROUP);
        let step = ((u64::from(limits.max_storage_buffer_range) - align) & !(UNIT - 1)).min(max_units * UNIT);
        // SAFETY: the command buffer is recording.
        unsafe { self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, made.pipeline) };
        let mut done = 0;
        while done < size {
            let part = (size - done).min(step);
            let span = |(buffer, start): (vk::Buffer, u64)| {
                let at = start + done;
                let skip = at % align;
                (Span { buffer, offset: at - skip, size: skip + part }, (skip / UNIT) as u32)
            };
            let ((source, source_first), (target, target_first)) = (span(src), span(dst));
            let count = (part / UNIT) as u32;
            let params = [source_first, target_first, count, 0];
            self.run_shader(cmd, &made, target, source, params, count.div_ceil(GROUP))?;
            done += part;
        }
        Ok(())
    }
}
