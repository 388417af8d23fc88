//! Creation of a pipeline: its specialisation constants and sub-groups.

use super::pipeline_key::PipelineKey;
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;
use clspv_bridge::abi::{
    ENTRY_POINT, KernelVariant, SPEC_FIRST_IMAGE, SPEC_LINEAR_LOCAL_SIZE, SPEC_LOCAL_SIZE,
};
use smallvec::SmallVec;
use std::ffi::CString;

/// Handles for the creation of a pipeline.
pub struct Parts {
    pub module: vk::ShaderModule,
    pub layout: vk::PipelineLayout,
    pub cache: vk::PipelineCache,
}

/// Compiles a pipeline, whose statistics can be read afterwards if it `captures` them.
pub fn create(
    gpu: &Gpu,
    variant: &KernelVariant,
    key: &PipelineKey,
    parts: &Parts,
    captures: bool,
) -> DeviceResult<vk::Pipeline> {
    let linear = variant.abi.is_linear();
    let items = key.local.iter().product::<u32>();
    let workgroup = if linear { [items, 1, 1] } else { key.local };
    let line: &[u32] = if linear { &SPEC_LINEAR_LOCAL_SIZE } else { &[] };
    let images = key.constants.iter().map(|(binding, value)| (SPEC_FIRST_IMAGE + binding, *value));
    let ids =
        SPEC_LOCAL_SIZE.iter().chain(line).copied().chain(variant.abi.local_specs.iter().map(|(id, _)| *id));
    let ids = ids.chain(images.clone().map(|(id, _)| id));
    let entries: SmallVec<[vk::SpecializationMapEntry; 8]> = ids
        .enumerate()
        .map(|(i, id)| vk::SpecializationMapEntry { constant_id: id, offset: i as u32 * 4, size: 4 })
        .collect();
    let local: &[u32] = if linear { &key.local } else { &[] };
    let values: SmallVec<[u32; 8]> = workgroup
        .iter()
        .chain(local)
        .chain(&key.lengths)
        .copied()
        .chain(images.map(|(_, value)| value))
        .collect();
    if values.len() != entries.len() {
        return Err(DeviceError::Unexpected("specialisation constants do not match the kernel".into()));
    }
    let spec =
        vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(values.as_slice()));
    let name = CString::new(ENTRY_POINT).unwrap_or_default();
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(parts.module)
        .name(&name)
        .specialization_info(&spec);
    let size = variant.abi.sub_group_size;
    let mut required =
        vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default().required_subgroup_size(size);
    if gpu.adapter.required_sub_group_size(size).is_some() {
        stage = stage.push_next(&mut required);
    }
    if linear && gpu.adapter.features.full_subgroups && items.is_multiple_of(size) {
        stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
    }
    let flags = match captures {
        true => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
        false => vk::PipelineCreateFlags::empty(),
    };
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(parts.layout).flags(flags);
    // SAFETY: module and layout are alive and belong together.
    unsafe { gpu.pipeline(parts.cache, info) }
}
