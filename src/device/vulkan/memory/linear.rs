//! Images in linear tiling over a buffer's memory: kernels use the texels as an image, everything else as
//! bytes.
//!
//! Vulkan allows a buffer and a linear image in the layout GENERAL to share memory (the chapter on resources,
//! memory aliasing: both are host-accessible). The driver chooses the pitches; where the buffer's are larger,
//! the Vulkan image is wider and higher than the OpenCL image. Kernels never query the size from the Vulkan
//! image.

use super::buffer::MemoryRange;
use super::format::{self, Format};
use super::trials::Trials;
use crate::cl::image::{ImageFormat, ImageKind, ImageShape};
use crate::cl::{CL_R, CL_UNORM_INT8};
use crate::device::batch::RectLayout;
use crate::device::traits::{DeviceResult, ImageDesc};
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use ash::vk;

/// An image without memory.
pub struct Linear {
    gpu: &'static Gpu,
    pub raw: vk::Image,
    /// Layout of the texels in the image's memory.
    pub layout: RectLayout,
    pub requirements: vk::MemoryRequirements,
    /// Whether the Vulkan image has the size of the OpenCL image.
    pub is_exact: bool,
}

impl Linear {
    /// Creates an image with the pitches of `wanted`, or with the driver's pitches; `None` if that is not
    /// possible.
    pub fn new(
        gpu: &'static Gpu,
        desc: &ImageDesc,
        wanted: Option<&RectLayout>,
        write: bool,
    ) -> DeviceResult<Option<Linear>> {
        let Some(vulkan) = format::find(desc.format, gpu.adapter.features.bgra_images) else {
            return Ok(None);
        };
        let Some(shape) = wanted.map_or(Some(desc.shape), |w| grown(desc, w)) else { return Ok(None) };
        let (extent, layers) = format::extent(&shape);
        let usage = format::usage(write);
        if !fits(gpu, &vulkan, shape.kind, usage, extent, layers) {
            return Ok(None);
        }
        let info = vk::ImageCreateInfo::default()
            .flags(format::create_flags(&vulkan))
            .image_type(format::image_type(shape.kind))
            .format(vulkan.base)
            .extent(extent)
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(usage)
            .initial_layout(vk::ImageLayout::PREINITIALIZED);
        // SAFETY: the device is alive; format, size and usage were found to be supported.
        let raw = unsafe { gpu.raw.create_image(&info, None) }.during("vkCreateImage")?;
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut requirements = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let about = vk::ImageMemoryRequirementsInfo2::default().image(raw);
        // SAFETY: the image is alive; both structures are known to every device of Vulkan 1.1.
        unsafe { gpu.raw.get_image_memory_requirements2(&about, &mut requirements) };
        let requirements = requirements.memory_requirements;
        let (layout, is_exact) = (layout_of(gpu, raw, shape.kind, extent), shape.size == desc.shape.size);
        let linear = Linear { gpu, raw, layout, requirements, is_exact };
        let alike = wanted.is_none_or(|w| linear.agrees(desc, w));
        Ok(Some(linear).filter(|_| alike && dedicated.requires_dedicated_allocation == vk::FALSE))
    }

    /// Whether the relevant pitches are equal.
    fn agrees(&self, desc: &ImageDesc, wanted: &RectLayout) -> bool {
        let [_, rows, slices] = desc.shape.size;
        (rows == 1 && slices == 1 || self.layout.row_pitch == wanted.row_pitch)
            && (slices == 1 || self.layout.slice_pitch == wanted.slice_pitch)
    }

    /// Binds the image so that its texels begin at an offset in a buffer. Destroys it and returns `None` if
    /// that is not possible.
    pub fn bind(self, range: &MemoryRange, at: u64) -> DeviceResult<Option<vk::Image>> {
        let Some(start) = (range.offset + at).checked_sub(self.layout.offset) else { return Ok(None) };
        let r = &self.requirements;
        let inside = start >= range.offset && start + r.size <= range.offset + range.size;
        if !inside || !start.is_multiple_of(r.alignment.max(1)) || range.types & !r.memory_type_bits != 0 {
            return Ok(None);
        }
        // SAFETY: the memory is of this device and one of the types allowed; the image fits there and is not
        // bound yet.
        unsafe { self.gpu.raw.bind_image_memory(self.raw, range.memory, start) }
            .during("vkBindImageMemory")?;
        let raw = self.raw;
        std::mem::forget(self);
        Ok(Some(raw))
    }
}

