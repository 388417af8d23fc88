//! Commands on images: validation and description. Images in buffers are transferred as the rectangles of the
//! buffer that they are.

use super::transfer::{self, execution_target, put};
use super::transfer::{
    HostAccess, validate_destination, validate_host_access, validate_host_pointer, validate_same_context,
};
use super::{CommandKind, ExecutionTarget, ImagePart, MemRange, map};
use crate::cl::image::{ImageFormat, bytes_of, host_layout, regions_overlap};
use crate::cl::region::{self, RectLayout, region_end};
use crate::cl::*;
use crate::device::batch::BufferRange;
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
    /// Whether the device cannot hold the image, so that the fallback device does and transfers run on the
    /// host.
    elsewhere: bool,
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
    let memory = mem.residency().backing(queue.context(), queue.device_index())?;
    let buffer = match &info.in_buffer {
        Some(layout) => Some((&memory, *layout)),
        None => memory.in_buffer().map(|(buffer, layout)| (buffer, *layout)),
    };
    let seen = buffer.and_then(|(buffer, layout)| Some((buffer.host_ptr()?, layout)));
    let host_sees = seen.is_some() && (!reads || buffer.is_some_and(|(b, _)| b.host_cached()));
    let elsewhere = mem.residency().home(queue.context(), queue.device_index()) != queue.device_index();
    Ok(PreparedImage { mem, info, host_sees, seen, elsewhere })
}

impl PreparedImage<'_> {
    /// Execution target of a command that would otherwise run on `usual`.
    fn target(&self, usual: ExecutionTarget) -> ExecutionTarget {
        if self.elsewhere { ExecutionTarget::Host } else { usual }
    }

    fn part(&self, region: LevelRegion) -> Result<ImagePart> {
        // CL_INVALID_MIP_LEVEL: the image does not have the level.
        let level = u32::try_from(region.origin.level).ok().filter(|level| *level < self.info.levels);
        let level = level.ok_or_else(|| {
            err!(CL_INVALID_MIP_LEVEL, "the image has no mip level {}", region.origin.level)
        })?;
        let (origin, region) = self.info.shape.level(level).validate_region(region.origin.at, region.size)?;
        Ok(ImagePart { mem: self.mem.clone(), level, origin, region })
    }
}

fn bytes(region: [u64; 3]) -> u64 {
    region.iter().fold(1u64, |n, r| n.saturating_mul(*r))
}

/// clEnqueueReadImage, clEnqueueWriteImage.
#[allow(clippy::too_many_arguments)]
pub fn host_transfer(
    queue: &Arc<CommandQueue>,
    mem: &Arc<MemObject>,
    write: bool,
    blocking: bool,
    region: LevelRegion,
    (row_pitch, slice_pitch): (usize, usize),
    ptr: HostPtr,
    waits: WaitList,
) -> Result<Arc<Event>> {
    validate_same_context(queue, &waits)?;
    let prepared = prepare(queue, mem, !write)?;
    let part = prepared.part(region)?;
    let layout = host_layout(prepared.info.shape.kind, part.bytes(), row_pitch, slice_pitch)?;
    validate_host_pointer(ptr)?;
    validate_host_access(mem, HostAccess { read: !write, write })?;
    let target = prepared.target(execution_target(prepared.host_sees, blocking, bytes(part.bytes())));
    let (command_type, kind) = if write {
        (CL_COMMAND_WRITE_IMAGE, CommandKind::WriteImage { src: ptr, layout, dst: part })
    } else {
        (CL_COMMAND_READ_IMAGE, CommandKind::ReadImage { src: part, dst: ptr, layout })
    };
    put(queue, command_type, kind, target, waits, blocking)
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
    let (kind, target) = describe_copy(queue, src, dst, src_origin, dst_origin, size)?;
    put(queue, CL_COMMAND_COPY_IMAGE, kind, target, waits, false)
}

