//! A shader that does nothing, of which pipelines are created for what the driver does then: it uploads code
//! and notes that caches of code must be invalidated.

use super::pipeline_entries;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::store::Store;
use ash::vk;
use parking_lot::Mutex;

const EMPTY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.spv"));

/// The shader, created on first use and never destroyed.
pub struct EmptyShader {
    gpu: &'static Gpu,
    store: &'static Store,
    made: Mutex<Option<Made>>,
}

/// Objects for the creation of pipelines, and the newest pipeline.
struct Made {
    module: vk::ShaderModule,
    layout: vk::PipelineLayout,
    /// Contains the compiled shader.
    cache: vk::PipelineCache,
    pipeline: vk::Pipeline,
}

impl EmptyShader {
    /// Creates nothing yet.
    pub fn new(gpu: &'static Gpu, store: &'static Store) -> EmptyShader {
        EmptyShader { gpu, store, made: Mutex::default() }
    }

    /// Compiles the shader, unless that was done before.
    pub fn compile(&self) -> DeviceResult<()> {
        let mut made = self.made.lock();
        if made.is_some() {
            return Ok(());
        }
        let words = pipeline_entries::words(EMPTY);
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the code is valid.
        let module = unsafe { self.gpu.raw.create_shader_module(&info, None) };
        let mut new = Made {
            module: module.during("vkCreateShaderModule")?,
            layout: vk::PipelineLayout::null(),
            cache: vk::PipelineCache::null(),
            pipeline: vk::Pipeline::null(),
        };
        match self.complete(&mut new, &words) {
            Ok(()) => *made = Some(new),
            Err(e) => {
                // SAFETY: nothing uses the objects; null handles are ignored.
                unsafe {
                    self.gpu.raw.destroy_pipeline_cache(new.cache, None);
                    self.gpu.raw.destroy_pipeline_layout(new.layout, None);
                    self.gpu.raw.destroy_shader_module(new.module, None);
                }
                return Err(e);
            }
        }
        Ok(())
    }

    fn complete(&self, new: &mut Made, words: &[u32]) -> DeviceResult<()> {
        // SAFETY: the structure is valid.
        let layout = unsafe { self.gpu.raw.create_pipeline_layout(&Default::default(), None) };
        new.layout = layout.during("vkCreatePipelineLayout")?;
        new.cache = pipeline_entries::read_compilations(self.gpu, self.store, words)?;
        let create = || new.pipeline(self.gpu);
        new.pipeline = pipeline_entries::keeping(self.gpu, self.store, words, new.cache, create)?;
        Ok(())
    }

    /// Replaces the pipeline by a new one, whose code the driver uploads: it might use the code of an equal
    /// pipeline that is alive. Does nothing before the shader is compiled.
    pub fn upload(&self) -> DeviceResult<()> {
        let mut made = self.made.lock();
        let Some(made) = made.as_mut() else { return Ok(()) };
        // SAFETY: no command buffer uses the pipeline.
        unsafe { self.gpu.raw.destroy_pipeline(std::mem::take(&mut made.pipeline), None) };
        made.pipeline = made.pipeline(self.gpu)?;
        Ok(())
    }
}

impl Made {
    /// A pipeline, which does not count as an upload that must become visible.
    fn pipeline(&self, gpu: &Gpu) -> DeviceResult<vk::Pipeline> {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: module and layout are alive and belong together.
        let list = unsafe { gpu.raw.create_compute_pipelines(self.cache, &info, None) };
        Ok(list.map_err(|(_, e)| e).during("vkCreateComputePipelines")?[0])
    }
}
