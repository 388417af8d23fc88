//! Commands on images: validation and description. Images in buffers are transferred as the rectangles of the
//! buffer that they are.

use super::transfer::{self, Described, execution_target, host_copy, put};
use super::transfer::{
    validate_destination, validate_host_access, validate_host_pointer, validate_same_context,
};
use super::{CommandKind, ExecutionTarget, ImagePart, MappedOperand, MemRange, map};
use crate::cl::image::{ImageFormat, bytes_of, host_layout, regions_overlap};
use crate::cl::region::{self, RectLayout, Region, byte_count, region_end};
use crate::cl::*;
use crate::device::batch::{Access, BufferRange, Endpoint};
use crate::err;
use crate::error::{Error, Result};
use crate::event::{Event, WaitList};
use crate::host_ptr::{HostAllocation, HostPtr};
use crate::memory::image::ImageInfo;
use crate::memory::mapping::{MappedRegion, Mapping, Shadow};
use crate::memory::{MemObject, buffer};
use crate::queue::CommandQueue;
use std::sync::Arc;

/// Origin of a region, with its mip level.
#[derive(Clone, Copy, Debug)]
pub struct LevelOrigin {
    pub at: [usize; 3],
    pub level: usize,
}

/// Origin and size of a region, as passed by the application.
#[derive(Clone, Copy, Debug)]
pub struct LevelRegion {
    pub origin: LevelOrigin,
    pub size: [usize; 3],
}

/// An image that was checked for use by a queue.
struct PreparedImage<'a> {
    mem: &'a Arc<MemObject>,
    info: &'a ImageInfo,
    /// Whether the texels are in a buffer that the host can access.
    host_sees: bool,
    /// Their address and layout.
    seen: Option<(HostPtr, RectLayout)>,
}

fn image_of(mem: &MemObject) -> Result<&ImageInfo> {
    mem.image().ok_or_else(|| err!(CL_INVALID_MEM_OBJECT, "not an image"))
}

/// Checks that commands of the queue may use the image, and makes its memory on the device.
fn prepare<'a>(queue: &CommandQueue, mem: &'a Arc<MemObject>, reads: bool) -> Result<PreparedImage<'a>> {
    if !Arc::ptr_eq(queue.context(), &mem.context) {
        return Err(Error::with(CL_INVALID_CONTEXT, "the memory object belongs to another context"));
    }
    let info = image_of(mem)?;
    info.validate_device(queue.device().info())?;
    if let Some(parent) = mem.parent.as_ref().filter(|p| p.image().is_none()) {
        buffer::validate_alignment(parent, queue.device())?;
    }
    let memory = mem.backing(queue.device_index())?;
    let buffer = match &info.in_buffer {
        Some(layout) => Some((&memory, *layout)),
        None => memory.in_buffer().map(|(buffer, layout)| (buffer, *layout)),
    };
    let seen = buffer.and_then(|(buffer, layout)| Some((buffer.host_ptr()?, layout)));
    let host_sees = seen.is_some() && (!reads || buffer.is_some_and(|(b, _)| b.host_cached()));
    Ok(PreparedImage { mem, info, host_sees, seen })
}

impl PreparedImage<'_> {
    fn part(&self, region: LevelRegion) -> Result<ImagePart> {
        // CL_INVALID_MIP_LEVEL: the image does not have the level.
        let level = u32::try_from(region.origin.level).ok().filter(|level| *level < self.info.levels);
        let level = level.ok_or_else(|| {
            err!(CL_INVALID_MIP_LEVEL, "the image has no mip level {}", region.origin.level)
        })?;
        let (origin, region) = self.info.shape.level(level).validate_region(region.origin.at, region.size)?;
        Ok(ImagePart { image: self.mem.clone(), level, origin, region })
    }

    /// Size of a part in bytes, rows and slices.
    fn region(&self, part: &ImagePart) -> Region {
        bytes_of(part.region, self.info.format.element_size())
    }
}

/// clEnqueueReadImage, clEnqueueWriteImage.
#[allow(clippy::too_many_arguments)]
pub fn host_transfer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    access: Access,
    blocking: bool,
    region: LevelRegion,
    (row_pitch, slice_pitch): (usize, usize),
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let prepared = prepare(queue, mem, access == Access::Read)?;
    let part = prepared.part(region)?;
    let region = prepared.region(&part);
    let layout = host_layout(prepared.info.shape.kind, region, row_pitch, slice_pitch)?;
    validate_host_pointer(ptr)?;
    validate_host_access(mem, access)?;
    let target = execution_target(prepared.host_sees, blocking, byte_count(region));
    let kind = host_copy(access, Endpoint::Image(part), (ptr, layout), region);
    let command_type = match access {
        Access::Read => CL_COMMAND_READ_IMAGE,
        Access::Write => CL_COMMAND_WRITE_IMAGE,
    };
    put(queue, command_type, (kind, target), waits, blocking)
}

/// clEnqueueCopyImage.
pub fn copy(
    queue: &Arc<CommandQueue>,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_origin: LevelOrigin,
    dst_origin: LevelOrigin,
    size: [usize; 3],
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_copy(queue, src, dst, src_origin, dst_origin, size)?;
    put(queue, CL_COMMAND_COPY_IMAGE, described, waits, false)
}

