//! Entry points of images.

use super::event::publish_event;
use crate::convert::{properties, triple, wait_list, write_list, write_out};
use crate::entry;
use crate::handle::Handle;
use crate::info;
use pyroclast_runtime::cl::image::ImageFormat;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::image::{self as commands, LevelOrigin, LevelRegion};
use pyroclast_runtime::device::batch::Access;
use pyroclast_runtime::err;
use pyroclast_runtime::error::{Error, ErrorCode, Result};
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::memory::MemObject;
use pyroclast_runtime::memory::image::{self, Descriptor, ImageInfo};
use pyroclast_runtime::memory::image_requirements;
use std::ffi::c_void;
use std::sync::Arc;

fn host(ptr: *const c_void) -> HostPtr {
    HostPtr::new(ptr.cast_mut().cast())
}

fn optional_host(ptr: *mut c_void) -> Option<HostPtr> {
    (!ptr.is_null()).then(|| host(ptr))
}

fn format_of(format: *const cl_image_format) -> Option<ImageFormat> {
    // SAFETY: a non-null pointer of the application is to a format.
    let format = (!format.is_null()).then(|| unsafe { format.read_unaligned() })?;
    Some(ImageFormat::new(format.image_channel_order, format.image_channel_data_type))
}

/// Reads a description; CL_INVALID_IMAGE_DESCRIPTOR if its memory object is invalid.
fn descriptor(desc: *const cl_image_desc) -> Result<Option<Descriptor>> {
    if desc.is_null() {
        return Ok(None);
    }
    // SAFETY: a non-null pointer of the application is to a description.
    let d = unsafe { desc.read_unaligned() };
    let mem = if d.mem_object.is_null() { None } else { Some(d.mem_object.arc()) };
    let mem = mem.transpose().map_err(|e| err!(CL_INVALID_IMAGE_DESCRIPTOR, "the memory object: {e}"))?;
    Ok(Some(Descriptor {
        image_type: d.image_type,
        width: d.image_width,
        height: d.image_height,
        depth: d.image_depth,
        array_size: d.image_array_size,
        row_pitch: d.image_row_pitch,
        slice_pitch: d.image_slice_pitch,
        num_mip_levels: d.num_mip_levels,
        num_samples: d.num_samples,
        mem,
    }))
}

pub(super) fn image_of(mem: &MemObject) -> Result<&ImageInfo> {
    mem.image().ok_or_else(|| err!(CL_INVALID_MEM_OBJECT, "not an image"))
}

entry! { fn clGetSupportedImageFormats(
    context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
    image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint
) -> cl_int {
    let context = context.arc()?;
    if num_entries == 0 && !image_formats.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no room for formats"));
    }
    let list: Vec<cl_image_format> = image::supported_formats(&context, flags, image_type)?
        .iter()
        .map(|f| cl_image_format { image_channel_order: f.order, image_channel_data_type: f.data_type })
        .collect();
    write_list(&list, num_entries, image_formats, num_image_formats);
    Ok(())
} }

entry! { for context fn clCreateImage(
    context: cl_context, flags: cl_mem_flags, format: *const cl_image_format, desc: *const cl_image_desc,
    host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    let made =
        image::create(&context, None, flags, format_of(format), descriptor(desc)?, optional_host(host_ptr))?;
    Ok(cl_mem::publish(made))
} }

entry! { for context fn clCreateImageWithProperties(
    context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
    format: *const cl_image_format, desc: *const cl_image_desc, host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    let given = !properties.is_null();
    let list = self::properties(properties).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    let list = given.then_some(list.raw);
    let made =
        image::create(&context, list, flags, format_of(format), descriptor(desc)?, optional_host(host_ptr))?;
    Ok(cl_mem::publish(made))
} }

/// Maps codes to those of OpenCL 1.0, whose functions report invalid pitches as CL_INVALID_IMAGE_SIZE.
fn with_old_codes(made: Result<Arc<MemObject>>) -> Result<Arc<MemObject>> {
    made.map_err(|e| match e.code() {
        CL_INVALID_IMAGE_DESCRIPTOR => Error { code: ErrorCode(CL_INVALID_IMAGE_SIZE), ..e },
        _ => e,
    })
}