impl Drop for Linear {
    fn drop(&mut self) {
        // SAFETY: the image is unused.
        unsafe { self.gpu.raw.destroy_image(self.raw, None) };
    }
}

/// The shape that gives an image a buffer's pitches: rows are as long as the row pitch.
fn grown(desc: &ImageDesc, wanted: &RectLayout) -> Option<ImageShape> {
    let element = u64::from(desc.format.element_size());
    let units = |bytes: u64, unit: u64| {
        u32::try_from(bytes.checked_div(unit)?).ok().filter(|_| bytes.is_multiple_of(unit))
    };
    let mut size = desc.shape.size;
    if size[1] > 1 || size[2] > 1 {
        size[0] = units(wanted.row_pitch, element)?.max(size[0]);
    }
    if size[2] > 1 {
        size[1] = units(wanted.slice_pitch, wanted.row_pitch)?.max(size[1]);
    }
    Some(ImageShape { size, ..desc.shape })
}

fn layout_of(gpu: &Gpu, raw: vk::Image, kind: ImageKind, extent: vk::Extent3D) -> RectLayout {
    let first =
        vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, mip_level: 0, array_layer: 0 };
    // SAFETY: the image is alive and linear.
    let l = unsafe { gpu.raw.get_image_subresource_layout(raw, first) };
    let plane = l.row_pitch * u64::from(extent.height);
    let (row_pitch, slice_pitch) = match kind {
        ImageKind::D1Array => (l.array_pitch, 0),
        ImageKind::D2Array => (l.row_pitch, l.array_pitch),
        ImageKind::D3 => (l.row_pitch, l.depth_pitch),
        _ => (l.row_pitch, plane),
    };
    RectLayout { offset: l.offset, row_pitch, slice_pitch }
}

/// Whether kernels and transfers can use such an image in linear tiling like others.
fn fits(
    gpu: &Gpu,
    vulkan: &Format,
    kind: ImageKind,
    usage: vk::ImageUsageFlags,
    extent: vk::Extent3D,
    layers: u32,
) -> bool {
    use vk::FormatFeatureFlags2 as F;
    let used = F::SAMPLED_IMAGE
        | F::STORAGE_IMAGE
        | F::STORAGE_READ_WITHOUT_FORMAT
        | F::STORAGE_WRITE_WITHOUT_FORMAT
        | F::TRANSFER_SRC
        | F::TRANSFER_DST;
    let (vki, physical) = (&gpu.instance.raw, gpu.adapter.physical);
    let detailed = gpu.adapter.api >= vk::API_VERSION_1_3;
    let lacks = |format| {
        let f = format::features(gpu.instance, physical, detailed, format);
        (f.tiled & used).contains(F::SAMPLED_IMAGE) && !f.linear.contains(f.tiled & used)
    };
    if lacks(vulkan.base) || lacks(vulkan.read) {
        return false;
    }
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(vulkan.base)
        .ty(format::image_type(kind))
        .tiling(vk::ImageTiling::LINEAR)
        .usage(usage)
        .flags(format::create_flags(vulkan));
    let mut props = vk::ImageFormatProperties2::default();
    // SAFETY: the handle comes from this instance.
    let asked = unsafe { vki.get_physical_device_image_format_properties2(physical, &info, &mut props) };
    let (p, most) = (props.image_format_properties, props.image_format_properties.max_extent);
    let small = extent.width <= most.width && extent.height <= most.height && extent.depth <= most.depth;
    asked.is_ok() && small && layers <= p.max_array_layers
}

