//! Entry points of pipes.

use crate::entry::entry;
use crate::handle::Handle;
use crate::info;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use pyroclast_runtime::memory::pipe;
use std::ffi::c_void;

entry! { for context fn clCreatePipe(
    context: cl_context, flags: cl_mem_flags, packet_size: cl_uint, max_packets: cl_uint,
    properties: *const cl_pipe_properties; errcode_ret
) -> cl_mem {
    let context = context.arc()?;
    // CL_INVALID_VALUE: no property is defined.
    if !properties.is_null() {
        return Err(err!(CL_INVALID_VALUE, "properties of a pipe"));
    }
    Ok(cl_mem::publish(pipe::create(&context, flags, packet_size, max_packets)?))
} }

entry! { fn clGetPipeInfo(
    pipe: cl_mem, param_name: cl_pipe_info, size: usize, value: *mut c_void, size_ret: *mut usize,
) -> cl_int {
    let object = pipe.get()?;
    let Some(pipe) = object.pipe else { return Err(err!(CL_INVALID_MEM_OBJECT, "not a pipe")) };
    let answer = pipe.query(param_name).ok_or_else(|| info::unknown("clGetPipeInfo", param_name))?;
    info::write(answer, size, value, size_ret)
} }
