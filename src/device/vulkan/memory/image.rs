//! Images: Vulkan images in optimal tiling, always in the layout GENERAL, with a view to fetch from and one
//! view of each level to store to; views of them for images created from images; and images in buffers. On
//! software devices, where tiling gains nothing, every image is in a buffer, so that the host sees the texels
//! and transfers are copies in host memory.
//!
//! A one-dimensional image in a buffer is a texel buffer; others are images in linear tiling over the same
//! memory (`linear`). The driver may not support the buffer's pitches, or the buffer's memory may not be
//! shareable. The buffer then has a shadow image: a launch copies the buffer to it before and, if it writes,
//! copies it back after, so that the buffer is authoritative between commands.
//!
//! Everything is freed on drop; the caller that submits work keeps the image alive until the work is
//! complete.

use super::access::{Object, ObjectAccess};
use super::allocation_cache::{Handle, Kind};
use super::buffer::{Buffer, Use};
use super::format::{self, Format};
use super::heap::Heap;
use super::linear::Linear;
use crate::cl::image::{ImageKind, bytes_of};
use crate::cl::{CL_FLOAT, CL_HALF_FLOAT, CL_SNORM_INT8, CL_SNORM_INT16};
use crate::device::batch::{ImageRange, RectLayout};
use crate::device::traits::{DeviceError, DeviceMemory, DeviceResult, ImageDesc};
use crate::device::vulkan::core::conv::{self, VkResultExt};
use crate::device::vulkan::core::gpu::Gpu;
use crate::host_ptr::HostPtr;
use ash::vk;
use clspv_bridge::abi::{ImageBinding, ability};
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use rspirv::spirv::ImageFormat;
use smallvec::SmallVec;
use std::any::Any;
use std::sync::Arc;

/// Storage of the texels.
enum Store {
    Own(Option<Allocation>),
    /// Another image's memory.
    Image {
        owner: Arc<dyn DeviceMemory>,
    },
    /// A buffer's memory, as an image in linear tiling.
    Linear {
        owner: Arc<dyn DeviceMemory>,
        /// Layout in the buffer.
        layout: RectLayout,
    },
    /// A buffer's memory, as a texel buffer.
    Texels {
        owner: Arc<dyn DeviceMemory>,
        view: vk::BufferView,
        /// See [`Stored::renamed`].
        renamed: vk::BufferView,
    },
}

/// An image, or a view of one or of a buffer, for kernels and transfers.
pub struct Image {
    heap: &'static Heap,
    pub desc: ImageDesc,
    /// Null for texel buffers.
    pub raw: vk::Image,
    sampled: vk::ImageView,
    /// Views by level; empty if kernels cannot write the format.
    stored: SmallVec<[Stored; 1]>,
    store: Store,
    /// For a shadow image: the buffer that it shadows, and the layout there.
    shadowed: Option<(Arc<dyn DeviceMemory>, RectLayout)>,
    initial: Option<vk::ImageLayout>,
    /// Tiling of a Vulkan image that has exactly the image's size.
    exact: Option<vk::ImageTiling>,
    /// Abilities of texture units with the image ([`clspv_bridge::abi::ability`]).
    abilities: u8,
}

/// Storage views of a level.
struct Stored {
    plain: vk::ImageView,
    /// Where modules must declare the format but SPIR-V has no such format: a view in a compatible format.
    /// Otherwise null.
    renamed: vk::ImageView,
}

/// The resource bound to a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Buffer { buffer: vk::Buffer, offset: u64, range: u64 },
    Sampled(vk::ImageView),
    Sampler(vk::Sampler),
    Storage(vk::ImageView),
    UniformTexels(vk::BufferView),
    StorageTexels(vk::BufferView),
}

impl Bound {
    /// A whole buffer.
    pub fn whole(buffer: &Buffer) -> Bound {
        Bound::Buffer { buffer: buffer.raw, offset: 0, range: buffer.padded }
    }
}

/// Downcasts a memory to the Vulkan image.
pub fn image_of(memory: &Arc<dyn DeviceMemory>) -> DeviceResult<&Image> {
    let image = memory.as_any().downcast_ref::<Image>();
    image.ok_or_else(|| DeviceError::Unexpected("not an image of this kind of device".into()))
}

