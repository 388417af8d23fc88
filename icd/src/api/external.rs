//! Shared memory (cl_khr_external_memory): properties of buffers, and the entry points, which are found by
//! name only.

use super::event::publish_event;
use crate::convert::{Words, handles, wait_list};
use crate::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::sync;
use pyroclast_runtime::device::share::MemoryHandle;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::memory::external::ExternalDesc;
use std::ffi::c_int;

/// Reads the properties that concern shared memory; `None` if there are none.
pub fn description(ptr: *const cl_mem_properties) -> Result<Option<ExternalDesc>> {
    if ptr.is_null() {
        return Ok(None);
    }
    let mut words = Words::new(ptr);
    let mut desc = ExternalDesc::default();
    let mut unknown = None;
    let mut names = Vec::new();
    loop {
        let name = words.next_word()?;
        if name == 0 {
            break;
        }
        if name == u64::from(CL_MEM_DEVICE_HANDLE_LIST_KHR) {
            let device = |word: &u64| (*word as usize as cl_device_id).arc();
            desc.devices = Some(words.list()?.iter().map(device).collect::<Result<_>>()?);
        } else if let Some(handle) = MemoryHandle::of(name) {
            desc.handles.push((handle, words.next_word()? as c_int));
        } else {
            words.next_word()?;
            unknown = Some(name);
        }
        if names.contains(&name) {
            return Err(err!(CL_INVALID_PROPERTY, "buffer property {name:#x} is given twice"));
        }
        names.push(name);
    }
    match (desc.handles.is_empty(), &desc.devices, unknown) {
        (true, None, _) => Ok(None),
        (true, Some(_), _) => Err(err!(CL_INVALID_PROPERTY, "a list of devices without shared memory")),
        (false, _, Some(name)) => Err(err!(CL_INVALID_PROPERTY, "buffer property {name:#x}")),
        (false, _, None) => {
            desc.list = words.into_list();
            Ok(Some(desc))
        }
    }
}

entry! { extension fn clEnqueueAcquireExternalMemObjectsKHR(
    command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    // CL_INVALID_VALUE: list and count disagree; the list may be empty.
    let mems = handles(num_mem_objects, mem_objects, CL_INVALID_VALUE)?.into_vec();
    publish_event(event, sync::external(&queue, mems, false, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { extension fn clEnqueueReleaseExternalMemObjectsKHR(
    command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    // CL_INVALID_VALUE: list and count disagree; the list may be empty.
    let mems = handles(num_mem_objects, mem_objects, CL_INVALID_VALUE)?.into_vec();
    publish_event(event, sync::external(&queue, mems, true, wait_list(num_events, events)?)?);
    Ok(())
} }
