//! Entry points of features that no device has: pipes.
//!
//! Handles and arguments are checked first; then each call is answered the way the specification provides for a context
//! or a device without the feature. As there are no pipes, no handle of one is valid.

use crate::entry::entry;
use crate::handle::Handle;
use pyroclast_runtime::cl::*;
use pyroclast_runtime::err;
use std::ffi::c_void;

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
