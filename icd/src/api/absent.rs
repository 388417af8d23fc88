//! Entry points of features that no device has: images, samplers, pipes.
//!
//! Handles and arguments are checked first; then each call is answered the way the specification provides for a context
//! or a device without the feature. As there are no images, samplers or pipes, no handle of one is valid.

use crate::convert::write_out;
use crate::entry::entry;
use crate::handle::{Handle, expect_kind};
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::error::{Error, Result};
use pyroclast_runtime::object::ObjectKind;
use std::ffi::c_void;

fn check_queue(queue: cl_command_queue) -> Result<()> {
    expect_kind(queue, ObjectKind::CommandQueue, CL_INVALID_COMMAND_QUEUE)
}

// ---- images ----

/// The answer to the creation of an image: no device of the context supports images.
fn no_images<T>(context: cl_context) -> Result<*mut T> {
    context.get()?;
    Err(err!(CL_INVALID_OPERATION, "no device of the context supports images"))
}

/// The answer to a command on images.
fn no_image(queue: cl_command_queue) -> Error {
    match check_queue(queue) {
        Ok(()) => err!(CL_INVALID_MEM_OBJECT, "the object is no image"),
        Err(error) => error,
    }
}

entry! { fn clGetSupportedImageFormats(
    context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
    image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
) -> cl_int {
    context.get()?;
    // The flags must be flags of memory objects and not exclude each other.
    const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const KNOWN: cl_mem_flags = ACCESS
        | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY
        | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;
    if flags & !KNOWN != 0 || (flags & ACCESS).count_ones() > 1 {
        return Err(err!(CL_INVALID_VALUE, "flags {flags:#x}"));
    }
    // The type must be that of an image.
    if !matches!(
        image_type,
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D
            | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D
    ) {
        return Err(err!(CL_INVALID_VALUE, "image type {image_type:#x}"));
    }
    // A list needs room.
    if num_entries == 0 && !image_formats.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no room for formats"));
    }
    write_out(num_image_formats, 0);
    Ok(())
} }

entry! { fn clCreateImage(
    context: cl_context, _flags: cl_mem_flags, _format: *const cl_image_format, _desc: *const cl_image_desc,
    _host_ptr: *mut c_void; errcode_ret
) -> cl_mem { no_images(context) } }

entry! { fn clCreateImageWithProperties(
    context: cl_context, _properties: *const cl_mem_properties, _flags: cl_mem_flags, _format: *const cl_image_format,
    _desc: *const cl_image_desc, _host_ptr: *mut c_void; errcode_ret
) -> cl_mem { no_images(context) } }

entry! { fn clCreateImage2D(
    context: cl_context, _flags: cl_mem_flags, _format: *const cl_image_format, _width: usize, _height: usize,
    _row_pitch: usize, _host_ptr: *mut c_void; errcode_ret
) -> cl_mem { no_images(context) } }

entry! { fn clCreateImage3D(
    context: cl_context, _flags: cl_mem_flags, _format: *const cl_image_format, _width: usize, _height: usize,
    _depth: usize, _row_pitch: usize, _slice_pitch: usize, _host_ptr: *mut c_void; errcode_ret
) -> cl_mem { no_images(context) } }

entry! { fn clGetImageInfo(
    image: cl_mem, _param_name: cl_image_info, _size: usize, _value: *mut c_void, _size_ret: *mut usize,
) -> cl_int { Err(err!(CL_INVALID_MEM_OBJECT, "{image:p} is no image")) } }

entry! { fn clEnqueueReadImage(
    queue: cl_command_queue, _image: cl_mem, _blocking: cl_bool, _origin: *const usize, _region: *const usize,
    _row_pitch: usize, _slice_pitch: usize, _ptr: *mut c_void, _num_events: cl_uint, _wait_list: *const cl_event,
    _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueWriteImage(
    queue: cl_command_queue, _image: cl_mem, _blocking: cl_bool, _origin: *const usize, _region: *const usize,
    _row_pitch: usize, _slice_pitch: usize, _ptr: *const c_void, _num_events: cl_uint, _wait_list: *const cl_event,
    _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueFillImage(
    queue: cl_command_queue, _image: cl_mem, _color: *const c_void, _origin: *const usize, _region: *const usize,
    _num_events: cl_uint, _wait_list: *const cl_event, _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueCopyImage(
    queue: cl_command_queue, _src: cl_mem, _dst: cl_mem, _src_origin: *const usize, _dst_origin: *const usize,
    _region: *const usize, _num_events: cl_uint, _wait_list: *const cl_event, _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueCopyImageToBuffer(
    queue: cl_command_queue, _src: cl_mem, _dst: cl_mem, _src_origin: *const usize, _region: *const usize,
    _dst_offset: usize, _num_events: cl_uint, _wait_list: *const cl_event, _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueCopyBufferToImage(
    queue: cl_command_queue, _src: cl_mem, _dst: cl_mem, _src_offset: usize, _dst_origin: *const usize,
    _region: *const usize, _num_events: cl_uint, _wait_list: *const cl_event, _event: *mut cl_event,
) -> cl_int { Err(no_image(queue)) } }

entry! { fn clEnqueueMapImage(
    queue: cl_command_queue, _image: cl_mem, _blocking: cl_bool, _flags: cl_map_flags, _origin: *const usize,
    _region: *const usize, _row_pitch: *mut usize, _slice_pitch: *mut usize, _num_events: cl_uint,
    _wait_list: *const cl_event, _event: *mut cl_event; errcode_ret
) -> *mut c_void { Err(no_image(queue)) } }

// ---- samplers ----

entry! { fn clCreateSampler(
    context: cl_context, _normalized: cl_bool, _addressing: cl_addressing_mode, _filter: cl_filter_mode; errcode_ret
) -> cl_sampler { no_images(context) } }

entry! { fn clCreateSamplerWithProperties(
    context: cl_context, _properties: *const cl_sampler_properties; errcode_ret
) -> cl_sampler { no_images(context) } }

fn no_sampler(sampler: cl_sampler) -> Error {
    err!(CL_INVALID_SAMPLER, "{sampler:p} is no sampler")
}

entry! { fn clRetainSampler(sampler: cl_sampler) -> cl_int { Err(no_sampler(sampler)) } }

entry! { fn clReleaseSampler(sampler: cl_sampler) -> cl_int { Err(no_sampler(sampler)) } }

entry! { fn clGetSamplerInfo(
    sampler: cl_sampler, _param_name: cl_sampler_info, _size: usize, _value: *mut c_void, _size_ret: *mut usize,
) -> cl_int { Err(no_sampler(sampler)) } }

// ---- pipes ----

entry! { fn clCreatePipe(
    context: cl_context, _flags: cl_mem_flags, _packet_size: cl_uint, _max_packets: cl_uint,
    _properties: *const cl_pipe_properties; errcode_ret
) -> cl_mem {
    context.get()?;
    Err(err!(CL_INVALID_OPERATION, "no device of the context supports pipes"))
} }

entry! { fn clGetPipeInfo(
    pipe: cl_mem, _param_name: cl_pipe_info, _size: usize, _value: *mut c_void, _size_ret: *mut usize,
) -> cl_int { Err(err!(CL_INVALID_MEM_OBJECT, "{pipe:p} is no pipe")) } }