fn vulkan_format(heap: &Heap, desc: &ImageDesc) -> DeviceResult<Format> {
    let bgra = heap.gpu.adapter.features.bgra_images;
    format::find(desc.format, bgra).ok_or_else(|| DeviceError::Unsupported("the image format".into()))
}

impl Image {
    /// Allocates an image. The caller transitions it ([`Image::initial_layout`]).
    pub fn new(heap: &'static Heap, desc: &ImageDesc) -> DeviceResult<Image> {
        if heap.gpu.adapter.is_cpu()
            && desc.levels == 1
            && heap.gpu.adapter.features.mapped_buffers
            && let Some(image) = Image::mapped(heap, desc)?
        {
            return Ok(image);
        }
        Image::unprepared(heap, desc)
    }

    /// An image in a host-visible buffer of its own.
    fn mapped(heap: &'static Heap, desc: &ImageDesc) -> DeviceResult<Option<Image>> {
        let write = stores(heap, desc);
        let Some(linear) = Linear::new(heap.gpu, desc, None, write)? else { return Ok(None) };
        let (layout, size, is_exact) = (linear.layout, linear.requirements.size, linear.is_exact);
        let what = Use::Device { host_visible: true };
        let Ok(buffer) = Buffer::new(heap, size, what, "image") else { return Ok(None) };
        if buffer.host_ptr().is_none() || !buffer.host_cached() {
            return Ok(None);
        }
        let Some(range) = buffer.memory_range() else { return Ok(None) };
        let Some(raw) = linear.bind(&range, layout.offset)? else { return Ok(None) };
        Image::over(heap, raw, Arc::new(buffer), layout, desc, is_exact).map(Some)
    }

    /// A linear image bound to a buffer's memory. Keeps the contents.
    fn over(
        heap: &'static Heap,
        raw: vk::Image,
        owner: Arc<dyn DeviceMemory>,
        layout: RectLayout,
        desc: &ImageDesc,
        is_exact: bool,
    ) -> DeviceResult<Image> {
        let null = vk::ImageView::null();
        let store = Store::Linear { owner, layout };
        let mut image = Image {
            heap,
            desc: *desc,
            raw,
            sampled: null,
            stored: SmallVec::new(),
            store,
            shadowed: None,
            initial: None,
            exact: is_exact.then_some(vk::ImageTiling::LINEAR),
            abilities: 0,
        };
        image.make_views()?;
        image.initial = Some(vk::ImageLayout::PREINITIALIZED);
        Ok(image)
    }

    fn unprepared(heap: &'static Heap, desc: &ImageDesc) -> DeviceResult<Image> {
        let (raw, memory) = match heap.reuse(Kind::Image(*desc)) {
            Some((Handle::Image(raw), memory)) => (raw, Some(memory)),
            _ => (create(heap, desc)?, None),
        };
        let mut image = Image {
            heap,
            desc: *desc,
            raw,
            sampled: vk::ImageView::null(),
            stored: SmallVec::new(),
            store: Store::Own(memory),
            shadowed: None,
            initial: Some(vk::ImageLayout::UNDEFINED),
            exact: (desc.levels == 1).then_some(vk::ImageTiling::OPTIMAL),
            abilities: 0,
        };
        if let Store::Own(memory @ None) = &mut image.store {
            *memory = Some(allocate(heap, raw)?);
        }
        image.make_views()?;
        Ok(image)
    }

    /// A view of another image in another format.
    pub fn of_image(
        heap: &'static Heap,
        owner: &Arc<dyn DeviceMemory>,
        desc: &ImageDesc,
    ) -> DeviceResult<Image> {
        let other = image_of(owner)?;
        let null = vk::ImageView::null();
        let store = Store::Image { owner: owner.clone() };
        let raw = other.raw;
        let mut image = Image {
            heap,
            desc: *desc,
            raw,
            sampled: null,
            stored: SmallVec::new(),
            store,
            shadowed: None,
            initial: None,
            exact: other.exact,
            abilities: 0,
        };
        if vulkan_format(heap, desc)?.base != vulkan_format(heap, &other.desc)?.base
            || desc.shape != other.desc.shape
        {
            return Err(DeviceError::Unexpected("a view of an image of another kind".into()));
        }
        image.make_views()?;
        Ok(image)
    }

