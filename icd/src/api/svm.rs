//! Entry points of shared virtual memory.

use super::event::publish_event;
use crate::callback::UserData;
use crate::convert::{optional_slice, slice, wait_list};
use crate::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::svm;
use pyroclast_runtime::err;
use pyroclast_runtime::error::Result;
use pyroclast_runtime::host_ptr::HostPtr;
use pyroclast_runtime::memory::svm::svm_alloc;
use std::ffi::c_void;
use std::ptr::null_mut;

pub(super) fn host(ptr: *const c_void) -> HostPtr {
    HostPtr::new(ptr.cast_mut().cast())
}

/// The pattern of a fill.
pub(super) fn pattern<'a>(pattern: *const c_void, size: usize) -> Result<&'a [u8]> {
    // The size of the pattern is checked before it is read.
    match optional_slice(pattern.cast::<u8>(), size.min(128)) {
        Some(pattern) if (1..=128).contains(&size) => Ok(pattern),
        _ => Err(err!(CL_INVALID_VALUE, "no pattern, or one of {size} bytes")),
    }
}

entry! { fn clSVMAlloc(
    context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint,
) -> *mut c_void, or null_mut(); {
    Ok(svm_alloc(context.get()?, flags, size, alignment)?.as_ptr().cast())
} }

/// Frees an allocation; errors cannot be reported.
#[unsafe(no_mangle)]
#[allow(non_snake_case, clippy::missing_safety_doc)]
pub unsafe extern "C" fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    let (function, words) = entry::describe!(clSVMFree(context: cl_context, svm_pointer: *mut c_void));
    let _ = entry::guard(function, words, move || {
        drop(context.get()?.allocations.remove(svm_pointer as u64));
        Ok(())
    });
}

type FreeFunction = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

/// A closure that calls the application's function with its arguments.
fn free_function(
    function: FreeFunction,
    queue: cl_command_queue,
    pointers: &[*mut c_void],
    user_data: *mut c_void,
) -> svm::FreeFunction {
    let (queue, user_data) = (UserData(queue.cast()), UserData(user_data));
    let pointers: Vec<UserData> = pointers.iter().map(|p| UserData(*p)).collect();
    Box::new(move || {
        let mut list: Vec<*mut c_void> = pointers.iter().map(|p| p.get()).collect();
        // SAFETY: the application's function, called with the arguments it was enqueued with.
        unsafe { function(queue.get().cast(), list.len() as cl_uint, list.as_mut_ptr(), user_data.get()) };
    })
}

entry! { for command_queue fn clEnqueueSVMFree(
    command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
    pfn_free_func: Option<FreeFunction>, user_data: *mut c_void, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    // CL_INVALID_VALUE: list and count disagree.
    let pointers = slice(svm_pointers.cast_const(), num_svm_pointers as usize)?;
    let function = pfn_free_func.map(|f| free_function(f, command_queue, pointers, user_data));
    publish_event(event, svm::free(&queue, pointers.iter().map(|p| host(*p)).collect(), function, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueSVMMemcpy(
    command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void,
    size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    svm::validate_device(&queue)?;
    let pointers = (host(dst_ptr), host(src_ptr));
    publish_event(
        event,
        svm::memcpy(&queue, CL_COMMAND_SVM_MEMCPY, blocking_copy != 0, pointers, size, waits)?,
    );
    Ok(())
} }

entry! { for command_queue fn clEnqueueSVMMemFill(
    command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
    size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    svm::validate_device(&queue)?;
    let pattern = self::pattern(pattern, pattern_size)?;
    publish_event(event, svm::fill(&queue, CL_COMMAND_SVM_MEMFILL, host(svm_ptr), pattern, size, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueSVMMap(
    command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void,
    size: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    publish_event(event, svm::map(&queue, blocking_map != 0, flags, host(svm_ptr), size, waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueSVMUnmap(
    command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    publish_event(event, svm::unmap(&queue, host(svm_ptr), waits)?);
    Ok(())
} }

entry! { for command_queue fn clEnqueueSVMMigrateMem(
    command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void,
    sizes: *const usize, flags: cl_mem_migration_flags, num_events: cl_uint, events: *const cl_event,
    event: *mut cl_event
) -> cl_int {
    let (queue, waits) = (command_queue.arc()?, wait_list(num_events, events)?);
    svm::validate_device(&queue)?;
    // CL_INVALID_VALUE: no pointers, or list and count disagree.
    let pointers = match slice(svm_pointers.cast_const(), num_svm_pointers as usize)? {
        [] => return Err(err!(CL_INVALID_VALUE, "nothing to migrate")),
        pointers => pointers,
    };
    let sizes = optional_slice(sizes, pointers.len());
    let region =
        |(i, p): (usize, &*const c_void)| (host(*p), sizes.and_then(|s| s.get(i)).copied().unwrap_or(0));
    let regions: Vec<_> = pointers.iter().enumerate().map(region).collect();
    publish_event(event, svm::migrate(&queue, &regions, flags, waits)?);
    Ok(())
} }
