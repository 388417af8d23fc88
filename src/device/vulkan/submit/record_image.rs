//! Recording of commands on images. Host memory is read while recording and written at completion, as for
//! buffers.

use super::hazard::Engine;
use super::record::{ReadBack, Recorder, copy_rect, part, shifted};
use super::rect;
use crate::cl::image::{ImageKind, bytes_of};
use crate::device::batch::{ArgValue, BufferRange, ImageRange, RectLayout};
use crate::device::traits::{DeviceError, DeviceResult};
use crate::device::vulkan::memory::access::{Object, ObjectAccess};
use crate::device::vulkan::memory::buffer::buffer_of;
use crate::device::vulkan::memory::image::{self, Image, image_of};
use crate::host_ptr::HostPtr;
use ash::vk;

/// Bytes of one colour that are staged for a fill.
const FILL_BYTES: u64 = 256 << 10;
/// Maximum regions of one copy command.
const MAX_REGIONS: usize = 4096;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

fn texel_bytes(image: &Image) -> u32 {
    image.desc.format.element_size()
}

/// Whether vkCmdCopyImage can copy between the image kinds: both are one-dimensional, or neither.
fn copies_directly(a: ImageKind, b: ImageKind) -> bool {
    let flat = |k| matches!(k, ImageKind::D1 | ImageKind::D1Array);
    flat(a) == flat(b)
}

impl Recorder {
    /// Writes from host memory, which is read immediately.
    pub fn write_image(
        &mut self,
        src: HostPtr,
        layout: &RectLayout,
        dst: &ImageRange,
        ordered: bool,
    ) -> DeviceResult<()> {
        let image = image_of(&dst.image)?;
        let region = bytes_of(dst.region, texel_bytes(image));
        self.order(&[image::rows(image, dst, true)], ordered, Engine::Transfer);
        let piece = self.staging(region.iter().product())?;
        let packed = RectLayout::packed(region);
        // SAFETY: the application keeps the source valid; the piece has room for the packed region.
        unsafe { copy_rect(src, layout, HostPtr::new(piece.ptr), &packed, region) };
        let copy = image::buffer_copy(image, dst, &shifted(&packed, piece.offset))?;
        self.put_into_image(piece.buffer, image, &[copy]);
        Ok(())
    }

    /// Reads into host memory at completion.
    pub fn read_image(
        &mut self,
        src: &ImageRange,
        dst: HostPtr,
        layout: &RectLayout,
        ordered: bool,
    ) -> DeviceResult<()> {
        let image = image_of(&src.image)?;
        let region = bytes_of(src.region, texel_bytes(image));
        self.order(&[image::rows(image, src, false)], ordered, Engine::Transfer);
        let piece = self.staging(region.iter().product())?;
        let copy = image::buffer_copy(image, src, &shifted(&RectLayout::packed(region), piece.offset))?;
        self.take_out_of_image(image, piece.buffer, &[copy]);
        self.read_backs.push(ReadBack { src: HostPtr::new(piece.ptr), dst, layout: *layout, region });
        Ok(())
    }

