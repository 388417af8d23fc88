//! Image formats in Vulkan: the VkFormat that stores the texels, the swizzle of reads, and the device's
//! support.
//!
//! Texels have OpenCL's memory layout. Integers are unsigned in Vulkan (the compiler's contract). Sampled
//! images are read through views that swizzle and decode. Views of storage images can do neither: kernels
//! reorder the components themselves, and apply the sRGB transfer function ([`stored`]).

// The API's names.
#![allow(non_upper_case_globals)]

use crate::cl::image::{ImageFormat, ImageKind, ImageShape};
use crate::cl::*;
use crate::device::info::{FormatSupport, ImageUse};
use crate::device::vulkan::core::instance::Instance;
use ash::vk;
use clspv_bridge::texel_format;
use clspv_bridge::texel_order::{Source, TexelOrder};
use rspirv::spirv;

/// Component mapping of reads.
pub type Swizzle = [vk::ComponentSwizzle; 4];

/// An image format in Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Format of the image.
    pub base: vk::Format,
    /// Format of views for reading; differs from `base` for sRGB.
    pub read: vk::Format,
    pub swizzle: Swizzle,
}

impl Format {
    fn is_swizzled(&self) -> bool {
        self.swizzle != IDENTITY
    }

    /// Whether reads have an alpha of one that is not the format's.
    pub fn adds_alpha(&self) -> bool {
        self.swizzle.contains(&ONE)
    }

    /// Whether the bytes can also be read in another format, so that images can be created from images: views
    /// require the image to allow it.
    pub fn is_shared(&self) -> bool {
        matches!(self.base, vk::Format::R8G8B8A8_UNORM | vk::Format::B8G8R8A8_UNORM)
    }
}

const R: vk::ComponentSwizzle = vk::ComponentSwizzle::R;
const G: vk::ComponentSwizzle = vk::ComponentSwizzle::G;
const B: vk::ComponentSwizzle = vk::ComponentSwizzle::B;
const A: vk::ComponentSwizzle = vk::ComponentSwizzle::A;
const ZERO: vk::ComponentSwizzle = vk::ComponentSwizzle::ZERO;
const ONE: vk::ComponentSwizzle = vk::ComponentSwizzle::ONE;
const IDENTITY: Swizzle = [R, G, B, A];

/// A format of one, two or four channels of a type.
fn plain(channels: usize, data_type: cl_channel_type) -> Option<vk::Format> {
    use vk::Format as F;
    let [one, two, four] = match data_type {
        CL_UNORM_INT8 => [F::R8_UNORM, F::R8G8_UNORM, F::R8G8B8A8_UNORM],
        CL_UNORM_INT16 => [F::R16_UNORM, F::R16G16_UNORM, F::R16G16B16A16_UNORM],
        CL_SNORM_INT8 => [F::R8_SNORM, F::R8G8_SNORM, F::R8G8B8A8_SNORM],
        CL_SNORM_INT16 => [F::R16_SNORM, F::R16G16_SNORM, F::R16G16B16A16_SNORM],
        CL_SIGNED_INT8 | CL_UNSIGNED_INT8 => [F::R8_UINT, F::R8G8_UINT, F::R8G8B8A8_UINT],
        CL_SIGNED_INT16 | CL_UNSIGNED_INT16 => [F::R16_UINT, F::R16G16_UINT, F::R16G16B16A16_UINT],
        CL_SIGNED_INT32 | CL_UNSIGNED_INT32 => [F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT],
        CL_HALF_FLOAT => [F::R16_SFLOAT, F::R16G16_SFLOAT, F::R16G16B16A16_SFLOAT],
        CL_FLOAT => [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT],
        _ => return None,
    };
    Some(match channels {
        1 => one,
        2 => two,
        _ => four,
    })
}

