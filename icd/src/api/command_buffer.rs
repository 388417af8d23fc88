//! Entry points of command buffers (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch), found by
//! name only.

use super::event::publish_event;
use super::image::{image_of, origin_of, region};
use super::kernel::{set_arg, set_exec_info};
use super::svm::{host, pattern};
use crate::convert::{self, handles, optional_slice, properties, slice, triple, wait_list, write_out};
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::image::ImageFormat;
use pyroclast_runtime::cl::ndrange::NdRange;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::transfer::RectSide;
use pyroclast_runtime::command_buffer::mutable::{DispatchUpdate, MutableCommand};
use pyroclast_runtime::command_buffer::{CommandBuffer, DispatchProperties, RecordPosition};
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::kernel::Kernel;
use std::ffi::c_void;

impl HandleTarget for _cl_command_buffer_khr {
    type Object = CommandBuffer;
}

impl HandleTarget for _cl_mutable_command_khr {
    type Object = MutableCommand;
}

entry! { extension fn clCreateCommandBufferKHR(
    num_queues: cl_uint, queues: *const cl_command_queue, properties: *const cl_command_buffer_properties_khr;
    errcode_ret
) -> cl_command_buffer_khr {
    if num_queues == 0 || queues.is_null() {
        return Err(err!(CL_INVALID_VALUE, "{num_queues} queues at {queues:p}"));
    }
    let queues = handles(num_queues, queues, CL_INVALID_VALUE)?;
    let given = !properties.is_null();
    let list = self::properties(properties)?;
    Ok(cl_command_buffer_khr::publish(CommandBuffer::create(
        &queues,
        given.then_some(list.raw),
        &list.pairs,
    )?))
} }

entry! { extension fn clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int {
    command_buffer.retain()
} }

entry! { extension fn clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int {
    command_buffer.release()
} }

entry! { extension fn clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int {
    command_buffer.get()?.finalize()
} }

entry! { extension fn clEnqueueCommandBufferKHR(
    num_queues: cl_uint, queues: *const cl_command_queue, command_buffer: cl_command_buffer_khr,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let buffer = command_buffer.get()?;
    // CL_INVALID_VALUE: queues and their number disagree.
    let queues = handles(num_queues, queues, CL_INVALID_VALUE)?;
    publish_event(event, buffer.enqueue(&queues, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { extension fn clRemapCommandBufferKHR(
    command_buffer: cl_command_buffer_khr, automatic: cl_bool, num_queues: cl_uint,
    queues: *const cl_command_queue, num_handles: cl_uint, handles: *const cl_mutable_command_khr,
    handles_ret: *mut cl_mutable_command_khr; errcode_ret
) -> cl_command_buffer_khr {
    let buffer = command_buffer.get()?;
    if num_queues == 0 || queues.is_null() {
        return Err(err!(CL_INVALID_VALUE, "{num_queues} queues at {queues:p}"));
    }
    if handles.is_null() != (num_handles == 0) || handles_ret.is_null() != (num_handles == 0) {
        return Err(err!(
            CL_INVALID_VALUE,
            "{num_handles} commands at {handles:p}, and {handles_ret:p} for the new ones"
        ));
    }
    let queues = convert::handles(num_queues, queues, CL_INVALID_VALUE)?;
    // CL_INVALID_VALUE, not the handles' own code, for an invalid command.
    let commands = convert::handles(num_handles, handles, CL_INVALID_VALUE)
        .map_err(|e| err!(CL_INVALID_VALUE, "{e}"))?;
    // CL_INVALID_OPERATION: CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR is not supported, so the
    // application must map the queues.
    if automatic != CL_FALSE {
        return Err(err!(CL_INVALID_OPERATION, "no automatic mapping to queues"));
    }
    let (copy, copies) = buffer.remap(&queues, &commands)?;
    let copy = cl_command_buffer_khr::publish(copy);
    for (i, command) in copies.iter().enumerate().filter(|_| !copy.is_null()) {
        // SAFETY: the application's array has `num_handles` entries.
        unsafe { handles_ret.add(i).write(cl_mutable_command_khr::of(command)) };
    }
    Ok(copy)
} }

/// The buffer and position of a command to record.
fn recording<'a>(
    command_buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
) -> Result<(&'a CommandBuffer, usize)> {
    let buffer = command_buffer.get()?;
    let queue = if queue.is_null() { None } else { Some(queue.arc()?) };
    Ok((buffer, buffer.queue_index(queue.as_ref())?))
}

/// Like [`recording`], for commands other than kernel launches, which have no properties and cannot be
/// updated.
fn recording_fixed<'a>(
    command_buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    mutable_handle: *mut cl_mutable_command_khr,
) -> Result<(&'a CommandBuffer, usize)> {
    let found = recording(command_buffer, queue)?;
    if let Some((name, _)) = self::properties(properties)?.pairs.first() {
        return Err(err!(CL_INVALID_VALUE, "command property {name:#x}"));
    }
    // CL_INVALID_VALUE: only kernel launches have handles.
    if !mutable_handle.is_null() {
        return Err(err!(CL_INVALID_VALUE, "the command has no handle"));
    }
    Ok(found)
}

/// A queue of the buffer with a list of sync points, which the buffer validates.
fn sync_points<'a>(queue: usize, n: cl_uint, list: *const cl_sync_point_khr) -> Result<RecordPosition<'a>> {
    // CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: list and count disagree.
    let waits = slice(list, n as usize).map_err(|e| err!(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "{e}"))?;
    Ok(RecordPosition { queue, waits })
}

entry! { extension fn clCommandBarrierWithWaitListKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    write_out(sync_point, buffer.barrier(sync_points(queue, num_sync_points, sync_point_wait_list)?)?);
    Ok(())
} }

entry! { extension fn clCommandCopyBufferKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
    dst_offset: usize, size: usize, num_sync_points: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let (src, dst) = (src_buffer.arc()?, dst_buffer.arc()?);
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    write_out(sync_point, buffer.copy_buffer(&src, &dst, src_offset, dst_offset, size, waits)?);
    Ok(())
} }

entry! { extension fn clCommandCopyBufferRectKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem,
    src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize,
    src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let (src, dst) = (src_buffer.arc()?, dst_buffer.arc()?);
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    let from =
        RectSide { origin: triple(src_origin)?, row_pitch: src_row_pitch, slice_pitch: src_slice_pitch };
    let to = RectSide { origin: triple(dst_origin)?, row_pitch: dst_row_pitch, slice_pitch: dst_slice_pitch };
    write_out(sync_point, buffer.copy_rect(&src, &dst, from, to, triple(region)?, waits)?);
    Ok(())
} }

entry! { extension fn clCommandFillBufferKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
    offset: usize, size: usize, num_sync_points: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (commands, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let mem = buffer.arc()?;
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    // The size of the pattern is checked before it is read.
    let pattern = match optional_slice(pattern.cast::<u8>(), pattern_size.min(128)) {
        Some(pattern) if (1..=128).contains(&pattern_size) => pattern,
        _ => return Err(err!(CL_INVALID_VALUE, "no pattern, or one of {pattern_size} bytes")),
    };
    write_out(sync_point, commands.fill_buffer(&mem, pattern, offset, size, waits)?);
    Ok(())
} }

/// Parses the properties of a kernel launch.
fn dispatch_properties(list: *const cl_command_properties_khr) -> Result<DispatchProperties> {
    let given = !list.is_null();
    let list = properties(list)?;
    let mut out = DispatchProperties::default();
    let mut asserts = None;
    for (name, value) in &list.pairs {
        // CL_INVALID_VALUE: an unknown property, or one that is given twice.
        let slot = match u32::try_from(*name) {
            Ok(CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR) => &mut out.fields,
            Ok(CL_MUTABLE_DISPATCH_ASSERTS_KHR) => &mut asserts,
            _ => return Err(err!(CL_INVALID_VALUE, "command property {name:#x}")),
        };
        if slot.replace(*value).is_some() {
            return Err(err!(CL_INVALID_VALUE, "command property {name:#x} is given twice"));
        }
    }
    out.asserts = asserts.unwrap_or(0);
    if out.asserts & !CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR != 0 {
        return Err(err!(CL_INVALID_VALUE, "promises {:#x}", out.asserts));
    }
    out.list = given.then_some(list.raw);
    Ok(out)
}

entry! { extension fn clCommandNDRangeKernelKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, kernel: cl_kernel, work_dim: cl_uint,
    global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize,
    num_sync_points: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording(command_buffer, command_queue)?;
    let properties = dispatch_properties(properties)?;
    let kernel = kernel.arc()?;
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    // The arrays have `work_dim` elements, once that is known to be valid.
    let n = if work_dim <= 3 { work_dim as usize } else { 0 };
    let range = NdRange::new(
        work_dim,
        optional_slice(global_work_offset, n),
        optional_slice(global_work_size, n),
        optional_slice(local_work_size, n),
    )?;
    let (point, command) = buffer.launch(&kernel, range, properties, waits)?;
    write_out(sync_point, point);
    if !mutable_handle.is_null() {
        write_out(mutable_handle, cl_mutable_command_khr::of(&command));
    }
    Ok(())
} }

/// Sets the arguments listed by an update.
fn set_all(kernel: &Kernel, args: &[cl_mutable_dispatch_arg_khr]) -> Result<()> {
    args.iter().try_for_each(|arg| set_arg(kernel, arg.arg_index, arg.arg_size, arg.arg_value))
}

/// Reads a configuration.
fn dispatch_update<'a>(config: &'a cl_mutable_dispatch_config_khr) -> Result<DispatchUpdate<'a>> {
    let command = config.command.arc()?;
    // CL_INVALID_VALUE: lists and their lengths disagree.
    let args = slice(config.arg_list, config.num_args as usize)?;
    let pointers = slice(config.arg_svm_list, config.num_svm_args as usize)?;
    let exec_infos = slice(config.exec_info_list, config.num_exec_infos as usize)?;
    let n = command.dims()? as usize;
    Ok(DispatchUpdate {
        command,
        dims: config.work_dim,
        offset: optional_slice(config.global_work_offset, n),
        global: optional_slice(config.global_work_size, n),
        local: optional_slice(config.local_work_size, n),
        sets_args: !args.is_empty() || !pointers.is_empty(),
        sets_exec_info: !exec_infos.is_empty(),
        set: Box::new(move |kernel| {
            set_all(kernel, args)?;
            // A pointer is the value itself.
            pointers
                .iter()
                .try_for_each(|arg| kernel.set_svm_pointer(arg.arg_index, arg.arg_value as u64))?;
            exec_infos
                .iter()
                .try_for_each(|i| set_exec_info(kernel, i.param_name, i.param_value_size, i.param_value))
        }),
    })
}

entry! { extension fn clUpdateMutableCommandsKHR(
    command_buffer: cl_command_buffer_khr, num_configs: cl_uint,
    config_types: *const cl_command_buffer_update_type_khr, configs: *const *const c_void
) -> cl_int {
    let buffer = command_buffer.get()?;
    buffer.validate_updatable()?;
    // CL_INVALID_VALUE: lists and their length disagree.
    let types = slice(config_types, num_configs as usize)?;
    let configs = slice(configs, num_configs as usize)?;
    if let Some(unknown) = types.iter().find(|t| **t != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR) {
        return Err(err!(CL_INVALID_VALUE, "configuration of type {unknown:#x}"));
    }
    let mut updates = Vec::with_capacity(configs.len());
    for config in configs {
        // SAFETY: a configuration of this type is NULL or such a structure.
        let config = unsafe { config.cast::<cl_mutable_dispatch_config_khr>().as_ref() };
        updates
            .push(dispatch_update(config.ok_or_else(|| err!(CL_INVALID_VALUE, "a configuration is NULL"))?)?);
    }
    buffer.update(&updates)
} }

entry! { extension fn clGetCommandBufferInfoKHR(
    command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr, size: usize,
    value: *mut c_void, size_ret: *mut usize
) -> cl_int {
    let buffer = command_buffer.get()?;
    let answer: InfoValue = match param_name {
        CL_COMMAND_BUFFER_NUM_QUEUES_KHR => (buffer.queues().len() as u32).into(),
        CL_COMMAND_BUFFER_QUEUES_KHR => {
            buffer.queues().iter().map(cl_command_queue::of).collect::<Vec<_>>().into()
        }
        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => command_buffer.reference_count()?.into(),
        CL_COMMAND_BUFFER_STATE_KHR => buffer.state().into(),
        // Empty if the buffer was created without a list.
        CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => {
            buffer.properties().map_or(InfoValue::Empty, |l| l.to_vec().into())
        }
        CL_COMMAND_BUFFER_CONTEXT_KHR => cl_context::of(buffer.context()).into(),
        other => return Err(info::unknown("clGetCommandBufferInfoKHR", other)),
    };
    info::write(answer, size, value, size_ret)
} }

