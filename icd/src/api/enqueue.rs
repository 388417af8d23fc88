//! Entry points that enqueue commands.

use super::event::publish_event;
use crate::convert::{handles, optional_slice, triple, wait_list};
use crate::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::ndrange::NdRange;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::transfer::{self, RectSide};
use pyroclast_runtime::command::{map, ndrange, sync};
use pyroclast_runtime::device::batch::Access;
use pyroclast_runtime::err;
use pyroclast_runtime::event::WaitList;
use pyroclast_runtime::host_ptr::HostPtr;
use std::ffi::c_void;

fn host(ptr: *const c_void) -> HostPtr {
    HostPtr::new(ptr.cast_mut().cast())
}

entry! { for command_queue fn clEnqueueReadBuffer(
    command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize,
    ptr: *mut c_void, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    publish_event(
        event,
        transfer::read_buffer(&queue, &buffer, blocking_read != 0, offset, size, host(ptr), waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueWriteBuffer(
    command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize,
    ptr: *const c_void, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    publish_event(
        event,
        transfer::write_buffer(&queue, &buffer, blocking_write != 0, offset, size, host(ptr), waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueReadBufferRect(
    command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize,
    host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize,
    host_row_pitch: usize, host_slice_pitch: usize, ptr: *mut c_void, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    let in_buffer = RectSide {
        origin: triple(buffer_origin)?,
        row_pitch: buffer_row_pitch,
        slice_pitch: buffer_slice_pitch,
    };
    let on_host =
        RectSide { origin: triple(host_origin)?, row_pitch: host_row_pitch, slice_pitch: host_slice_pitch };
    let blocking = blocking_read != 0;
    publish_event(
        event,
        transfer::host_rect(
            &queue,
            &buffer,
            Access::Read,
            blocking,
            in_buffer,
            on_host,
            triple(region)?,
            host(ptr),
            waits,
        )?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueWriteBufferRect(
    command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize,
    host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize,
    host_row_pitch: usize, host_slice_pitch: usize, ptr: *const c_void, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    let in_buffer = RectSide {
        origin: triple(buffer_origin)?,
        row_pitch: buffer_row_pitch,
        slice_pitch: buffer_slice_pitch,
    };
    let on_host =
        RectSide { origin: triple(host_origin)?, row_pitch: host_row_pitch, slice_pitch: host_slice_pitch };
    let blocking = blocking_write != 0;
    publish_event(
        event,
        transfer::host_rect(
            &queue,
            &buffer,
            Access::Write,
            blocking,
            in_buffer,
            on_host,
            triple(region)?,
            host(ptr),
            waits,
        )?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueCopyBuffer(
    command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
    dst_offset: usize, size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, src, dst) = (command_queue.arc()?, src_buffer.arc()?, dst_buffer.arc()?);
    let waits = wait_list(num_events, events)?;
    publish_event(event, transfer::copy_buffer(&queue, &src, &dst, src_offset, dst_offset, size, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueCopyBufferRect(
    command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
    dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize,
    dst_row_pitch: usize, dst_slice_pitch: usize, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, src, dst) = (command_queue.arc()?, src_buffer.arc()?, dst_buffer.arc()?);
    let waits = wait_list(num_events, events)?;
    let from =
        RectSide { origin: triple(src_origin)?, row_pitch: src_row_pitch, slice_pitch: src_slice_pitch };
    let to = RectSide { origin: triple(dst_origin)?, row_pitch: dst_row_pitch, slice_pitch: dst_slice_pitch };
    publish_event(event, transfer::copy_rect(&queue, &src, &dst, from, to, triple(region)?, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueFillBuffer(
    command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
    offset: usize, size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    // The size of the pattern is checked before it is read.
    let pattern = match optional_slice(pattern.cast::<u8>(), pattern_size.min(128)) {
        Some(pattern) if (1..=128).contains(&pattern_size) => pattern,
        _ => return Err(err!(CL_INVALID_VALUE, "no pattern, or one of {pattern_size} bytes")),
    };
    publish_event(event, transfer::fill_buffer(&queue, &buffer, pattern, offset, size, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueMapBuffer(
    command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
    offset: usize, size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event;
    errcode_ret
) -> *mut c_void {
    let (queue, buffer, waits) = (command_queue.arc()?, buffer.arc()?, wait_list(num_events, events)?);
    let (mapped, ptr) = map::map_buffer(&queue, &buffer, blocking_map != 0, map_flags, offset, size, waits)?;
    publish_event(event, mapped);
    Ok(ptr.as_ptr().cast())
} }

entry! { for command_queue fn clEnqueueUnmapMemObject(
    command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, mem, waits) = (command_queue.arc()?, memobj.arc()?, wait_list(num_events, events)?);
    publish_event(event, map::unmap(&queue, &mem, host(mapped_ptr), waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueMigrateMemObjects(
    command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
    flags: cl_mem_migration_flags, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    // CL_INVALID_VALUE: list and count disagree.
    let mems = handles(num_mem_objects, mem_objects, CL_INVALID_VALUE)?.into_vec();
    publish_event(event, sync::migrate(&queue, mems, flags, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueNDRangeKernel(
    command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
    global_work_size: *const usize, local_work_size: *const usize, num_events: cl_uint,
    events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, kernel, waits) = (command_queue.arc()?, kernel.get()?, wait_list(num_events, events)?);
    // The arrays have `work_dim` elements, once that is known to be valid.
    let n = if work_dim <= 3 { work_dim as usize } else { 0 };
    let range = NdRange::new(
        work_dim,
        optional_slice(global_work_offset, n),
        optional_slice(global_work_size, n),
        optional_slice(local_work_size, n),
    )?;
    publish_event(event, ndrange::launch(&queue, kernel, CL_COMMAND_NDRANGE_KERNEL, range, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueTask(
    command_queue: cl_command_queue, kernel: cl_kernel, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, kernel, waits) = (command_queue.arc()?, kernel.get()?, wait_list(num_events, events)?);
    let range = NdRange::new(1, None, Some(&[1]), Some(&[1]))?;
    publish_event(event, ndrange::launch(&queue, kernel, CL_COMMAND_TASK, range, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueMarkerWithWaitList(
    command_queue: cl_command_queue, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    publish_event(event, sync::marker(&queue, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueBarrierWithWaitList(
    command_queue: cl_command_queue, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    publish_event(event, sync::barrier(&queue, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueMarker(
    command_queue: cl_command_queue, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    // CL_INVALID_VALUE: a marker without an event.
    if event.is_null() {
        return Err(err!(CL_INVALID_VALUE, "event is NULL"));
    }
    publish_event(event, sync::marker(&queue, WaitList::new())?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueBarrier(command_queue: cl_command_queue) -> cl_int {
    sync::barrier(&command_queue.arc()?, WaitList::new()).map(drop)
} }

entry! { for command_queue fn clEnqueueWaitForEvents(
    command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    if num_events == 0 || event_list.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no events"));
    }
    sync::barrier(&queue, handles(num_events, event_list, CL_INVALID_VALUE)?).map(drop)
} }
