//! A device's image support in OpenCL's terms.

use super::format::Probe;
use crate::cl::image::{self, ImageFormat, ImageKind};
use crate::cl::*;
use crate::device::info::ImageFacts;
use crate::device::vulkan::core::adapter::Adapter;
use crate::device::vulkan::core::caps::LEAST_DESCRIPTORS;
use crate::device::vulkan::core::instance::Instance;
use ash::vk;
use clspv_bridge::target::VulkanTarget;

/// Formats that every full-profile device supports for reading and for writing.
const REQUIRED: [cl_channel_type; 10] = [
    CL_UNORM_INT8,
    CL_UNORM_INT16,
    CL_SIGNED_INT8,
    CL_SIGNED_INT16,
    CL_SIGNED_INT32,
    CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,
    CL_HALF_FLOAT,
    CL_FLOAT,
];
/// Required formats that one kernel need not both read and write.
const NOT_BOTH: [cl_channel_type; 1] = [CL_UNORM_INT16];
/// Number of images that a kernel can read and can write in the full profile, and in the embedded one.
const READ_ARGS: u32 = 128;
const WRITE_ARGS: u32 = 64;
const MIN_ARGS: (u32, u32) = (8, 1);

/// The device's image support, or the reason why it falls short of the embedded profile.
pub fn image_facts(instance: &'static Instance, a: &Adapter, t: &VulkanTarget) -> Result<ImageFacts, String> {
    if !a.ext.is_vulkan_1_1() {
        // Views of images have their usages by VK_KHR_maintenance2.
        return Err("they need Vulkan 1.1".into());
    }
    let limits = &a.props.limits;
    let probe = Probe {
        instance,
        physical: a.physical,
        detailed: a.api >= vk::API_VERSION_1_3,
        bgra: a.features.bgra_images,
        read_write: a.features.read_write_images,
        read_any: t.storage_image_read_any,
        extended: t.storage_image_extended_formats,
        exact_packed: !a.quirks.coarse_packed_reads,
        write_any: t.storage_image_write_any,
    };
    // A device with the full profile's number reports it, and a kernel with so many images has no buffers.
    let room = match limits.max_per_stage_resources {
        few if few < READ_ARGS => few.saturating_sub(LEAST_DESCRIPTORS),
        many => many,
    };
    let args = (
        limits.max_per_stage_descriptor_sampled_images.min(room),
        limits.max_per_stage_descriptor_storage_images.min(room),
    );
    let max_2d =
        [limits.max_image_dimension1_d.min(limits.max_image_dimension2_d), limits.max_image_dimension2_d];
    let mut facts = ImageFacts {
        max_2d,
        max_3d: [limits.max_image_dimension3_d; 3],
        max_layers: limits.max_image_array_layers,
        levels: false,
        level_writes: false,
        max_buffer: u64::from(limits.max_texel_buffer_elements),
        max_read_args: args.0.min(READ_ARGS),
        max_write_args: args.1.min(WRITE_ARGS),
        max_read_write_args: 0,
        pitch_alignment: 1,
        base_alignment: 1,
        formats: Vec::new(),
    };
    if args.0 < MIN_ARGS.0 || args.1 < MIN_ARGS.1 {
        return Err(format!("only {} read and {} written ones in a kernel", args.0, args.1));
    }
    let max = |kind| match kind {
        ImageKind::D1 | ImageKind::Buffer => [max_2d[0], 1, 1],
        ImageKind::D1Array => [max_2d[0], facts.max_layers, 1],
        ImageKind::D2 => [max_2d[0], max_2d[1], 1],
        ImageKind::D2Array => [max_2d[0], max_2d[1], facts.max_layers],
        ImageKind::D3 => facts.max_3d,
    };
    let mut levels = true;
    let formats: Vec<_> = image::formats().filter_map(|f| probe.support(f, max)).collect();
    for support in formats.iter().filter(|f| f.format.order != CL_DEPTH) {
        let kinds = ImageKind::ALL
            .into_iter()
            .zip(support.uses)
            .filter(|(k, uses)| *k != ImageKind::Buffer && uses.read);
        levels &= kinds
            .into_iter()
            .all(|(kind, uses)| probe.has_levels(support.format, kind, uses.write, &max(kind)));
    }
    facts.formats = formats;
    facts.levels = levels;
    // Formats that can be written can be written at every level.
    facts.level_writes = levels && t.max_storage_images >= u32::from(t.image_levels);
    let bgra = ImageFormat::new(CL_BGRA, CL_UNORM_INT8);
    for format in REQUIRED.iter().map(|t| ImageFormat::new(CL_RGBA, *t)).chain([bgra]) {
        if let Some(kind) =
            ImageKind::ALL.into_iter().find(|k| *k != ImageKind::Buffer && !facts.uses(format, *k).write)
        {
            return Err(format!(
                "no writable {kind:?} of format {:#x}, {:#x}",
                format.order, format.data_type
            ));
        }
    }
    let both = |order| {
        let types = REQUIRED.iter().filter(|t| !NOT_BOTH.contains(t));
        types.into_iter().all(|t| {
            let kinds = ImageKind::ALL.into_iter().filter(|k| *k != ImageKind::Buffer);
            kinds.into_iter().all(|k| facts.uses(ImageFormat::new(order, *t), k).read_write)
        })
    };
    if both(CL_R) && both(CL_RGBA) {
        facts.max_read_write_args = facts.max_write_args;
    } else {
        for format in &mut facts.formats {
            format.uses.iter_mut().for_each(|u| u.read_write = false);
        }
    }
    Ok(facts)
}