entry! { for context fn clCreateImage2D(
    context: cl_context, flags: cl_mem_flags, format: *const cl_image_format, width: usize, height: usize,
    row_pitch: usize, host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    let desc = Descriptor {
        image_type: CL_MEM_OBJECT_IMAGE2D, width, height, depth: 1, array_size: 1, row_pitch, slice_pitch: 0,
        num_mip_levels: 0, num_samples: 0, mem: None,
    };
    let made = image::create(&context, None, flags, format_of(format), Some(desc), optional_host(host_ptr));
    Ok(cl_mem::publish(with_old_codes(made)?))
} }

entry! { for context fn clCreateImage3D(
    context: cl_context, flags: cl_mem_flags, format: *const cl_image_format, width: usize, height: usize,
    depth: usize, row_pitch: usize, slice_pitch: usize, host_ptr: *mut c_void; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    // CL_INVALID_IMAGE_SIZE: clCreateImage3D creates no image of a single slice.
    if depth <= 1 {
        return Err(err!(CL_INVALID_IMAGE_SIZE, "a depth of {depth}"));
    }
    let desc = Descriptor {
        image_type: CL_MEM_OBJECT_IMAGE3D, width, height, depth, array_size: 1, row_pitch, slice_pitch,
        num_mip_levels: 0, num_samples: 0, mem: None,
    };
    let made = image::create(&context, None, flags, format_of(format), Some(desc), optional_host(host_ptr));
    Ok(cl_mem::publish(with_old_codes(made)?))
} }

entry! { fn clGetImageInfo(
    image: cl_mem, param_name: cl_image_info, size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let object = image.get()?;
    let info = image_of(object)?;
    let [width, height, depth] = info.shape.size.map(|n| n as usize);
    let kind = object.object_type;
    let only = |has: bool, n: usize| InfoValue::Size(if has { n } else { 0 });
    let flat =
        matches!(kind, CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE1D_ARRAY);
    let answer: InfoValue = match param_name {
        CL_IMAGE_FORMAT => InfoValue::U32s(vec![info.format.order, info.format.data_type]),
        CL_IMAGE_ELEMENT_SIZE => (info.format.element_size() as usize).into(),
        CL_IMAGE_ROW_PITCH => (info.row_pitch as usize).into(),
        CL_IMAGE_SLICE_PITCH => (info.slice_pitch as usize).into(),
        CL_IMAGE_WIDTH => width.into(),
        CL_IMAGE_HEIGHT => only(!flat, height),
        CL_IMAGE_DEPTH => only(kind == CL_MEM_OBJECT_IMAGE3D, depth),
        CL_IMAGE_ARRAY_SIZE => match kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => height.into(),
            kind => only(kind == CL_MEM_OBJECT_IMAGE2D_ARRAY, depth),
        },
        CL_IMAGE_BUFFER => {
            let buffer = object.parent.as_ref().filter(|p| p.image().is_none());
            buffer.map_or(InfoValue::Handle(0), |p| cl_mem::of(p).into())
        }
        // An image of one level is not mipmapped.
        CL_IMAGE_NUM_MIP_LEVELS => (if info.levels == 1 { 0 } else { info.levels }).into(),
        CL_IMAGE_NUM_SAMPLES => 0u32.into(),
        other => return Err(info::unknown("clGetImageInfo", other)),
    };
    info::write(answer, size, value, size_ret)
} }

entry! { extension fn clGetImageRequirementsInfoEXT(
    context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
    format: *const cl_image_format, desc: *const cl_image_desc, param_name: cl_image_requirements_info_ext,
    size: usize, value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let context = context.arc()?;
    let list = self::properties(properties).map_err(|e| err!(CL_INVALID_PROPERTY, "{e}"))?;
    let (format, desc) = (format_of(format), descriptor(desc)?);
    let answer = image_requirements::query(&context, &list.raw, flags, format, desc.as_ref(), param_name)?;
    info::write(answer, size, value, size_ret)
} }

/// Reads an origin, with the mip level after the coordinates that the image has.
pub(super) fn origin_of(image: &ImageInfo, origin: *const usize) -> Result<LevelOrigin> {
    let mut at = triple(origin)?;
    let coordinates = image.shape.kind.coordinates();
    let level = match at.get_mut(coordinates) {
        _ if image.levels == 1 => 0,
        Some(level) => std::mem::take(level),
        // SAFETY: origins in mipmapped images have an additional element.
        None => unsafe { origin.add(coordinates).read_unaligned() },
    };
    Ok(LevelOrigin { at, level })
}

