//! Helper shaders: the pattern fills that vkCmdFillBuffer cannot do.

use super::super::traits::{DeviceError, Result};
use super::conv::Context;
use super::device::Gpu;
use super::staging::Piece;
use ash::vk;
use parking_lot::Mutex;

const FILL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fill.spv"));
const GROUP: u32 = 256;
const MAX_GROUPS: u32 = 16384;

/// The fill pipeline, made when it is first used.
#[derive(Default)]
pub struct Helpers {
    fill: Mutex<Option<FillPipeline>>,
}

#[derive(Clone, Copy)]
struct FillPipeline {
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Gpu {
    fn fill_pipeline(&self) -> Result<FillPipeline> {
        let mut slot = self.helpers.fill.lock();
        if let Some(made) = *slot {
            return Ok(made);
        }
        let words: Vec<u32> = FILL.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect();
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
        // SAFETY: push descriptors are enabled (the caller checked); all structures are valid for the calls. What is made
        // here lives as long as the device; after a failure the little that was made is left to the device too.
        let made = unsafe {
            let sets = [self.raw.create_descriptor_set_layout(&info, None).during("vkCreateDescriptorSetLayout")?];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
            let layout = self.raw.create_pipeline_layout(&info, None).during("vkCreatePipelineLayout")?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = self.raw.create_shader_module(&info, None).during("vkCreateShaderModule")?;
            let stage =
                vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let pipelines = self.raw.create_compute_pipelines(self.pipeline_cache, &[info], None);
            self.raw.destroy_shader_module(module, None);
            FillPipeline { layout, pipeline: pipelines.map_err(|(_, e)| e).during("vkCreateComputePipelines")?[0] }
        };
        *slot = Some(made);
        Ok(made)
    }

    /// Repeats the `words` (a power of two) of `pattern` over `size` bytes at `offset`; both are multiples of 4.
    pub fn fill_words(&self, cmd: vk::CommandBuffer, dst: (vk::Buffer, u64, u64), pattern: Piece, words: u32) -> Result<()> {
        let push = self.push_descriptor.as_ref().ok_or_else(|| DeviceError::Unsupported("push descriptors".into()))?;
        let made = self.fill_pipeline()?;
        let limits = &self.adapter.props.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(4);
        // Whole patterns a dispatch, so that each starts at the pattern's first word.
        let step = (u64::from(limits.max_storage_buffer_range) - align) & !127;
        let (buffer, mut offset, mut left) = dst;
        // SAFETY: the command buffer is recording.
        unsafe { self.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, made.pipeline) };
        while left > 0 {
            let size = left.min(step);
            let base = offset & !(align - 1);
            let count = (size / 4) as u32;
            let groups = count.div_ceil(GROUP).min(MAX_GROUPS);
            let params = [((offset - base) / 4) as u32, count, words - 1, groups * GROUP];
            let target = [vk::DescriptorBufferInfo::default().buffer(buffer).offset(base).range(offset - base + size)];
            let source =
                [vk::DescriptorBufferInfo::default().buffer(pattern.buffer).offset(pattern.offset).range(u64::from(words) * 4)];
            let write = |binding, info| {
                vk::WriteDescriptorSet::default()
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(info)
            };
            let writes = [write(0, &target), write(1, &source)];
            let compute = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: the command buffer is recording; layout, descriptors and constants fit the shader.
            unsafe {
                push.cmd_push_descriptor_set(cmd, compute, made.layout, 0, &writes);
                let bytes = bytemuck::bytes_of(&params);
                self.raw.cmd_push_constants(cmd, made.layout, vk::ShaderStageFlags::COMPUTE, 0, bytes);
                self.raw.cmd_dispatch(cmd, groups, 1, 1);
            }
            offset += size;
            left -= size;
        }
        Ok(())
    }
}
