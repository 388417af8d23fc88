//! Descriptors of kernels: the layout of their set, and the binding of a launch's buffers, images and
//! samplers.
//!
//! Up to the device's limit they are pushed. A kernel with more (only one with many images) gets a set of its
//! own, from a pool that lives as long as the command allocator.

use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::device::vulkan::memory::image::Bound;
use ash::vk;
use clspv_bridge::abi::BindingSource;
use smallvec::SmallVec;

fn pushes(gpu: &Gpu, count: usize) -> bool {
    gpu.push_descriptor.is_some() && count as u64 <= u64::from(gpu.adapter.max_push_descriptors)
}

fn kind(source: &BindingSource) -> vk::DescriptorType {
    match source {
        BindingSource::Image(image) => match (image.buffer, image.storage) {
            (true, true) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            (true, false) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            (false, true) => vk::DescriptorType::STORAGE_IMAGE,
            (false, false) => vk::DescriptorType::SAMPLED_IMAGE,
        },
        BindingSource::Sampler(_) => vk::DescriptorType::SAMPLER,
        BindingSource::Arg(_)
        | BindingSource::Whole(_)
        | BindingSource::Block
        | BindingSource::Window
        | BindingSource::Data
        | BindingSource::Print => vk::DescriptorType::STORAGE_BUFFER,
    }
}

/// The layout of a kernel's descriptor set.
pub fn set_layout(gpu: &Gpu, sources: &[BindingSource]) -> DeviceResult<vk::DescriptorSetLayout> {
    let bindings: Vec<_> = sources
        .iter()
        .zip(0..)
        .map(|(source, binding)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(kind(source))
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    if pushes(gpu, sources.len()) {
        info = info.flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
    }
    // SAFETY: push descriptors are only requested where they are enabled.
    unsafe { gpu.raw.create_descriptor_set_layout(&info, None) }.during("vkCreateDescriptorSetLayout")
}

/// Storage of the structures that a descriptor write points to.
enum Info {
    Buffer([vk::DescriptorBufferInfo; 1]),
    Image(vk::DescriptorType, [vk::DescriptorImageInfo; 1]),
    Texels(vk::DescriptorType, [vk::BufferView; 1]),
}

impl Info {
    fn new(bound: &Bound) -> Info {
        let image = |ty, view| {
            Info::Image(
                ty,
                [vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)],
            )
        };
        match *bound {
            Bound::Buffer { buffer, offset, range } => {
                Info::Buffer([vk::DescriptorBufferInfo { buffer, offset, range }])
            }
            Bound::Sampler(sampler) => {
                let info = vk::DescriptorImageInfo::default().sampler(sampler);
                Info::Image(vk::DescriptorType::SAMPLER, [info])
            }
            Bound::Sampled(view) => image(vk::DescriptorType::SAMPLED_IMAGE, view),
            Bound::Storage(view) => image(vk::DescriptorType::STORAGE_IMAGE, view),
            Bound::UniformTexels(view) => Info::Texels(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, [view]),
            Bound::StorageTexels(view) => Info::Texels(vk::DescriptorType::STORAGE_TEXEL_BUFFER, [view]),
        }
    }

    fn kind(&self) -> vk::DescriptorType {
        match self {
            Info::Buffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Info::Image(ty, _) | Info::Texels(ty, _) => *ty,
        }
    }

    fn write(&self, binding: u32, set: vk::DescriptorSet) -> vk::WriteDescriptorSet<'_> {
        let write =
            vk::WriteDescriptorSet::default().dst_set(set).dst_binding(binding).descriptor_type(self.kind());
        match self {
            Info::Buffer(info) => write.buffer_info(info),
            Info::Image(_, info) => write.image_info(info),
            Info::Texels(_, views) => write.texel_buffer_view(views),
        }
    }
}

/// Binds the resources of a launch, in binding order. Adds a pool to `pools` if they cannot be pushed; it
/// lives until the command buffer has been executed.
pub fn bind(
    gpu: &Gpu,
    cmd: vk::CommandBuffer,
    pools: &mut Vec<vk::DescriptorPool>,
    layout: vk::PipelineLayout,
    sets: vk::DescriptorSetLayout,
    bindings: &[Bound],
) -> DeviceResult<()> {
    let infos: SmallVec<[Info; 8]> = bindings.iter().map(Info::new).collect();
    let writes = |set| -> SmallVec<[vk::WriteDescriptorSet<'_>; 8]> {
        infos.iter().zip(0..).map(|(info, binding)| info.write(binding, set)).collect()
    };
    let compute = vk::PipelineBindPoint::COMPUTE;
    if let Some(push) = gpu.push_descriptor.as_ref().filter(|_| pushes(gpu, bindings.len())) {
        let writes = writes(vk::DescriptorSet::null());
        // SAFETY: the command buffer is recording; the bound resources are alive, valid for the layout,
        // and kept by the launch.
        unsafe { push.cmd_push_descriptor_set(cmd, compute, layout, 0, &writes) };
        return Ok(());
    }
    let mut sizes: SmallVec<[vk::DescriptorPoolSize; 6]> = SmallVec::new();
    for info in &infos {
        match sizes.iter_mut().find(|s| s.ty == info.kind()) {
            Some(size) => size.descriptor_count += 1,
            None => sizes.push(vk::DescriptorPoolSize { ty: info.kind(), descriptor_count: 1 }),
        }
    }
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
    // SAFETY: the device is alive.
    let pool = unsafe { gpu.raw.create_descriptor_pool(&info, None) }.during("vkCreateDescriptorPool")?;
    pools.push(pool);
    let layouts = [sets];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    // SAFETY: the pool is new and has room for one set of this layout.
    let set = unsafe { gpu.raw.allocate_descriptor_sets(&info) }.during("vkAllocateDescriptorSets")?;
    let writes = writes(set[0]);
    // SAFETY: the set is new; the bound resources are alive and valid for the layout; the command buffer
    // is recording.
    unsafe {
        gpu.raw.update_descriptor_sets(&writes, &[]);
        gpu.raw.cmd_bind_descriptor_sets(cmd, compute, layout, 0, &set, &[]);
    }
    Ok(())
}