pub(super) fn region(image: &ImageInfo, origin: *const usize, size: *const usize) -> Result<LevelRegion> {
    Ok(LevelRegion { origin: origin_of(image, origin)?, size: triple(size)? })
}

entry! { for command_queue fn clEnqueueReadImage(
    command_queue: cl_command_queue, image: cl_mem, blocking: cl_bool, origin: *const usize,
    size: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, image, waits) = (command_queue.arc()?, image.arc()?, wait_list(num_events, events)?);
    let (at, pitches) = (region(image_of(&image)?, origin, size)?, (row_pitch, slice_pitch));
    publish_event(
        event,
        commands::host_transfer(&queue, &image, Access::Read, blocking != 0, at, pitches, host(ptr), waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueWriteImage(
    command_queue: cl_command_queue, image: cl_mem, blocking: cl_bool, origin: *const usize,
    size: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *const c_void, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, image, waits) = (command_queue.arc()?, image.arc()?, wait_list(num_events, events)?);
    let (at, pitches) = (region(image_of(&image)?, origin, size)?, (row_pitch, slice_pitch));
    publish_event(
        event,
        commands::host_transfer(&queue, &image, Access::Write, blocking != 0, at, pitches, host(ptr), waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueFillImage(
    command_queue: cl_command_queue, image: cl_mem, color: *const c_void, origin: *const usize,
    size: *const usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, image, waits) = (command_queue.arc()?, image.arc()?, wait_list(num_events, events)?);
    image_of(&image)?;
    if color.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no colour"));
    }
    // SAFETY: the application's colour has the number of bytes that the format requires.
    let bytes =
        |f: ImageFormat| Ok(unsafe { std::slice::from_raw_parts(color.cast::<u8>(), f.color_bytes()) });
    publish_event(
        event,
        commands::fill(&queue, &image, bytes, region(image_of(&image)?, origin, size)?, waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueCopyImage(
    command_queue: cl_command_queue, src: cl_mem, dst: cl_mem, src_origin: *const usize,
    dst_origin: *const usize, size: *const usize, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, src, dst) = (command_queue.arc()?, src.arc()?, dst.arc()?);
    let waits = wait_list(num_events, events)?;
    let (from, to) = (origin_of(image_of(&src)?, src_origin)?, origin_of(image_of(&dst)?, dst_origin)?);
    let size = triple(size)?;
    publish_event(event, commands::copy(&queue, &src, &dst, from, to, size, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueCopyImageToBuffer(
    command_queue: cl_command_queue, src: cl_mem, dst: cl_mem, src_origin: *const usize, size: *const usize,
    dst_offset: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, src, dst) = (command_queue.arc()?, src.arc()?, dst.arc()?);
    let waits = wait_list(num_events, events)?;
    let at = region(image_of(&src)?, src_origin, size)?;
    publish_event(event, commands::copy_buffer(&queue, &src, &dst, false, at, dst_offset, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueCopyBufferToImage(
    command_queue: cl_command_queue, src: cl_mem, dst: cl_mem, src_offset: usize, dst_origin: *const usize,
    size: *const usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, src, dst) = (command_queue.arc()?, src.arc()?, dst.arc()?);
    let waits = wait_list(num_events, events)?;
    let at = region(image_of(&dst)?, dst_origin, size)?;
    publish_event(event, commands::copy_buffer(&queue, &dst, &src, true, at, src_offset, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueMapImage(
    command_queue: cl_command_queue, image: cl_mem, blocking: cl_bool, flags: cl_map_flags,
    origin: *const usize, size: *const usize, row_pitch: *mut usize, slice_pitch: *mut usize,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event; errcode_ret
) -> *mut c_void {
    let (queue, image, waits) = (command_queue.arc()?, image.arc()?, wait_list(num_events, events)?);
    let at = region(image_of(&image)?, origin, size)?;
    let pitches = [!row_pitch.is_null(), !slice_pitch.is_null()];
    let (done, mapped) = commands::map(&queue, &image, blocking != 0, flags, at, pitches, waits)?;
    write_out(row_pitch, mapped.row_pitch);
    write_out(slice_pitch, mapped.slice_pitch);
    publish_event(event, done);
    Ok(mapped.ptr.as_ptr().cast())
} }
