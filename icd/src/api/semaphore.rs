//! Entry points of semaphores (cl_khr_semaphore, cl_khr_external_semaphore), found by name only.

use super::event::publish_event;
use crate::convert::{Words, handles, wait_list, write_out};
use crate::entry;
use crate::handle::{Handle, HandleTarget};
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::device::share::SemaphoreHandle;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::info::InfoValue;
use pyroclast_runtime::semaphore::{self, Semaphore, SemaphoreDesc};
use smallvec::SmallVec;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

impl HandleTarget for _cl_semaphore_khr {
    type Object = Semaphore;
}

/// Parses the properties of a new semaphore. Some values are lists.
fn description(ptr: *const cl_semaphore_properties_khr) -> Result<SemaphoreDesc> {
    if ptr.is_null() {
        return Err(err!(CL_INVALID_VALUE, "no properties"));
    }
    let mut words = Words::new(ptr);
    let mut desc = SemaphoreDesc::default();
    let mut names = Vec::new();
    loop {
        let name = words.next_word()?;
        if name == 0 {
            break;
        }
        if names.contains(&name) {
            return Err(err!(CL_INVALID_PROPERTY, "semaphore property {name:#x} is given twice"));
        }
        names.push(name);
        match u32::try_from(name) {
            Ok(CL_SEMAPHORE_TYPE_KHR) => {
                let kind = words.next_word()?;
                if kind != u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR) {
                    return Err(err!(CL_INVALID_PROPERTY, "semaphores of type {kind:#x}"));
                }
            }
            Ok(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR) => {
                let device = |word: &u64| (*word as usize as cl_device_id).arc();
                desc.devices = Some(words.list()?.iter().map(device).collect::<Result<_>>()?);
            }
            Ok(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) => {
                let kind = |word: &u64| {
                    SemaphoreHandle::of(*word)
                        .ok_or_else(|| err!(CL_INVALID_PROPERTY, "semaphore handles of type {word:#x}"))
                };
                desc.exports = Some(words.list()?.iter().map(kind).collect::<Result<_>>()?);
            }
            _ => match SemaphoreHandle::of(name) {
                Some(handle) => desc.imports.push((handle, words.next_word()? as c_int)),
                None => return Err(err!(CL_INVALID_PROPERTY, "semaphore property {name:#x}")),
            },
        }
    }
    if !names.contains(&u64::from(CL_SEMAPHORE_TYPE_KHR)) {
        return Err(err!(CL_INVALID_VALUE, "no type of semaphore"));
    }
    desc.list = words.into_list();
    Ok(desc)
}

entry! { extension fn clCreateSemaphoreWithPropertiesKHR(
    context: cl_context, sema_props: *const cl_semaphore_properties_khr; errcode_ret
) -> cl_semaphore_khr {
    let context = context.arc()?;
    Ok(cl_semaphore_khr::publish(Semaphore::create(&context, description(sema_props)?)?))
} }

entry! { extension fn clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) -> cl_int { sema_object.retain() } }

entry! { extension fn clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) -> cl_int {
    sema_object.release()
} }

fn semaphores(n: cl_uint, list: *const cl_semaphore_khr) -> Result<SmallVec<[Arc<Semaphore>; 4]>> {
    if n == 0 || list.is_null() {
        return Err(err!(CL_INVALID_VALUE, "{n} semaphores at {list:p}"));
    }
    handles(n, list, CL_INVALID_VALUE)
}

entry! { extension fn clEnqueueWaitSemaphoresKHR(
    command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
    _sema_payload_list: *const cl_semaphore_payload_khr, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, list) = (command_queue.arc()?, semaphores(num_sema_objects, sema_objects)?);
    publish_event(event, semaphore::wait(&queue, &list, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { extension fn clEnqueueSignalSemaphoresKHR(
    command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
    _sema_payload_list: *const cl_semaphore_payload_khr, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, list) = (command_queue.arc()?, semaphores(num_sema_objects, sema_objects)?);
    publish_event(event, semaphore::signal(&queue, &list, wait_list(num_events, events)?)?);
    Ok(())
} }

entry! { extension fn clGetSemaphoreInfoKHR(
    sema_object: cl_semaphore_khr, param_name: cl_semaphore_info_khr, size: usize, value: *mut c_void,
    size_ret: *mut usize
) -> cl_int {
    let object = sema_object.get()?;
    let answer: InfoValue = match param_name {
        CL_SEMAPHORE_CONTEXT_KHR => cl_context::of(object.context()).into(),
        CL_SEMAPHORE_REFERENCE_COUNT_KHR => sema_object.reference_count()?.into(),
        CL_SEMAPHORE_PROPERTIES_KHR => object.properties().to_vec().into(),
        CL_SEMAPHORE_TYPE_KHR => CL_SEMAPHORE_TYPE_BINARY_KHR.into(),
        CL_SEMAPHORE_PAYLOAD_KHR => object.payload().into(),
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => {
            object.devices().iter().map(cl_device_id::of).collect::<Vec<_>>().into()
        }
        CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
            object.export_handle().map_or(InfoValue::Empty, |h| vec![h.value()].into())
        }
        CL_SEMAPHORE_EXPORTABLE_KHR => object.export_handle().is_some().into(),
        other => return Err(info::unknown("clGetSemaphoreInfoKHR", other)),
    };
    info::write(answer, size, value, size_ret)
} }

entry! { extension fn clGetSemaphoreHandleForTypeKHR(
    sema_object: cl_semaphore_khr, device: cl_device_id, handle_type: cl_external_semaphore_handle_type_khr,
    handle_size: usize, handle_ptr: *mut c_void, handle_size_ret: *mut usize
) -> cl_int {
    let (object, device) = (sema_object.get()?, device.arc()?);
    let handle = SemaphoreHandle::of(u64::from(handle_type));
    let handle =
        handle.ok_or_else(|| err!(CL_INVALID_VALUE, "semaphore handles of type {handle_type:#x}"))?;
    object.validate_export(&device, handle)?;
    if !handle_ptr.is_null() {
        if handle_size < size_of::<c_int>() {
            return Err(err!(
                CL_INVALID_VALUE,
                "a descriptor has {} bytes, not {handle_size}",
                size_of::<c_int>()
            ));
        }
        let fd = object.export(&device, handle)?;
        // SAFETY: the application's buffer has at least the size of a descriptor.
        unsafe { handle_ptr.cast::<c_int>().write_unaligned(fd) };
    }
    write_out(handle_size_ret, size_of::<c_int>());
    Ok(())
} }

entry! { extension fn clReImportSemaphoreSyncFdKHR(
    sema_object: cl_semaphore_khr, reimport_props: *mut cl_semaphore_reimport_properties_khr, fd: c_int
) -> cl_int {
    let object = sema_object.get()?;
    // CL_INVALID_VALUE: no property is defined.
    // SAFETY: a list that is not NULL has a terminating zero at least.
    if !reimport_props.is_null() && unsafe { reimport_props.read_unaligned() } != 0 {
        return Err(err!(CL_INVALID_VALUE, "properties of an import"));
    }
    object.import_again(fd)
} }