    /// Copies between images.
    pub fn copy_image(&mut self, src: &ImageRange, dst: &ImageRange, ordered: bool) -> DeviceResult<()> {
        let (from, to) = (image_of(&src.image)?, image_of(&dst.image)?);
        let accesses = [image::rows(from, src, false), image::rows(to, dst, true)];
        self.order(&accesses, ordered, Engine::Transfer);
        if copies_directly(from.desc.shape.kind, to.desc.shape.kind) {
            let (a, b) = (image::image_region(from, src)?, image::image_region(to, dst)?);
            // The slices of a three-dimensional image are the layers of an array.
            let depth = a.extent.depth.max(a.layers.layer_count).max(b.layers.layer_count);
            let region = vk::ImageCopy {
                src_subresource: a.layers,
                src_offset: a.offset,
                dst_subresource: b.layers,
                dst_offset: b.offset,
                extent: vk::Extent3D {
                    depth: if a.layers.layer_count == b.layers.layer_count { a.extent.depth } else { depth },
                    ..a.extent
                },
            };
            self.gpu.uploads.note_image_copy();
            // SAFETY: the command buffer is recording; the regions are inside the images.
            unsafe {
                self.gpu.raw.cmd_copy_image(self.allocator.cmd, from.raw, GENERAL, to.raw, GENERAL, &[region])
            };
            return Ok(());
        }
        let region = bytes_of(src.region, texel_bytes(from));
        let piece = self.staging(region.iter().product())?;
        let packed = shifted(&RectLayout::packed(region), piece.offset);
        self.take_out_of_image(from, piece.buffer, &[image::buffer_copy(from, src, &packed)?]);
        self.gpu.full_barrier(self.allocator.cmd);
        self.put_into_image(piece.buffer, to, &[image::buffer_copy(to, dst, &packed)?]);
        Ok(())
    }

    /// Fills with a texel: copies staged rows of it.
    pub fn fill_image(&mut self, dst: &ImageRange, texel: &[u8], ordered: bool) -> DeviceResult<()> {
        let image = image_of(&dst.image)?;
        let element = u64::from(texel_bytes(image));
        if texel.len() as u64 != element {
            return Err(DeviceError::Unexpected("a texel of another size".into()));
        }
        self.order(&[image::rows(image, dst, true)], ordered, Engine::Transfer);
        let row = u64::from(dst.region[0]) * element;
        let rows = (FILL_BYTES / row).clamp(1, u64::from(dst.region[1]));
        let piece = self.staging(row * rows)?;
        // SAFETY: the piece has that size.
        unsafe { crate::host_ptr::fill(HostPtr::new(piece.ptr), texel, row * rows) };
        let mut copies: Vec<vk::BufferImageCopy> = Vec::new();
        for z in 0..dst.region[2] {
            for y in (0..dst.region[1]).step_by(rows as usize) {
                let count = (rows as u32).min(dst.region[1] - y);
                let origin = [dst.origin[0], dst.origin[1] + y, dst.origin[2] + z];
                let part = ImageRange {
                    image: dst.image.clone(),
                    level: dst.level,
                    origin,
                    region: [dst.region[0], count, 1],
                };
                let layout = RectLayout::packed([row, u64::from(count), 1]);
                copies.push(image::buffer_copy(image, &part, &shifted(&layout, piece.offset))?);
            }
        }
        self.put_into_image(piece.buffer, image, &copies);
        Ok(())
    }

    /// Copies to a buffer.
    pub fn image_to_buffer(
        &mut self,
        src: &ImageRange,
        dst: &BufferRange,
        layout: &RectLayout,
        ordered: bool,
    ) -> DeviceResult<()> {
        let (image, buffer) = (image_of(&src.image)?, buffer_of(dst)?);
        let region = bytes_of(src.region, texel_bytes(image));
        let accesses = [image::rows(image, src, false), part(dst, buffer, layout, region, true)?];
        self.order(&accesses, ordered, Engine::Transfer);
        let target = shifted(layout, dst.offset);
        if self.reaches(image, &target) {
            let copy = image::buffer_copy(image, src, &target)?;
            self.take_out_of_image(image, buffer.raw, &[copy]);
            return Ok(());
        }
        let piece = self.staging(region.iter().product())?;
        let packed = shifted(&RectLayout::packed(region), piece.offset);
        self.take_out_of_image(image, piece.buffer, &[image::buffer_copy(image, src, &packed)?]);
        self.gpu.full_barrier(self.allocator.cmd);
        self.copy(piece.buffer, buffer.raw, &rect::runs(&packed, &target, region));
        Ok(())
    }