    /// An image over a buffer. The caller transitions it ([`Image::initial_layout`]).
    pub fn of_buffer(
        heap: &'static Heap,
        owner: &Arc<dyn DeviceMemory>,
        layout: &RectLayout,
        desc: &ImageDesc,
    ) -> DeviceResult<Image> {
        let buffer = owner.as_any().downcast_ref::<Buffer>();
        let buffer =
            buffer.ok_or_else(|| DeviceError::Unexpected("not a buffer of this kind of device".into()))?;
        if desc.shape.kind != ImageKind::Buffer {
            if let Some(range) = buffer.memory_range()
                && let Some(linear) = Linear::new(heap.gpu, desc, Some(layout), stores(heap, desc))?
                && let is_exact = linear.is_exact
                && let Some(raw) = linear.bind(&range, layout.offset)?
            {
                return Image::over(heap, raw, owner.clone(), *layout, desc, is_exact);
            }
            let mut image = Image::unprepared(heap, desc)?;
            image.shadowed = Some((owner.clone(), *layout));
            return Ok(image);
        }
        let range = u64::from(desc.shape.size[0]) * u64::from(desc.format.element_size());
        if layout.offset + range > buffer.padded {
            return Err(DeviceError::Unexpected("texels outside the buffer".into()));
        }
        let (raw, null) = (vk::Image::null(), vk::ImageView::null());
        let (view, renamed) = (vk::BufferView::null(), vk::BufferView::null());
        let store = Store::Texels { owner: owner.clone(), view, renamed };
        let mut image = Image {
            heap,
            desc: *desc,
            raw,
            sampled: null,
            stored: SmallVec::new(),
            store,
            shadowed: None,
            initial: None,
            exact: None,
            abilities: 0,
        };
        let info = vk::BufferViewCreateInfo::default().buffer(buffer.raw).offset(layout.offset).range(range);
        let base = vulkan_format(heap, desc)?.base;
        let other = image.renamed_format(base);
        if let Store::Texels { view, renamed, .. } = &mut image.store {
            // SAFETY: the buffer is alive and has the usage of texel buffers, as the format has; the range is
            // inside.
            *view = unsafe { heap.gpu.buffer_view(&info.format(base)) }?;
            if let Some(format) = other {
                // SAFETY: as above.
                *renamed = unsafe { heap.gpu.buffer_view(&info.format(format)) }?;
            }
        }
        Ok(image)
    }

    fn make_views(&mut self) -> DeviceResult<()> {
        let uses = self.heap.images.uses(self.desc.format, self.desc.shape.kind);
        let vulkan = vulkan_format(self.heap, &self.desc)?;
        let [r, g, b, a] = vulkan.swizzle;
        self.sampled =
            self.view(vulkan.read, vk::ComponentMapping { r, g, b, a }, vk::ImageUsageFlags::SAMPLED, WHOLE)?;
        self.abilities = self.abilities_of(&vulkan);
        let plain = vk::ComponentMapping::default();
        for base_mip_level in (0..self.desc.levels).filter(|_| uses.write) {
            let level = vk::ImageSubresourceRange { base_mip_level, level_count: 1, ..WHOLE };
            let stored = Stored {
                plain: self.view(vulkan.base, plain, vk::ImageUsageFlags::STORAGE, level)?,
                renamed: vk::ImageView::null(),
            };
            self.stored.push(stored);
            if let Some(format) = self.renamed_format(vulkan.base)
                && let view = self.view(format, plain, vk::ImageUsageFlags::STORAGE, level)?
                && let Some(stored) = self.stored.last_mut()
            {
                stored.renamed = view;
            }
        }
        Ok(())
    }