/// Describes a copy between images, with its execution target.
pub(crate) fn describe_copy(
    queue: &CommandQueue,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_origin: LevelOrigin,
    dst_origin: LevelOrigin,
    size: [usize; 3],
) -> Result<Described> {
    let (from, to) = (prepare(queue, src, true)?, prepare(queue, dst, false)?);
    validate_destination(dst)?;
    if from.info.format != to.info.format {
        return Err(err!(CL_IMAGE_FORMAT_MISMATCH, "the images have different formats"));
    }
    let src_part = from.part(LevelRegion { origin: src_origin, size })?;
    let dst_part = to.part(LevelRegion { origin: dst_origin, size })?;
    // CL_MEM_COPY_OVERLAP: the regions overlap within one image.
    let same = src.same_storage(dst) && from.info.in_buffer == to.info.in_buffer;
    let same = same && src_part.level == dst_part.level;
    if same && regions_overlap(src_part.origin, dst_part.origin, src_part.region) {
        return Err(Error::new(CL_MEM_COPY_OVERLAP));
    }
    let region = from.region(&src_part);
    let target = execution_target(from.host_sees && to.host_sees, false, byte_count(region));
    let kind = CommandKind::copy(Endpoint::Image(src_part), Endpoint::Image(dst_part), region);
    Ok((kind, target))
}

/// clEnqueueFillImage. `color` returns the bytes of the colour in a format.
pub fn fill<'a>(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    color: impl FnOnce(ImageFormat) -> Result<&'a [u8]>,
    region: LevelRegion,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_fill(queue, mem, color, region)?;
    put(queue, CL_COMMAND_FILL_IMAGE, described, waits, false)
}

/// Describes a fill of an image, with its execution target.
pub(crate) fn describe_fill<'a>(
    queue: &CommandQueue,
    mem: &Arc<MemObject>,
    color: impl FnOnce(ImageFormat) -> Result<&'a [u8]>,
    region: LevelRegion,
) -> Result<Described> {
    let prepared = prepare(queue, mem, false)?;
    validate_destination(mem)?;
    let part = prepared.part(region)?;
    let texel = prepared.info.format.pack(color(prepared.info.format)?);
    let region = prepared.region(&part);
    let target = execution_target(prepared.host_sees, false, byte_count(region));
    Ok((CommandKind::fill(Endpoint::Image(part), region, texel), target))
}

/// clEnqueueCopyImageToBuffer and, if `to_image`, clEnqueueCopyBufferToImage.
#[allow(clippy::too_many_arguments)]
pub fn copy_buffer(
    queue: &Arc<CommandQueue>,
    image: &Arc<MemObject>,
    buffer: &Arc<MemObject>,
    to_image: bool,
    region: LevelRegion,
    offset: usize,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let described = describe_copy_buffer(queue, image, buffer, to_image, region, offset)?;
    let command_type =
        if to_image { CL_COMMAND_COPY_BUFFER_TO_IMAGE } else { CL_COMMAND_COPY_IMAGE_TO_BUFFER };
    put(queue, command_type, described, waits, false)
}

/// Describes a copy between image and buffer, with its execution target.
pub(crate) fn describe_copy_buffer(
    queue: &CommandQueue,
    image: &Arc<MemObject>,
    buffer: &Arc<MemObject>,
    to_image: bool,
    region: LevelRegion,
    offset: usize,
) -> Result<Described> {
    let prepared = prepare(queue, image, !to_image)?;
    let buffer_seen = transfer::prepare(queue, buffer, to_image)?;
    if image.parent.as_ref().is_some_and(|p| Arc::ptr_eq(p, buffer))
        && image.object_type == CL_MEM_OBJECT_IMAGE1D_BUFFER
    {
        return Err(err!(CL_INVALID_MEM_OBJECT, "the image lies in the buffer"));
    }
    validate_destination(if to_image { image } else { buffer })?;
    let part = prepared.part(region)?;
    let region = prepared.region(&part);
    let (offset, size) = (offset as u64, byte_count(region));
    region::validate_range(offset, size, buffer.size)?;
    let range = MemRange { memory: buffer.clone(), offset, size };
    let (image, buffer) = (Endpoint::Image(part), Endpoint::Buffer(range, RectLayout::packed(region)));
    let kind = match to_image {
        true => CommandKind::copy(buffer, image, region),
        false => CommandKind::copy(image, buffer, region),
    };
    Ok((kind, execution_target(prepared.host_sees && buffer_seen, false, size)))
}