/// The Vulkan format, if there is one. `bgra`: the device has images of the format B8G8R8A8 in every use;
/// otherwise kernels and views reorder the components of R8G8B8A8.
pub fn find(format: ImageFormat, bgra: bool) -> Option<Format> {
    use vk::Format as F;
    let same = |base, swizzle| Some(Format { base, read: base, swizzle });
    let of = |channels, swizzle| same(plain(channels, format.data_type)?, swizzle);
    match (format.order, format.data_type) {
        (CL_RGB | CL_RGBx, CL_UNORM_SHORT_565) => same(F::R5G6B5_UNORM_PACK16, IDENTITY),
        (CL_RGB | CL_RGBx, CL_UNORM_SHORT_555) => same(F::A1R5G5B5_UNORM_PACK16, [R, G, B, ONE]),
        (CL_RGB | CL_RGBx, CL_UNORM_INT_101010) => same(F::A2R10G10B10_UNORM_PACK32, [R, G, B, ONE]),
        (CL_ABGR, CL_UNORM_INT_2_101010_EXT) => same(F::A2B10G10R10_UNORM_PACK32, IDENTITY),
        (CL_R | CL_DEPTH, _) => of(1, IDENTITY),
        (CL_A, _) => of(1, [ZERO, ZERO, ZERO, R]),
        (CL_INTENSITY, _) => of(1, [R, R, R, R]),
        (CL_LUMINANCE, _) => of(1, [R, R, R, ONE]),
        (CL_RG, _) => of(2, IDENTITY),
        (CL_RA, _) => of(2, [R, ZERO, ZERO, G]),
        (CL_RGBA, _) => of(4, IDENTITY),
        (CL_RGBx, _) => of(4, [R, G, B, ONE]),
        (CL_ARGB, _) => of(4, [G, B, A, R]),
        (CL_ABGR, _) => of(4, [A, B, G, R]),
        (CL_BGRA, CL_UNORM_INT8) if bgra => same(F::B8G8R8A8_UNORM, IDENTITY),
        (CL_BGRA, _) => of(4, [B, G, R, A]),
        (CL_sRGBA, _) => Some(Format { base: F::R8G8B8A8_UNORM, read: F::R8G8B8A8_SRGB, swizzle: IDENTITY }),
        (CL_sRGBx, _) => {
            Some(Format { base: F::R8G8B8A8_UNORM, read: F::R8G8B8A8_SRGB, swizzle: [R, G, B, ONE] })
        }
        (CL_sBGRA, _) if !bgra => {
            Some(Format { base: F::R8G8B8A8_UNORM, read: F::R8G8B8A8_SRGB, swizzle: [B, G, R, A] })
        }
        (CL_sBGRA, _) => Some(Format { base: F::B8G8R8A8_UNORM, read: F::B8G8R8A8_SRGB, swizzle: IDENTITY }),
        _ => None,
    }
}

/// Format of a storage image's views, and the texel order; `bgra` as for [`find`].
pub fn stored(format: ImageFormat, bgra: bool, is_declared: bool) -> Option<(vk::Format, u32)> {
    let found = find(format, bgra)?;
    let (mut view, mut swizzle) = (found.base, found.swizzle);
    if is_declared && view == vk::Format::B8G8R8A8_UNORM {
        // SPIR-V has no image format for it.
        (view, swizzle) = (vk::Format::R8G8B8A8_UNORM, [B, G, R, A]);
    }
    let mut order = TexelOrder { stored: [0, 1, 2, 3], read: [Source::Zero; 4], srgb: format.is_srgb() };
    for ((source, component), i) in order.read.iter_mut().zip(swizzle).zip(0..4) {
        *source = match component {
            ZERO => Source::Zero,
            ONE => Source::One,
            channel => Source::Channel([R, G, B, A].iter().position(|c| *c == channel)? as u8),
        };
        // For a channel that is several components (LUMINANCE, INTENSITY) the first one is stored.
        if let Source::Channel(channel) = *source
            && swizzle.iter().position(|c| *c == component) == Some(usize::from(i))
        {
            order.stored[usize::from(channel)] = i;
        }
    }
    Some((view, order.word()))
}

/// The SPIR-V image format that a module declares for a Vulkan format.
pub fn declared(format: vk::Format) -> Option<spirv::ImageFormat> {
    use spirv::ImageFormat as S;
    use vk::Format as F;
    Some(match format {
        F::R8_UNORM => S::R8,
        F::R8G8_UNORM => S::Rg8,
        F::R8G8B8A8_UNORM => S::Rgba8,
        F::R16_UNORM => S::R16,
        F::R16G16_UNORM => S::Rg16,
        F::R16G16B16A16_UNORM => S::Rgba16,
        F::R8_SNORM => S::R8Snorm,
        F::R8G8_SNORM => S::Rg8Snorm,
        F::R8G8B8A8_SNORM => S::Rgba8Snorm,
        F::R16_SNORM => S::R16Snorm,
        F::R16G16_SNORM => S::Rg16Snorm,
        F::R16G16B16A16_SNORM => S::Rgba16Snorm,
        F::R8_UINT => S::R8ui,
        F::R8G8_UINT => S::Rg8ui,
        F::R8G8B8A8_UINT => S::Rgba8ui,
        F::R16_UINT => S::R16ui,
        F::R16G16_UINT => S::Rg16ui,
        F::R16G16B16A16_UINT => S::Rgba16ui,
        F::R32_UINT => S::R32ui,
        F::R32G32_UINT => S::Rg32ui,
        F::R32G32B32A32_UINT => S::Rgba32ui,
        F::R16_SFLOAT => S::R16f,
        F::R16G16_SFLOAT => S::Rg16f,
        F::R16G16B16A16_SFLOAT => S::Rgba16f,
        F::R32_SFLOAT => S::R32f,
        F::R32G32_SFLOAT => S::Rg32f,
        F::R32G32B32A32_SFLOAT => S::Rgba32f,
        F::A2B10G10R10_UNORM_PACK32 => S::Rgb10A2,
        _ => return None,
    })
}