/// The driver's alignment of images in buffers: of row pitches and of the start, in bytes. `None` where
/// linear images are unsupported.
pub fn alignment(gpu: &'static Gpu, trials: &mut Trials) -> Option<(u32, u32)> {
    if !gpu.adapter.ext.is_vulkan_1_1() {
        return None;
    }
    let format = ImageFormat::new(CL_R, CL_UNORM_INT8);
    let mut of = |width| {
        let shape = ImageShape { kind: ImageKind::D2, size: [width, 4, 1] };
        let tried = Linear::new(gpu, &ImageDesc { format, shape, levels: 1 }, None, true);
        let linear = trials.result(tried).flatten()?;
        Some((
            u32::try_from(linear.layout.row_pitch).ok()?,
            u32::try_from(linear.requirements.alignment).ok()?,
        ))
    };
    let (pitch, start) = of(1)?;
    let grows = of(pitch)?.0 == pitch && of(pitch + 1)?.0 == 2 * pitch;
    (grows && pitch.is_power_of_two()).then_some((pitch, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::{CL_FLOAT, CL_RGBA};
    use crate::device::traits::{BufferDesc, DeviceMemory};
    use crate::device::vulkan::tests::device;
    use crate::device::vulkan::validation_messages;
    use std::sync::Arc;

    /// The buffer with an image's texels, and their layout.
    fn shared(image: &Arc<dyn DeviceMemory>) -> Option<(Arc<dyn DeviceMemory>, RectLayout)> {
        image.in_buffer().map(|(buffer, layout)| (buffer.clone(), *layout))
    }

    #[test]
    fn images_in_buffers_share_their_memory() {
        let Some(device) = device() else { return };
        if !device.info().images || device.info().image.pitch_alignment == 1 {
            return eprintln!("no linear images: nothing tested");
        }
        let pitch = u64::from(device.info().image.pitch_alignment);
        let buffer = device
            .alloc_buffer(&BufferDesc {
                size: pitch * 100,
                host_visible: false,
                read_only: false,
                name: "test",
            })
            .unwrap();
        let view = |kind, size, row, slice, offset| {
            let desc = ImageDesc {
                format: ImageFormat::new(CL_R, CL_UNORM_INT8),
                shape: ImageShape { kind, size },
                levels: 1,
            };
            let layout = RectLayout { offset, row_pitch: row, slice_pitch: slice };
            let image = device.view_buffer(&buffer, &layout, &desc).unwrap();
            shared(&image).map(|(b, l)| (Arc::ptr_eq(&b, &buffer), l == layout))
        };
        let both = Some((true, true));
        // Minimal rows, longer ones, one shorter than its pitch, and any number of them to the end.
        for (size, row) in [
            ([pitch as u32, 4, 1], pitch),
            ([5, 7, 1], pitch),
            ([5, 33, 1], 3 * pitch),
            ([pitch as u32 + 1, 50, 1], 2 * pitch),
        ] {
            assert_eq!(view(ImageKind::D2, size, row, row * u64::from(size[1]), 0), both, "{size:?}");
        }
        assert_eq!(view(ImageKind::D2, [9, 1, 1], pitch, pitch, 99 * pitch), both);
        // Rows are copied if the driver does not support their pitch.
        assert_eq!(view(ImageKind::D2, [5, 4, 1], pitch + 1, 4 * pitch + 4, 0), None);
        assert_eq!(validation_messages(), 0);
    }

    #[test]
    fn images_of_software_devices_are_seen_by_the_host() {
        let Some(device) = device() else { return };
        if !device.info().images || !device.info().host_unified_memory {
            return eprintln!("no unified memory: nothing tested");
        }
        for kind in ImageKind::ALL.into_iter().filter(|k| *k != ImageKind::Buffer) {
            let size =
                [33, if kind == ImageKind::D1 { 1 } else { 5 }, if kind.coordinates() == 3 { 3 } else { 1 }];
            let desc = ImageDesc {
                format: ImageFormat::new(CL_RGBA, CL_FLOAT),
                shape: ImageShape { kind, size },
                levels: 1,
            };
            let image = device.alloc_image(&desc).unwrap();
            let (buffer, layout) = shared(&image).unwrap();
            assert!(buffer.host_ptr().is_some() && buffer.host_cached(), "{kind:?}");
            let last = u64::from(size[2] - 1) * layout.slice_pitch
                + u64::from(size[1] - 1) * layout.row_pitch
                + 33 * 16;
            assert!(
                layout.row_pitch >= 33 * 16 && layout.offset + last <= buffer.size(),
                "{kind:?}: {layout:?}"
            );
        }
        assert_eq!(validation_messages(), 0);
    }
}