entry! { extension fn clGetMutableCommandInfoKHR(
    command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr, size: usize, value: *mut c_void,
    size_ret: *mut usize
) -> cl_int {
    let object = command.get()?;
    let buffer = object.buffer()?;
    let answer: InfoValue = match param_name {
        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => cl_command_queue::of(&object.queue()?).into(),
        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => cl_command_buffer_khr::of(&buffer).into(),
        CL_MUTABLE_DISPATCH_KERNEL_KHR => cl_kernel::of(&object.kernel()?).into(),
        other => object.query(other)?.ok_or_else(|| info::unknown("clGetMutableCommandInfoKHR", other))?,
    };
    info::write(answer, size, value, size_ret)
} }

entry! { extension fn clCommandCopyBufferToImageKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
    dst_origin: *const usize, size: *const usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (commands, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let (buffer, image) = (src_buffer.arc()?, dst_image.arc()?);
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    let at = region(image_of(&image)?, dst_origin, size)?;
    write_out(sync_point, commands.copy_image_buffer(&image, &buffer, true, at, src_offset, waits)?);
    Ok(())
} }

entry! { extension fn clCommandCopyImageToBufferKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, src_image: cl_mem, dst_buffer: cl_mem,
    src_origin: *const usize, size: *const usize, dst_offset: usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (commands, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let (image, buffer) = (src_image.arc()?, dst_buffer.arc()?);
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    let at = region(image_of(&image)?, src_origin, size)?;
    write_out(sync_point, commands.copy_image_buffer(&image, &buffer, false, at, dst_offset, waits)?);
    Ok(())
} }

entry! { extension fn clCommandCopyImageKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, src_image: cl_mem, dst_image: cl_mem,
    src_origin: *const usize, dst_origin: *const usize, size: *const usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (commands, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let (src, dst) = (src_image.arc()?, dst_image.arc()?);
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    let (from, to) = (origin_of(image_of(&src)?, src_origin)?, origin_of(image_of(&dst)?, dst_origin)?);
    let size = triple(size)?;
    write_out(sync_point, commands.copy_image(&src, &dst, from, to, size, waits)?);
    Ok(())
} }

entry! { extension fn clCommandFillImageKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, image: cl_mem, fill_color: *const c_void,
    origin: *const usize, size: *const usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (commands, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let image = image.arc()?;
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    image_of(&image)?;
    if fill_color.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no colour"));
    }
    // SAFETY: the application's colour has the number of bytes that the format requires.
    let bytes =
        |f: ImageFormat| Ok(unsafe { std::slice::from_raw_parts(fill_color.cast::<u8>(), f.color_bytes()) });
    write_out(
        sync_point,
        commands.fill_image(&image, bytes, region(image_of(&image)?, origin, size)?, waits)?,
    );
    Ok(())
} }

entry! { extension fn clCommandSVMMemcpyKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
    num_sync_points: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    write_out(sync_point, buffer.svm_memcpy((host(dst_ptr), host(src_ptr)), size, waits)?);
    Ok(())
} }

entry! { extension fn clCommandSVMMemFillKHR(
    command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
    properties: *const cl_command_properties_khr, svm_ptr: *mut c_void, pattern: *const c_void,
    pattern_size: usize, size: usize, num_sync_points: cl_uint,
    sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
    mutable_handle: *mut cl_mutable_command_khr
) -> cl_int {
    let (buffer, queue) = recording_fixed(command_buffer, command_queue, properties, mutable_handle)?;
    let waits = sync_points(queue, num_sync_points, sync_point_wait_list)?;
    write_out(
        sync_point,
        buffer.svm_fill(host(svm_ptr), self::pattern(pattern, pattern_size)?, size, waits)?,
    );
    Ok(())
} }