    /// Copies from a buffer.
    pub fn buffer_to_image(
        &mut self,
        src: &BufferRange,
        layout: &RectLayout,
        dst: &ImageRange,
        ordered: bool,
    ) -> DeviceResult<()> {
        let (image, buffer) = (image_of(&dst.image)?, buffer_of(src)?);
        let region = bytes_of(dst.region, texel_bytes(image));
        let accesses = [part(src, buffer, layout, region, false)?, image::rows(image, dst, true)];
        self.order(&accesses, ordered, Engine::Transfer);
        let source = shifted(layout, src.offset);
        if self.reaches(image, &source) {
            let copy = image::buffer_copy(image, dst, &source)?;
            self.put_into_image(buffer.raw, image, &[copy]);
            return Ok(());
        }
        let piece = self.staging(region.iter().product())?;
        let packed = shifted(&RectLayout::packed(region), piece.offset);
        self.copy(buffer.raw, piece.buffer, &rect::runs(&source, &packed, region));
        self.gpu.full_barrier(self.allocator.cmd);
        self.put_into_image(piece.buffer, image, &[image::buffer_copy(image, dst, &packed)?]);
        Ok(())
    }

    /// Whether a copy between image and buffer can begin at the layout's offset: at whole texels.
    fn reaches(&self, image: &Image, layout: &RectLayout) -> bool {
        layout.offset.is_multiple_of(u64::from(texel_bytes(image)))
    }

    /// Copies the buffer to its shadow image.
    pub(super) fn fill_shadow_image(&mut self, arg: &ArgValue) -> DeviceResult<()> {
        let ArgValue::Image(memory) = arg else { return Ok(()) };
        let image = image_of(memory)?;
        let Some((buffer, layout)) = image.shadowed() else { return Ok(()) };
        let range = BufferRange { memory: buffer.clone(), offset: 0, size: buffer.size() };
        let whole =
            ImageRange { image: memory.clone(), level: 0, origin: [0; 3], region: image.desc.shape.size };
        self.buffer_to_image(&range, layout, &whole, true)
    }

    /// Copies the shadow image to its buffer.
    pub(super) fn write_back_shadow_image(&mut self, arg: &ArgValue) -> DeviceResult<()> {
        let ArgValue::Image(memory) = arg else { return Ok(()) };
        let image = image_of(memory)?;
        let Some((buffer, layout)) = image.shadowed() else { return Ok(()) };
        let range = BufferRange { memory: buffer.clone(), offset: 0, size: buffer.size() };
        let whole =
            ImageRange { image: memory.clone(), level: 0, origin: [0; 3], region: image.desc.shape.size };
        self.image_to_buffer(&whole, &range, layout, true)
    }

    /// Transitions a new image to the layout that it keeps.
    pub fn prepare_image(&mut self, image: vk::Image, from: vk::ImageLayout) {
        let access = ObjectAccess { object: Object::Image(image), start: 0, end: u64::MAX, write: true };
        self.order(&[access], true, Engine::Transfer);
        let barriers = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::NONE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER | vk::PipelineStageFlags2::COMPUTE_SHADER)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(GENERAL)
            .image(image)
            .subresource_range(image::WHOLE)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the command buffer is recording, the image new.
        unsafe { self.gpu.pipeline_barrier(self.allocator.cmd, &info) };
    }

    fn put_into_image(&self, from: vk::Buffer, image: &Image, copies: &[vk::BufferImageCopy]) {
        self.gpu.uploads.note_image_copy();
        for regions in copies.chunks(MAX_REGIONS) {
            // SAFETY: the command buffer is recording; the regions are inside buffer and image.
            unsafe {
                self.gpu.raw.cmd_copy_buffer_to_image(self.allocator.cmd, from, image.raw, GENERAL, regions)
            };
        }
    }

    fn take_out_of_image(&self, image: &Image, to: vk::Buffer, copies: &[vk::BufferImageCopy]) {
        self.gpu.uploads.note_image_copy();
        // SAFETY: the command buffer is recording; the regions are inside image and buffer.
        unsafe { self.gpu.raw.cmd_copy_image_to_buffer(self.allocator.cmd, image.raw, GENERAL, to, copies) };
    }
}