    /// Abilities of texture units with the image. They know the size of the Vulkan image only. Their border,
    /// transparent black, becomes opaque for formats without alpha; where a component mapping adds the alpha,
    /// the border is left to the kernel, because drivers may replace it before or after the mapping.
    fn abilities_of(&self, vulkan: &Format) -> u8 {
        let Some(tiling) = self.exact.filter(|_| self.desc.levels == 1) else { return 0 };
        let gpu = self.heap.gpu;
        let filter = match self.is_filtered_precisely() && has_filter(gpu, vulkan.read, tiling) {
            true => ability::FILTER | ability::FILTER_BORDER,
            false => 0,
        };
        let fetch = if gpu.vulkan.fetches_borders { ability::FETCH_BORDER } else { 0 };
        match vulkan.adds_alpha() {
            true => filter & ability::FILTER,
            false => filter | fetch,
        }
    }

    /// Whether texture units filter the texels within the conformance suite's tolerance. NVIDIA's filter sRGB
    /// in half precision, the least signed normalised number as less than -1, and floating-point numbers of
    /// three-dimensional images with the error of the largest.
    fn is_filtered_precisely(&self) -> bool {
        let (format, kind) = (self.desc.format, self.desc.shape.kind);
        match format.data_type {
            CL_SNORM_INT8 | CL_SNORM_INT16 => false,
            CL_HALF_FLOAT | CL_FLOAT => kind != ImageKind::D3,
            _ => !format.is_srgb(),
        }
    }

    /// The format of storage views and the texel order ([`format::stored`]).
    fn stored_format(&self, is_declared: bool) -> Option<(vk::Format, u32)> {
        format::stored(self.desc.format, self.heap.gpu.adapter.features.bgra_images, is_declared)
    }

    /// The format that modules declare, if they must and it differs from `base`.
    fn renamed_format(&self, base: vk::Format) -> Option<vk::Format> {
        let uses = self.heap.images.uses(self.desc.format, self.desc.shape.kind);
        let (format, _) = self.stored_format(true)?;
        let vulkan = &self.heap.gpu.vulkan;
        let declares =
            uses.write && vulkan.declares_format(false) || uses.read_write && vulkan.declares_format(true);
        (declares && format != base).then_some(format)
    }

    fn view(
        &self,
        format: vk::Format,
        components: vk::ComponentMapping,
        usage: vk::ImageUsageFlags,
        levels: vk::ImageSubresourceRange,
    ) -> DeviceResult<vk::ImageView> {
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(format::view_type(self.desc.shape.kind))
            .format(format)
            .components(components)
            .subresource_range(levels)
            .push_next(&mut usage);
        // SAFETY: the image is alive and bound, and was made with the usage; the formats are compatible.
        unsafe { self.heap.gpu.image_view(&info) }
    }

    /// The resource for an argument's descriptor.
    pub fn bound(&self, binding: &ImageBinding) -> DeviceResult<Bound> {
        let stored = self.stored.get(usize::from(binding.level)).or(self.stored.last());
        match (&self.store, binding.buffer, stored) {
            (Store::Texels { renamed, .. }, true, _)
                if binding.declared && *renamed != vk::BufferView::null() =>
            {
                Ok(Bound::StorageTexels(*renamed))
            }
            (Store::Texels { view, .. }, true, _) if binding.storage => Ok(Bound::StorageTexels(*view)),
            (Store::Texels { view, .. }, true, _) => Ok(Bound::UniformTexels(*view)),
            (Store::Texels { .. }, false, _) => {
                Err(DeviceError::Unexpected("a texel buffer that is to be an image".into()))
            }
            (_, false, _) if !binding.storage => Ok(Bound::Sampled(self.sampled)),
            (_, false, Some(s)) if binding.declared && s.renamed != vk::ImageView::null() => {
                Ok(Bound::Storage(s.renamed))
            }
            (_, false, Some(s)) => Ok(Bound::Storage(s.plain)),
            _ => Err(DeviceError::Unexpected("an image that the kernel's argument does not fit".into())),
        }
    }

    /// The format that a module must declare for a descriptor, if the kernel's texel type matches the
    /// image's.
    pub fn declared_format(&self, binding: &ImageBinding) -> Option<ImageFormat> {
        let declared = self.stored_format(true).and_then(|(view, _)| format::declared(view));
        declared.filter(|_| binding.float != self.desc.format.is_int())
    }

    /// Value of a descriptor's specialisation constant: the texel order of a storage image
    /// ([`clspv_bridge::texel_order`]), or what texture units can do with a sampled one.
    pub fn constant(&self, binding: &ImageBinding) -> u32 {
        if !binding.storage {
            return u32::from(self.abilities & binding.abilities);
        }
        self.stored_format(binding.declared).map_or(0, |(_, order)| order)
    }