/// Device features of a VkFormat.
#[derive(Clone, Copy, Default, Debug)]
pub struct FormatFeatures {
    /// For optimal tiling.
    pub tiled: vk::FormatFeatureFlags2,
    pub linear: vk::FormatFeatureFlags2,
    pub buffer: vk::FormatFeatureFlags2,
}

/// Queries the features of a format; `detailed` if the device supports VkFormatProperties3.
pub fn features(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    detailed: bool,
    format: vk::Format,
) -> FormatFeatures {
    use vk::FormatFeatureFlags2 as F;
    let mut detail = vk::FormatProperties3::default();
    let mut props = vk::FormatProperties2::default();
    if detailed {
        props = props.push_next(&mut detail);
    }
    // SAFETY: the handle comes from this instance; the chained structure is known to the device.
    unsafe { instance.raw.get_physical_device_format_properties2(physical, format, &mut props) };
    let plain = props.format_properties;
    if detailed {
        return FormatFeatures {
            tiled: detail.optimal_tiling_features,
            linear: detail.linear_tiling_features,
            buffer: detail.buffer_features,
        };
    }
    // The old flags have the same bits; storage without a format then applies to every format with storage.
    let widen = |flags: vk::FormatFeatureFlags| {
        let flags = F::from_raw(u64::from(flags.as_raw()));
        if flags.intersects(F::STORAGE_IMAGE | F::STORAGE_TEXEL_BUFFER) {
            flags | F::STORAGE_READ_WITHOUT_FORMAT | F::STORAGE_WRITE_WITHOUT_FORMAT
        } else {
            flags
        }
    };
    FormatFeatures {
        tiled: widen(plain.optimal_tiling_features),
        linear: widen(plain.linear_tiling_features),
        buffer: widen(plain.buffer_features),
    }
}

/// Queries of a device's image support.
pub struct Probe<'a> {
    pub instance: &'a Instance,
    pub physical: vk::PhysicalDevice,
    /// The device supports VkFormatProperties3.
    pub detailed: bool,
    /// The device has images of the format B8G8R8A8 in every use.
    pub bgra: bool,
    /// Kernels may read and write the same image.
    pub read_write: bool,
    /// Modules can read and write storage images without declaring the format.
    pub read_any: bool,
    pub write_any: bool,
    /// Modules may declare any format.
    pub extended: bool,
    /// Reads of five- and six-bit channels are as exact as OpenCL requires (C specification, 8.3.1: 1.5 ulp).
    pub exact_packed: bool,
}