/// Address, row pitch and slice pitch of a mapped image.
pub struct Mapped {
    pub ptr: HostPtr,
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

/// clEnqueueMapImage: returns the event and the address. The application may pass pointers for the row pitch
/// and the slice pitch.
#[allow(clippy::too_many_arguments)]
pub fn map(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    blocking: bool,
    flags: cl_map_flags,
    region: LevelRegion,
    [has_row_pitch, has_slice_pitch]: [bool; 2],
    waits: WaitList,
) -> Result<(Arc<Event>, Mapped)> {
    validate_same_context(queue, &waits)?;
    let prepared = prepare(queue, mem, false)?;
    let info = prepared.info;
    let part = prepared.part(region)?;
    // Checked before the pointers for the pitches, in the order that OpenCL-CTS expects.
    let (write, invalidate) = map::validate_flags(mem, flags)?;
    // CL_INVALID_VALUE: no pointer for the row pitch, or for the slice pitch of an image with slices.
    if !has_row_pitch || info.shape.kind.has_slices() && !has_slice_pitch {
        return Err(err!(CL_INVALID_VALUE, "no target for the row or slice pitch"));
    }
    let (ptr, layout, shadow) = prepared.address(queue, &part)?;
    let at = MappedRegion { level: part.level, origin: part.origin, region: part.region, layout };
    let mapping = Mapping { ptr, offset: 0, size: 0, write, shadow, image: Some(at) };
    let region = prepared.region(&part);
    let moved = if mapping.shadow.is_copy() && !invalidate { byte_count(region) } else { 0 };
    let target = execution_target(prepared.host_sees || moved == 0, blocking, moved);
    mem.add_mapping(mapping.clone())?;
    let rows_are_slices = info.shape.kind == crate::cl::image::ImageKind::D1Array;
    let mapped = Mapped {
        ptr,
        row_pitch: layout.row_pitch as usize,
        slice_pitch: match info.shape.kind.has_slices() {
            false => 0,
            true if rows_are_slices => layout.row_pitch as usize,
            true => layout.slice_pitch as usize,
        },
    };
    let operand = MappedOperand { memory: Endpoint::Image(part), region, mapping };
    let kind = CommandKind::Map { mapped: operand, fill: !invalidate };
    match put(queue, CL_COMMAND_MAP_IMAGE, (kind, target), waits, blocking) {
        Ok(event) => Ok((event, mapped)),
        Err(error) => {
            mem.take_mapping(ptr);
            Err(error)
        }
    }
}

impl PreparedImage<'_> {
    /// Address and layout of a mapping of the part, and its shadow memory.
    fn address(&self, queue: &CommandQueue, part: &ImagePart) -> Result<(HostPtr, RectLayout, Shadow)> {
        let (mem, info) = (self.mem, self.info);
        let from_start = |layout: &RectLayout| RectLayout { offset: 0, ..*layout };
        // With CL_MEM_USE_HOST_PTR a mapping must be in the application's memory, whether the device uses it
        // or not.
        if let Some(host_ptr) = mem.host_ptr {
            let whole = info.in_buffer.map_or_else(|| info.host_layout(), |l| from_start(&l));
            let layout = info.part(&whole, part.origin);
            let ptr = host_ptr.offset(layout.offset);
            let seen = self.seen.map(|(p, l)| p.offset(info.part(&l, part.origin).offset));
            let shadow = if seen == Some(ptr) { Shadow::Direct } else { Shadow::HostPtr };
            return Ok((ptr, from_start(&layout), shadow));
        }
        if let Some((seen, whole)) = self.seen {
            let layout = info.part(&whole, part.origin);
            return Ok((seen.offset(layout.offset), from_start(&layout), Shadow::Direct));
        }
        let region = self.region(part);
        let layout = RectLayout::packed(region);
        let size = region_end(&layout, region);
        let index = queue.device_index();
        let shadow = mem.shadow(index, size);
        if let Some((base, memory)) = shadow.and_then(|memory| Some((memory.host_ptr()?, memory))) {
            return Ok((
                base,
                layout,
                Shadow::Device { index, range: BufferRange { memory, offset: 0, size } },
            ));
        }
        let own = HostAllocation::new(size)
            .ok_or_else(|| Error::with(CL_MAP_FAILURE, "no host memory for the region"))?;
        Ok((own.ptr(), layout, Shadow::Own(Arc::new(own))))
    }
}

/// clEnqueueUnmapMemObject.
pub fn unmap(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    let prepared = prepare(queue, mem, false)?;
    // CL_INVALID_VALUE: the pointer is not of a mapping of this object.
    let mapping = mem
        .take_mapping(ptr)
        .ok_or_else(|| Error::with(CL_INVALID_VALUE, "nothing is mapped at the pointer"))?;
    let Some(MappedRegion { level, origin, region, .. }) = mapping.image else {
        return Err(Error::with(CL_INVALID_VALUE, "not a mapping of the image"));
    };
    let part = ImagePart { image: mem.clone(), level, origin, region };
    let region = prepared.region(&part);
    let moved = if mapping.shadow.is_copy() && mapping.write { byte_count(region) } else { 0 };
    let target =
        if moved == 0 { ExecutionTarget::Either } else { execution_target(prepared.host_sees, false, moved) };
    let mapped = MappedOperand { memory: Endpoint::Image(part), region, mapping: mapping.clone() };
    put(queue, CL_COMMAND_UNMAP_MEM_OBJECT, (CommandKind::Unmap(mapped), target), waits, false)
        .inspect_err(|_| mem.restore_mapping(mapping))
}