/// Describes a copy between images, with its execution target.
pub fn describe_copy(
    queue: &CommandQueue,
    src: &Arc<MemObject>,
    dst: &Arc<MemObject>,
    src_origin: LevelOrigin,
    dst_origin: LevelOrigin,
    size: [usize; 3],
) -> Result<(CommandKind, ExecutionTarget)> {
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
    let target = from.target(to.target(execution_target(
        from.host_sees && to.host_sees,
        false,
        bytes(src_part.bytes()),
    )));
    Ok((CommandKind::CopyImage { src: src_part, dst: dst_part }, target))
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
    let (kind, target) = describe_fill(queue, mem, color, region)?;
    put(queue, CL_COMMAND_FILL_IMAGE, kind, target, waits, false)
}

/// Describes a fill of an image, with its execution target.
pub fn describe_fill<'a>(
    queue: &CommandQueue,
    mem: &Arc<MemObject>,
    color: impl FnOnce(ImageFormat) -> Result<&'a [u8]>,
    region: LevelRegion,
) -> Result<(CommandKind, ExecutionTarget)> {
    let prepared = prepare(queue, mem, false)?;
    validate_destination(mem)?;
    let part = prepared.part(region)?;
    let texel = prepared.info.format.pack(color(prepared.info.format)?);
    let target = prepared.target(execution_target(prepared.host_sees, false, bytes(part.bytes())));
    Ok((CommandKind::FillImage { dst: part, texel }, target))
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
    let (kind, target) = describe_copy_buffer(queue, image, buffer, to_image, region, offset)?;
    let command_type =
        if to_image { CL_COMMAND_COPY_BUFFER_TO_IMAGE } else { CL_COMMAND_COPY_IMAGE_TO_BUFFER };
    put(queue, command_type, kind, target, waits, false)
}

/// Describes a copy between image and buffer, with its execution target.
pub fn describe_copy_buffer(
    queue: &CommandQueue,
    image: &Arc<MemObject>,
    buffer: &Arc<MemObject>,
    to_image: bool,
    region: LevelRegion,
    offset: usize,
) -> Result<(CommandKind, ExecutionTarget)> {
    let prepared = prepare(queue, image, !to_image)?;
    let buffer_seen = transfer::prepare(queue, buffer, to_image)?;
    if image.parent.as_ref().is_some_and(|p| Arc::ptr_eq(p, buffer))
        && image.object_type == CL_MEM_OBJECT_IMAGE1D_BUFFER
    {
        return Err(err!(CL_INVALID_MEM_OBJECT, "the image lies in the buffer"));
    }
    validate_destination(if to_image { image } else { buffer })?;
    let part = prepared.part(region)?;
    let size = bytes(part.bytes());
    region::validate_range(offset as u64, size, buffer.size)?;
    let range = MemRange { mem: buffer.clone(), offset: offset as u64, size };
    let target = prepared.target(execution_target(prepared.host_sees && buffer_seen, false, size));
    let kind = match to_image {
        true => CommandKind::BufferToImage { src: range, dst: part },
        false => CommandKind::ImageToBuffer { src: part, dst: range },
    };
    Ok((kind, target))
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
    let moved = if mapping.shadow.is_copy() && !invalidate { bytes(part.bytes()) } else { 0 };
    let target = prepared.target(execution_target(prepared.host_sees || moved == 0, blocking, moved));
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
    let kind = CommandKind::MapImage { part, mapping, fill: !invalidate };
    match put(queue, CL_COMMAND_MAP_IMAGE, kind, target, waits, blocking) {
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
        let region = bytes_of(part.region, info.format.element_size());
        let layout = RectLayout { offset: 0, row_pitch: region[0], slice_pitch: region[0] * region[1] };
        let size = region_end(&layout, region);
        let index = queue.device_index();
        let shadow = if self.elsewhere { None } else { mem.shadow(index, size) };
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
    let part = ImagePart { mem: mem.clone(), level, origin, region };
    let moved = if mapping.shadow.is_copy() && mapping.write { bytes(part.bytes()) } else { 0 };
    let target = prepared.target(if moved == 0 {
        ExecutionTarget::Either
    } else {
        execution_target(prepared.host_sees, false, moved)
    });
    let kind = CommandKind::UnmapImage { part, mapping: mapping.clone() };
    put(queue, CL_COMMAND_UNMAP_MEM_OBJECT, kind, target, waits, false)
        .inspect_err(|_| mem.restore_mapping(mapping))
}