impl Probe<'_> {
    fn features(&self, format: vk::Format) -> FormatFeatures {
        features(self.instance, self.physical, self.detailed, format)
    }

    /// Whether images of the kind can have all levels of detail.
    pub fn has_levels(&self, format: ImageFormat, kind: ImageKind, write: bool, max: &[u32; 3]) -> bool {
        find(format, self.bgra).is_some_and(|f| self.allows(&f, kind, usage(write), max, true))
    }

    /// Whether images of the kind and usage can be created up to the size, optionally with all levels of
    /// detail.
    fn allows(
        &self,
        format: &Format,
        kind: ImageKind,
        usage: vk::ImageUsageFlags,
        max: &[u32; 3],
        levels: bool,
    ) -> bool {
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(format.base)
            .ty(image_type(kind))
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .flags(create_flags(format));
        let mut props = vk::ImageFormatProperties2::default();
        // SAFETY: the handle comes from this instance.
        let asked = unsafe {
            self.instance.raw.get_physical_device_image_format_properties2(self.physical, &info, &mut props)
        };
        let p = props.image_format_properties;
        let (dims, layers) = match kind {
            ImageKind::D1 => ([max[0], 1, 1], 1),
            ImageKind::D1Array => ([max[0], 1, 1], max[1]),
            ImageKind::D2 => ([max[0], max[1], 1], 1),
            ImageKind::D2Array => ([max[0], max[1], 1], max[2]),
            _ => (*max, 1),
        };
        let extent = [p.max_extent.width, p.max_extent.height, p.max_extent.depth];
        let most = dims.iter().max().map_or(1, |n| n.max(&1).ilog2() + 1);
        if levels && p.max_mip_levels < most {
            return false;
        }
        asked.is_ok() && (0..3).all(|i| extent[i] >= dims[i]) && p.max_array_layers >= layers
    }

    /// Whether kernels can access storage images of the format: without a format if the device can do so
    /// (`any`) and the format has the feature `without`, else with a declared one.
    fn accesses(
        &self,
        format: ImageFormat,
        in_buffer: bool,
        any: bool,
        without: vk::FormatFeatureFlags2,
    ) -> bool {
        use vk::FormatFeatureFlags2 as F;
        let Some((view, _)) = stored(format, self.bgra, !any) else { return false };
        let features = self.features(view);
        let (features, storage) = match in_buffer {
            true => (features.buffer, F::STORAGE_TEXEL_BUFFER),
            false => (features.tiled, F::STORAGE_IMAGE),
        };
        match any {
            true => features.contains(without),
            false => {
                features.contains(storage)
                    && declared(view).is_some_and(|f| self.extended || texel_format::is_basic(f))
            }
        }
    }

    /// The uses of a format's images, given the maximum size of each kind.
    pub fn support(&self, format: ImageFormat, max: impl Fn(ImageKind) -> [u32; 3]) -> Option<FormatSupport> {
        use vk::FormatFeatureFlags2 as F;
        let packed = matches!(format.data_type, CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555);
        if packed && !self.exact_packed {
            return None;
        }
        let vulkan = find(format, self.bgra)?;
        let (base, read) = (self.features(vulkan.base), self.features(vulkan.read));
        let transfer = F::TRANSFER_SRC | F::TRANSFER_DST;
        let mut uses = [ImageUse::default(); 6];
        for (uses, kind) in uses.iter_mut().zip(ImageKind::ALL) {
            if !format.allows(kind) {
                continue;
            }
            let in_buffer = kind == ImageKind::Buffer;
            let (can_read, can_store) = if in_buffer {
                // Buffers are created for both uses, so views of them must support both.
                let plain = !vulkan.is_swizzled() && vulkan.base == vulkan.read;
                let both = plain && base.buffer.contains(F::UNIFORM_TEXEL_BUFFER | F::STORAGE_TEXEL_BUFFER);
                (both, both)
            } else {
                let moves = base.tiled.contains(transfer);
                (
                    moves && read.tiled.contains(F::SAMPLED_IMAGE),
                    moves && base.tiled.contains(F::STORAGE_IMAGE),
                )
            };
            let write = can_store
                && self.accesses(format, in_buffer, self.write_any, F::STORAGE_WRITE_WITHOUT_FORMAT);
            let read = can_read && (in_buffer || self.allows(&vulkan, kind, usage(write), &max(kind), false));
            let both = self.read_write
                && self.accesses(
                    format,
                    in_buffer,
                    self.read_any && self.write_any,
                    F::STORAGE_READ_WITHOUT_FORMAT,
                );
            *uses = ImageUse { read, write: read && write, read_write: read && write && both };
        }
        uses.iter().any(|u| u.read).then_some(FormatSupport { format, uses })
    }
}

/// Size and layers of an image.
pub fn extent(shape: &ImageShape) -> (vk::Extent3D, u32) {
    let [width, height, depth] = shape.size;
    match shape.kind {
        ImageKind::D1 | ImageKind::Buffer => (vk::Extent3D { width, height: 1, depth: 1 }, 1),
        ImageKind::D1Array => (vk::Extent3D { width, height: 1, depth: 1 }, height),
        ImageKind::D2 => (vk::Extent3D { width, height, depth: 1 }, 1),
        ImageKind::D2Array => (vk::Extent3D { width, height, depth: 1 }, depth),
        ImageKind::D3 => (vk::Extent3D { width, height, depth }, 1),
    }
}

/// VkImageType of a kind.
pub fn image_type(kind: ImageKind) -> vk::ImageType {
    match kind {
        ImageKind::D1 | ImageKind::D1Array | ImageKind::Buffer => vk::ImageType::TYPE_1D,
        ImageKind::D2 | ImageKind::D2Array => vk::ImageType::TYPE_2D,
        ImageKind::D3 => vk::ImageType::TYPE_3D,
    }
}