    /// For a shadow image: the buffer to copy from before a launch and to after it, and its layout.
    pub fn shadowed(&self) -> Option<&(Arc<dyn DeviceMemory>, RectLayout)> {
        self.shadowed.as_ref()
    }

    /// The layout of the new image, from which it must be transitioned before it is used; `None` if it has no
    /// Vulkan image of its own.
    pub fn initial_layout(&self) -> Option<vk::ImageLayout> {
        self.initial
    }

    /// A kernel's access to the image.
    pub fn access(&self, write: bool) -> ObjectAccess {
        match &self.store {
            Store::Texels { owner, .. } | Store::Linear { owner, .. } => {
                let size = owner.size();
                let raw = owner.as_any().downcast_ref::<Buffer>().map_or(vk::Buffer::null(), |b| b.raw);
                ObjectAccess { object: Object::Buffer(raw), start: 0, end: size, write }
            }
            Store::Image { owner } => {
                let own = ObjectAccess { object: Object::Image(self.raw), start: 0, end: u64::MAX, write };
                image_of(owner).map_or(own, |image| image.access(write))
            }
            Store::Own(_) => ObjectAccess { object: Object::Image(self.raw), start: 0, end: u64::MAX, write },
        }
    }
}

/// All levels and layers.
pub const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: vk::REMAINING_ARRAY_LAYERS,
};

/// Whether kernels write the image, or an image created from it.
fn stores(heap: &Heap, desc: &ImageDesc) -> bool {
    heap.images.uses(format::linear(desc.format), desc.shape.kind).write
}

