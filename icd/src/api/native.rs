//! Entry point of native kernels.

use super::event::publish_event;
use crate::convert::{slice, wait_list};
use crate::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::command::native::{self, NativeFunction};
use pyroclast_runtime::err;
use pyroclast_runtime::host_ptr::HostPtr;
use std::ffi::c_void;

entry! { for command_queue fn clEnqueueNativeKernel(
    command_queue: cl_command_queue, user_func: Option<unsafe extern "C" fn(*mut c_void)>, args: *mut c_void,
    cb_args: usize, num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void,
    num_events: cl_uint, events: *const cl_event, event: *mut cl_event
) -> cl_int {
    let queue = command_queue.arc()?;
    let Some(function) = user_func else { return Err(err!(CL_INVALID_VALUE, "no function")) };
    // CL_INVALID_VALUE: arguments and their size disagree, or memory objects without arguments.
    if args.is_null() != (cb_args == 0) || (args.is_null() && num_mem_objects > 0) {
        return Err(err!(CL_INVALID_VALUE, "arguments that disagree with their size"));
    }
    // CL_INVALID_VALUE: the lists of memory objects and of their offsets disagree with their number.
    let handles = slice(mem_list, num_mem_objects as usize)?;
    let locations = slice(args_mem_loc.cast_const(), num_mem_objects as usize)?;
    let mut mems = Vec::with_capacity(handles.len());
    for (handle, location) in handles.iter().zip(locations) {
        // CL_INVALID_MEM_OBJECT: neither NULL nor a memory object.
        let mem = if handle.is_null() { None } else { Some(handle.arc()?) };
        mems.push(((*location as usize).wrapping_sub(args as usize), mem));
    }
    let waits = wait_list(num_events, events)?;
    let args = slice(args.cast::<u8>().cast_const(), cb_args)?;
    let none = args.is_empty();
    let call: NativeFunction = Box::new(move |args: HostPtr| {
        let args: *mut c_void = if none { std::ptr::null_mut() } else { args.as_ptr().cast() };
        // SAFETY: the application's function, called with a copy of the arguments it was enqueued with, or
        // with NULL.
        unsafe { function(args) }
    });
    publish_event(event, native::enqueue(&queue, call, args, mems, waits)?);
    Ok(())
} }