/// VkImageViewType of a kind.
pub fn view_type(kind: ImageKind) -> vk::ImageViewType {
    match kind {
        ImageKind::D1 | ImageKind::Buffer => vk::ImageViewType::TYPE_1D,
        ImageKind::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
        ImageKind::D2 => vk::ImageViewType::TYPE_2D,
        ImageKind::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
        ImageKind::D3 => vk::ImageViewType::TYPE_3D,
    }
}

/// Flags of an image of the format.
pub fn create_flags(format: &Format) -> vk::ImageCreateFlags {
    if format.is_shared() { vk::ImageCreateFlags::MUTABLE_FORMAT } else { vk::ImageCreateFlags::empty() }
}

/// Usage of an image; `write` if kernels may write it, or an image made from it.
pub fn usage(write: bool) -> vk::ImageUsageFlags {
    let usage =
        vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED;
    if write { usage | vk::ImageUsageFlags::STORAGE } else { usage }
}

/// The format without the sRGB colour space: images of one may be created from images of the other.
pub fn linear(format: ImageFormat) -> ImageFormat {
    let order = match format.order {
        CL_sRGBA => CL_RGBA,
        CL_sBGRA => CL_BGRA,
        CL_sRGBx => CL_RGBx,
        other => other,
    };
    ImageFormat { order, ..format }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::image::formats;

    #[test]
    fn every_format_is_found_and_has_its_size() {
        let bytes = |f: vk::Format| -> u32 {
            let name = format!("{f:?}");
            let packed = name.split("PACK").nth(1).and_then(|n| n.parse::<u32>().ok());
            let bits = packed.unwrap_or_else(|| {
                let channels = name.split('_').next().unwrap_or_default();
                channels.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok()).sum()
            });
            bits / 8
        };
        let mut count = 0;
        // Vulkan has no such format with alpha in the lowest bits.
        for format in formats().filter(|f| f.data_type != CL_UNORM_INT_101010_2) {
            let found = find(format, true).unwrap_or_else(|| panic!("{format:x?}"));
            assert_eq!(bytes(found.base), format.element_size(), "{format:x?}");
            assert_eq!(bytes(found.read), format.element_size(), "{format:x?}");
            count += 1;
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn stored_texels_are_in_the_order_of_memory() {
        let word = |order| stored(ImageFormat::new(order, CL_UNORM_INT8), true, false).unwrap().1;
        let of = |stored, read: [Source; 4]| TexelOrder { stored, read, srgb: false }.word();
        let c = Source::Channel;
        assert_eq!((word(CL_RGBA), word(CL_RG), word(CL_R), word(CL_BGRA)), (0, 0, 0, 0));
        assert_eq!(word(CL_ARGB), of([3, 0, 1, 2], [c(1), c(2), c(3), c(0)]));
        assert_eq!(word(CL_ABGR), of([3, 2, 1, 0], [c(3), c(2), c(1), c(0)]));
        assert_eq!(word(CL_A), of([3, 1, 2, 3], [Source::Zero, Source::Zero, Source::Zero, c(0)]));
        assert_eq!(word(CL_RA), of([0, 3, 2, 3], [c(0), Source::Zero, Source::Zero, c(1)]));
        assert_eq!(word(CL_INTENSITY), of([0, 1, 2, 3], [c(0); 4]));
        assert_eq!(word(CL_LUMINANCE), of([0, 1, 2, 3], [c(0), c(0), c(0), Source::One]));
        let declared = stored(ImageFormat::new(CL_BGRA, CL_UNORM_INT8), true, true).unwrap();
        assert_eq!(declared, (vk::Format::R8G8B8A8_UNORM, of([2, 1, 0, 3], [c(2), c(1), c(0), c(3)])));
        assert_eq!(
            stored(ImageFormat::new(CL_sRGBA, CL_UNORM_INT8), true, false).unwrap().0,
            vk::Format::R8G8B8A8_UNORM
        );
        assert_ne!(word(CL_sRGBA), 0);
        assert_ne!(word(CL_sRGBA), word(CL_sRGBx));
    }

    #[test]
    fn swizzles_undo_the_order_in_memory() {
        // Pack colours with one component set to find the component for each channel in memory.
        for format in formats().filter(|f| f.data_type == CL_UNSIGNED_INT8) {
            let found = find(format, true).unwrap();
            for component in 0..4usize {
                let mut color = [0u8; 16];
                color[4 * component] = 1;
                let texel = format.pack(&color);
                if let Some(at) = texel.iter().position(|b| *b == 1)
                    && !matches!(format.order, CL_INTENSITY | CL_LUMINANCE)
                    && (format.order, component) != (CL_RGBx, 3)
                {
                    assert_eq!(found.swizzle[component], [R, G, B, A][at], "{format:x?}");
                }
            }
        }
    }
}