/// Creates an image in optimal tiling.
fn create(heap: &Heap, desc: &ImageDesc) -> DeviceResult<vk::Image> {
    let vulkan = vulkan_format(heap, desc)?;
    let (mut extent, layers) = format::extent(&desc.shape);
    // Where an image has more levels than its size allows, the Vulkan image is wider than kernels and
    // commands assume.
    extent.width =
        extent.width.max(if desc.levels > desc.shape.most_levels() { 1 << (desc.levels - 1) } else { 1 });
    let info = vk::ImageCreateInfo::default()
        .flags(format::create_flags(&vulkan))
        .image_type(format::image_type(desc.shape.kind))
        .format(vulkan.base)
        .extent(extent)
        .mip_levels(desc.levels)
        .array_layers(layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(format::usage(stores(heap, desc)))
        .initial_layout(vk::ImageLayout::UNDEFINED);
    // SAFETY: the device is alive; format, size and usage were found to be supported.
    unsafe { heap.gpu.raw.create_image(&info, None) }.during("vkCreateImage")
}

/// Allocates an image's memory and binds it.
fn allocate(heap: &Heap, raw: vk::Image) -> DeviceResult<Allocation> {
    // SAFETY: the image is alive.
    let requirements = unsafe { heap.gpu.raw.get_image_memory_requirements(raw) };
    let allocation_scheme = match heap.dedicates(requirements.size) {
        true => AllocationScheme::DedicatedImage(raw),
        false => AllocationScheme::GpuAllocatorManaged,
    };
    let desc = AllocationCreateDesc {
        name: "image",
        requirements,
        location: MemoryLocation::GpuOnly,
        linear: false,
        allocation_scheme,
    };
    let allocation = heap.allocate(&desc)?;
    // SAFETY: the memory belongs to this device, fits the requirements, and the image is not bound yet.
    let bound = unsafe { heap.gpu.raw.bind_image_memory(raw, allocation.memory(), allocation.offset()) };
    if let Err(e) = bound {
        heap.free(allocation);
        return Err(conv::error("vkBindImageMemory", e));
    }
    Ok(allocation)
}

impl Drop for Image {
    fn drop(&mut self) {
        self.heap.gpu.invalidate_recordings();
        // SAFETY: the owner has dropped the last reference, so no submitted work uses the image; null is
        // ignored.
        unsafe {
            self.heap.gpu.raw.destroy_image_view(self.sampled, None);
            for stored in &self.stored {
                self.heap.gpu.raw.destroy_image_view(stored.plain, None);
                self.heap.gpu.raw.destroy_image_view(stored.renamed, None);
            }
        }
        match &mut self.store {
            Store::Own(Some(memory)) => {
                let (kind, handle) = (Kind::Image(self.desc), Handle::Image(self.raw));
                self.heap.retire(kind, handle, std::mem::take(memory));
            }
            // SAFETY: as above; the views are gone, and the memory is a buffer's.
            Store::Own(None) | Store::Linear { .. } => unsafe {
                self.heap.gpu.raw.destroy_image(self.raw, None)
            },
            Store::Image { .. } => {}
            // SAFETY: as above.
            Store::Texels { view, renamed, .. } => unsafe {
                self.heap.gpu.raw.destroy_buffer_view(*view, None);
                self.heap.gpu.raw.destroy_buffer_view(*renamed, None);
            },
        }
    }
}

impl DeviceMemory for Image {
    fn size(&self) -> u64 {
        self.desc.shape.texels() * u64::from(self.desc.format.element_size())
    }

    fn host_ptr(&self) -> Option<HostPtr> {
        None
    }

    fn in_buffer(&self) -> Option<(&Arc<dyn DeviceMemory>, &RectLayout)> {
        match &self.store {
            Store::Linear { owner, layout } => Some((owner, layout)),
            _ => None,
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A region of an image in Vulkan's terms.
pub struct ImageRegion {
    pub layers: vk::ImageSubresourceLayers,
    pub offset: vk::Offset3D,
    pub extent: vk::Extent3D,
}

/// Converts a range to Vulkan and checks it against the image.
pub fn image_region(image: &Image, range: &ImageRange) -> DeviceResult<ImageRegion> {
    let (o, r) = (range.origin, range.region);
    let size = image.desc.shape.level(range.level).size;
    let inside = (0..3).all(|i| r[i] > 0 && u64::from(o[i]) + u64::from(r[i]) <= u64::from(size[i]));
    if !inside || range.level >= image.desc.levels || image.raw == vk::Image::null() {
        return Err(DeviceError::Unexpected("region outside the image".into()));
    }
    let (first, count, y, z) = match image.desc.shape.kind {
        ImageKind::D1Array => (o[1], r[1], (0, 1), (0, 1)),
        ImageKind::D2Array => (o[2], r[2], (o[1], r[1]), (0, 1)),
        _ => (0, 1, (o[1], r[1]), (o[2], r[2])),
    };
    Ok(ImageRegion {
        layers: vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: range.level,
            base_array_layer: first,
            layer_count: count,
        },
        offset: vk::Offset3D { x: o[0] as i32, y: y.0 as i32, z: z.0 as i32 },
        extent: vk::Extent3D { width: r[0], height: y.1, depth: z.1 },
    })
}

/// A transfer's access: from its first row to its last.
pub fn rows(image: &Image, range: &ImageRange, write: bool) -> ObjectAccess {
    if let ObjectAccess { object: Object::Buffer(_), .. } = image.access(write) {
        return image.access(write);
    }
    // Levels are not tracked separately.
    if image.desc.levels > 1 {
        return image.access(write);
    }
    let height = u64::from(image.desc.shape.size[1]);
    let (o, r) = (range.origin.map(u64::from), range.region.map(u64::from));
    let (start, last) = (o[2] * height + o[1], (o[2] + r[2] - 1) * height + o[1] + r[1]);
    ObjectAccess { object: Object::Image(image.raw), start, end: last, write }
}

/// A copy between an image region and a buffer with the given layout of the region.
pub fn buffer_copy(
    image: &Image,
    range: &ImageRange,
    layout: &RectLayout,
) -> DeviceResult<vk::BufferImageCopy> {
    let region = image_region(image, range)?;
    let element = u64::from(image.desc.format.element_size());
    let fits = |n: u64| u32::try_from(n).map_err(|_| DeviceError::Unexpected("a pitch too large".into()));
    let bytes = bytes_of(range.region, element as u32);
    // The pitch of a single row or slice is irrelevant.
    let row = if bytes[1] == 1 && bytes[2] == 1 { bytes[0] } else { layout.row_pitch };
    let height = if bytes[2] == 1 || row == 0 { 0 } else { fits(layout.slice_pitch / row)? };
    let lines = row.is_multiple_of(element) && (bytes[2] == 1 || layout.slice_pitch.is_multiple_of(row));
    if !lines {
        return Err(DeviceError::Unexpected("pitches are not multiples of texels and rows".into()));
    }
    Ok(vk::BufferImageCopy {
        buffer_offset: layout.offset,
        buffer_row_length: fits(row / element)?,
        // The layers of a one-dimensional array are its rows.
        buffer_image_height: if image.desc.shape.kind == ImageKind::D1Array { 0 } else { height },
        image_subresource: region.layers,
        image_offset: region.offset,
        image_extent: region.extent,
    })
}

/// Whether texture units read images of the format with a linear filter.
fn has_filter(gpu: &Gpu, format: vk::Format, tiling: vk::ImageTiling) -> bool {
    let detailed = gpu.adapter.api >= vk::API_VERSION_1_3;
    let features = format::features(gpu.instance, gpu.adapter.physical, detailed, format);
    let features = if tiling == vk::ImageTiling::LINEAR { features.linear } else { features.tiled };
    features.contains(vk::FormatFeatureFlags2::SAMPLED_IMAGE_FILTER_LINEAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::image::{ImageFormat, ImageShape};
    use crate::cl::*;
    use crate::device::traits::BufferDesc;
    use crate::device::vulkan::tests::device;

    /// Texture units with any format, on devices that need not use them.
    #[test]
    fn texture_units_need_the_exact_image_and_a_filter_of_the_format() {
        let Some(device) = device() else { return };
        if !device.info().images {
            return eprintln!("no images: nothing tested");
        }
        let desc = |order, data_type, levels| ImageDesc {
            format: ImageFormat::new(order, data_type),
            shape: ImageShape { kind: ImageKind::D2, size: [5, 4, 1] },
            levels,
        };
        let abilities = |desc: &ImageDesc| image_of(&device.alloc_image(desc).unwrap()).unwrap().abilities;
        let fetch = match device.target().vulkan().unwrap().fetches_borders {
            true => ability::FETCH_BORDER,
            false => 0,
        };
        let all = ability::FILTER | ability::FILTER_BORDER | fetch;
        // Vulkan requires linear filters of these formats.
        assert_eq!(abilities(&desc(CL_RGBA, CL_UNORM_INT8, 1)), all);
        assert_eq!(abilities(&desc(CL_R, CL_UNORM_INT8, 1)), all);
        assert_eq!(abilities(&desc(CL_A, CL_UNORM_INT8, 1)), all);
        assert_eq!(abilities(&desc(CL_LUMINANCE, CL_UNORM_INT8, 1)), ability::FILTER);
        assert_eq!(abilities(&desc(CL_RGBA, CL_UNSIGNED_INT8, 1)), fetch);
        assert_eq!(abilities(&desc(CL_sRGBA, CL_UNORM_INT8, 1)), fetch);
        assert_eq!(abilities(&desc(CL_RGBA, CL_SNORM_INT8, 1)), fetch);
        if device.info().image.levels {
            assert_eq!(abilities(&desc(CL_RGBA, CL_UNORM_INT8, 3)), 0);
        }
        let buffer = BufferDesc { size: 4096, host_visible: false, read_only: false, name: "test" };
        let buffer = device.alloc_buffer(&buffer).unwrap();
        let in_buffer = |row_pitch| {
            let layout = RectLayout { offset: 0, row_pitch, slice_pitch: 4 * row_pitch };
            let image = device.view_buffer(&buffer, &layout, &desc(CL_RGBA, CL_UNORM_INT8, 1)).unwrap();
            let image = image_of(&image).unwrap();
            (image.in_buffer().is_some(), image.abilities)
        };
        // Longer rows make a wider Vulkan image, unless the texels are copied to one of the right size.
        let pitch = u64::from(device.info().image.pitch_alignment).max(32);
        let (is_linear, abilities) = in_buffer(pitch);
        assert_eq!(abilities, if is_linear { 0 } else { all });
        assert_eq!(in_buffer(pitch + 4), (false, all));
    }
}
